#pragma once
/// The names of the library's main types, for headers that only mention them.

#include <placement/device/tag.hpp>
#include <placement/version.hpp>

namespace placement::inline v0_1 {

namespace detail {
/// The shape of `tensor<float>`: none, which does not compile.
struct no_shape;
}  // namespace detail

/// T: the element type. X: the shape. D: the device it lives on, as a tag; any_device leaves that
/// to the program.
template <class T, class X = detail::no_shape, class D = any_device> class tensor;
template <class T, class X> class reference;
template <class Op, class Kernels, class... Args> struct expr;
template <class E, class D, class P> struct placed;

namespace detail {
/// Tag: a handle to the elements of a tensor for a node, even where it was moved from. Evaluation
/// reports that with the name of the op.
struct handle_for_node {};
/// What a node keeps of an argument that is passed as X.
template <class X> struct node_operand;
/// A tensor that holds its elements itself, in a node: its address, where it has a name.
template <class T, class X> struct inline_ref;
}  // namespace detail

}  // namespace placement::inline v0_1
