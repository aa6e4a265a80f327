#pragma once
/// Chooses the memory of a result: the receiving tensor's buffer if that is safe, else a new
/// buffer.

#include <placement/expr/decide.hpp>
#include <placement/expr/noexcept.hpp>
#include <placement/expr/reads.hpp>
#include <placement/expr/tensor.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether e's kernel may write directly into out's elements.
template <class T, class X, class E>
bool may_overwrite(tensor<T, X>& out, E const& e, device where, bool is_rvalue) {
  buffer* const b = tensor_access::elements(out).get();
  if (b == nullptr || !(b->where() == where) || b->size() != e.shape().count() * sizeof(T))
    return false;
  if constexpr (fusible_node<E> || reduce_node<E>) {
    if constexpr (!kernel_is_noexcept<E, false>) return false;
  } else if constexpr (custom_node<E>) {
    return false;
  }
  if (!b->is_external() && b->is_read_elsewhere()) return false;
  reads const r = reads_of(e, out);
  if (r.overlaps) return false;
  if (!b->is_external() && b->owners() != 1 + (is_rvalue ? r.handles : 0)) return false;
  if (fusible_node<E> && !has_epilogue<E, false>) return !r.elsewhere;
  return r.handles == 0 && !r.named;
}

/// Logs that elements came from another device, if such copies are logged.
void log_if_moved(std::string_view op, device from, buffer const& to, site at);
/// Logs a copy_to() before it runs. `k`: the facts of a kernel, with the bytes to be copied.
[[gnu::cold]] void report_copy_to(op_of_kernel const& copy, kernel_facts const& k, device from);
/// Writes elements into an external buffer. `op`, `at`: for the log line of a copy between devices.
[[gnu::cold]] void write_to_external(buffer& to, buffer const& from, std::string_view op, site at);
[[noreturn, gnu::cold]] void throw_external_reshape(any_shape const& has, any_shape const& given,
                                                    std::string_view op, site at);

/// The call site of an allocation for a kernel's root. `at`: for ops without a location of their
/// own.
template <class E> PLACEMENT_ALWAYS_INLINE inline call_site call_site_of(E const& e, site at) {
  if (e.from.where.known()) at = e.from.where;
  call_site requested_by{E::op_type::name, at.file, at.line};
  if (e.from.name != label::none) [[unlikely]]
    requested_by.name = full_name(e.from.name, E::op_type::name);
  return requested_by;
}

/// The memory that a kernel writes, for a tensor of any type. keep() gives it to the tensor. Until
/// then the tensor is unchanged, unless the kernel writes in place, which cannot fail.
class result_memory {
 public:
  /// old: the tensor's elements, of shape `has`. element: bytes. The arguments outlive this object.
  /// Throws: out_of_memory; shape_error for a tensor in an external buffer of another shape.
  result_memory(buffer_ref& old, any_shape const& has, any_shape const& shape, std::size_t element,
                device where, bool in_place, call_site const& requested_by)
      : old_(old) {
    prepare(has, shape, element, where, in_place, requested_by);
  }

  void* data() const { return fresh_ ? fresh_->data() : old_->data(); }
  /// `op`, `at`: for the log line of a copy into an external buffer on another device.
  void keep(std::string_view op, site at);

 private:
  void prepare(any_shape const& has, any_shape const& shape, std::size_t element, device where,
               bool in_place, call_site const& requested_by);

  buffer_ref& old_;
  buffer_ref fresh_;
};

/// The same for a tensor whose type is known; keep() also sets its shape and requested device.
template <class T, class X> class destination {
 public:
  destination(tensor<T, X>& out, X const& shape, device where, device_spec requested, bool in_place,
              call_site const& requested_by = {})
      : out_(out),
        shape_(shape),
        requested_(requested),
        memory_(tensor_access::elements(out), tensor_access::shape(out), shape, sizeof(T), where,
                in_place, requested_by) {}

  T* data() const { return static_cast<T*>(memory_.data()); }
  void keep(std::string_view op = {}, site at = {}) {
    memory_.keep(op, at);
    tensor_access::requested(out_) = requested_;
    tensor_access::shape(out_) = shape_;
  }

 private:
  tensor<T, X>& out_;
  X shape_;
  device_spec requested_;
  result_memory memory_;
};

/// Elements that are to be stored in a tensor, whatever its type.
struct elements_to_store {
  buffer_ref const& elements;
  any_shape has, shape;  ///< of the tensor: before, and of the elements
  std::size_t element;   ///< bytes
  std::string_view element_name;
  device where;  ///< of the elements
  site at;
};
/// The device that a pin requests, for elements that are stored.
struct request_to_store {
  device_spec requested;
  request_source by;
  settings_word how;
  bool is_copy_to;  ///< written by hand, so not counted as a transfer
};
/// Makes `old` a handle of the elements, or writes them to it if it is external memory.
/// Strong guarantee. Throws: shape_error for external memory of another shape; invalid_argument
/// for a tensor that was moved from.
void store_elements(buffer_ref& old, elements_to_store const& x);
/// The same on the requested device. Throws also: placement_error for a missing device under hard
/// placement; out_of_memory.
void store_elements(buffer_ref& old, elements_to_store const& x, request_to_store const& r);

/// Stores the elements of a tensor on the pinned device; they are shared if they are already there.
/// Throws: as store_elements().
template <class T, class X, class Y, class Pin>
void store_handle(tensor<T, X>& out, tensor<T, Y> const& t, Pin const& pin, site at) {
  X const shape = converted<X>(t.shape(), {}, at);
  elements_to_store const x{tensor_access::elements(t),
                            tensor_access::shape(out),
                            shape,
                            sizeof(T),
                            element_name<T>(),
                            t.where(),
                            at};
  device_spec requested = t.requested();
  if constexpr (requires { pin.requested; }) {
    requested = pin.requested;
    store_elements(tensor_access::elements(out), x,
                   {requested, Pin::requested_by, settings_for(pin), std::is_same_v<Pin, by_hand>});
  } else {
    store_elements(tensor_access::elements(out), x);
  }
  tensor_access::requested(out) = requested;
  tensor_access::shape(out) = shape;
}

/// A tensor with a copy of elements in host memory.
template <class T, class X> tensor<T, X> handle_of(T const* from, X const& shape) {
  auto t = tensor_access::empty<tensor<T, X>>();
  std::size_t const size = shape.count() * sizeof(T);
  tensor_access::elements(t) = buffer_ref{buffer::make(cpu0, size)};
  move_bytes(tensor_access::elements(t)->data(), cpu0, from, cpu0, size);
  tensor_access::shape(t) = shape;
  tensor_access::requested(t) = device_spec{cpu0};
  return t;
}
/// The same for any stored operand.
template <class T, class X, class S, class Pin>
void store_copy(tensor<T, X>& out, S const& from, Pin const& pin, site at) {
  if constexpr (is_reference<S>) return store_copy(out, target_now(from, "Copy", at), pin, at);
  else if constexpr (is_inline<S>)
    return store_copy(out, handle_of(from.data(), from.shape()), pin, at);
  else store_handle<T, X>(out, from, pin, at);
}
}}}  // namespace placement::v0_1::detail
