// gpus: 0
// Plans of a program by a C++ compiler for hardware GPUs, if it links placement::kernels. No kernel
// is launched here: the GPUs exist in name only.
#include <placement/placement.hpp>

#include <support/hardware_platform.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

using namespace placement;

namespace {

/// Registers a GPU before the CUDA platform of nvcc's files does.
struct has_gpu_in_name {
  has_gpu_in_name() { use_hardware_gpus(1); }
};
[[gnu::init_priority(101)]] has_gpu_in_name const registered;

template <class T, std::size_t R> tensor<T, dextents<R>> some() {
  with_device const scope(cpu<0>);
  dextents<R> shape;
  for (std::size_t d = 0; d != R; ++d) shape.n[d] = 3;
  return copy_to(gpu0, tensor<T, dextents<R>>(ones<T>(shape)));
}
/// Checks that every op of the expression is planned on the GPU.
template <class E> void on_gpu(E const& e) {
  auto const p = plan_of(e);
  INFO(to_string(p));
  REQUIRE(p.size != 0);
  for (auto const& n : p) CHECK(n.device == gpu0);
  CHECK(p.fallbacks() == 0);
}

template <class T, std::size_t R> void check_elementwise() {
  auto const x = some<T, R>(), y = some<T, R>();
  on_gpu(abs(x));
  on_gpu(relu(x));
  on_gpu(-x);
  on_gpu(cast<double>(x));
  on_gpu(x + y);
  on_gpu(x - y);
  on_gpu(x * T(3));
  on_gpu(T(3) / y);
  on_gpu(maximum(x, y));
  on_gpu(x < y);
  on_gpu(x == T(2));
  on_gpu(sum(x));
  if constexpr (std::is_floating_point_v<T>) {
    on_gpu(exp(x));
    on_gpu(tanh(x));
    on_gpu(sigmoid(x));
    on_gpu(is_nan(x));
    on_gpu(pow(x, T(2)));
  } else {
    on_gpu(x % T(2));
  }
}
template <class T> void check_type() {
  INFO("element type " << element_name<T>());
  check_elementwise<T, 1>();
  check_elementwise<T, 2>();
  check_elementwise<T, 3>();
  auto const m = some<T, 2>();
  auto const v = some<T, 1>();
  on_gpu(m + v);
  on_gpu(transpose(m));
  on_gpu(sum(m, axis<0>));
  on_gpu(mean(m, axis<1>));
  on_gpu(max(some<T, 3>(), axis<2>));
  on_gpu(argmax(m, axis<1>));
}
template <class T> void check_models() {
  auto const x = some<T, 2>(), w = some<T, 2>();
  auto const b = some<T, 1>();
  on_gpu(T(2) * x + w);
  on_gpu(matmul(x, w));
  on_gpu(matmul(some<T, 3>(), some<T, 3>()));
  on_gpu(matmul(x, w) + b);
  on_gpu(relu(matmul(x, w)));
  on_gpu(relu(matmul(x, w) + b));
  on_gpu(softmax(x));
  on_gpu(log_softmax(x));
  on_gpu(uniform<T>(shape(3, 4)));
  on_gpu(normal<T>(shape(3, 4)));
  on_gpu(zeros<T>(3, 4));
}

}  // namespace

TEST_CASE("single ops are planned on the GPU, for each type and rank") {
  check_type<float>();
  check_type<double>();
  check_type<int>();
  check_type<std::int64_t>();
}

TEST_CASE("products, layers, softmax and random numbers are planned on the GPU") {
  check_models<float>();
  check_models<double>();
}

TEST_CASE(
    "an expression without a kernel in the library runs on the CPU, and the log names the kernel") {
  log_lines log;
  auto const x = some<float, 1>();
  log.take_all();
  tensor const y = erf(exp(x * 2.f), {"user.cpp", 7});
  CHECK(y.where() == cpu0);
  auto const lines = log.take_all();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("Erf<float> [3] would go to a GPU, runs on /CPU:0: its GPU kernel was not "
                      "compiled into this file, nor into another of this program at user.cpp:7") !=
        std::string::npos);
}
