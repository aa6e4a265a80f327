#pragma once
/// The operands that a node of an expression holds.

#include <cstddef>
#include <utility>

namespace placement::inline v0_1::detail {

/// One of them, by number.
template <std::size_t I, class A> struct node_operand {
  template <class X>
  [[gnu::always_inline]] constexpr node_operand(std::in_place_t, X&& x)
      : value(std::forward<X>(x)) {}
  node_operand(node_operand const&) = default;
  [[gnu::always_inline]] constexpr node_operand(node_operand&&) = default;
  [[gnu::always_inline]] constexpr ~node_operand() = default;

  A value;
};
template <std::size_t I, class A>
[[gnu::always_inline]] constexpr A const& operand_value(node_operand<I, A> const& o) noexcept {
  return o.value;
}

/// All of them. What `pack` (kernels/pack.hpp) is to a kernel, and always inlined: nodes are built,
/// moved into the next and destroyed by the statement that assigns them, and stay in registers if
/// nothing of that is a call. In memory, a move waits for what was just written: half of the time
/// that five small operands took.
template <class Numbers, class... A> struct operands_by_number;
template <std::size_t... I, class... A>
struct operands_by_number<std::index_sequence<I...>, A...> : node_operand<I, A>... {
  template <class... X> requires(sizeof...(X) == sizeof...(A))
  [[gnu::always_inline]] constexpr explicit operands_by_number([[maybe_unused]] std::in_place_t tag,
                                                               X&&... x)
      : node_operand<I, A>(tag, std::forward<X>(x))... {}
  operands_by_number(operands_by_number const&) = default;
  [[gnu::always_inline]] constexpr operands_by_number(operands_by_number&&) = default;
  [[gnu::always_inline]] constexpr ~operands_by_number() = default;

  template <std::size_t N> [[gnu::always_inline]] constexpr auto const& get() const noexcept {
    return operand_value<N>(*this);
  }
};
template <class... A> using node_operands = operands_by_number<std::index_sequence_for<A...>, A...>;

}  // namespace placement::inline v0_1::detail
