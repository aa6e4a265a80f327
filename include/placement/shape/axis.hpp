#pragma once
/// Axes: the dimensions that a reduction removes.

#include <placement/shape/extents.hpp>

#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 {

/// An axis as a type, so that static extents stay static: `sum(x, axis<1>)`. A negative axis counts
/// from the last dimension.
template <int D> struct axis_t {
  static constexpr int value = D;
};
/// Several axes as a type, for reductions: `sum(x, axis<0, 2>)`.
template <int... D> struct axes_t {
  static_assert(sizeof...(D) > 1, "placement: axis<> names no axis. Write axis<0>, or sum(x).");
};
namespace detail {
template <int... D> struct axis_of {
  using type = axes_t<D...>;
};
template <int D> struct axis_of<D> {
  using type = axis_t<D>;
};
}  // namespace detail
template <int... D> inline constexpr typename detail::axis_of<D...>::type axis{};

/// An axis known at run time.
struct run_time_axis {
  int value = 0;

  /// A number that does not fit an int becomes INT_MAX, which names no dimension.
  template <class I> static constexpr run_time_axis of(I d) {
    return {std::in_range<int>(d) ? static_cast<int>(d) : std::numeric_limits<int>::max()};
  }
};
template <class N> concept axis_number = std::integral<N> && !std::same_as<N, bool>;

/// An axis that a reduction keeps with extent 1, so that the result broadcasts over the operand.
template <class Axis> struct keep_dim_t {
  [[no_unique_address]] Axis axis;
};
/// `x - max(x, keep_dim(axis<1>))`, `mean(x, keep_dim(-1))`.
template <int D> constexpr keep_dim_t<axis_t<D>> keep_dim(axis_t<D> a) { return {a}; }
template <axis_number I> constexpr keep_dim_t<run_time_axis> keep_dim(I d) {
  return {run_time_axis::of(d)};
}

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void no_such_axis(int d, std::size_t rank) {
  throw shape_error("placement: there is no axis " + std::to_string(d) + " in a tensor of rank " +
                    std::to_string(rank) + ". Axes are 0 to rank - 1, or -1 for the last.");
}

/// The dimension that an axis names in a shape of rank R.
template <std::size_t R> constexpr std::size_t dimension_of(run_time_axis a) {
  int const d = a.value < 0 ? a.value + static_cast<int>(R) : a.value;
  if (d < 0 || d >= static_cast<int>(R)) no_such_axis(a.value, R);
  return static_cast<std::size_t>(d);
}
template <std::size_t R, int D> constexpr std::size_t dimension_of(axis_t<D>) {
  static_assert(
      D < static_cast<int>(R) && D >= -static_cast<int>(R),
      "placement: there is no such axis in a tensor of this rank. Axes are 0 to rank - 1, or -1 for the last.");
  return static_cast<std::size_t>(D < 0 ? D + static_cast<int>(R) : D);
}

/// The rank without one dimension; 0 for rank 0, so that the error for a scalar stays short.
template <std::size_t R> inline constexpr std::size_t one_fewer = R == 0 ? 0 : R - 1;

/// A shape without one of its dimensions.
template <index_t... N, int D> constexpr auto without(extents<N...> const& x, axis_t<D> a) {
  constexpr std::size_t R = sizeof...(N), gone = dimension_of<R>(axis_t<D>{});
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    extents<extents<N...>::static_extent(I < gone ? I : I + 1)...> y{};
    if constexpr (!decltype(y)::is_static) ((y.n[I] = x.at(I < gone ? I : I + 1)), ...);
    static_cast<void>(a);
    return y;
  }(std::make_index_sequence<one_fewer<R>>{});
}
template <index_t... N> constexpr auto without(extents<N...> const& x, run_time_axis a) {
  constexpr std::size_t R = sizeof...(N);
  static_assert(R > 0, "placement: a scalar has no axis to reduce.");
  std::size_t const gone = dimension_of<R>(a);
  dextents<one_fewer<R>> y{};
  for (std::size_t d = 0; d + 1 < R; ++d) {
    if constexpr (R > 1) y.n[d] = x.at(d < gone ? d : d + 1);
  }
  return y;
}

/// A shape with one of its dimensions set to extent 1.
template <index_t... N, int D> constexpr auto with_one(extents<N...> const& x, axis_t<D>) {
  constexpr std::size_t R = sizeof...(N), cut = dimension_of<R>(axis_t<D>{});
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    extents<(I == cut ? 1 : N)...> y{};
    if constexpr (!decltype(y)::is_static) ((y.n[I] = I == cut ? 1 : x.at(I)), ...);
    return y;
  }(std::make_index_sequence<R>{});
}
template <index_t... N> constexpr auto with_one(extents<N...> const& x, run_time_axis a) {
  constexpr std::size_t R = sizeof...(N);
  static_assert(R > 0, "placement: a scalar has no axis to reduce.");
  std::size_t const cut = dimension_of<R>(a);
  dextents<R> y{};
  for (std::size_t d = 0; d != R; ++d) {
    if constexpr (R > 0) y.n[d] = d == cut ? 1 : x.at(d);
  }
  return y;
}

namespace no_adl {
/// Base classes of reductions that give the result's shape. An op derives from one of these two.
struct over_all {
  static constexpr bool reduces_all = true;
  template <class X> static constexpr extents<> result(X const&) { return {}; }
};
template <class Axis> struct along {
  static constexpr bool reduces_all = false;
  [[no_unique_address]] Axis axis;

  template <class X> constexpr auto result(X const& x) const { return without(x, axis); }
  template <class X> constexpr std::size_t axis_of(X const&) const {
    return dimension_of<X::rank>(axis);
  }
};

template <class Axis> struct along<keep_dim_t<Axis>> {
  static constexpr bool reduces_all = false;
  [[no_unique_address]] keep_dim_t<Axis> axis;

  template <class X> constexpr auto result(X const& x) const { return with_one(x, axis.axis); }
  template <class X> constexpr std::size_t axis_of(X const&) const {
    return dimension_of<X::rank>(axis.axis);
  }
};
}  // namespace no_adl
using no_adl::along;
using no_adl::over_all;

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_nothing_to_reduce(
    std::string_view op, std::string const& shape) {
  throw shape_error("placement: " + std::string(op) + " over no elements of a tensor of shape " +
                    shape + " has no result. Check that what is reduced is not empty.");
}
/// For reductions that have no result for zero elements. Throws: shape_error; a compile error if
/// the static extents show it.
template <class Where, class X>
constexpr void throw_if_nothing_reduced(std::string_view op, Where const& where, X const& x) {
  if constexpr (Where::reduces_all) {
    if constexpr (X::is_static)
      static_assert(
          X::count() != 0,
          "placement: this reduction over no elements has no result. Check that what is reduced is not empty.");
    if (x.count() == 0) throw_nothing_to_reduce(op, to_string(x));
  } else {
    if (x.at(where.axis_of(x)) == 0) throw_nothing_to_reduce(op, to_string(x));
  }
}

/// The axis as an op stores it: a number becomes `run_time_axis`.
template <int D> constexpr axis_t<D> as_axis(axis_t<D> a) { return a; }
template <axis_number I> constexpr run_time_axis as_axis(I d) { return run_time_axis::of(d); }
constexpr run_time_axis as_axis(run_time_axis a) { return a; }  // for pullbacks, which call ops
template <class Axis> constexpr keep_dim_t<Axis> as_axis(keep_dim_t<Axis> a) { return a; }
template <class A> inline constexpr bool keeps_dim = false;
template <class Axis> inline constexpr bool keeps_dim<keep_dim_t<Axis>> = true;

/// The base class of an op along the axis that argument type A names.
template <class A> using along_t = along<decltype(as_axis(A{}))>;

}  // namespace detail

/// The axis argument of a reduction: a number, `axis<D>`, or `keep_dim` of one of them.
template <class A> concept reduction_axis = requires(A a) { detail::as_axis(a); };
/// An axis argument: a number or `axis<D>`.
template <class A> concept axis_like = reduction_axis<A> && !detail::keeps_dim<A>;

}}  // namespace placement::v0_1
