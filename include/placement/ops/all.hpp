#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

/// Are all elements true? Of all elements, or along one axis.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: bool.  The all of nothing is true.
/// Kernels: CPU, GPU (pattern reduce).
/// Cost: one pass; element-wise producers are fused into it: `all(x > y)`.
template <class Where = detail::over_all> struct all_op : Where {
  static constexpr std::string_view name = "All";
  using pattern = reduce;

  template <class T> struct state {
    static_assert(std::is_same_v<T, bool>,
                  "placement: all takes bools. Compare first: all(x > 0).");
    std::uint8_t holds = 1;
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  // Compilers make no vector code of bool.
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    return {static_cast<std::uint8_t>(s.holds & static_cast<std::uint8_t>(x))};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    return {static_cast<std::uint8_t>(a.holds & b.holds)};
  }
  template <class T> PLACEMENT_HD static constexpr bool finalize(state<T> s, index_t) noexcept {
    return s.holds != 0;
  }
};
template <operand X> auto all(X&& x, site at = site::here()) -> node<all_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto all(X&& x, A along_axis, site at = site::here()) -> node<all_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
