#pragma once
/// About how much work a bound region is, told by its type, and how much of it is memory.

#include <placement/kernels/bound_expr.hpp>

namespace placement::inline v0_1::detail {

/// What an op takes for an element, where an addition takes 1. An op that takes longer says so:
/// `static constexpr int cost_per_element = 16;`
template <class Op> inline constexpr std::size_t cost_of_op = 1;
template <class Op> requires requires { Op::cost_per_element; }
inline constexpr std::size_t cost_of_op<Op> = static_cast<std::size_t>(Op::cost_per_element);

/// What a region takes for an element.
template <class F> inline constexpr std::size_t cost_per_element_of = 1;
template <class Op>
inline constexpr std::size_t cost_per_element_of<index_generator<Op>> = cost_of_op<Op>;
template <class Reader, std::size_t R>
inline constexpr std::size_t cost_per_element_of<strided_load<Reader, R>> =
    cost_per_element_of<Reader>;
template <class Child, class X>
inline constexpr std::size_t cost_per_element_of<reshaped_expr<Child, X>> =
    8 + cost_per_element_of<Child>;
template <bool Gpu, class Op, class... A>
inline constexpr std::size_t cost_per_element_of<bound_expr<Gpu, Op, A...>> =
    (cost_of_op<Op> + ... + (cost_per_element_of<A> - 1));

/// Bytes that a region reads for an element, where no operand is repeated.
template <class F> inline constexpr std::size_t bytes_of = 0;
template <class T> inline constexpr std::size_t bytes_of<dense_leaf<T>> = sizeof(T);
template <class Reader, std::size_t R>
inline constexpr std::size_t bytes_of<strided_load<Reader, R>> = bytes_of<Reader>;
template <bool Gpu, class Op, class... A>
inline constexpr std::size_t bytes_of<bound_expr<Gpu, Op, A...>> =
    (std::size_t{0} + ... + bytes_of<A>);

/// Is p an operand of a flat region? The lines of a result that is written there are in a cache.
template <class F> constexpr bool reads_at(F const&, void const*) noexcept { return false; }
template <class T> constexpr bool reads_at(dense_leaf<T> const& f, void const* p) noexcept {
  return f.p == p;
}
template <bool Gpu, class Op, class... A>
constexpr bool reads_at(bound_expr<Gpu, Op, A...> const& f, void const* p) noexcept {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (reads_at(f.args.template get<I>(), p) || ...);
  }(std::index_sequence_for<A...>{});
}

}  // namespace placement::inline v0_1::detail
