#pragma once
/// The facts about an op that its node's type determines: its pattern, and what rules and logs see.

#include <placement/fwd.hpp>
#include <placement/kernels/element.hpp>
#include <placement/kernels/kernel_set.hpp>

#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

template <class Op> using pattern_of = typename Op::pattern;
template <class Op, class P> inline constexpr bool has_pattern = std::is_same_v<pattern_of<Op>, P>;

/// The element type that selects an op's kernel: its first operand's, or its own if there are no
/// operands.
template <class X> struct kernel_element {
  using type = typename X::value_type;
};
template <class Op, class K, class A, class... B> struct kernel_element<expr<Op, K, A, B...>> {
  using type = typename A::value_type;
};
template <class Op, class K, class A, class B, class C>
requires has_pattern<Op, map> && (sizeof(typename A::value_type) != 0)
struct kernel_element<expr<Op, K, A, B, C>> {  // where(condition, x, y): the type of x
  using type = typename B::value_type;
};
template <class X> using element_of = typename kernel_element<X>::type;

/// The facts that the log prints about one op, except for its shape.
struct op_type_facts {
  std::string_view op, element;
  bool constant;
};
template <class X>
inline constexpr op_type_facts facts_of_op{X::op_type::name, element_name<element_of<X>>(),
                                           has_pattern<typename X::op_type, immediate>};

}}}  // namespace placement::v0_1::detail
