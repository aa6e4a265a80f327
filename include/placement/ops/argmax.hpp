#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {
namespace no_adl {
/// The number of the first element that no other beats. Beats: is x before y, by value? A NaN beats
/// all numbers.
template <class Where, class Beats> struct first_best : Where {
  using pattern = reduce;

  template <class T> struct state {
    static_assert(detail::check_not_complex<T>());
    T best{};
    std::int64_t at = -1;  // none yet
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t i) noexcept {
    return takes(s, x) ? state<T>{x, i} : s;
  }
  template <class T> PLACEMENT_HD static constexpr bool takes(state<T> s, T x) noexcept {
    return s.at < 0 || beats(x, s.best);
  }
  static constexpr bool selects_largest = Beats{}(1, 0);
  template <class T> static constexpr T quick(T best, T x) noexcept {
    return Beats{}(best, x) ? best : x;
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    if (beats(a.best, b.best)) return a;
    return beats(b.best, a.best) || b.at < a.at ? b : a;
  }
  template <class T>
  PLACEMENT_HD static constexpr std::int64_t finalize(state<T> s, index_t) noexcept {
    return s.at;
  }

 private:
  template <class T> PLACEMENT_HD static constexpr bool beats(T x, T y) noexcept {
    return Beats{}(x, y) || (x != x && y == y);
  }
};
struct larger {
  template <class T> PLACEMENT_HD constexpr bool operator()(T x, T y) const noexcept {
    return x > y;
  }
};
}  // namespace no_adl
using no_adl::first_best;
using no_adl::larger;
}  // namespace detail

/// Where the largest element is: its number in row-major order, or its index along one axis. The
/// first of equals; the first NaN where there is one.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: any -> int64.
/// Throws: shape_error when nothing is reduced, at once and not on evaluation.
/// Kernels: CPU, GPU (pattern reduce).  Cost: one pass; element-wise producers are fused into it.
template <class Where = detail::over_all>
struct argmax_op : detail::first_best<Where, detail::larger> {
  static constexpr std::string_view name = "ArgMax";

  template <class X> constexpr auto result(X const& x) const {
    detail::throw_if_nothing_reduced<Where>(name, *this, x);
    return Where::result(x);
  }
};
template <operand X> auto argmax(X&& x, site at = site::here()) -> node<argmax_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto argmax(X&& x, A along_axis, site at = site::here()) -> node<argmax_op<detail::along_t<A>>, X> {
  return {{{{detail::as_axis(along_axis)}}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
