// gpus: 0 2
// Expressions with CPU:0 in their types are evaluated without a registry: devices can still be
// configured afterwards.
#include <support/counted_new.hpp>
#include <support/heap_count.hpp>
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;

namespace {

template <index_t... N> using here = tensor<float, extents<N...>, dev<kind::cpu, 0>>;

}  // namespace

TEST_CASE("expressions of inline tensors leave the devices unfixed, in a static scope too") {
  with_device const scope(cpu<0>);
  here<2, 3> const a{{1, 2, 3}, {4, 5, 6}};
  here<2, 3> b = a * a + 1.f;
  b = scope(softmax(b - a));
  here<2, 2> const c = matmul(a, transpose(a));
  CHECK(c.read()(1, 1) == 77);
  CHECK_FALSE(is_initialized());
  CHECK_NOTHROW(set_visible_devices({}, "GPU"));
  CHECK(list_logical_devices("GPU").empty());
  CHECK(is_initialized());
}

TEST_CASE("expressions of large tensors of CPU:0 leave the devices unfixed, and log nothing") {
  log_lines log;
  set_log_level(log_level::all);
  here<1000> const a = ones<float>(extents<1000>{});
  here<1000> b = a * 2.f;
  b = b + a;
  b = reverse(b, 0) - sum(a);
  CHECK(b.read()(999) == 3 - 1000);
  CHECK_FALSE(is_initialized());
  CHECK(log.take_all().empty());
}

TEST_CASE("an assignment in place to a large tensor of CPU:0 allocates nothing") {
  here<1000> const a = ones<float>(extents<1000>{});
  here<1000> b = a + a;
  CHECK(heap_allocations([&] { b = b * a + 1.f; }) == 0);
  CHECK(b.read()(999) == 3);
}
