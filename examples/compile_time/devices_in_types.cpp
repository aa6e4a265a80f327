/// A device in a tensor's type: the compiler knows where the elements are, and which operands are
/// copied.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

template <class D> using vector = pl::tensor<float, pl::extents<1000>, D>;
using first_gpu = pl::dev<pl::kind::gpu, 0>;
using second_gpu = pl::dev<pl::kind::gpu, 1>;

auto scaled(vector<first_gpu> const& x) { return x * 2.f + 1.f; }
auto mixed(vector<first_gpu> const& x, vector<second_gpu> const& y) { return x + y; }

// An expression of tensors of one device is evaluated to a tensor of that device.
using made = decltype(pl::evaluate(scaled(std::declval<vector<first_gpu>>())));
static_assert(std::is_same_v<made, vector<first_gpu>>);

// Operands of different device types need a copy, and the plan gives its operand and size.
constexpr pl::machine two_gpus{.gpus = 2};
using sum = decltype(mixed(std::declval<vector<first_gpu>>(), std::declval<vector<second_gpu>>()));
constexpr auto plan = pl::plan_of<sum>(two_gpus);
static_assert(plan.node("Add").device == pl::gpu0);
static_assert(plan.copies() == 1 && plan.bytes_moved() == 1000 * sizeof(float));
static_assert(pl::plan_of<decltype(scaled(std::declval<vector<first_gpu>>()))>(two_gpus).copies() ==
              0);

// pl::evaluate(mixed(x, y), pl::no_copies) does not compile. The message names both operands:
// placement: an operand is on another device than the op that reads it, and no copies are
// allowed.

int main() {
  pl::with_device scope("/cpu:0");  // types take precedence over scopes
  vector<first_gpu> const x = pl::ones<float>(pl::extents<1000>{});
  vector<second_gpu> const y = pl::constant<float>(2, pl::extents<1000>{});
  vector<first_gpu> const z = mixed(x, y);
  std::cout << "x is on " << to_string(x.where()) << ", y on " << to_string(y.where())
            << ", x + y on " << to_string(z.where()) << '\n'
            << pl::explain(mixed(x, y));
}
