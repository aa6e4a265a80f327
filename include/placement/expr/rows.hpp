#pragma once
/// Values of tensor constructors: rows of numbers whose lengths are checked at compile time.

#include <placement/expr/as_element.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// Elements in row-major order, with their static shape.
template <class T, class X> struct written {
  using shape_type = X;
  T v[X::count()];
};

/// Asserts that values of shape Given can make a tensor of shape X.
template <class X, class Given> constexpr void check_rows() {
  static_assert(may_convert<X, Given>(),
                "placement: these values do not have the shape of the type. Check the extents.");
}

/// A vector from its elements.
template <class X, class T, class... U> constexpr auto written_row(U... v) {
  using given = extents<static_cast<index_t>(sizeof...(U))>;
  check_rows<X, given>();
  return written<T, given>{{as_element<T>(v)...}};
}

/// A matrix from its rows.
template <class X, class T, std::size_t... N> constexpr auto written_rows(T const (&... rows)[N]) {
  constexpr std::size_t n[] = {N...};
  static_assert(
      ((N == n[0]) && ...),
      "placement: the rows have different lengths. Give every row as many values as the first.");
  using given = extents<static_cast<index_t>(sizeof...(N)), static_cast<index_t>(n[0])>;
  check_rows<X, given>();
  written<T, given> w{};
  T* to = w.v;
  auto append = [&](auto const& row) {
    for (T const& x : row) *to++ = x;
  };
  if constexpr (((N == n[0]) && ...)) (append(rows), ...);
  return w;
}

/// A rank-3 array from its planes of rows.
template <class X, class T, std::size_t... M, std::size_t... N>
constexpr auto written_planes(T const (&... planes)[M][N]) {
  constexpr std::size_t m[] = {M...}, n[] = {N...};
  static_assert(
      ((M == m[0]) && ...) && ((N == n[0]) && ...),
      "placement: the planes have different shapes. Give every plane the rows and values of the first.");
  using given = extents<static_cast<index_t>(sizeof...(N)), static_cast<index_t>(m[0]),
                        static_cast<index_t>(n[0])>;
  check_rows<X, given>();
  written<T, given> w{};
  T* to = w.v;
  auto append = [&](auto const& plane) {
    for (auto const& row : plane)
      for (T const& x : row) *to++ = x;
  };
  if constexpr (((M == m[0]) && ...) && ((N == n[0]) && ...)) (append(planes), ...);
  return w;
}

}}}  // namespace placement::v0_1::detail
