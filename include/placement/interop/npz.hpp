#pragma once
/// Reads and writes NumPy's archives of named arrays. Not part of placement.hpp. npz_writer.hpp has
/// the writer.
///
///     pl::npz_writer out("model.npz");            // numpy.load("model.npz")["w"] reads it
///     out.add("w", w);
///     out.add("b", b);
///     out.close();
///     pl::npz_file const in("model.npz");
///     auto w = in.load<float, 2>("w");
///
/// Element types and arrays: as in npy.hpp. Arrays are stored without compression, as by
/// numpy.savez. Those of numpy.savez_compressed are read where one file of the program includes
/// npz_zlib.hpp.

#include <placement/interop/crc32.hpp>
#include <placement/interop/inflate.hpp>
#include <placement/interop/npy_map.hpp>
#include <placement/interop/npz_writer.hpp>
#include <placement/interop/zip_reader.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The name of an array: its entry without ".npy".
inline std::string_view array_name(zip_entry const& e) {
  std::string_view name = e.name;
  if (name.ends_with(npy_suffix)) name.remove_suffix(npy_suffix.size());
  return name;
}

}  // namespace detail

/// An archive that is open for reading. Thread: its members may be called on many threads.
class npz_file {
 public:
  /// Reads the directory. Throws: file_error.
  explicit npz_file(std::string const& path) try
      : file_(path), directory_(detail::source_of(file_)) {
    for (detail::zip_entry const& e : directory_.entries()) sorted_.push_back(&e);
    std::sort(sorted_.begin(), sorted_.end(), [](auto const* a, auto const* b) {
      return detail::array_name(*a) < detail::array_name(*b);
    });
    auto const twice =
        std::adjacent_find(sorted_.begin(), sorted_.end(), [](auto const* a, auto const* b) {
          return detail::array_name(*a) == detail::array_name(*b);
        });
    if (twice != sorted_.end())
      throw file_error("placement: " + detail::quoted_path(path) + " has two arrays " +
                       detail::quote(detail::array_name(**twice)) + ". Write each name once.");
  } catch (...) { detail::rethrow_as_error(); }
  npz_file(npz_file const&) = delete;
  npz_file& operator=(npz_file const&) = delete;

  /// The names of the arrays, in the order of the archive.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (detail::zip_entry const& e : directory_.entries()) all.emplace_back(detail::array_name(e));
    return all;
  }
  bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }

  /// What the header of an array states. Throws: invalid_argument for an unknown name; file_error.
  /// Cost: reads the header only; of a compressed array as much as its header needs, in blocks that
  /// double from 4 KiB on.
  npy_info info(std::string_view name) const try {
    detail::zip_entry const& e = entry(name);
    std::uint64_t const data = directory_.data_of(e);
    check_method(e);
    if (e.method == detail::zip::stored)
      return detail::read_npy_info({quoted(e), e.size, &file_, data});
    std::uint64_t const prefix = std::min<std::uint64_t>(e.size, detail::npy_prefix::max_size);
    detail::buffer_ref first = inflated_begin(e, data, prefix);
    char const* const text = static_cast<char const*>(first->data());
    auto const parsed = detail::npy_prefix::parse(quoted(e), {text, prefix});
    first = inflated_begin(
        e, data,
        std::min<std::uint64_t>(
            e.size, std::max<std::uint64_t>(prefix, parsed.size + parsed.header_bytes)));
    return detail::read_npy_info(source_of(e, first));
  } catch (...) { detail::rethrow_as_error(); }

  /// An array of rank R. Placed like the op Const: by scopes and settings, as from().
  /// Throws: invalid_argument for an unknown name or another element type; shape_error for another
  /// rank; file_error, also if the checksum differs; out_of_memory.
  /// Cost: one read, one checksum and one copy; one more pass for Fortran order or compression.
  template <element T, std::size_t R, class K = kernels_here>
  tensor<T, dextents<R>> load(std::string_view name, site at = site::here()) const {
    return load_as<K, T, dextents<R>>(name, at);
  }
  /// The same with a shape: `file.load<float, extents<2, 3>>("w")`.
  template <element T, class X, class K = kernels_here> requires is_extents<X>
  tensor<T, X> load(std::string_view name, site at = site::here()) const {
    return load_as<K, T, X>(name, at);
  }

  /// An array as an operand, whose elements are mapped: see map_npy. Its checksum is not compared.
  /// Throws: as load; file_error for a compressed array, too.
  template <class T, std::size_t R, class K = kernels_here> requires element<std::remove_const_t<T>>
  mapped_array<T, R, K> map(std::string_view name, site at = site::here()) const {
    detail::zip_entry const& e = entry(name);
    if (e.method == detail::zip::deflated) throw_not_mappable(e);
    std::uint64_t const data = directory_.data_of(e);
    check_method(e);
    return detail::map_array<K, T, R>({quoted(e), e.size, &file_, data}, "npz_file::map", at);
  }

  // ---- for arrays without a type

  /// The elements of an array with this header, in row-major order on the host. Throws: as load.
  detail::buffer_ref elements(std::string_view name, npy_info const& info) const try {
    detail::zip_entry const& e = entry(name);
    detail::buffer_ref const whole = bytes_of(e);
    detail::npy_source const source = source_of(e, whole);
    detail::npy_elements found = detail::read_npy_elements(source, info, "npz_file");
    if (found.keep) return std::move(found.keep);
    std::size_t const bytes = detail::npy_data_bytes(source, info);
    detail::buffer_ref copy{detail::buffer::make(cpu0, bytes, {"npz_file"})};
    if (bytes != 0) std::memcpy(copy->data(), found.data, bytes);
    return copy;
  } catch (...) { detail::rethrow_as_error(); }

 private:
  template <class K, element T, class X>
  tensor<T, X> load_as(std::string_view name, site at) const try {
    detail::zip_entry const& e = entry(name);
    detail::buffer_ref const whole = bytes_of(e);
    return detail::tensor_from_npy<K, T, X>(source_of(e, whole), "npz_file::load", at);
  } catch (...) { detail::rethrow_as_error(); }

  detail::zip_entry const* find(std::string_view name) const noexcept {
    auto const at = std::lower_bound(
        sorted_.begin(), sorted_.end(), name,
        [](auto const* e, std::string_view n) { return detail::array_name(*e) < n; });
    return at != sorted_.end() && detail::array_name(**at) == name ? *at : nullptr;
  }
  detail::zip_entry const& entry(std::string_view name) const {
    if (detail::zip_entry const* const found = find(name)) return *found;
    constexpr std::size_t most = 20;
    std::string text;
    std::vector<std::string> const all = names();
    for (std::size_t i = 0; i != std::min(all.size(), most); ++i)
      text += (i == 0 ? "" : ", ") + detail::quote(all[i]);
    if (all.size() > most) text += " and " + std::to_string(all.size() - most) + " more";
    throw invalid_argument("placement: " + detail::quoted_path(file_.path()) + " has no array " +
                           detail::quote(name) + "; it has " + (all.empty() ? "no arrays" : text) +
                           ". names() lists them.");
  }

  std::string quoted(detail::zip_entry const& e) const {
    return detail::quote(detail::array_name(e)) + " in " + detail::quoted_path(file_.path());
  }
  /// The array in memory, which has at least the header.
  detail::npy_source source_of(detail::zip_entry const& e, detail::buffer_ref const& bytes) const {
    return {quoted(e), e.size, nullptr, 0, static_cast<char const*>(bytes->data())};
  }

  /// The bytes of an entry, compared with their checksum.
  detail::buffer_ref bytes_of(detail::zip_entry const& e) const {
    std::uint64_t const data = directory_.data_of(e);
    check_method(e);
    detail::buffer_ref bytes{detail::buffer::make(cpu0, e.size, {"npz_file"})};
    if (e.method == detail::zip::stored) {
      file_.read_at(data, bytes->data(), e.size);
    } else {
      detail::inflated const done = inflate(data, e.compressed, *bytes.get());
      if (!done.is_complete || done.bytes != e.size) throw_invalid_data(e, done);
    }
    if (detail::crc32(0, static_cast<unsigned char const*>(bytes->data()), e.size) != e.crc)
      throw_malformed_entry(e, "its checksum (CRC-32) differs");
    return bytes;
  }
  void check_method(detail::zip_entry const& e) const {
    if ((e.flags & detail::zip::encrypted) != 0)
      throw file_error("placement: " + quoted(e) +
                       " is encrypted. Write it without a password, as with numpy.savez.");
    if (e.method == detail::zip::stored && e.compressed != e.size)
      throw_malformed_entry(e, "it is stored, but has two sizes");
    if (e.method == detail::zip::deflated && detail::inflate_of_process == nullptr)
      throw file_error(
          "placement: " + quoted(e) +
          " is compressed, and this program has no zlib. Write it with numpy.savez, or "
          "include <placement/interop/npz_zlib.hpp> in one file of the program itself and link placement::zlib.");
    if (e.method == detail::zip::deflated && e.size / detail::max_deflate_ratio > e.compressed)
      throw_malformed_entry(e, std::to_string(e.compressed) + " bytes cannot decompress to " +
                                   std::to_string(e.size));
    if (e.method != detail::zip::stored && e.method != detail::zip::deflated)
      throw file_error("placement: " + quoted(e) + " is compressed by method " +
                       std::to_string(e.method) +
                       " of ZIP; methods 0 (stored) and 8 (deflated) are read. Write it with "
                       "numpy.savez.");
  }
  /// Decompresses the first bytes of a deflated entry from as much as they need. A stream may have
  /// any number of bytes for them.
  detail::buffer_ref inflated_begin(detail::zip_entry const& e, std::uint64_t data,
                                    std::uint64_t wanted) const {
    detail::buffer_ref to{detail::buffer::make(cpu0, wanted, {"npz_file"})};
    for (std::uint64_t read = 4096;; read *= 2) {
      detail::inflated const done = inflate(data, std::min(read, e.compressed), *to.get());
      if (done.is_valid && done.bytes == wanted) return to;
      if (!done.is_valid || done.is_complete || read >= e.compressed) throw_invalid_data(e, done);
    }
  }
  /// Decompresses `bytes` bytes of the file, until the buffer is full.
  detail::inflated inflate(std::uint64_t data, std::uint64_t bytes, detail::buffer& to) const {
    detail::buffer_ref const from{detail::buffer::make(cpu0, bytes, {"npz_file"})};
    file_.read_at(data, from->data(), bytes);
    return detail::inflate_of_process(from->data(), bytes, to.data(), to.size());
  }
  [[noreturn]] void throw_invalid_data(detail::zip_entry const& e,
                                       detail::inflated const& done) const {
    throw_malformed_entry(
        e, "its compressed data are invalid after " + std::to_string(done.bytes) + " bytes");
  }
  [[noreturn]] void throw_not_mappable(detail::zip_entry const& e) const {
    throw file_error("placement: " + quoted(e) +
                     " is compressed and cannot be mapped. Load it, or write it by placement.");
  }
  [[noreturn]] void throw_malformed_entry(detail::zip_entry const& e,
                                          std::string const& what) const {
    detail::throw_malformed(quoted(e), e.header, what + ", in the archive's entry there");
  }

  detail::input_file file_;
  detail::zip_directory directory_;
  std::vector<detail::zip_entry const*> sorted_;  ///< by name
};

}}  // namespace placement::v0_1
