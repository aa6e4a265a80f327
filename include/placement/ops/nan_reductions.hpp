#pragma once
/// Reductions that skip NaN: nansum, nanprod, nanmean, nanmax, nanmin. placement.hpp does not
/// include this header.

#include <placement/cpu/element_loops.hpp>
#include <placement/ops/argmax.hpp>
#include <placement/ops/over_axes.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// x, or `Value` where x is NaN.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
template <int Value> struct replace_nan_op {
  static constexpr std::string_view name = "ReplaceNan";
  using pattern = map;
  static constexpr bool takes_packs = true;

  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::replace_nan(to, x, T(Value), n);
  }
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return simd::select(x == x, x, V(static_cast<simd::element_of<V>>(Value)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return where(x == x, g, 0);
  }
};
namespace detail {
template <class X> inline constexpr bool may_be_nan = real_number<typename bare<X>::value_type>;
}  // namespace detail

/// The mean of the elements that are not NaN; NaN where all are.
/// Shape, Type: those of mean.  Kernels: CPU, GPU (pattern reduce).  Cost: one pass.
template <class Where = detail::over_all> struct nanmean_op : Where {
  static constexpr std::string_view name = "NanMean";
  using pattern = reduce;

  template <class T> struct state {
    static_assert(detail::check_not_complex<T>());
    double sum = 0, count = 0;
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    bool const is_number = x == x;
    return {s.sum + (is_number ? static_cast<double>(x) : 0.), s.count + (is_number ? 1. : 0.)};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    return {a.sum + b.sum, a.count + b.count};
  }
  template <class T> PLACEMENT_HD static constexpr auto finalize(state<T> s, index_t) noexcept {
    return static_cast<std::conditional_t<std::is_integral_v<T>, double, T>>(s.sum / s.count);
  }
};

namespace detail {
namespace no_adl {
/// The element that no other beats, without those that are NaN. Beats: is x before y?
template <class Where, class Beats> struct best_number : Where {
  using pattern = reduce;
  static constexpr bool needs_elements = true;

  template <class T> struct state {
    static_assert(detail::check_not_complex<T>());
    T best{};
    bool found = false;
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    return x == x && (!s.found || Beats{}(x, s.best)) ? state<T>{x, true} : s;
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    return b.found ? step(a, b.best, 0) : a;
  }
  static constexpr bool selects_largest = Beats{}(1, 0);
  template <class T> static constexpr T quick(T best, T x) noexcept {
    return Beats{}(best, x) ? best : x;
  }
  template <class T> PLACEMENT_HD static constexpr T finalize(state<T> s, index_t) noexcept {
    if constexpr (std::is_integral_v<T>) return s.best;
    else return s.found ? s.best : static_cast<T>(__builtin_nanf(""));
  }
};
struct before_larger {
  template <class T> PLACEMENT_HD constexpr bool operator()(T x, T y) const noexcept {
    return x < y;
  }
};
}  // namespace no_adl
using no_adl::before_larger;
using no_adl::best_number;
}  // namespace detail

/// The largest element that is not NaN; NaN where all are.
/// Shape, Type, Throws: those of max.  Kernels: CPU, GPU (pattern reduce).  Cost: one pass.
template <class Where = detail::over_all>
struct nanmax_op : detail::best_number<Where, detail::larger> {
  static constexpr std::string_view name = "NanMax";

  template <class X> constexpr auto result(X const& x) const {
    detail::throw_if_nothing_reduced<Where>(name, *this, x);
    return Where::result(x);
  }
};
/// The smallest element that is not NaN; NaN where all are.
/// Shape, Type, Throws: those of min.  Kernels: CPU, GPU (pattern reduce).  Cost: one pass.
template <class Where = detail::over_all>
struct nanmin_op : detail::best_number<Where, detail::before_larger> {
  static constexpr std::string_view name = "NanMin";

  template <class X> constexpr auto result(X const& x) const {
    detail::throw_if_nothing_reduced<Where>(name, *this, x);
    return Where::result(x);
  }
};

template <operand X> auto nanmean(X&& x, site at = site::here()) -> node<nanmean_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto nanmean(X&& x, A along_axis, site at = site::here())
    -> node<nanmean_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}
template <operand X, several_axes A, class K = kernels_here>
auto nanmean(X&& x, A axes, site at = site::here()) -> detail::reduced_over<nanmean_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<nanmean_op, X, A, K>>(std::forward<X>(x), axes,
                                                                        at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto nanmean(X&& x, located_axis first, I... more)
    -> detail::reduced_over<nanmean_op, X, detail::axes_of_t<I...>, K> {
  return nanmean<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                                first.at);
}

template <operand X> auto nanmax(X&& x, site at = site::here()) -> node<nanmax_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto nanmax(X&& x, A along_axis, site at = site::here()) -> node<nanmax_op<detail::along_t<A>>, X> {
  return {{{{detail::as_axis(along_axis)}}}, at, std::forward<X>(x)};
}
template <operand X, several_axes A, class K = kernels_here>
auto nanmax(X&& x, A axes, site at = site::here()) -> detail::reduced_over<nanmax_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<nanmax_op, X, A, K>>(std::forward<X>(x), axes,
                                                                       at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto nanmax(X&& x, located_axis first, I... more)
    -> detail::reduced_over<nanmax_op, X, detail::axes_of_t<I...>, K> {
  return nanmax<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                               first.at);
}

template <operand X> auto nanmin(X&& x, site at = site::here()) -> node<nanmin_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto nanmin(X&& x, A along_axis, site at = site::here()) -> node<nanmin_op<detail::along_t<A>>, X> {
  return {{{{detail::as_axis(along_axis)}}}, at, std::forward<X>(x)};
}
template <operand X, several_axes A, class K = kernels_here>
auto nanmin(X&& x, A axes, site at = site::here()) -> detail::reduced_over<nanmin_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<nanmin_op, X, A, K>>(std::forward<X>(x), axes,
                                                                       at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto nanmin(X&& x, located_axis first, I... more)
    -> detail::reduced_over<nanmin_op, X, detail::axes_of_t<I...>, K> {
  return nanmin<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                               first.at);
}

/// The sum of the elements that are not NaN: that of nothing is 0.
/// Shape, Type, Kernels, Cost: those of sum, into which the replacement of NaN by 0 is fused.
template <operand X, class K = kernels_here> auto nansum(X&& x, site at = site::here()) {
  using numbers = expr<replace_nan_op<0>, K, node_operand_t<X>>;
  if constexpr (detail::may_be_nan<X>) return sum(numbers({}, at, std::forward<X>(x)), at);
  else return sum(std::forward<X>(x), at);
}
template <operand X, class A, class K = kernels_here> requires(reduction_axis<A> || several_axes<A>)
auto nansum(X&& x, A axes, site at = site::here()) {
  using numbers = expr<replace_nan_op<0>, K, node_operand_t<X>>;
  if constexpr (detail::may_be_nan<X>) return sum(numbers({}, at, std::forward<X>(x)), axes, at);
  else return sum(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto nansum(X&& x, located_axis first, I... more) {
  return nansum<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                               first.at);
}

/// The product of the elements that are not NaN: that of nothing is 1.
/// Shape, Type, Kernels, Cost: those of prod, into which the replacement of NaN by 1 is fused.
template <operand X, class K = kernels_here> auto nanprod(X&& x, site at = site::here()) {
  using numbers = expr<replace_nan_op<1>, K, node_operand_t<X>>;
  if constexpr (detail::may_be_nan<X>) return prod(numbers({}, at, std::forward<X>(x)), at);
  else return prod(std::forward<X>(x), at);
}
template <operand X, class A, class K = kernels_here> requires(reduction_axis<A> || several_axes<A>)
auto nanprod(X&& x, A axes, site at = site::here()) {
  using numbers = expr<replace_nan_op<1>, K, node_operand_t<X>>;
  if constexpr (detail::may_be_nan<X>) return prod(numbers({}, at, std::forward<X>(x)), axes, at);
  else return prod(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto nanprod(X&& x, located_axis first, I... more) {
  return nanprod<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                                first.at);
}

}}  // namespace placement::v0_1
