#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

/// The last two dimensions swapped. A view: of memory it costs nothing.
/// Shape: (..., m, n) -> (..., n, m).  Type: any.  Kernels: CPU, GPU (pattern view_op).
struct transpose_op {
  static constexpr std::string_view name = "Transpose";
  using pattern = view_op;

  template <index_t... N> static constexpr auto result(extents<N...> const& x) {
    constexpr std::size_t R = sizeof...(N);
    static_assert(
        R >= 2,
        "placement: transpose takes a matrix. Use expand_dims to make a vector a row or a column.");
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      extents<extents<N...>::static_extent(D + 2 == R ? R - 1 : D + 1 == R ? R - 2 : D)...> y{};
      if constexpr (!decltype(y)::is_static)
        ((y.n[D] = x.at(D + 2 == R ? R - 1 : D + 1 == R ? R - 2 : D)), ...);
      return y;
    }(std::make_index_sequence<R>{});
  }
  template <std::size_t R, class X> static constexpr layout<R> moved(layout<R> where, X const&) {
    std::swap(where.stride[R - 1], where.stride[R - 2]);
    return where;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> static auto pullback(auto const& g, auto const&, auto const&) {
    return transpose(g);
  }
};
template <operand X> auto transpose(X&& x, site at = site::here()) -> unary<transpose_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
