#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/layout.hpp>

#include <array>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_split(index_t parts, std::string const& shape,
                                                            std::size_t axis) {
  throw shape_error("placement: split of axis " + std::to_string(axis) + " of a tensor of shape " +
                    shape + " into " + std::to_string(parts) +
                    " equal parts. Give a number that divides the extent, or use slice.");
}
}  // namespace detail

/// One of several equal parts of a dimension. A view: of memory it costs nothing.
/// Shape: the axis divided by Parts.  Type: any.  Kernels: CPU, GPU (pattern view_op).
/// Throws: shape_error when Parts does not divide the extent.
template <std::size_t Parts, class Axis> struct split_op {
  static constexpr std::string_view name = "Split";
  using pattern = view_op;

  [[no_unique_address]] Axis axis;
  index_t part = 0;

  template <class X> constexpr auto result(X const& x) const {
    constexpr index_t parts = static_cast<index_t>(Parts);
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    if (x.at(a) % parts != 0) detail::no_split(parts, to_string(x), a);
    return detail::make_shape<X::rank>(
        [](std::size_t d) {
          if constexpr (std::is_same_v<Axis, run_time_axis>) {
            return static_cast<void>(d), dyn;
          } else {
            index_t const n = X::static_extent(d);
            return n == dyn || d != detail::dimension_of<X::rank>(Axis{}) ? n : n / parts;
          }
        },
        [&](std::size_t d) { return d == a ? x.at(d) / parts : x.at(d); });
  }
  template <std::size_t R, class X> constexpr layout<R> moved(layout<R> where, X const& x) const {
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    where.base += part * (x.at(a) / static_cast<index_t>(Parts)) * where.stride[a];
    return where;
  }
};
/// Equal parts of x along an axis; the first one unless said: `auto [top, bottom] = split<2>(x)`.
template <std::size_t Parts, operand X, axis_like A = axis_t<0>>
auto split(X const& x, A along = {}, site at = site::here())
    -> std::array<node<split_op<Parts, decltype(detail::as_axis(along))>, X>, Parts> {
  static_assert(Parts > 0, "placement: split into 0 parts. Give a number that divides the extent.");
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using part = node<split_op<Parts, decltype(detail::as_axis(along))>, X>;
    return std::array<part, Parts>{
        part({detail::as_axis(along), static_cast<index_t>(I)}, at, x)...};
  }(std::make_index_sequence<Parts>{});
}

/// One of several equal parts of a dimension, of a number that only the program knows. A view: of
/// memory it costs nothing.
/// Shape: the axis divided by the number.  Type: any.  Kernels: CPU, GPU (pattern view_op).
/// Throws: shape_error when the number does not divide the extent.
template <class Axis> struct part_op {
  static constexpr std::string_view name = "Split";
  using pattern = view_op;

  [[no_unique_address]] Axis axis;
  index_t parts, part;

  template <class X> constexpr auto result(X const& x) const {
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    if (parts < 1 || x.at(a) % parts != 0) detail::no_split(parts, to_string(x), a);
    return detail::make_shape<X::rank>(
        [](std::size_t d) {
          if constexpr (std::is_same_v<Axis, run_time_axis>) return static_cast<void>(d), dyn;
          else return d == detail::dimension_of<X::rank>(Axis{}) ? dyn : X::static_extent(d);
        },
        [&](std::size_t d) { return d == a ? x.at(d) / parts : x.at(d); });
  }
  template <std::size_t R, class X> constexpr layout<R> moved(layout<R> where, X const& x) const {
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    where.base += part * (x.at(a) / parts) * where.stride[a];
    return where;
  }
};
/// `split(x, 3, 1)`: equal parts of x along an axis; the first one unless said.
/// Throws: shape_error when the number does not divide the extent; out_of_memory.
template <operand X, axis_like A = axis_t<0>>
auto split(X const& x, index_t parts, A along = {}, site at = site::here())
    -> std::vector<node<part_op<decltype(detail::as_axis(along))>, X>> try {
  using part = node<part_op<decltype(detail::as_axis(along))>, X>;
  std::vector<part> all;
  all.push_back(part({detail::as_axis(along), parts, 0}, at, x));  // checks the number
  for (index_t i = 1; i < parts; ++i)
    all.push_back(part({detail::as_axis(along), parts, i}, at, x));
  return all;
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
