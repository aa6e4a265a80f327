#pragma once
/// Matrix products of the CPU by a registered library.

#include <placement/cpu/block_epilogue.hpp>
#include <placement/kernels/product_engine.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// multiply_by() on the CPU; the epilogue runs here. False also for small products, which the
/// kernels of cpu/ do faster.
template <class T, class X, class Epilogue>
bool multiply_by_library(product_engine& engine, T* out, X const& x, index_t depth,
                         strided_view<T const, X::rank> const& a,
                         strided_view<T const, X::rank> const& b, Epilogue const& epilogue) {
  constexpr index_t small_flops = index_t{32} * 32 * 32;
  index_t const columns = x.at(X::rank - 1);
  if (x.at(X::rank - 2) * columns * depth <= small_flops) return false;
  index_t const all_rows = columns == 0 ? 0 : static_cast<index_t>(x.count()) / columns;
  auto const finish = [&] { run_epilogue(epilogue, {0, all_rows, 0, columns, columns}); };
  return multiply_by(engine, logical(cpu0), out, x, depth, a, b, epilogue, finish);
}

}}}  // namespace placement::v0_1::detail
