#pragma once
/// Determines which kernels cannot throw. Such kernels may write directly to the result's memory,
/// and run in a queue without a wait.

#include <placement/expr/fusion.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether computing elements with this op is noexcept.
template <class Op, class K, class... A>
constexpr bool op_is_noexcept(std::type_identity<expr<Op, K, A...>>) {
  if constexpr (has_pattern<Op, map>) {
    return noexcept(std::declval<Op const&>()(std::declval<typename A::value_type>()...));
  } else if constexpr (has_pattern<Op, fill>) {
    return noexcept(std::declval<Op const&>()(index_t{}));
  } else if constexpr (has_pattern<Op, reduce>) {
    using T = element_of<expr<Op, K, A...>>;
    using state = typename Op::template state<T>;
    return requires(Op const& op, state s, T x) {
      { op.step(s, x, index_t{}) } noexcept;
      { op.combine(s, s) } noexcept;
      { op.finalize(s, index_t{}) } noexcept;
    };
  } else {
    return true;
  }
}
/// Whether R's kernel, from X down, cannot throw. Otherwise a partly written result must not become
/// visible.
template <class X, class R, bool Split> constexpr bool ops_are_noexcept();
template <class C, class R, bool Split> constexpr bool operand_is_noexcept() {
  if constexpr (joins<C, R, Split>) return ops_are_noexcept<C, R, Split>();
  else if constexpr (reduce_node<C> && takes_epilogue<C, R, Split>)
    return ops_are_noexcept<C, C, Split>();
  else return true;
}
template <class R, bool Split, class Op, class K, class... A>
constexpr bool operands_are_noexcept(std::type_identity<expr<Op, K, A...>>) {
  return (operand_is_noexcept<A, R, Split>() && ...);
}
template <class X, class R, bool Split> constexpr bool ops_are_noexcept() {
  return op_is_noexcept(std::type_identity<X>{}) &&
         operands_are_noexcept<R, Split>(std::type_identity<X>{});
}

}}}  // namespace placement::v0_1::detail
