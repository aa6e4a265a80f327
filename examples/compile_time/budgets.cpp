/// Limits of a program as types: no fallback, no copies, or at most a number of copies.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

using matrix = pl::tensor<float, pl::extents<64, 64>>;

auto step(matrix const& x, matrix const& w) {
  return pl::on(pl::cpu<0>, x - pl::on(pl::gpu<0>, pl::matmul(x, w)) * 0.1f);
}
using step_type = decltype(step(std::declval<matrix>(), std::declval<matrix>()));

// A budget for all machines: one line per machine, checked by each build.
constexpr bool within_budget(pl::machine m) {
  auto const plan = pl::plan_of<step_type>(m);
  return plan.copies() <= 1 && plan.temporary_bytes() <= 64 * 64 * sizeof(float);
}
static_assert(within_budget({.gpus = 0}) && within_budget({.gpus = 1}) &&
              within_budget({.gpus = 8}));
static_assert(pl::plan_of<step_type>({.gpus = 1}).fallbacks() == 0);
static_assert(pl::plan_of<step_type>({.gpus = 0}).fallbacks() == 1);

int main() {
  matrix const x = pl::ones<float>(pl::extents<64, 64>{});

  // In a strict scope of a tag, an op without a GPU kernel does not compile.
  pl::with_device strictly(pl::gpu<0>, pl::strict);
  pl::tensor const y = strictly(pl::exp(x));

  // If devices are known only at run time, the same policies throw.
  try {
    pl::with_device frugal("/gpu:1", pl::no_copies);
    pl::tensor const z = y + 1.f;
    std::cout << "computed on " << to_string(z.where()) << '\n';
  } catch (pl::error const& e) { std::cout << e.what() << '\n'; }
  try {
    pl::tensor const z = pl::evaluate(step(y, y), pl::at_most<pl::copies, 1>{});
    std::cout << "computed on " << to_string(z.where()) << '\n';
  } catch (pl::error const& e) { std::cout << e.what() << '\n'; }
}
