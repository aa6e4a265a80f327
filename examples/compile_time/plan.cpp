/// The plan of an expression as a constant: each op's device with the reason, fused kernels, and
/// copies.
///
/// `plan FILE` writes the plan as an SVG picture.

#include <placement/placement.hpp>

#include <fstream>
#include <iostream>

namespace pl = placement;

using inputs = pl::tensor<float, pl::extents<32, 784>>;
using weights = pl::tensor<float, pl::extents<784, 10>>;
using bias = pl::tensor<float, pl::extents<10>>;

// Two towers, each on its own GPU, averaged on the CPU.
auto towers(inputs const& a, inputs const& b, weights const& w, bias const& c) {
  auto const first = pl::on(pl::gpu<0>, pl::relu(pl::matmul(a, w) + c));
  auto const second = pl::on(pl::gpu<1>, pl::relu(pl::matmul(b, w) + c));
  return pl::on(pl::cpu<0>, (first + second) * 0.5f);
}
using averaged = decltype(towers(std::declval<inputs>(), std::declval<inputs>(),
                                 std::declval<weights>(), std::declval<bias>()));

// From the type alone: the plan assumes that operands are on the device that needs them.
constexpr auto plan = pl::plan_of<averaged>(pl::machine{.gpus = 2});
static_assert(plan.kernels == 3);
static_assert(plan.node("MatMul", 0).device == pl::gpu<0>);
static_assert(plan.node("MatMul", 1).device == pl::gpu<1>);
static_assert(plan.node("Add", 2).device == pl::cpu0);
static_assert(plan.node("Relu").kernel == plan.node("MatMul").kernel);  // one fused kernel
static_assert(plan.fallbacks() == 0);
static_assert(plan.copies() == 2 && plan.bytes_moved() == 2 * 32 * 10 * sizeof(float));
static_assert(plan.temporaries() == 2);

// The same program on a machine with one GPU: the plan contains the fallback of the second tower.
static_assert(pl::plan_of<averaged>(pl::machine{.gpus = 1}).fallbacks() == 1);

// With dynamic extents, bytes are a function of the shapes.
using any_matrix = pl::tensor<float, pl::dextents<2>>;
using product = decltype(pl::on(
    pl::cpu<0>,
    pl::on(pl::gpu<0>, pl::matmul(std::declval<any_matrix>(), std::declval<any_matrix>())) + 1.f));
constexpr std::size_t bytes(pl::index_t m, pl::index_t k, pl::index_t n) {
  return pl::plan_of<product>(pl::machine{.gpus = 1}, {}, {}, pl::shape(m, k), pl::shape(k, n))
      .bytes_moved();
}
static_assert(bytes(2, 3, 5) == 40 && bytes(1000, 10, 1000) == 4'000'000);

int main(int argc, char** argv) {
  if (argc == 2) {
    std::ofstream(argv[1]) << to_svg(plan);
    return 0;
  }
  std::cout << "At compile time, for two GPUs:\n" << to_string(plan) << std::endl;

  inputs const a = pl::ones<float>(pl::extents<32, 784>{}), b = a * 2.f;
  weights const w = pl::constant<float>(0.5f, pl::extents<784, 10>{});
  bias const c = pl::zeros<float>(pl::extents<10>{});
  auto const e = towers(a, b, w, c);
  std::cout << "Here and now:\n" << pl::explain(e) << std::endl;

  pl::tensor const average = e;
  std::cout << "every element is " << average.read()(31, 9) << std::endl;
}
