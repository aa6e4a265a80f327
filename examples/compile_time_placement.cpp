/// Placement as a value at compile time: rules, devices, plans and shapes that a compiler checks.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;
using namespace pl::literals;

// A device name is read by the compiler; "/gpu:x"_dev does not compile.
static_assert("/gpu:1"_dev == pl::gpu<1>);

// The rule itself: what runs where on which machine, and why.
constexpr pl::kernels_for both{.declared = true, .launchable = true};
static_assert(pl::place({.gpu = both}, {.gpus = 2}, {}).device == pl::gpu0);
static_assert(pl::place({.gpu = both}, {.gpus = 0}, {}).why == pl::reason::no_gpu);
static_assert(pl::place({}, {.gpus = 2}, {}).why == pl::reason::no_gpu_kernel);

// Shapes in the types: a product whose inner extents differ does not compile.
using left = pl::tensor<float, pl::extents<2, 3>>;
using right = pl::tensor<float, pl::extents<3, 2>>;

auto towers(left const& a, right const& b) {
  return pl::on("/gpu:0"_dev, pl::matmul(a, b)) + pl::on("/gpu:1"_dev, pl::matmul(a, b));
}

// The plan of an expression, from its type alone.
using two_towers = decltype(towers(std::declval<left>(), std::declval<right>()));
static_assert(std::is_same_v<two_towers::extents_type, pl::extents<2, 2>>);
constexpr auto plan = pl::plan_of<two_towers>(pl::machine{.gpus = 2});
static_assert(plan.kernels == 3);
static_assert(plan.node("MatMul", 0).device == pl::device{pl::kind::gpu, 0});
static_assert(plan.node("MatMul", 1).device == pl::device{pl::kind::gpu, 1});
static_assert(plan.node("Add").device == pl::gpu0);
static_assert(plan.fallbacks() == 0 && plan.bytes_moved() == 4 * sizeof(float));

// The same program on a machine with one GPU: the second tower moves over, and the plan knows.
static_assert(pl::plan_of<two_towers>(pl::machine{.gpus = 1}).fallbacks() == 1);

int main() {
  std::cout << "At compile time, for two GPUs:\n" << to_string(plan) << std::endl;

  left a{{1, 2, 3}, {4, 5, 6}};
  right b{{1, 2}, {3, 4}, {5, 6}};
  auto e = towers(a, b);
  std::cout << "Here and now:\n" << pl::explain(e) << std::endl;

  pl::tensor<float, pl::extents<2, 2>> sum = e;
  std::cout << sum << std::endl;
}
