#pragma once
/// Reads and writes NumPy's files of one array. Not part of placement.hpp.
///
///     pl::save_npy("x.npy", x);                   // numpy.load("x.npy") reads it
///     auto y = pl::load_npy<float, 2>("x.npy");   // on the device that the scope names
///     pl::npy_info const info = pl::read_npy_info("x.npy");
///
/// Element types: all but bfloat16, which NumPy does not have. Files of either byte order, of
/// either element order and of versions 1.0 to 3.0 are read. Bytes behind the array are ignored, as
/// by numpy.load.

#include <placement/expr/memory.hpp>
#include <placement/interop/npy_source.hpp>
#include <placement/interop/replacement_file.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

template <element T> constexpr void check_npy_element() {
  static_assert(has_npy_type(element_name<T>()),
                "placement: NumPy has no bfloat16. Save cast<float>(x), and load float.");
}

/// The tensor of an array. `call`: the caller's name, for messages. Throws: file_error,
/// invalid_argument, shape_error, out_of_memory.
template <class K, element T, class X>
tensor<T, X> tensor_from_npy(npy_source const& from, std::string_view call, site at) try {
  check_npy_element<T>();
  npy_info const info = read_npy_info(from);
  check_npy_info(from.name, info, element_name<T>(), X::rank, {call}, at);
  dextents<X::rank> shape{};
  if constexpr (X::rank != 0) std::copy(info.shape.begin(), info.shape.end(), shape.n);
  X const given = converted<X>(shape, call, at);
  npy_elements const elements = read_npy_elements(from, info, call);
  auto t = tensor_access::empty<tensor<T, X>>();
  constant_into<K>(t, static_cast<T const*>(elements.data), given, at);
  return t;
} catch (...) { rethrow_as_error(); }

/// The elements of an operand on the host. An expression is computed where it is placed. A copy
/// from a GPU is logged as one by copy_to().
template <operand E> auto host_elements(E const& x, std::string_view call, site at) {
  using result = tensor<typename E::value_type, typename E::extents_type>;
  if constexpr (is_reference<E>) {
    return host_elements(target_now(x, call, at), call, at);
  } else if constexpr (lazy<E>) {
    auto value = tensor_access::empty<result>();
    evaluate_into(value, x, false, at);
    return host_elements(value, call, at);
  } else if constexpr (is_inline<E>) {
    return x.read(at);
  } else {
    if (x.where().is_gpu()) return copy_to(device_request(cpu0, at), x).read(at);
    return x.read(at);
  }
}

/// What is written for elements in row-major order.
struct npy_image {
  std::string header;
  void const* data;
  std::size_t bytes;
  buffer_ref keep{};  ///< owns the elements if their order had to change
};
/// Throws: out_of_memory.
inline npy_image npy_image_of(std::string_view element, void const* data, std::size_t item_bytes,
                              any_shape const& shape, npy_order order, std::string_view call) {
  std::size_t longer_than_one = 0;
  for (std::size_t d = 0; d != shape.rank; ++d) longer_than_one += shape.extent[d] != 1;
  std::size_t const count = shape.count();
  // Elements that have both orders are in C order, as in NumPy.
  bool const reorder = order == npy_order::fortran && longer_than_one > 1 && count != 0;
  npy_image image{
      npy_header_text(*npy_type_of(element), shape, reorder ? npy_order::fortran : npy_order::c),
      data, count * item_bytes};
  if (!reorder) return image;
  image.keep = buffer_ref{buffer::make(cpu0, image.bytes, {call})};
  image.data = image.keep->data();
  index_t reversed[max_rank];
  std::reverse_copy(shape.extent, shape.extent + shape.rank, reversed);
  copy_to_row_major(static_cast<unsigned char*>(image.keep->data()),
                    static_cast<unsigned char const*>(data), {shape.rank, reversed}, item_bytes);
  return image;
}
template <class T, class X>
npy_image npy_image_of(host_view<T, X> const& elements, npy_order order,
                       std::string_view call = "save_npy") {
  check_npy_element<T>();
  X const shape = elements.shape();
  return npy_image_of(element_name<T>(), elements.data(), sizeof(T), shape, order, call);
}

}  // namespace detail

/// What the header of a file states. It may be an array that placement cannot load.
/// Throws: file_error; the message of a malformed header has the byte. Cost: reads the header only.
inline npy_info read_npy_info(std::string const& path) try {
  detail::input_file const file(path);
  return detail::read_npy_info(detail::source_of(file));
} catch (...) { detail::rethrow_as_error(); }

/// The array of a file, of rank R. Placed like the op Const: by scopes and settings, as from().
/// Throws: file_error for a file that cannot be read or is malformed; invalid_argument for another
/// element type; shape_error for another rank; out_of_memory.
/// Cost: one read and one copy; one more pass if the file has Fortran order.
template <element T, std::size_t R, class K = kernels_here>
tensor<T, dextents<R>> load_npy(std::string const& path, site at = site::here()) {
  detail::input_file const file(path);
  return detail::tensor_from_npy<K, T, dextents<R>>(detail::source_of(file), "load_npy", at);
}
/// The same with a shape: `load_npy<float, extents<2, 3>>(path)`. Throws: shape_error if static
/// extents differ, too.
template <element T, class X, class K = kernels_here> requires is_extents<X>
tensor<T, X> load_npy(std::string const& path, site at = site::here()) {
  detail::input_file const file(path);
  return detail::tensor_from_npy<K, T, X>(detail::source_of(file), "load_npy", at);
}

/// Writes a tensor or the value of an expression as numpy.save does, byte for byte. The file
/// replaces one of that name at once, after its bytes are on the disk. If anything fails, the old
/// file is unchanged. Symbolic links stay, and the new file has the owner, group and permissions of
/// the old one, as far as the system lets it. Access control lists are lost, and other hard links
/// keep the old file.
/// Throws: file_error; out_of_memory; exceptions of the expression's ops.
/// Cost: one write; from a GPU also one counted copy; for Fortran order also one copy on the host.
template <operand E>
void save_npy(std::string const& path, E const& x, npy_order order = npy_order::c,
              site at = site::here()) try {
  auto const elements = detail::host_elements(x, "save_npy", at);
  detail::npy_image const image = detail::npy_image_of(elements, order);
  detail::replacement_file file(path);
  file.write(image.header);
  file.write(image.data, image.bytes);
  file.commit();
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
