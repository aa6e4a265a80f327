#pragma once
/// Determines which kernels cannot throw. Such kernels may write directly to the result's memory,
/// and run in a queue without a wait.

#include <placement/expr/fusion.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether computing elements with this op is noexcept.
template <class Op, class K, class... A>
constexpr bool is_noexcept_op(std::type_identity<expr<Op, K, A...>>) {
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
template <class X> inline constexpr bool op_is_noexcept = is_noexcept_op(std::type_identity<X>{});

/// Whether the part of R's kernel from operand C down cannot throw.
template <class C, class R, bool Split> inline constexpr bool operand_is_noexcept = true;
/// Whether R's kernel cannot throw. Otherwise a partly written result must not become visible.
template <class R, bool Split> inline constexpr bool kernel_is_noexcept = false;
template <class Op, class K, class... A, bool Split>
inline constexpr bool kernel_is_noexcept<expr<Op, K, A...>, Split> =
    op_is_noexcept<expr<Op, K, A...>> && (operand_is_noexcept<A, expr<Op, K, A...>, Split> && ...);

template <class Op, class K, class... A, class R, bool Split>
requires joins<expr<Op, K, A...>, nodes_of<R, Split>>
inline constexpr bool operand_is_noexcept<expr<Op, K, A...>, R, Split> =
    op_is_noexcept<expr<Op, K, A...>> && (operand_is_noexcept<A, R, Split> && ...);
template <reduce_node C, class R, bool Split> requires takes_epilogue<C, R, Split>
inline constexpr bool operand_is_noexcept<C, R, Split> = kernel_is_noexcept<C, Split>;

}}}  // namespace placement::v0_1::detail
