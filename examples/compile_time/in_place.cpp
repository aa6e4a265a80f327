/// Small arrays on the CPU that consist only of their elements: no heap, no registry, no log. An
/// expression compiles to its loop alone.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

// With CPU:0 in its type and at most 64 elements, a tensor stores them inline.
template <pl::index_t... N>
using small = pl::tensor<float, pl::extents<N...>, pl::dev<pl::kind::cpu, 0>>;
static_assert(sizeof(small<3, 3>) == 9 * sizeof(float));
static_assert(std::is_trivially_copyable_v<small<3, 3>>);

// Values written in the program are constants.
constexpr small<3, 3> turn{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
static_assert(turn.data()[3] == 1);

small<3> moved(small<3, 3> const& rotation, small<3> const& offset, small<3> const& p) {
  return pl::reshape(pl::matmul(rotation, pl::reshape(p, pl::extents<3, 1>{})), pl::extents<3>{}) +
         offset;
}

// A plan that is the same on every machine: one kernel on CPU:0, without a copy.
using scaled = decltype(std::declval<small<3>>() * 2.f + std::declval<small<3>>());
constexpr auto plan = pl::plan_of<scaled>(pl::machine{.gpus = 4});
static_assert(plan.kernels == 1 && plan.copies() == 0 && plan.temporaries() == 0);
static_assert(plan.node("Add").device == pl::cpu0 &&
              plan.node("Add").why == pl::reason::in_the_type);

int main() {
  pl::with_device scope("/gpu:0");  // no effect: the type takes precedence
  small<3> p{1, 0, 0};
  for (int i = 0; i != 4; ++i) {
    p = moved(turn, small<3>{0, 0, 1}, p);
    std::cout << p << '\n';
  }
}
