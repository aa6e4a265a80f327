#pragma once
/// Estimates the work of a bound expression from its type.

#include <placement/kernels/bound_expr.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The cost of an op per element; an addition costs 1. A more expensive op declares its cost:
/// `static constexpr int cost_per_element = 16;`
template <class Op> inline constexpr std::size_t cost_of_op = 1;
template <class Op> requires requires { Op::cost_per_element; }
inline constexpr std::size_t cost_of_op<Op> = static_cast<std::size_t>(Op::cost_per_element);

/// The cost of an expression per element.
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

}}}  // namespace placement::v0_1::detail
