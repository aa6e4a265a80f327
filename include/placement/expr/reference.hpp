#pragma once
/// References to tensors, through which views are written to.

#include <placement/device/device_spec.hpp>
#include <placement/expr/concepts.hpp>
#include <placement/expr/slice_op.hpp>
#include <placement/fwd.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/place/site.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {
class buffer_ref;
}  // namespace detail

/// A reference to a tensor, made by view(). Nodes refer to the tensor instead of copying the
/// handle. The tensor must outlive these nodes and keep its shape while they are used.
template <class T, class X> class reference {
 public:
  using value_type = T;
  using extents_type = X;
  static constexpr std::size_t rank = X::rank;

  explicit reference(tensor<T, X>& t, site at = {}) noexcept
      : target_(&t), made_(at), shape_(t.shape()) {}
  /// Copied memberwise, as in `origin`: a wide load would stall on members that were just stored.
  PLACEMENT_ALWAYS_INLINE reference(reference const& r) noexcept
      : target_(r.target_), made_{r.made_.file, r.made_.line}, shape_(r.shape_) {}
  ~reference() = default;

  /// Writes the elements of x, broadcast to the tensor's shape, into the tensor. x is read before
  /// anything is written.
  reference const& operator=(reference const& x) const {
    detail::assign_elements<kernel_set<cpu_kernels>>(*this, x, false);
    return *this;
  }
  template <class E, class K = kernels_here> requires(operand<E> || number<E>)
  reference const& operator=(E&& x) const {
    detail::assign_elements<K>(*this, x, !std::is_lvalue_reference_v<E>);
    return *this;
  }

  /// Row i: an assignable view of rank - 1. A negative i counts from the end.
  /// Throws: shape_error for an index out of range.
  template <class K = kernels_here> detail::row_of<K, reference> operator[](located_index i) const {
    return detail::make_row<K, reference>(*this, i);
  }
  /// Element (i, j, ...): an assignable view of rank 0. Throws: as above.
  template <class... I, class K = kernels_here>
  detail::element_node<K, reference, I...> operator()(located_index i, I... more) const {
    return detail::make_element<K, reference>(*this, i, more...);
  }

  tensor<T, X>& target() const noexcept { return *target_; }
  /// The shape of the tensor at the call of view().
  X shape() const noexcept { return shape_; }
  /// The location of view().
  site made() const noexcept { return made_; }

 private:
  tensor<T, X>* target_;
  site made_;
  [[no_unique_address]] X shape_;
};

namespace detail {

/// Gives the rest of expr/ access to a tensor's members.
struct tensor_access {
  template <class T, class X> static buffer_ref& elements(tensor<T, X>& t) noexcept {
    return t.elements_;
  }
  template <class T, class X> static buffer_ref const& elements(tensor<T, X> const& t) noexcept {
    return t.elements_;
  }
  template <class T, class X> static X& shape(tensor<T, X>& t) noexcept { return t.shape_; }
  template <class T, class X> static device_spec& requested(tensor<T, X>& t) noexcept {
    return t.requested_;
  }
  template <class Tensor> static Tensor empty() noexcept { return Tensor(nothing{}); }
  struct nothing {};
};

/// Throws the error for a tensor without elements (moved from). `op`, `at`: the op that reads it.
[[noreturn, gnu::cold]] void moved_from(std::string_view op = {}, site at = {});
/// Throws the error for a stale view. `made`: the location of view().
[[noreturn, gnu::cold]] void stale_view(any_shape const& made_for, any_shape const& now, site made,
                                        std::string_view op, site at);

/// The tensor that a view names. `op`, `at`: the op that uses the view.
/// Throws: shape_error if the tensor's shape has changed since view(), or if it was moved from.
template <class T, class X>
tensor<T, X>& target_now(reference<T, X> const& r, std::string_view op, site at) {
  tensor<T, X>& t = r.target();
  if (!tensor_access::elements(t) && t.size() != 0) [[unlikely]]
    moved_from(op, at);
  if (!(t.shape() == r.shape())) [[unlikely]]
    stale_view(r.shape(), t.shape(), r.made(), op, at);
  return t;
}

}  // namespace detail

/// Names a tensor's memory, so that views of it can be written to:
/// `slice(view(x), range(0, 2)) = y`. The tensor must outlive the view and keep its shape; a use of
/// a stale view throws shape_error. Reading a view gives the tensor's elements at that time.
template <class T, class X> reference<T, X> view(tensor<T, X>& t, site at = site::here()) noexcept {
  return reference<T, X>(t, at);
}

}}  // namespace placement::v0_1
