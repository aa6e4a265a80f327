#pragma once
/// Maps the elements of NumPy's files into memory, without reading them. Not part of placement.hpp.
///
///     auto const data = pl::map_npy<float const, 2>("data.npy");
///     pl::tensor x = pl::slice(data, pl::range{0, 64});  // reads the pages of 64 rows

#include <placement/expr/memory.hpp>
#include <placement/interop/npy.hpp>
#include <placement/runtime/virtual_memory.hpp>
#include <placement/shape/layout.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <memory>

namespace placement { inline namespace v0_1 {

/// Elements of a file in memory that cannot be written. Its operand has the file's order of
/// elements: for Fortran order the shape is reversed.
/// Shape: (d0, d1, ...), or (..., d1, d0) reversed.  Type: any.
/// Kernels: CPU, GPU (pattern view_op).
template <std::size_t R> struct mapped_op {
  static constexpr std::string_view name = "ImmutableConst";
  using pattern = view_op;

  bool is_reversed;

  constexpr dextents<R> result(dextents<R> const& x) const {
    dextents<R> y = x;
    if constexpr (R > 1)
      if (is_reversed) std::reverse(y.n, y.n + R);
    return y;
  }
  template <class X> constexpr layout<R> moved(layout<R> where, X const&) const {
    if (is_reversed) std::reverse(where.stride, where.stride + R);
    return where;
  }
};

/// A mapped array of rank R as an operand. It has no elements of its own and cannot be assigned to.
/// Copies share the mapping, which ends with the last of them and of the expressions with them.
template <class T, std::size_t R, class K = kernels_here>
using mapped_array = expr<mapped_op<R>, K, tensor<std::remove_const_t<T>, dextents<R>>>;

namespace detail {

/// Pages of a file in memory, for reading only.
class file_mapping {
 public:
  /// Throws: file_error.
  file_mapping(input_file const& file, std::uint64_t begin, std::size_t bytes)
      : before_(begin % page_bytes()), size_(before_ + bytes) {
    base_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(),
                   static_cast<off_t>(begin - before_));
    if (base_ == MAP_FAILED)
      throw_file_error(file.path(), "mapped", "Load it, or free addresses of this process.");
  }
  ~file_mapping() { ::munmap(base_, size_); }
  file_mapping(file_mapping const&) = delete;
  file_mapping& operator=(file_mapping const&) = delete;

  /// The first byte. Writing to it ends the program.
  void* data() const noexcept { return static_cast<char*>(base_) + before_; }

 private:
  std::size_t before_, size_;
  void* base_;
};

/// Maps bytes of a file until the last owner of the buffer leaves. Throws: file_error;
/// out_of_memory.
inline buffer_ref mapped_buffer(input_file const& file, std::uint64_t begin, std::size_t bytes) {
  auto mapping = std::make_unique<file_mapping>(file, begin, bytes);
  external_owner const owner{
      [](void* state, device) noexcept { delete static_cast<file_mapping*>(state); },
      mapping.get()};
  buffer_ref made{buffer::adopt_external(cpu0, mapping->data(), bytes, owner)};
  static_cast<void>(mapping.release());
  return made;
}

/// Throws unless the elements can be used where they lie: file_error.
inline void check_mappable(npy_source const& from, npy_info const& info) {
  std::string_view why;
  if (info.is_swapped) why = "has the other byte order";
  else if ((from.begin + info.data_offset) % info.item_bytes != 0)
    why = "begins at no multiple of its element's size";
  if (!why.empty())
    throw file_error("placement: " + from.name + " holds " + to_string(info) +
                     " and cannot be mapped, because it " + std::string(why) +
                     ". Load it, or write it by placement.");
}

/// `from`: bytes of a file. Throws: file_error, invalid_argument, shape_error, out_of_memory.
template <class K, class T, std::size_t R>
mapped_array<T, R, K> map_array(npy_source const& from, std::string_view call, site at) try {
  using element_type = std::remove_const_t<T>;
  static_assert(
      std::is_const_v<T>,
      "placement: a mapped file is only read. Write map_npy<float const, 2>, or load it.");
  check_npy_element<element_type>();
  npy_info const info = read_npy_info(from);
  check_npy_info(from.name, info, element_name<element_type>(), R, {call, " const"}, at);
  std::size_t const bytes = npy_data_bytes(from, info);
  auto t = tensor_access::empty<tensor<element_type, dextents<R>>>();
  auto& shape = tensor_access::shape(t);
  bool const reversed = info.order == npy_order::fortran && R > 1;
  if constexpr (R != 0) std::copy(info.shape.begin(), info.shape.end(), shape.n);
  if constexpr (R > 1)
    if (reversed) std::reverse(shape.n, shape.n + R);
  tensor_access::requested(t) = device_spec{cpu0};
  buffer_ref& elements = tensor_access::elements(t);
  if (bytes != 0) {
    check_mappable(from, info);
    elements = mapped_buffer(*from.file, from.begin + info.data_offset, bytes);
    if constexpr (std::is_same_v<element_type, bool>)
      check_npy_bools(from.name, info.data_offset,
                      static_cast<unsigned char const*>(elements->data()), bytes);
  }
  return {mapped_op<R>{reversed}, at, std::move(t)};
} catch (...) { rethrow_as_error(); }

}  // namespace detail

/// The array of a file as an operand, whose elements are mapped into memory of CPU:0 for reading.
/// The file must keep its length while it is mapped; a file that save_npy replaces does. Kernels on
/// a GPU copy the whole array there: evaluate a slice on the CPU first.
/// Throws: as load_npy; file_error if the byte order differs or the elements are not aligned.
/// Cost: none for elements before they are read; for bool all are read and checked.
template <class T, std::size_t R, class K = kernels_here> requires element<std::remove_const_t<T>>
mapped_array<T, R, K> map_npy(std::string const& path, site at = site::here()) {
  detail::input_file const file(path);
  return detail::map_array<K, T, R>(detail::source_of(file), "map_npy", at);
}

}}  // namespace placement::v0_1
