#pragma once
/// Forward declarations of the library's main types.

#include <placement/device/tag.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The missing shape of `tensor<float>`, which does not compile.
struct no_shape;
}  // namespace detail

/// T: the element type. X: the shape. D: the device as a tag; any_device means that it is chosen at
/// run time.
template <class T, class X = detail::no_shape, class D = any_device> class tensor;
template <class T, class X> class reference;
template <class Op, class Kernels, class... Args> struct expr;
template <class E, class D, class P> struct placed;
template <class T, class X> struct list;

template <class X> inline constexpr bool is_list = false;
template <class T, class X> inline constexpr bool is_list<list<T, X>> = true;

namespace detail {
/// Tag of the constructor that copies a tensor's handle into a node, even from a moved-from tensor.
/// Evaluation reports that error with the name of the op.
struct handle_for_node {};
/// The operand that a node stores for an argument of type X.
template <class X> struct node_operand;
/// Types that are part of a user's type: template arguments of an expression, or base classes of
/// public types. The namespace has no functions, because argument-dependent lookup searches it for
/// each call with such an argument.
namespace no_adl {
/// The operand for a named tensor whose elements are inline: its address.
template <class T, class X> struct inline_ref;
}  // namespace no_adl
using no_adl::inline_ref;

/// Writes the elements of x, broadcast, through the view `to` of a tensor. K: the kernels that the
/// file of the assignment can launch.
template <class K, class View, class X>
void assign_elements(View const& to, X const& x, bool is_rvalue);
}  // namespace detail

}}  // namespace placement::v0_1
