// gpus: 0
// A program that only a C++ compiler builds launches the kernels of placement::kernels, on a GPU
// or on an emulated one. Results are compared with the CPU's.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using namespace placement;

namespace {

/// Checks that every op is planned on the GPU, with a kernel of the library. The result is within
/// `ulps` of the CPU's.
template <class Make> void on_gpu(std::uint64_t ulps, Make const& make) {
  {
    with_device const scope(gpu0);
    auto const p = plan_of(make());
    INFO(to_string(p));
    REQUIRE(p.size != 0);
    for (auto const& n : p) CHECK(n.device == gpu0);
    for (auto const& n : p)
      if (n.root) CHECK(n.source == kernel_source::placement_kernels);
    CHECK(p.fallbacks() == 0);
  }
  check_expression(ulps, make);
}

template <std::size_t R> dextents<R> some_shape() {
  if constexpr (R == 1) return shape(70);
  else if constexpr (R == 2) return shape(5, 9);
  else return shape(2, 3, 5);
}
/// Values from 1 to 6.
template <class T, std::size_t R> tensor<T, dextents<R>> some(int seed = 0) {
  with_device const scope(cpu0);
  std::vector<T> all(some_shape<R>().count());
  for (std::size_t i = 0; i != all.size(); ++i)
    all[i] = static_cast<T>(1 + (i * 7 + static_cast<std::size_t>(seed)) % 6);
  return tensor_of(all, some_shape<R>());
}

template <class T, std::size_t R> void check_elementwise() {
  INFO("element type " << element_name<T>() << ", rank " << R);
  auto const x = some<T, R>(), y = some<T, R>(3);
  on_gpu(0, [&] { return abs(x); });
  on_gpu(0, [&] { return relu(x); });
  on_gpu(0, [&] { return -x; });
  on_gpu(0, [&] { return cast<double>(x); });
  on_gpu(0, [&] { return x + y; });
  on_gpu(0, [&] { return x - y; });
  on_gpu(0, [&] { return x * T(3); });
  on_gpu(0, [&] { return T(60) / y; });
  on_gpu(0, [&] { return maximum(x, y); });
  on_gpu(0, [&] { return x < y; });
  on_gpu(0, [&] { return x == T(2); });
  on_gpu(0, [&] { return sum(x); });
  on_gpu(0, [&] { return max(x); });
  on_gpu(0, [&] { return argmax(x); });
  on_gpu(0, [&] { return zeros<T>(some_shape<R>()); });
  if constexpr (std::is_floating_point_v<T>) {
    on_gpu(2, [&] { return exp(x); });
    on_gpu(2, [&] { return tanh(x); });
    on_gpu(2, [&] { return sigmoid(x); });
    on_gpu(2, [&] { return pow(x, T(2)); });
    on_gpu(0, [&] { return is_nan(x); });
    on_gpu(0, [&] { return clamp(x, T(2), T(4)); });
    on_gpu(1, [&] { return x * T(2) + T(1); });
  } else {
    on_gpu(0, [&] { return x % T(2); });
  }
}
template <class T> void check_type() {
  check_elementwise<T, 1>();
  check_elementwise<T, 2>();
  check_elementwise<T, 3>();
  auto const m = some<T, 2>();
  with_device const scope(cpu0);
  auto const v = tensor_of(std::vector<T>{1, 2, 3, 4, 5, 6, 7, 8, 9}, shape(9));
  on_gpu(0, [&] { return m + v; });
  on_gpu(0, [&] { return v * m; });
  on_gpu(0, [&] { return transpose(m); });
  on_gpu(0, [&] { return sum(m, axis<0>); });
  on_gpu(1, [&] { return mean(m, axis<1>); });
  on_gpu(0, [&] { return max(some<T, 3>(), axis<2>); });
  on_gpu(0, [&] { return argmax(m, axis<1>); });
}
template <class T> void check_models() {
  INFO("element type " << element_name<T>());
  auto const x = some<T, 2>(), y = some<T, 2>(2);
  auto const b = some<T, 3>();
  with_device const scope(cpu0);
  tensor const w = transpose(y);
  auto const bias = tensor_of(std::vector<T>{1, -200, 3, 4, 5}, shape(5));
  auto const row = tensor_of(std::vector<T>{1, 2, -30, 4, 5, 6, 7, 8, 9}, shape(9));
  tensor const right = permute(b, 0, 2, 1);
  on_gpu(1, [&] { return T(2) * x + y; });
  on_gpu(0, [&] { return matmul(x, w); });
  on_gpu(0, [&] { return matmul(b, right); });
  on_gpu(0, [&] { return matmul(x, w) + bias; });
  on_gpu(0, [&] { return relu(matmul(x, w)); });
  on_gpu(0, [&] { return relu(matmul(x, w) + bias); });
  on_gpu(0, [&] { return relu(y + row); });
  on_gpu(4, [&] { return softmax(x); });
  on_gpu(4, [&] { return log_softmax(x); });
  on_gpu(0, [] { return set_seed(7), uniform<T>(shape(3, 4)); });
  on_gpu(0, [] { return set_seed(7), normal<T>(shape(3, 4)); });
}

}  // namespace

TEST_CASE("single ops of float and double run on the GPU, in each rank") {
  need_hardware();
  check_type<float>();
  check_type<double>();
}
TEST_CASE("single ops of int and int64 run on the GPU, in each rank") {
  need_hardware();
  check_type<int>();
  check_type<std::int64_t>();
}
TEST_CASE("products, layers, softmax and random numbers run on the GPU") {
  need_hardware();
  check_models<float>();
  check_models<double>();
}

TEST_CASE("assignments through views run on the GPU") {
  need_hardware();
  with_device const scope(gpu0);
  matrix<float> x = copy_to(gpu0, matrix<float>{{1.f, 2.f}, {3.f, 4.f}});
  log_lines log;
  slice(view(x), range(0, 1)) = -1.f;
  slice(view(x), range(1, 2), everything) = slice(transpose(x), range(0, 1), everything);
  CHECK(x.where() == gpu0);
  CHECK(to_string(x) == "[[-1 -1]\n [-1 3]]");
}

TEST_CASE("the log, events and explain name placement::kernels as the source of a kernel") {
  need_hardware();
  with_device const scope(gpu0, log_level::all);
  auto const x = copy_to(gpu0, some<float, 1>());
  log_lines log;
  static kernel_source source = kernel_source::none;
  set_op_observer([](op_event const& e, void*) noexcept { source = e.source; });
  tensor const y = exp(x, {"user.cpp", 1});
  set_op_observer(nullptr);
  CHECK(log.take_all() ==
        lines_of{"placement: Exp<float> [70] on /GPU:0 (asked for /GPU:0: device scope), kernel of "
                 "placement::kernels at user.cpp:1"});
  CHECK(source == kernel_source::placement_kernels);
  CHECK(explain(exp(x)).find("device scope; kernel of placement::kernels\n") != std::string::npos);
}

TEST_CASE(
    "an expression without a kernel in the library runs on the CPU, and the log names the kernel") {
  need_hardware();
  log_lines log;
  auto const x = copy_to(gpu0, some<float, 1>());
  log.take_all();
  tensor const y = erf(exp(x * .1f), {"user.cpp", 7});
  CHECK(y.where() == cpu0);
  auto const lines = log.take_all();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] ==
        "placement: fallback: Erf<float> [70] would go to a GPU, runs on /CPU:0: its "
        "GPU kernel was not compiled into this file, nor into another of this program "
        "at user.cpp:7");
  with_device const scope(cpu0);
  tensor const there = copy_to(cpu0, x);
  CHECK(farther_than(0, y, tensor(erf(exp(there * .1f)))) == "");
  CHECK(plan_of(erf(exp(x * .1f))).node("Erf").source == kernel_source::none);
}
