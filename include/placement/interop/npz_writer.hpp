#pragma once
/// Writes NumPy's archives of named arrays. Part of npz.hpp.

#include <placement/interop/npy.hpp>
#include <placement/interop/zip_writer.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
inline constexpr std::string_view npy_suffix = ".npy";
}  // namespace detail

/// An archive that replaces a file at close(). Without close() no file is changed.
class npz_writer {
 public:
  /// Throws: file_error if the folder cannot be written to.
  explicit npz_writer(std::string const& path) try : zip_(path) {
  } catch (...) { detail::rethrow_as_error(); }
  npz_writer(npz_writer const&) = delete;
  npz_writer& operator=(npz_writer const&) = delete;

  /// Adds an array, without compression. After an error the archive is as before.
  /// Throws: invalid_argument for a name that is there, empty, too long, not UTF-8 or has a null
  /// character; file_error; out_of_memory; exceptions of the expression's ops.
  /// Cost: as save_npy, and one checksum.
  template <operand E>
  void add(std::string_view name, E const& x, npy_order order = npy_order::c,
           site at = site::here()) try {
    std::string entry = entry_name(name);
    auto const [added, is_new] = names_.insert(entry);
    if (!is_new)
      throw invalid_argument("placement: the archive has an array " + detail::quote(name) +
                             ". Write each name once.");
    try {
      write(std::move(entry), x, order, at);
    } catch (...) {
      names_.erase(added);
      throw;
    }
  } catch (...) { detail::rethrow_as_error(); }

  /// Waits until the archive is on the disk, then replaces the file. Once.
  /// Throws: file_error, and the file is unchanged; invalid_argument if it was closed.
  void close() try {
    check_open();
    zip_.finish();
    is_closed_ = true;
  } catch (...) { detail::rethrow_as_error(); }

 private:
  template <operand E> void write(std::string entry, E const& x, npy_order order, site at) {
    auto const elements = detail::host_elements(x, "npz_writer::add", at);
    detail::npy_image const image = detail::npy_image_of(elements, order, "npz_writer::add");
    zip_.add(std::move(entry), image.header, image.data, image.bytes);
  }
  void check_open() const {
    if (is_closed_)
      throw invalid_argument("placement: this npz_writer was closed. Make another one.");
  }
  std::string entry_name(std::string_view name) const {
    check_open();
    std::string entry = std::string(name) + std::string(detail::npy_suffix);
    if (name.empty() || entry.size() > detail::zip::max16 || name.find('\0') != name.npos ||
        !detail::is_utf8(name))
      throw invalid_argument("placement: " + detail::quote(name) +
                             " is no name of an array. Names are UTF-8, and have 1 to 65531 bytes, "
                             "none of them null.");
    return entry;
  }

  detail::zip_writer zip_;
  std::set<std::string> names_;
  bool is_closed_ = false;
};

}}  // namespace placement::v0_1
