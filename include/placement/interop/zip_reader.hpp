#pragma once
/// The directory of a ZIP archive, parsed from untrusted bytes.
///
/// Source: APPNOTE.TXT 6.3 of PKWARE, with ZIP64.

#include <placement/interop/npy_source.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The fixed parts of a ZIP archive: signatures and sizes.
namespace zip {
inline constexpr std::uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50,
                               end_mark = 0x06054b50, end64_mark = 0x06064b50,
                               locator_mark = 0x07064b50;
inline constexpr std::size_t local_bytes = 30, entry_bytes = 46, end_bytes = 22, end64_bytes = 56,
                             locator_bytes = 20;
inline constexpr std::uint64_t max16 = 0xffff, max32 = 0xffffffff;
inline constexpr std::uint16_t zip64_field = 1, encrypted = 1, utf8_names = 1 << 11;
inline constexpr std::uint16_t stored = 0, deflated = 8;
}  // namespace zip

/// An unsigned little-endian number of `bytes` bytes.
inline std::uint64_t little_endian(std::string_view text, std::size_t at, std::size_t bytes) {
  std::uint64_t n = 0;
  for (std::size_t i = at + bytes; i-- != at;) n = n << 8 | static_cast<unsigned char>(text[i]);
  return n;
}

/// One file in an archive.
struct zip_entry {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0, size = 0, header = 0;  ///< header: its byte in the archive
};

/// Reads the directory of an archive. Entries are checked against the size of the archive.
class zip_directory {
 public:
  /// Throws: file_error.
  explicit zip_directory(npy_source const& from) : from_(from) { read(); }

  std::vector<zip_entry> const& entries() const noexcept { return entries_; }

  /// The first byte of an entry's data. Throws: file_error if its header differs from the
  /// directory, or its data end in the directory.
  std::uint64_t data_of(zip_entry const& e) const {
    std::string const header = bytes_at(e.header, zip::local_bytes, "a header of an entry");
    if (little_endian(header, 0, 4) != zip::local_mark)
      fail(e.header, "no header of an entry is there");
    std::size_t const name = little_endian(header, 26, 2), extra = little_endian(header, 28, 2);
    std::uint64_t const data = e.header + zip::local_bytes + name + extra;
    if (little_endian(header, 6, 2) != e.flags || little_endian(header, 8, 2) != e.method ||
        name != e.name.size() ||
        bytes_at(e.header + zip::local_bytes, name, "the name of an entry") != e.name)
      fail(e.header, "the header of " + quote(e.name) + " differs from the directory");
    if (data > directory_ || directory_ - data < e.compressed)
      fail(e.header, "the data of " + quote(e.name) + " reach into the directory");
    return data;
  }

 private:
  [[noreturn]] void fail(std::uint64_t byte, std::string const& what) const {
    throw_malformed(from_.name, byte, what);
  }
  std::string bytes_at(std::uint64_t at, std::uint64_t bytes, std::string const& what) const {
    if (at > from_.size || from_.size - at < bytes)
      fail(from_.size, "it ends in " + what + " at byte " + std::to_string(at));
    std::string text(bytes, ' ');
    from_.read(at, text.data(), text.size());
    return text;
  }

  /// The byte of the end record: the last one whose comment ends the archive.
  std::uint64_t find_end() const {
    std::uint64_t const first =
        from_.size - std::min<std::uint64_t>(from_.size, zip::end_bytes + zip::max16);
    std::string const tail = bytes_at(first, from_.size - first, "its directory");
    for (std::size_t at = tail.size() < zip::end_bytes ? 0 : tail.size() - zip::end_bytes + 1;
         at-- != 0;)
      if (little_endian(tail, at, 4) == zip::end_mark &&
          little_endian(tail, at + 20, 2) == tail.size() - at - zip::end_bytes)
        return first + at;
    fail(from_.size, "this is no ZIP archive such as .npz, whose directory ends here");
  }

  void read() {
    std::uint64_t const end_at = find_end();
    std::string const end = bytes_at(end_at, zip::end_bytes, "its end record");
    std::uint64_t parts = little_endian(end, 4, 2) | little_endian(end, 6, 2);
    std::uint64_t count = little_endian(end, 10, 2), size = little_endian(end, 12, 4);
    std::uint64_t limit = end_at;
    directory_ = little_endian(end, 16, 4);
    if (end_at >= zip::locator_bytes) {
      std::uint64_t const locator_at = end_at - zip::locator_bytes;
      std::string const locator = bytes_at(locator_at, zip::locator_bytes, "its locator");
      if (little_endian(locator, 0, 4) == zip::locator_mark) {
        limit = little_endian(locator, 8, 8);
        if (limit > locator_at || locator_at - limit < zip::end64_bytes)
          fail(locator_at + 8, "the ZIP64 end record is not before its locator");
        std::string const end64 = bytes_at(limit, zip::end64_bytes, "its ZIP64 end record");
        if (little_endian(end64, 0, 4) != zip::end64_mark)
          fail(limit, "no ZIP64 end record is there");
        parts = little_endian(end64, 16, 4) | little_endian(end64, 20, 4);
        count = little_endian(end64, 32, 8);
        size = little_endian(end64, 40, 8);
        directory_ = little_endian(end64, 48, 8);
      }
    }
    if (parts != 0) fail(end_at, "it is one of several parts of an archive");
    if (directory_ > limit || size > limit - directory_)
      fail(end_at, "its directory of " + std::to_string(size) + " bytes from byte " +
                       std::to_string(directory_) + " on is not before its end record");
    if (count > size / zip::entry_bytes)
      fail(end_at, std::to_string(count) + " entries need more than the " + std::to_string(size) +
                       " bytes of its directory");
    read_entries(bytes_at(directory_, size, "its directory"), count);
  }

  void read_entries(std::string_view text, std::uint64_t count) {
    entries_.reserve(count);
    std::size_t at = 0;
    for (std::uint64_t i = 0; i != count; ++i) {
      std::uint64_t const byte = directory_ + at;
      if (text.size() - at < zip::entry_bytes || little_endian(text, at, 4) != zip::entry_mark)
        fail(byte, "no entry of the directory is there");
      std::size_t const name = little_endian(text, at + 28, 2),
                        extra = little_endian(text, at + 30, 2),
                        comment = little_endian(text, at + 32, 2);
      if (text.size() - at - zip::entry_bytes < name + extra + comment)
        fail(byte, "the directory ends in this entry");
      zip_entry e{std::string(text.substr(at + zip::entry_bytes, name)),
                  static_cast<std::uint16_t>(little_endian(text, at + 8, 2)),
                  static_cast<std::uint16_t>(little_endian(text, at + 10, 2)),
                  static_cast<std::uint32_t>(little_endian(text, at + 16, 4)),
                  little_endian(text, at + 20, 4),
                  little_endian(text, at + 24, 4),
                  little_endian(text, at + 42, 4)};
      read_zip64(e, text.substr(at + zip::entry_bytes + name, extra), byte);
      if (e.header > directory_ || directory_ - e.header < zip::local_bytes ||
          e.compressed > directory_ - e.header - zip::local_bytes)
        fail(byte, "the data of " + quote(e.name) + " are not before the directory");
      entries_.push_back(std::move(e));
      at += zip::entry_bytes + name + extra + comment;
    }
  }

  /// Numbers that do not fit into 32 bits are in an extra field, in this order.
  void read_zip64(zip_entry& e, std::string_view extra, std::uint64_t byte) const {
    while (extra.size() >= 4) {
      std::size_t const bytes = little_endian(extra, 2, 2);
      if (extra.size() - 4 < bytes) fail(byte, "an extra field of this entry is too long");
      std::string_view field = extra.substr(4, bytes);
      if (little_endian(extra, 0, 2) == zip::zip64_field) {
        for (std::uint64_t* const number : {&e.size, &e.compressed, &e.header}) {
          if (*number != zip::max32) continue;
          if (field.size() < 8) fail(byte, "the ZIP64 field of this entry is too short");
          *number = little_endian(field, 0, 8);
          field.remove_prefix(8);
        }
        return;
      }
      extra.remove_prefix(4 + bytes);
    }
  }

  npy_source from_;
  std::uint64_t directory_ = 0;
  std::vector<zip_entry> entries_;
};

}}}  // namespace placement::v0_1::detail
