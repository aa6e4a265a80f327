#pragma once
/// Exchanges tensors with other libraries through DLPack, without a copy. Not part of
/// placement.hpp.
///
///     DLManagedTensor* out = pl::to_dlpack<DLManagedTensor>(x);  // its receiver calls deleter
///     auto y = pl::from_dlpack<float, pl::dextents<2>>(theirs);  // the last copy calls deleter
///
/// The structs have DLPack's memory layout. A program that includes <dlpack/dlpack.h> may use
/// DLPack's own structs instead.

#include <placement/device/query.hpp>
#include <placement/expr/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

/// Source: dlpack.h of DLPack 0.8 and later, the unversioned part.
namespace dlpack {

enum device_type : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum type_code : std::uint8_t {
  signed_int = 0,
  unsigned_int = 1,
  real = 2,
  bfloat = 4,
  complex_real = 5,
  boolean = 6
};

struct device_id {
  std::int32_t type;
  std::int32_t index;  ///< CUDA's device number, after CUDA_VISIBLE_DEVICES
};
struct element_type {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct view {
  void* data;
  device_id where;
  std::int32_t rank;
  element_type type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: row-major without gaps
  std::uint64_t byte_offset;
};
/// DLManagedTensor.
struct managed_tensor {
  view tensor;
  void* state;
  void (*deleter)(managed_tensor*);
};

}  // namespace dlpack

namespace detail {

template <class T> constexpr dlpack::element_type dlpack_type() noexcept {
  auto const bits = static_cast<std::uint8_t>(8 * sizeof(T));
  if constexpr (std::is_same_v<T, bool>) return {dlpack::boolean, bits, 1};
  else if constexpr (std::is_same_v<T, bfloat16>) return {dlpack::bfloat, bits, 1};
  else if constexpr (real_number<T>) return {dlpack::real, bits, 1};
  else if constexpr (is_complex<T>) return {dlpack::complex_real, bits, 1};
  else if constexpr (std::is_signed_v<T>) return {dlpack::signed_int, bits, 1};
  else return {dlpack::unsigned_int, bits, 1};
}
constexpr bool same_type(dlpack::element_type a, dlpack::element_type b) noexcept {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// Waits for all queued work of a GPU, before its memory is exported or released. Throws: what the
/// platform throws.
inline void finish_work_on(device where) {
  if (!where.is_gpu()) return;
  logical_device const& d = logical(where);
  d.owner->synchronise(d.work);
}

/// The DLPack device of a logical device. Simulated GPUs use host memory, so they are kDLCPU.
inline dlpack::device_id dlpack_device(device where) {
  if (where.is_cpu()) return {dlpack::cpu, 0};
  logical_device const& d = logical(where);
  if (d.owner->simulated()) return {dlpack::cpu, 0};
  return {dlpack::cuda, d.owner->describe(d.ordinal).driver_index};
}
/// The logical device of another library's memory; for a split GPU its first part.
/// Throws: invalid_argument.
inline device device_of_dlpack(dlpack::device_id id) {
  if (id.type == dlpack::cpu || id.type == dlpack::cuda_host) return cpu0;
  if (id.type == dlpack::cuda)
    for (logical_device const& d : list_logical_devices("GPU"))
      if (!d.owner->simulated() && d.owner->describe(d.ordinal).driver_index == id.index)
        return d.id;
  throw invalid_argument("placement: a tensor on DLPack's device (" + std::to_string(id.type) +
                         ", " + std::to_string(id.index) + ") is on none of " +
                         available_devices() + ". Copy it to one of these first.");
}

/// An exported tensor. It keeps the memory until the receiver calls `deleter`.
template <class T, class X> struct dlpack_export {
  dlpack::managed_tensor handed_out{};
  tensor<T, X> keep;
  std::int64_t shape[X::rank + 1] = {};  // one more: a scalar has rank 0

  explicit dlpack_export(tensor<T, X> const& x) : keep(x) {
    for (std::size_t d = 0; d != X::rank; ++d) shape[d] = x.extent(d);
    handed_out.tensor = {const_cast<T*>(std::as_const(keep).data()),
                         dlpack_device(x.where()),
                         static_cast<std::int32_t>(X::rank),
                         dlpack_type<T>(),
                         shape,
                         nullptr,
                         0};
    handed_out.state = this;
    handed_out.deleter = [](dlpack::managed_tensor* m) {
      delete static_cast<dlpack_export*>(m->state);
    };
  }
};

template <class T, class X> void check_dlpack(dlpack::view const& v, site at) {
  if (!same_type(v.type, dlpack_type<T>()))
    throw invalid_argument("placement: the DLPack tensor has elements of type (" +
                           std::to_string(v.type.code) + ", " + std::to_string(v.type.bits) +
                           " bits, " + std::to_string(v.type.lanes) + " lanes), not " +
                           std::string(element_name<T>()) + ". Name its type, or cast it first.");
  if (v.rank != static_cast<std::int32_t>(X::rank))
    throw shape_error("placement: the DLPack tensor has " + std::to_string(v.rank) +
                      " dimensions, not " + std::to_string(X::rank) + ". Name its shape." +
                      location_text({}, at));
}
/// The tensor's shape. Throws: shape_error for gaps between elements, or for extents that differ
/// from a static X.
template <class X> X shape_of_dlpack(dlpack::view const& v, site at) {
  dextents<X::rank> shape{};
  if constexpr (X::rank != 0)
    for (std::size_t d = 0; d != X::rank; ++d) shape.n[d] = v.shape[d];
  std::size_t const count = checked_count(shape, 1, {}, at);
  std::int64_t dense = 1;
  for (std::size_t d = X::rank; count != 0 && v.strides != nullptr && d-- != 0;) {
    if (v.shape[d] != 1 && v.strides[d] != dense)
      throw shape_error(
          "placement: the DLPack tensor is not row-major without gaps. Make it contiguous first." +
          location_text({}, at));
    dense *= v.shape[d];
  }
  return converted<X>(shape, {}, at);
}

/// Managed may be DLPack's struct or ours.
template <class Managed> void check_is_dlpack() {
  static_assert(
      sizeof(Managed) == sizeof(dlpack::managed_tensor) && std::is_standard_layout_v<Managed>,
      "placement: this is no DLManagedTensor. Use that of DLPack, or "
      "placement::dlpack::managed_tensor.");
}

}  // namespace detail

/// Exports the tensor's memory to another library until that calls `deleter`. The data pointer of
/// an empty tensor is null. The library must not write to the memory while this tensor or a copy of
/// it lives. A later assignment to the tensor allocates new memory. Waits for the queued work on
/// the memory. Throws: what the device throws.
template <class Managed = dlpack::managed_tensor, element T, class X>
Managed* to_dlpack(tensor<T, X> const& x) {
  detail::check_is_dlpack<Managed>();
  auto made = std::make_unique<detail::dlpack_export<T, X>>(x);
  detail::finish_work_on(x.where());
  return reinterpret_cast<Managed*>(&made.release()->handed_out);
}

/// A tensor over another library's memory, on the device of that memory. All copies of the tensor
/// share the memory, and assignments write to it, as with borrow(). The last copy waits for the
/// work on the memory, then calls `deleter`. All writes by the other library must be complete
/// before the call.
/// Throws: invalid_argument for another element type or an unknown device; shape_error for another
/// rank, other static extents or gaps. The memory then still belongs to the caller.
template <element T, class X, class Managed>
tensor<T, X> from_dlpack(Managed* theirs, site at = site::here()) {
  detail::check_is_dlpack<Managed>();
  auto* const m = reinterpret_cast<dlpack::managed_tensor*>(theirs);
  dlpack::view const& v = m->tensor;
  detail::check_dlpack<T, X>(v, at);
  X const shape = detail::shape_of_dlpack<X>(v, at);
  auto t = detail::tensor_access::empty<tensor<T, X>>();
  device const where = detail::device_of_dlpack(v.where);
  detail::external_owner const owner{[](void* state, device on) noexcept {
                                       try {
                                         detail::finish_work_on(on);
                                       } catch (...) {  // the device is lost, and its work with it
                                       }
                                       auto* const done =
                                           static_cast<dlpack::managed_tensor*>(state);
                                       if (done->deleter != nullptr) done->deleter(done);
                                     },
                                     m};
  detail::tensor_access::elements(t) = detail::buffer_ref{detail::buffer::adopt_external(
      where, static_cast<std::byte*>(v.data) + v.byte_offset,
      detail::checked_count(shape, sizeof(T), {}, at) * sizeof(T), owner)};
  detail::tensor_access::shape(t) = shape;
  detail::tensor_access::requested(t) = device_spec{where};
  return t;
}

}}  // namespace placement::v0_1
