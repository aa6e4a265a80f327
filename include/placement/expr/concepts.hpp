#pragma once
/// The sorts of operands: tensors, references to them, expressions and numbers.

#include <placement/device/device.hpp>
#include <placement/device/tag.hpp>
#include <placement/fwd.hpp>
#include <placement/kernels/scalar.hpp>
#include <placement/math/float16.hpp>

#include <cstddef>
#include <type_traits>

namespace placement { inline namespace v0_1 {

template <class X> using bare = std::remove_cvref_t<X>;

namespace detail {
/// A tensor of at most this many elements, statically on CPU:0, holds its elements inline.
inline constexpr std::size_t max_inline_elements = 64;
template <class X, class D> constexpr bool lives_inline() {
  if constexpr (!std::is_same_v<D, dev<kind::cpu, 0>>) return false;
  else if constexpr (X::is_static) return X::count() <= max_inline_elements;
  else return false;
}
/// Such a tensor, if it is that small.
template <class T, class X> using inline_tensor = tensor<T, X, dev<kind::cpu, 0>>;
}  // namespace detail

/// A tensor that is a handle to its elements.
template <class X> inline constexpr bool is_tensor = false;
template <class T, class X, class D>
inline constexpr bool is_tensor<tensor<T, X, D>> = !detail::lives_inline<X, D>();
/// A tensor that holds its elements inline.
template <class X> inline constexpr bool is_inline = false;
template <class T, class X, class D>
inline constexpr bool is_inline<tensor<T, X, D>> = detail::lives_inline<X, D>();
template <class T, class X> inline constexpr bool is_inline<detail::inline_ref<T, X>> = true;
template <class X> inline constexpr bool is_reference = false;
template <class T, class X> inline constexpr bool is_reference<reference<T, X>> = true;
template <class X> inline constexpr bool is_expr = false;
template <class Op, class K, class... A> inline constexpr bool is_expr<expr<Op, K, A...>> = true;
template <class X> inline constexpr bool is_placed = false;
template <class E, class D, class P> inline constexpr bool is_placed<placed<E, D, P>> = true;
template <class X> inline constexpr bool is_scalar = false;
template <class T> inline constexpr bool is_scalar<scalar<T>> = true;

/// A tensor or a reference to one: memory, not a computation.
template <class X> concept stored =
    is_tensor<bare<X>> || is_reference<bare<X>> || is_inline<bare<X>>;
/// An expression that is computed when it is assigned.
template <class X> concept lazy = is_expr<bare<X>> || is_placed<bare<X>>;
/// An operand of an op.
template <class X> concept operand = stored<X> || lazy<X>;
/// A plain number; it takes the element type of the other operand.
template <class X> concept number = any_number<bare<X>>;

}}  // namespace placement::v0_1
