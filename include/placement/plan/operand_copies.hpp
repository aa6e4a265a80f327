#pragma once
/// Counts the operands that a plan copies to a kernel's device, and their bytes.

#include <placement/expr/inline_tensor.hpp>
#include <placement/plan/plan.hpp>

#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The operands that are copied for a kernel.
struct operand_copies {
  placement::device where;
  std::string_view op{};  ///< the root of the kernel, for messages
  site line{};
  std::size_t copies = 0, bytes = 0;
  bool exact = true;
  std::vector<void const*> seen{};  ///< buffers and inline tensors counted so far

  /// d has no value if the type leaves the device open.
  constexpr void from(placement::device d, std::size_t size) {
    if (!d.has_value() || d == where || size == 0) return;
    ++copies;
    if (size == unknown_size) exact = false;
    else bytes += size;
  }
  void stored_elements(buffer const* b) {
    if (b != nullptr) stored_elements(b, b->where(), b->size());
  }
  void stored_elements(void const* source, placement::device held_by, std::size_t size) {
    if (held_by == where || size == 0) return;
    for (void const* s : seen)
      if (s == source) return;
    seen.push_back(source);
    from(held_by, size);
  }
};

template <class T, class X> void const* address_of_inline(inline_ref<T, X> const& r) {
  return r.target;
}
template <class T, class X> void const* address_of_inline(inline_tensor<T, X> const& t) {
  return &t;
}
/// Throws: shape_error for a tensor that was moved from, and for a stale view.
template <class T> buffer const* buffer_of(T const& t, operand_copies const& in) {
  if constexpr (is_reference<T>) {
    return tensor_access::elements(target_now(t, in.op, in.line)).get();
  } else {
    buffer const* const b = tensor_access::elements(t).get();
    if (b == nullptr && t.size() != 0) moved_from(in.op, in.line);
    return b;
  }
}
/// Counts a tensor's elements if they are on another device. Throws: as above.
template <class T> void bring_stored(T const& t, operand_copies& in) {
  if constexpr (is_inline<T>)
    in.stored_elements(address_of_inline(t), cpu0, T::shape().count() * sizeof(*t.data()));
  else in.stored_elements(buffer_of(t, in));
}

}}}  // namespace placement::v0_1::detail
