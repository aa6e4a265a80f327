#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

/// Elements (i, i) of the last two dimensions. A view: of memory it costs nothing.
/// Shape: (..., m, n) -> (..., min(m, n)).  Type: any.  Kernels: CPU, GPU (pattern view_op).
struct diagonal_op {
  static constexpr std::string_view name = "MatrixDiagPart";
  using pattern = view_op;

  template <class X> static constexpr auto result(X const& x) {
    static_assert(
        X::rank >= 2,
        "placement: diagonal takes a matrix. Use expand_dims to make a vector a row or a column.");
    constexpr std::size_t R = X::rank;
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      extents<X::static_extent(D)..., shorter(X::static_extent(R - 2), X::static_extent(R - 1))>
          y{};
      if constexpr (!decltype(y)::is_static) {
        ((y.n[D] = x.at(D)), ...);
        y.n[R - 2] = x.at(R - 2) < x.at(R - 1) ? x.at(R - 2) : x.at(R - 1);
      }
      return y;
    }(std::make_index_sequence<R - 2>{});
  }
  template <std::size_t R, class X>
  static constexpr layout<R - 1> moved(layout<R> const& where, X const&) {
    layout<R - 1> m;
    m.base = where.base;
    for (std::size_t d = 0; d + 1 != R; ++d) m.stride[d] = where.stride[d];
    m.stride[R - 2] += where.stride[R - 1];
    return m;
  }

 private:
  static constexpr index_t shorter(index_t m, index_t n) {
    return m == dyn || n == dyn ? dyn : m < n ? m : n;
  }
};
template <operand X> auto diagonal(X&& x, site at = site::here()) -> unary<diagonal_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
