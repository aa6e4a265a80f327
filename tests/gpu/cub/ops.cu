// The ops that sort use the engine of placement::cub for long rows, and the library's kernels for
// others. Ops that select and count use its other engine, also for expressions.
#include <placement/kernels/select_engine.hpp>
#include <placement/kernels/sort_engine.hpp>
#include <placement/ops/compress.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/ops/nonzero.hpp>
#include <placement/ops/topk.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;

namespace {

/// Counts the calls of another engine.
struct counted final : sort_engine {
  bool sort(logical_device const& on, sort_call const& call) override {
    ++calls;
    last = call;
    return engine->sort(on, call);
  }
  sort_engine* engine = placement::detail::gpu_sorts.load();
  int calls = 0;
  sort_call last;
};
/// The engine of the component, for one row of at least 1000 elements. Never destroyed.
counted& engine_of_long_rows() {
  static counted& all = *new counted;
  set_gpu_sorts(&all, 1000);
  return all;
}

}  // namespace

TEST_CASE("sort, argsort and topk of long rows use the engine, others the library's kernels") {
  need_hardware();
  counted& engine = engine_of_long_rows();
  auto const x = some_tensor<float>(shape(3, 8000));
  check_expression(0, [&] { return sort(x); });
  CHECK(engine.calls == 1);
  CHECK(engine.last.op == "Sort");
  CHECK(engine.last.rows == 3);
  check_expression(0, [&] { return argsort(x, descending); });
  CHECK(engine.calls == 2);
  CHECK((engine.last.gives_indices && engine.last.is_descending));
  check_expression(0, [&] { return topk(x, 7); });
  CHECK(engine.calls == 3);
  check_expression(0, [&] { return sort(x, axis<0>); });  // not contiguous
  auto const y = some_tensor<float>(shape(3, 7999));
  check_expression(0, [&] { return sort(y); });  // too short for three rows
  auto const none = some_tensor<float>(shape(0, 1000));
  check_expression(0, [&] { return sort(none); });
  CHECK(engine.calls == 3);

  set_gpu_sorts(nullptr);
  check_expression(0, [&] { return sort(x); });
  CHECK(engine.calls == 3);
}

TEST_CASE("masks and elements of expressions are selected on the GPU that computed them") {
  need_hardware();
  auto const x = plain_tensor<float>(shape(40, 50));
  check_on_gpu(0, [&] { return extract(x > 0.f, x * 2.f); });
  check_on_gpu(0, [&] { return compress(max(x, 1) > 7.f, x + 1.f); });
  check_on_gpu(0, [&] { return flatnonzero(x > 7.f); });
  check_on_gpu(0, [&] { return bincount(cast<int>(x * x)); });
  check_on_gpu(0, [&] { return histogram(x * 3.f, 12).counts; });
  check_on_gpu(0, [&] { return histogram(x * 3.f, 12).edges; });

  with_device const scope(gpu0);
  tensor<float, dextents<2>> const y = copy_to(gpu0, x);
  auto const before = copies_between(gpu0, cpu0);
  auto const some = extract(y > 0.f, y);
  auto const after = copies_between(gpu0, cpu0);
  CHECK(after.copies - before.copies == 1);
  CHECK(after.bytes - before.bytes == sizeof(index_t));
  CHECK(some.where() == gpu0);
}
