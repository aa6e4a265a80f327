#pragma once
/// Reads IDX files, the format of the MNIST digits. Not part of placement.hpp.
///
///     auto images = pl::load_idx<std::uint8_t, 3>("train-images-idx3-ubyte");
///     pl::idx_info const info = pl::read_idx_info("train-labels-idx1-ubyte");
///
/// A file has two bytes of 0, the element type, the rank, each extent as four bytes, and the
/// elements in row-major order. Numbers have their most significant byte first. Files are read as
/// untrusted bytes, and their errors name the byte. Compressed files are errors: use `gunzip`.
/// Source: LeCun, Cortes, Burges: The MNIST database of handwritten digits.

#include <placement/expr/memory.hpp>
#include <placement/interop/file.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/place/location.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// What the header of an IDX file states.
struct idx_info {
  std::string_view element;  ///< as by element_name<T>(); int16 is no element type of placement
  std::vector<index_t> shape;
  std::size_t item_bytes = 0;
  std::uint64_t data_offset = 0;  ///< where the elements begin
};

namespace detail {

[[noreturn, gnu::cold]] inline void throw_malformed_idx(std::string const& path, std::uint64_t byte,
                                                        std::string const& what) {
  throw file_error("placement: " + quoted_path(path) + " is malformed at byte " +
                   std::to_string(byte) + ": " + what +
                   ". Give a whole IDX file, which is not compressed.");
}

struct idx_type {
  unsigned char code;
  std::string_view element;
  std::size_t bytes;
};
inline constexpr idx_type idx_types[] = {{0x08, "uint8", 1}, {0x09, "int8", 1},
                                         {0x0B, "int16", 2}, {0x0C, "int32", 4},
                                         {0x0D, "float", 4}, {0x0E, "double", 8}};

/// The type, the rank and the extents. Throws: file_error.
inline idx_info parse_idx_header(input_file const& file) {
  std::string const& path = file.path();
  unsigned char magic[4]{};
  std::size_t const begin = std::min<std::uint64_t>(file.size(), sizeof magic);
  file.read_at(0, magic, begin);
  if (begin >= 2 && magic[0] == 0x1F && magic[1] == 0x8B)
    throw_malformed_idx(path, 0, "this is gzip data");
  for (std::size_t i = 0; i < std::min<std::size_t>(begin, 2); ++i)
    if (magic[i] != 0)
      throw_malformed_idx(path, i, "the first two bytes are 0, not " + std::to_string(magic[i]));
  if (begin < sizeof magic) throw_malformed_idx(path, begin, "the file ends in its first 4 bytes");
  auto const* const type = std::find_if(std::begin(idx_types), std::end(idx_types),
                                        [&](idx_type const& t) { return t.code == magic[2]; });
  if (type == std::end(idx_types))
    throw_malformed_idx(path, 2, "there is no element type " + std::to_string(magic[2]));
  if (magic[3] > max_rank)
    throw_malformed_idx(
        path, 3, "a rank of " + std::to_string(magic[3]) + "; tensors have at most 8 dimensions");
  idx_info info{type->element, {}, type->bytes, 4 + 4 * std::uint64_t{magic[3]}};
  if (file.size() < info.data_offset)
    throw_malformed_idx(
        path, file.size(),
        "the file ends in its header of " + std::to_string(info.data_offset) + " bytes");
  for (std::uint64_t at = 4; at != info.data_offset; at += 4) {
    unsigned char b[4];
    file.read_at(at, b, 4);
    info.shape.push_back(index_t{b[0]} << 24 | index_t{b[1]} << 16 | index_t{b[2]} << 8 | b[3]);
  }
  return info;
}

/// Throws unless the file ends with its elements: file_error. Extents are below 2^32; their product
/// may overflow.
inline std::size_t checked_idx_bytes(input_file const& file, idx_info const& info) {
  std::uint64_t const there = file.size() - info.data_offset;
  bool const is_empty = std::find(info.shape.begin(), info.shape.end(), 0) != info.shape.end();
  std::uint64_t bytes = is_empty ? 0 : info.item_bytes;
  for (std::size_t d = 0; d != info.shape.size() && !is_empty; ++d) {
    auto const n = static_cast<std::uint64_t>(info.shape[d]);
    if (bytes > there / n)
      throw_malformed_idx(file.path(), file.size(),
                          "the file ends in its elements, which begin at byte " +
                              std::to_string(info.data_offset) + " with the shape " +
                              list_text(info.shape.data(), info.shape.size()));
    bytes *= n;
  }
  if (bytes > there)  // of rank 0
    throw_malformed_idx(file.path(), file.size(), "the file ends in its element");
  if (bytes < there)
    throw_malformed_idx(file.path(), info.data_offset + bytes,
                        std::to_string(there - bytes) + " bytes follow the elements");
  return bytes;
}

/// Throws unless the array has this element type and rank: invalid_argument, shape_error.
inline void check_idx_info(std::string const& path, idx_info const& info, std::string_view element,
                           std::size_t rank, site at) {
  bool const other_type = info.element != element;
  if (!other_type && info.shape.size() == rank) return;
  std::string text = "placement: " + quoted_path(path) + " holds " + std::string(info.element) +
                     " of shape " + list_text(info.shape.data(), info.shape.size()) + ", not ";
  text += other_type ? std::string(element) : "a tensor of rank " + std::to_string(rank);
  text += info.element == "int16" ? ". Convert it: tensors have no int16."
                                  : ". Load what it holds, then cast or reshape it.";
  text += location_text("load_idx", at);
  if (other_type) throw invalid_argument(text);
  throw shape_error(text);
}

}  // namespace detail

/// What the header of a file states. Throws: file_error; the message of a malformed file has the
/// byte.  Cost: reads the header only.
inline idx_info read_idx_info(std::string const& path) try {
  detail::input_file const file(path);
  idx_info info = detail::parse_idx_header(file);
  static_cast<void>(detail::checked_idx_bytes(file, info));
  return info;
} catch (...) { detail::rethrow_as_error(); }

/// The array of a file, of rank R. T: std::uint8_t, std::int8_t, int, float or double. Placed like
/// the op Const.
/// Throws: file_error for a file that cannot be read or is malformed; invalid_argument for another
/// element type; shape_error for another rank; out_of_memory. Nothing is allocated before the size
/// of the file is compared with its header.
/// Cost: one read and one copy.
template <element T, std::size_t R, class K = kernels_here>
tensor<T, dextents<R>> load_idx(std::string const& path, site at = site::here()) try {
  detail::input_file const file(path);
  idx_info const info = detail::parse_idx_header(file);
  detail::check_idx_info(path, info, element_name<T>(), R, at);
  std::size_t const bytes = detail::checked_idx_bytes(file, info);
  detail::buffer_ref const room{detail::buffer::make(cpu0, bytes, {"load_idx"})};
  auto* const data = static_cast<unsigned char*>(room->data());
  file.read_at(info.data_offset, data, bytes);
  if constexpr (sizeof(T) > 1 && std::endian::native == std::endian::little)
    for (std::size_t i = 0; i != bytes; i += sizeof(T))
      std::reverse(data + i, data + i + sizeof(T));
  dextents<R> shape{};
  if constexpr (R != 0) std::copy(info.shape.begin(), info.shape.end(), shape.n);
  auto t = detail::tensor_access::empty<tensor<T, dextents<R>>>();
  detail::constant_into<K>(t, static_cast<T const*>(room->data()), shape, at);
  return t;
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
