#pragma once
/// Tensors and the caller's memory: copying it, using it in place, and copying tensors between
/// devices.

#include <placement/expr/constant.hpp>
#include <placement/expr/destination.hpp>

#include <span>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_count(std::size_t given,
                                                               std::string const& shape, site at) {
  throw shape_error("placement: " + std::to_string(given) + " elements do not fill shape " + shape +
                    ". Give as many as the shape has." + location_text({}, at));
}
[[noreturn, gnu::cold, gnu::noinline]] inline void no_memory_given(std::string const& shape) {
  throw invalid_argument("placement: a null pointer was given for elements of shape " + shape +
                         ".");
}
template <class T, class X> void check_memory(T const* data, X const& shape, site at) {
  if (checked_count(shape, sizeof(T), {}, at) != 0 && data == nullptr)
    no_memory_given(to_string(shape));
}
template <class K, element T, class X>
tensor<T, X> copied_in(T const* data, X const& shape, site at) {
  check_memory(data, shape, at);
  auto t = tensor_access::empty<tensor<T, X>>();
  constant_into<K>(t, data, shape, at);
  return t;
}
template <class Range>
using element_in = std::remove_cvref_t<decltype(*std::declval<Range const&>().data())>;
}  // namespace detail

/// A tensor with a copy of host memory: `from(pointer, shape(2, 3))`. Placed like the op Const.
/// Cost: one copy. Throws: invalid_argument for null; shape_error; out_of_memory.
template <element T, index_t... N, class K = kernels_here>
auto from(T const* data, extents<N...> shape, site at = site::here()) -> tensor<T, extents<N...>> {
  return detail::copied_in<K>(data, shape, at);
}
/// From any contiguous range: `from(vector, shape(2, 3))`. Throws: shape_error if the number of
/// elements differs.
template <class Range, index_t... N, class K = kernels_here>
requires requires(Range const& r) { std::span(r.data(), r.size()); }
auto from(Range const& r, extents<N...> shape, site at = site::here())
    -> tensor<detail::element_in<Range>, extents<N...>> {
  std::size_t const count = detail::checked_count(shape, sizeof(detail::element_in<Range>), {}, at);
  if (r.size() != count) detail::wrong_count(r.size(), to_string(shape), at);
  return detail::copied_in<K>(r.data(), shape, at);
}
/// A vector from any contiguous range.
template <class Range, class K = kernels_here>
requires requires(Range const& r) { std::span(r.data(), r.size()); }
auto from(Range const& r, site at = site::here())
    -> tensor<detail::element_in<Range>, dextents<1>> {
  return detail::copied_in<K>(r.data(), shape(static_cast<index_t>(r.size())), at);
}

/// A tensor that uses the caller's memory on device d, without a copy. The memory must outlive the
/// tensor and all its copies. All of them share the elements, and assignments write to them. The
/// shape cannot change. On a GPU, work that writes the memory must be complete: call
/// synchronize(d) first, or order it before d's stream.
/// Throws: invalid_argument for null; placement_error for a missing device.
template <element T, index_t... N> requires(!std::is_const_v<T>)
auto borrow(T* data, extents<N...> shape, device d = cpu0, site at = site::here())
    -> tensor<T, extents<N...>> {
  detail::check_memory(data, shape, at);
  static_cast<void>(logical(d));
  auto t = detail::tensor_access::empty<tensor<T, extents<N...>>>();
  detail::tensor_access::elements(t) =
      detail::buffer_ref{detail::buffer::wrap_external(d, data, shape.count() * sizeof(T))};
  detail::tensor_access::shape(t) = shape;
  detail::tensor_access::requested(t) = device_spec{d};
  return t;
}
namespace detail {
/// Whether elements can be written to. Rejects others.
template <class T> constexpr bool check_writable() {
  static_assert(!std::is_const_v<T>,
                "placement: borrowed memory can be written to, but these elements are const. Copy "
                "them with from(data, shape), or pass a pointer to elements that are not const.");
  return true;
}
}  // namespace detail
/// Rejects memory that cannot be written to.
template <class T, index_t... N> requires std::is_const_v<T>
auto borrow(T*, extents<N...>, device = cpu0) -> tensor<std::remove_const_t<T>, extents<N...>> {
  static_assert(detail::check_writable<T>());
  return detail::tensor_access::empty<tensor<std::remove_const_t<T>, extents<N...>>>();
}
/// The same from a span. Throws: shape_error if the number of elements differs.
template <element T, std::size_t E, index_t... N>
auto borrow(std::span<T, E> s, extents<N...> shape, device d = cpu0, site at = site::here())
    -> tensor<T, extents<N...>> {
  if (s.size() != detail::checked_count(shape, sizeof(T), {}, at))
    detail::wrong_count(s.size(), to_string(shape), at);
  return borrow(s.data(), shape, d, at);
}

/// A tensor with these elements on that device, under any transfer policy. Elements already there
/// are shared. The name is merged with the enclosing scopes, as in on(). An expression is computed
/// where it is placed, and its value is copied; on(to, x) computes it there instead.
/// Throws: placement_error for a missing device under hard placement; out_of_memory; exceptions of
/// an expression's ops.
template <operand E>
auto copy_to(device_request to, E const& x)
    -> tensor<typename E::value_type, typename E::extents_type> {
  using result = tensor<typename E::value_type, typename E::extents_type>;
  detail::by_hand const there{{detail::requested_in(to.requested)}};
  auto out = detail::tensor_access::empty<result>();
  if constexpr (lazy<E>) {
    auto value = detail::tensor_access::empty<result>();
    detail::evaluate_into(value, x, false, to.where);
    detail::store_copy(out, value, there, to.where);
  } else {
    detail::store_copy(out, x, there, to.where);
  }
  return out;
}
template <device_tag D, operand E>
auto copy_to(D, E const& x, site at = site::here())
    -> tensor<typename E::value_type, typename E::extents_type> {
  return copy_to(device_request(D::value, at), x);
}

}}  // namespace placement::v0_1
