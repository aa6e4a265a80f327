#pragma once
/// The bytes of a NumPy array, in a file or in memory, and its elements in the order of a tensor.

#include <placement/cpu/strided_copy.hpp>
#include <placement/interop/npy_header.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/place/location.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 { namespace detail {

/// Bytes with the format of .npy. `file`: its bytes from `begin` on; null: the bytes are at
/// `memory`.
struct npy_source {
  std::string name;  ///< quoted, for messages
  std::uint64_t size = 0;
  input_file const* file = nullptr;
  std::uint64_t begin = 0;
  char const* memory = nullptr;

  void read(std::uint64_t offset, void* to, std::size_t bytes) const {
    if (file != nullptr) file->read_at(begin + offset, to, bytes);
    else if (bytes != 0) std::memcpy(to, memory + offset, bytes);
  }
};
inline npy_source source_of(input_file const& file) {
  return {quoted_path(file.path()), file.size(), &file};
}

/// Reads the header. Throws: file_error.
inline npy_info read_npy_info(npy_source const& from) {
  char first[npy_prefix::max_size];
  std::size_t const begin = std::min<std::uint64_t>(from.size, sizeof first);
  from.read(0, first, begin);
  npy_prefix const prefix = npy_prefix::parse(from.name, {first, begin});
  if (from.size - prefix.size < prefix.header_bytes)
    throw_malformed(from.name, from.size,
                    "it ends in its header of " + std::to_string(prefix.header_bytes) + " bytes");
  std::string dictionary(prefix.header_bytes, ' ');
  from.read(prefix.size, dictionary.data(), dictionary.size());
  return parse_npy_header(from.name, prefix, dictionary);
}

/// A call that reads an array, for messages: load_npy<float, 2>, or npz_file::map<float const, 2>.
struct npy_call {
  std::string_view name, qualifier = {};

  /// Without the class, as it is written behind an object.
  std::string_view member() const noexcept { return name.substr(name.rfind(':') + 1); }
};

/// Throws unless the array has this element type and rank: invalid_argument, shape_error.
inline void check_npy_info(std::string const& name, npy_info const& info, std::string_view element,
                           std::size_t rank, npy_call const& call, site at) {
  if (info.element.empty())
    throw invalid_argument("placement: " + name + " holds " + to_string(info) +
                           ", which is no element type of placement. Convert it in NumPy, as with "
                           "x.astype('float32')." +
                           location_text(call.name, at));
  if (info.shape.size() > max_rank)
    throw shape_error("placement: " + name + " holds " + to_string(info) +
                      ". Tensors have at most 8 dimensions: reshape it in NumPy." +
                      location_text(call.name, at));
  bool const other_type = info.element != element;
  if (!other_type && info.shape.size() == rank) return;
  std::string text = "placement: " + name + " holds " + to_string(info) + ", not ";
  text += other_type ? std::string(element) : "a tensor of rank " + std::to_string(rank);
  text += ". Write " + std::string(call.member()) + "<" +
          std::string(npy_type_of(info.element)->element_cpp) + std::string(call.qualifier) + ", " +
          std::to_string(info.shape.size()) + ">." + location_text(call.name, at);
  if (other_type) throw invalid_argument(text);
  throw shape_error(text);
}

/// The size of all elements. Throws: file_error if the source has fewer bytes, or the extents other
/// than 0 need 2^63 bytes, as strides are computed from them.
inline std::size_t npy_data_bytes(npy_source const& from, npy_info const& info) {
  auto bytes = static_cast<std::uint64_t>(info.item_bytes);
  bool is_empty = false;
  for (index_t const n : info.shape) {
    if (n == 0) {
      is_empty = true;
      continue;
    }
    if (static_cast<std::uint64_t>(n) >
        static_cast<std::uint64_t>(std::numeric_limits<index_t>::max()) / bytes)
      throw file_error("placement: " + from.name + " is malformed: its shape " +
                       list_text(info.shape.data(), info.shape.size()) +
                       " has 2^63 bytes or more. Write it again, as with numpy.save.");
    bytes *= static_cast<std::uint64_t>(n);
  }
  if (is_empty) return 0;
  if (from.size - info.data_offset < bytes)
    throw_malformed(from.name, from.size,
                    "it ends in its elements, which need " + std::to_string(bytes) +
                        " bytes from byte " + std::to_string(info.data_offset) + " on");
  return bytes;
}

/// Throws unless each byte is 0 or 1. Any other bool would be undefined behaviour.
inline void check_npy_bools(std::string const& name, std::uint64_t offset,
                            unsigned char const* data, std::size_t count) {
  auto const* const bad = std::find_if(data, data + count, [](unsigned char b) { return b > 1; });
  if (bad != data + count)
    throw_malformed(name, offset + static_cast<std::uint64_t>(bad - data),
                    "a bool is 0 or 1, not " + std::to_string(*bad));
}

inline void swap_bytes(unsigned char* data, std::size_t bytes, std::size_t number_bytes) {
  for (std::size_t i = 0; i != bytes; i += number_bytes)
    std::reverse(data + i, data + i + number_bytes);
}

/// Copies elements in Fortran order to row-major order. The same function makes Fortran order from
/// row-major elements of the reversed shape.
inline void copy_to_row_major(unsigned char* to, unsigned char const* from, any_shape const& shape,
                              std::size_t item_bytes) {
  std::size_t const rank = shape.rank, count = shape.count();
  auto const word = static_cast<index_t>(item_bytes);
  if (count == 0) return;
  if (rank < 2) {
    std::memcpy(to, from, count * item_bytes);
    return;
  }
  index_t to_stride[max_rank], from_stride[max_rank];
  row_major_strides(shape, to_stride);
  from_stride[0] = 1;
  for (std::size_t d = 1; d != rank; ++d) from_stride[d] = from_stride[d - 1] * shape.extent[d - 1];
  index_t const rows = shape.extent[0], columns = shape.extent[rank - 1];
  constexpr index_t tile = 32;  // of the first and the last dimension
  for (index_t middle = static_cast<index_t>(count) / rows / columns; middle-- != 0;) {
    index_t left = middle, to_at = 0, from_at = 0;
    for (std::size_t d = rank - 1; d-- != 1; left /= shape.extent[d]) {
      to_at += left % shape.extent[d] * to_stride[d];
      from_at += left % shape.extent[d] * from_stride[d];
    }
    for (index_t r = 0; r < rows; r += tile)
      for (index_t c = 0; c < columns; c += tile)
        copy_elements({to + (to_at + r * to_stride[0] + c) * word, to_stride[0] * word, word},
                      {from + (from_at + r + c * from_stride[rank - 1]) * word, word,
                       from_stride[rank - 1] * word},
                      std::min(tile, rows - r), std::min(tile, columns - c),
                      static_cast<unsigned>(item_bytes));
  }
}

/// Elements in row-major order in host memory.
struct npy_elements {
  void const* data;
  buffer_ref keep;  ///< null: they are in the source's memory
};

/// The elements of the array, in memory of the CPU. Those of a source in memory are used in place
/// if they are aligned and in this order. Throws: file_error; out_of_memory.
inline npy_elements read_npy_elements(npy_source const& from, npy_info const& info,
                                      std::string_view call = "load_npy") {
  std::size_t const bytes = npy_data_bytes(from, info);
  any_shape const shape(info.shape.size(), info.shape.data());
  bool const reorder = info.order == npy_order::fortran && shape.rank > 1 && bytes != 0;
  npy_elements e{from.memory == nullptr ? nullptr : from.memory + info.data_offset, {}};
  if (from.memory == nullptr || info.is_swapped || reorder ||
      reinterpret_cast<std::uintptr_t>(e.data) % info.item_bytes != 0) {
    e.keep = buffer_ref{buffer::make(cpu0, bytes, {call})};
    e.data = e.keep->data();
    from.read(info.data_offset, e.keep->data(), bytes);
  }
  if (info.element == "bool")
    check_npy_bools(from.name, info.data_offset, static_cast<unsigned char const*>(e.data), bytes);
  if (info.is_swapped)
    swap_bytes(static_cast<unsigned char*>(e.keep->data()), bytes,
               info.item_bytes / (info.element.substr(0, 7) == "complex" ? 2 : 1));
  if (reorder) {
    buffer_ref ordered{buffer::make(cpu0, bytes, {call})};
    copy_to_row_major(static_cast<unsigned char*>(ordered->data()),
                      static_cast<unsigned char const*>(e.data), shape, info.item_bytes);
    e = {ordered->data(), std::move(ordered)};
  }
  return e;
}

}}}  // namespace placement::v0_1::detail
