#pragma once
/// Several axes: the dimensions that one reduction removes together.

#include <placement/place/location.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>

namespace placement { inline namespace v0_1 {

/// Several axes known at run time.
template <std::size_t N> struct run_time_axes {
  static constexpr std::size_t count = N;
  int value[N + 1]{};
};
/// Several axes that a reduction keeps with extent 1.
template <class Axes> struct keep_dims_t {
  Axes axes;
};
/// `sum(x, keep_dim(axis<0, 2>))`, `sum(x, keep_dim(0, 2))`.
template <int... D> constexpr keep_dims_t<axes_t<D...>> keep_dim(axes_t<D...> a) { return {a}; }
template <axis_number I, axis_number... J> requires(sizeof...(J) > 0)
constexpr keep_dims_t<run_time_axes<1 + sizeof...(J)>> keep_dim(I first, J... more) {
  return {{{run_time_axis::of(first).value, run_time_axis::of(more).value...}}};
}

/// The first of several axes of a call, with the location of the call.
struct located_axis {
  int value;
  site at;
  template <axis_number I>
  constexpr located_axis(I d, site written = site::here())
      : value(run_time_axis::of(d).value), at(written) {}
};

namespace detail {

template <class A> inline constexpr bool keeps_dim_of_axes = false;
template <class Axes> inline constexpr bool keeps_dim_of_axes<keep_dims_t<Axes>> = true;
template <class A> inline constexpr bool names_axes = false;
template <int... D> inline constexpr bool names_axes<axes_t<D...>> = true;
template <std::size_t N> inline constexpr bool names_axes<run_time_axes<N>> = true;
template <class Axes> inline constexpr bool names_axes<keep_dims_t<Axes>> = names_axes<Axes>;

template <int... D> constexpr run_time_axes<sizeof...(D)> axes_in(axes_t<D...>) { return {{D...}}; }
template <std::size_t N> constexpr run_time_axes<N> axes_in(run_time_axes<N> const& a) { return a; }
template <class Axes> constexpr auto axes_in(keep_dims_t<Axes> const& a) { return axes_in(a.axes); }

[[noreturn, gnu::cold, gnu::noinline]] inline void repeated_axis(int d, std::size_t rank) {
  throw shape_error("placement: axis " + std::to_string(d) +
                    " is named twice for a tensor of rank " + std::to_string(rank) +
                    ". Name each axis once; -1 is the last.");
}

/// Do the axes exist in rank R, each named once?
template <std::size_t R, std::size_t N> constexpr bool valid_axes(run_time_axes<N> const& a) {
  unsigned seen = 0;
  for (std::size_t i = 0; i != N; ++i) {
    int const d = a.value[i], at = d < 0 ? d + static_cast<int>(R) : d;
    if (at < 0 || at >= static_cast<int>(R) || (seen >> at & 1u) != 0) return false;
    seen |= 1u << at;
  }
  return true;
}

/// An order of the dimensions in which the N reduced ones are adjacent: the kept ones stay in
/// order, and the reduced ones are where the last of them was.
template <std::size_t R> struct adjacent_axes {
  int order[R + 1]{};
  bool reduced[R + 1]{};
  std::size_t first = 0;  ///< of the reduced dimensions in `order`

  /// Throws: shape_error for an axis that does not exist or is named twice.
  template <std::size_t N> constexpr explicit adjacent_axes(run_time_axes<N> const& a) {
    std::size_t last = 0;
    for (std::size_t i = 0; i != N; ++i) {
      std::size_t const at = dimension_of<R>(run_time_axis{a.value[i]});
      if (reduced[at]) repeated_axis(a.value[i], R);
      reduced[at] = true;
      if (at > last) last = at;
    }
    std::size_t n = 0;
    auto const put = [&](bool which, std::size_t begin, std::size_t end) {
      for (std::size_t d = begin; d != end; ++d)
        if (reduced[d] == which) order[n++] = static_cast<int>(d);
    };
    put(false, 0, last);
    first = n;
    put(true, 0, R);
    put(false, last, R);
  }
};

}  // namespace detail

/// Several axes of a reduction: `axis<0, 2>`, or `keep_dim` of several axes.
template <class A> concept several_axes = detail::names_axes<A>;

}}  // namespace placement::v0_1
