#pragma once

#include <placement/ops/box_op.hpp>
#include <placement/ops/flatten.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void negative_times(std::string_view op,
                                                                  index_t times, std::size_t d) {
  throw shape_error("placement: " + std::string(op) + " of dimension " + std::to_string(d) + ' ' +
                    std::to_string(times) + " times. A number of times is zero or more.");
}
}  // namespace detail

/// Each slice of an axis several times in succession.
/// Shape: the axis multiplied by `times`.  Type: any.  Kernels: CPU, GPU (pattern custom).
/// Cost: one pass.
/// Throws: shape_error for a negative number, an axis that does not exist, or too many elements.
template <class Times, class Axis> struct repeat_op : detail::box_op<repeat_op<Times, Axis>> {
  static constexpr std::string_view name = "Repeat";

  [[no_unique_address]] Times times;
  [[no_unique_address]] Axis axis;

  constexpr repeat_op(Times n, Axis along) : times(n), axis(along) {}

  template <class X> constexpr auto result(X const& x) const {
    static_assert(X::rank > 0, "placement: repeat takes a vector or more. Use full for a scalar.");
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    if (times.at(0) < 0) detail::negative_times("repeat", times.at(0), a);
    return detail::addressable(detail::make_shape<X::rank>(
        [](std::size_t d) {
          if constexpr (std::is_same_v<Axis, run_time_axis>) {
            return static_cast<void>(d), dyn;
          } else {
            return d == detail::dimension_of<X::rank>(Axis{})
                       ? detail::multiplied_static(X::static_extent(d), Times::static_extent(0))
                       : X::static_extent(d);
          }
        },
        [&](std::size_t d) {
          return d == a ? detail::multiplied_extents(x.at(d), times.at(0)) : x.at(d);
        }));
  }
  template <class T, class Y, class X, class Boxes>
  void each_box(dense_view<T, Y> const& out, dense_view<T const, X> const& in,
                Boxes const& f) const {
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    index_t const after = detail::sides_of(in.shape, a).after, n = times.at(0);
    if (out.size() == 0) return;
    f.copy(out.data, layout<3>{0, {n * after, after, 1}}, in.data, layout<3>{0, {after, 0, 1}},
           shape(in.size() / after, n, after));
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    constexpr std::size_t R = bare<decltype(g)>::rank;
    std::size_t const a = detail::dimension_of<R>(axis);
    dextents<R + 1> apart{};
    for (std::size_t d = 0; d != R + 1; ++d)
      apart.n[d] = d <= a ? x.shape().at(d) : d == a + 1 ? times.at(0) : x.shape().at(d - 1);
    return reshape(sum(reshape(g, apart), static_cast<int>(a) + 1), x.shape());
  }
};
/// `repeat(x, 2, 0)`, `repeat(x, extents<2>{}, axis<0>)`: the second keeps static extents.
template <operand X, axis_like A>
auto repeat(X&& x, index_t times, A along, site at = site::here())
    -> node<repeat_op<dextents<1>, decltype(detail::as_axis(along))>, X> {
  return {
      repeat_op<dextents<1>, decltype(detail::as_axis(along))>{{{times}}, detail::as_axis(along)},
      at, std::forward<X>(x)};
}
template <operand X, index_t N, axis_like A>
auto repeat(X&& x, extents<N> times, A along, site at = site::here())
    -> node<repeat_op<extents<N>, decltype(detail::as_axis(along))>, X> {
  return {repeat_op<extents<N>, decltype(detail::as_axis(along))>{times, detail::as_axis(along)},
          at, std::forward<X>(x)};
}
/// `repeat(x, 2)`: all elements in row-major order as a vector, as by NumPy.
template <operand X, class K = kernels_here>
auto repeat(X&& x, index_t times, site at = site::here()) {
  return repeat(flatten(std::forward<X>(x), at), times, axis<0>, at);
}

}}  // namespace placement::v0_1
