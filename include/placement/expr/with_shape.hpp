#pragma once
/// The elements of a tensor in another shape, so that code for tensors of all shapes is compiled
/// once.

#include <placement/expr/tensor.hpp>

#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// The same elements in another shape of as many elements.
template <class T, class X, class Y> tensor<T, Y> with_shape(tensor<T, X> const& t, Y const& as) {
  auto y = tensor_access::empty<tensor<T, Y>>();
  tensor_access::elements(y) = tensor_access::elements(t);
  tensor_access::requested(y) = t.requested();
  tensor_access::shape(y) = as;
  return y;
}
/// The same for a temporary, whose handle is moved.
template <class T, class X, class Y> tensor<T, Y> with_shape(tensor<T, X>&& t, Y const& as) {
  auto y = tensor_access::empty<tensor<T, Y>>();
  tensor_access::requested(y) = t.requested();
  tensor_access::elements(y) = std::move(tensor_access::elements(t));
  tensor_access::shape(y) = as;
  return y;
}

/// Whether X is a tensor with static extents.
template <class X> inline constexpr bool has_static_extents = false;
template <class T, class X>
inline constexpr bool has_static_extents<tensor<T, X>> = !std::is_same_v<X, dextents<X::rank>>;

/// An operand with all extents at run time, if it is a tensor. Others are returned as they are: an
/// lvalue by reference, a temporary by value.
template <class X> decltype(auto) with_run_time_shape(X&& x) {
  if constexpr (has_static_extents<bare<X>>)
    return with_shape(std::forward<X>(x), converted<dextents<bare<X>::rank>>(x.shape()));
  else if constexpr (std::is_lvalue_reference_v<X>) return (x);
  else return bare<X>(std::forward<X>(x));
}

/// The elements of a tensor as a vector.
template <class T> using flat_tensor = tensor<T, dextents<1>>;

template <class X> dextents<1> flat_shape(X const& x) {
  return {{static_cast<index_t>(x.count())}};
}
template <class T, class X> flat_tensor<T> flattened(tensor<T, X> const& t) {
  return with_shape(t, flat_shape(t.shape()));
}

/// The elements behind a handle as a vector that is written to. The handle is empty meanwhile, so
/// that the vector is the only owner.
template <class T> class flat_elements {
 public:
  flat_elements(buffer_ref& from, dextents<1> const& shape)
      : from_(from), tensor_(tensor_access::empty<flat_tensor<T>>()) {
    tensor_access::elements(tensor_) = std::move(from);
    tensor_access::shape(tensor_) = shape;
  }
  ~flat_elements() { from_ = std::move(tensor_access::elements(tensor_)); }
  flat_elements(flat_elements const&) = delete;
  flat_elements& operator=(flat_elements const&) = delete;
  flat_tensor<T>& operator*() noexcept { return tensor_; }

 private:
  buffer_ref& from_;
  flat_tensor<T> tensor_;
};

}}}  // namespace placement::v0_1::detail
