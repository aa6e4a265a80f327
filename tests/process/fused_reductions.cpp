// gpus: 0 2
// The cost of reductions and joins: kernels, allocations, and lines of the log.
#include <support/counted_new.hpp>
#include <support/gpus.hpp>
#include <support/heap_count.hpp>
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace placement;

namespace {

tensor<float, dextents<2>> guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }

/// The log lines of one evaluation in TensorFlow 2's format, without the device.
template <class Call> lines_of ops_logged(Call call) {
  log_lines log;
  with_device const scope(cpu0, log_level::all, log_format::tf2);
  call();
  lines_of ops;
  for (std::string const& line : log.take_all()) {
    std::string const start = "Executing op ",
                      end = " in device /job:localhost/replica:0/task:0/device:CPU:0";
    REQUIRE(line.starts_with(start));
    REQUIRE(line.ends_with(end));
    ops.push_back(line.substr(start.size(), line.size() - start.size() - end.size()));
  }
  return ops;
}

/// The number of allocations on the CPU when an expression is evaluated to a tensor.
template <class E> std::size_t allocations_of(E const& e) {
  with_device const scope(cpu0);
  return heap_allocations([&] { tensor const t = on(cpu0, e); });
}

}  // namespace

TEST_CASE("a reduction of an expression allocates only its result, and is one kernel") {
  with_device const scope(cpu0);
  auto const a = guide_a(), b = guide_a();
  auto const dot = sum(a * b);
  CHECK(allocations_of(dot) == 1);
  CHECK(plan_of(dot).kernels == 1);
  CHECK(allocations_of(sum(a * b + 1.f, 0)) == 1);
  CHECK(allocations_of(max(transpose(a) * 2.f, axis<1>)) == 1);
  CHECK(allocations_of(argmax(exp(a) - b, 1)) == 1);
  CHECK(allocations_of(any(a > b)) == 1);
  CHECK(ops_logged([&] { tensor const t = sum(guide_a() * b); }) == lines_of{"Mul", "Sum"});
}

TEST_CASE("element-wise ops on a reduction are its epilogue: still one kernel and one allocation") {
  with_device const scope(cpu0);
  auto const a = guide_a();
  auto const e = mean(a, 1) * 2.f + 1.f;
  CHECK(allocations_of(e) == 1);
  CHECK(plan_of(e).kernels == 1);
  CHECK(ops_logged([&] { tensor const t = mean(guide_a(), 1) * 2.f + 1.f; }) ==
        lines_of{"Mean", "Mul", "AddV2"});
  CHECK(allocations_of(sqrt(sum(a * a, axis<0>))) == 1);
  CHECK(allocations_of(a - mean(a, keep_dim(1))) ==
        2);  // the mean has another shape, so it is another kernel
  CHECK(plan_of(a - mean(a, keep_dim(1))).kernels == 2);
}

TEST_CASE("random fills fuse: one kernel, one allocation") {
  auto const e = mean(square(normal<float>(shape(100, 100))), 0) + 1.f;
  CHECK(allocations_of(e) == 1);
  CHECK(plan_of(e).kernels == 1);
}

TEST_CASE("add_n of operands is one op in one kernel, and fuses its operand expressions") {
  with_device const scope(cpu0);
  auto const a = guide_a();
  auto const e = relu(add_n(a, a * 2.f, a, a));
  CHECK(allocations_of(e) == 1);
  CHECK(plan_of(e).kernels == 1);
  CHECK(ops_logged([&] { tensor const t = add_n(a, a, a); }) == lines_of{"AddN"});
  CHECK(ops_logged([&] { (void)add_n(std::vector{a, a, a}); }) == lines_of{"AddN"});
}

TEST_CASE("add_n of one operand prints no line") {
  auto const a = guide_a();
  CHECK(ops_logged([&] { tensor const t = add_n(a); }) == lines_of{});
  CHECK(ops_logged([&] { (void)add_n(std::vector{a}); }) == lines_of{});
}

TEST_CASE("each op logs its TensorFlow name") {
  with_device const scope(cpu0);
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
  tensor const i{0, 1};
  tensor const b = x > 2.f;
  auto name_of = [](auto const& e) {
    lines_of const ops = ops_logged([&] { tensor const t = on(cpu0, e); });
    return ops.size() == 1 ? ops[0] : std::to_string(ops.size()) + " ops";
  };
  CHECK(name_of(mean(x)) == "Mean");
  CHECK(name_of(prod(x)) == "Prod");
  CHECK(name_of(max(x)) == "Max");
  CHECK(name_of(min(x)) == "Min");
  CHECK(name_of(any(b)) == "Any");
  CHECK(name_of(all(b)) == "All");
  CHECK(name_of(argmax(x)) == "ArgMax");
  CHECK(name_of(argmin(x)) == "ArgMin");
  CHECK(name_of(softmax(x)) == "Softmax");
  CHECK(name_of(log_softmax(x)) == "LogSoftmax");
  CHECK(name_of(cumsum(x)) == "Cumsum");
  CHECK(name_of(sort(x)) == "TopKV2");
  CHECK(name_of(gather(x, i)) == "GatherV2");
  CHECK(name_of(one_hot<float>(i, 2)) == "OneHot");
  CHECK(name_of(concat(0, x, x)) == "ConcatV2");
  CHECK(name_of(stack(0, x, x)) == "Pack");
  CHECK(name_of(split<2>(x)[0]) == "Split");
  CHECK(name_of(uniform<float>(shape(2))) == "RandomUniform");
  CHECK(name_of(uniform<int>(shape(2), 0, 9)) == "RandomUniformInt");
  CHECK(name_of(normal<float>(shape(2))) == "RandomStandardNormal");
  CHECK(name_of(truncated_normal<float>(shape(2))) == "TruncatedNormal");
}

TEST_CASE("the towers of a list are added on the scope's device, each copied once") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  auto const a = guide_a();
  std::vector<tensor<float, dextents<2>>> towers;
  for (int i : {0, 1}) {
    with_device const scope(device{kind::gpu, i});
    towers.push_back(matmul(a, transpose(a)));
  }
  auto const before = all_copies();
  with_device const scope("/cpu:0");
  tensor const total = add_n(towers);
  CHECK(total.where() == cpu0);
  CHECK(all_copies().copies - before.copies == 2);
  CHECK(all_copies().bytes - before.bytes == 2 * 4 * sizeof(float));
  CHECK(to_string(total) == "[[28 64]\n [64 154]]");
  CHECK(to_string(tensor(concat(0, towers))) == "[[14 32]\n [32 77]\n [14 32]\n [32 77]]");
}

TEST_CASE("running chunks on threads allocates nothing") {
  set_intra_op_threads(2);
  with_device const scope(cpu<0>);
  using vector = tensor<float, dextents<1>>;
  vector const a = iota(1'200'000, 0.f);
  vector b = a * 2.f;
  b = a + 1.f;  // the threads have been started
  CHECK(heap_allocations([&] { b = a + 2.f; }) == 0);
}
