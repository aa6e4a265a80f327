#pragma once
/// Writes a ZIP archive of stored entries. Source: as zip_reader.hpp.

#include <placement/interop/crc32.hpp>
#include <placement/interop/replacement_file.hpp>
#include <placement/interop/zip_reader.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Appends an unsigned little-endian number of `bytes` bytes.
inline void append_little_endian(std::string& to, std::uint64_t n, std::size_t bytes) {
  for (std::size_t i = 0; i != bytes; ++i, n >>= 8) to += static_cast<char>(n & 255);
}

/// Whether bytes are UTF-8 (RFC 3629): no code point in more bytes than it needs, no surrogates.
constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    auto const first = static_cast<unsigned char>(text[0]);
    std::size_t const more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || text.size() <= more) return false;
    std::uint32_t code = first & (more == 0 ? 0x7fU : 0x3fU >> more);
    for (std::size_t i = 1; i <= more; ++i) {
      auto const next = static_cast<unsigned char>(text[i]);
      if (next >> 6 != 2) return false;
      code = code << 6 | (next & 0x3f);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10ffff || code >> 11 == 0x1b) return false;
    text.remove_prefix(more + 1);
  }
  return true;
}

/// An archive that replaces a file at finish(). Numbers of `limit` or more use ZIP64; tests lower
/// it.
class zip_writer {
 public:
  /// Data begin at a multiple of so many bytes, so that a map of the file is aligned.
  static constexpr std::size_t alignment = 64;

  /// Throws: file_error.
  explicit zip_writer(std::string const& path, std::uint64_t limit = zip::max32)
      : file_(path), limit_(limit) {}

  std::vector<zip_entry> const& entries() const noexcept { return entries_; }
  replacement_file& file() noexcept { return file_; }

  /// Adds an entry whose data are those of two parts. Strong guarantee. Throws: file_error.
  void add(std::string name, std::string_view first, void const* second, std::size_t bytes) {
    zip_entry e;
    e.name = std::move(name);
    for (char const c : e.name)
      if (static_cast<unsigned char>(c) >= 0x80) e.flags = zip::utf8_names;
    e.size = e.compressed = first.size() + bytes;
    e.header = file_.position();
    e.crc = crc32(0, reinterpret_cast<unsigned char const*>(first.data()), first.size());
    e.crc = crc32(e.crc, static_cast<unsigned char const*>(second), bytes);
    std::string const header = local_header(e);
    entries_.push_back(std::move(e));
    try {
      file_.write(header);
      file_.write(first);
      file_.write(second, bytes);
    } catch (...) {
      file_.rewind(entries_.back().header);
      entries_.pop_back();
      throw;
    }
  }

  /// Writes the directory, and replaces the file. Throws: file_error; more entries may be added.
  void finish() {
    std::uint64_t const begin = file_.position();
    std::string text;
    for (zip_entry const& e : entries_) text += directory_entry(e);
    std::uint64_t const size = text.size(), end64 = begin + size, count = entries_.size();
    bool const large = begin >= limit_ || size >= limit_ || count >= std::min(limit_, zip::max16);
    if (large) append_end64(text, count, size, begin, end64);
    append_little_endian(text, zip::end_mark, 4);
    append_little_endian(text, 0, 4);
    for (int i = 0; i != 2; ++i) append_little_endian(text, large ? zip::max16 : count, 2);
    append_little_endian(text, large ? zip::max32 : size, 4);
    append_little_endian(text, large ? zip::max32 : begin, 4);
    append_little_endian(text, 0, 2);
    try {
      file_.write(text);
      file_.commit();
    } catch (...) {
      file_.rewind(begin);
      throw;
    }
  }

 private:
  /// The fields that the header of an entry has in both places: version to CRC, sizes, name's size.
  void append_common(std::string& to, zip_entry const& e, bool large) const {
    append_little_endian(to, large ? 45 : 20, 2);
    append_little_endian(to, e.flags, 2);
    append_little_endian(to, zip::stored, 2);
    append_little_endian(to, 0, 2);           // midnight
    append_little_endian(to, 1 << 5 | 1, 2);  // 1980-01-01
    append_little_endian(to, e.crc, 4);
    append_little_endian(to, e.compressed >= limit_ ? zip::max32 : e.compressed, 4);
    append_little_endian(to, e.size >= limit_ ? zip::max32 : e.size, 4);
    append_little_endian(to, e.name.size(), 2);
  }
  /// The ZIP64 field of an entry; empty if all numbers fit.
  std::string zip64_of(zip_entry const& e, bool with_header) const {
    std::string numbers, field;
    if (e.size >= limit_) append_little_endian(numbers, e.size, 8);
    if (e.compressed >= limit_) append_little_endian(numbers, e.compressed, 8);
    if (with_header && e.header >= limit_) append_little_endian(numbers, e.header, 8);
    if (numbers.empty()) return field;
    append_little_endian(field, zip::zip64_field, 2);
    append_little_endian(field, numbers.size(), 2);
    return field + numbers;
  }
  std::string local_header(zip_entry const& e) const {
    std::string text, extra = zip64_of(e, false);
    append_little_endian(text, zip::local_mark, 4);
    append_common(text, e, !extra.empty());
    // A field of zeros aligns the data. Its id is that of Android's zipalign.
    constexpr std::size_t field = 6;
    std::uint64_t const data = e.header + zip::local_bytes + e.name.size() + extra.size() + field;
    append_little_endian(extra, 0xd935, 2);
    append_little_endian(extra, (~data + 1) % alignment + 2, 2);
    append_little_endian(extra, alignment, 2);
    extra.append((~data + 1) % alignment, '\0');
    append_little_endian(text, extra.size(), 2);
    return text + e.name + extra;
  }
  std::string directory_entry(zip_entry const& e) const {
    std::string text;
    std::string const extra = zip64_of(e, true);
    append_little_endian(text, zip::entry_mark, 4);
    append_little_endian(text, 3 << 8 | 45, 2);  // made on Unix
    append_common(text, e, !extra.empty());
    append_little_endian(text, extra.size(), 2);
    append_little_endian(text, 0, 6);  // no comment, disk 0, no internal attributes
    append_little_endian(text, 0100644u << 16, 4);
    append_little_endian(text, e.header >= limit_ ? zip::max32 : e.header, 4);
    return text + e.name + extra;
  }
  static void append_end64(std::string& to, std::uint64_t count, std::uint64_t size,
                           std::uint64_t begin, std::uint64_t end64) {
    append_little_endian(to, zip::end64_mark, 4);
    append_little_endian(to, zip::end64_bytes - 12, 8);
    append_little_endian(to, 3 << 8 | 45, 2);
    append_little_endian(to, 45, 2);
    append_little_endian(to, 0, 8);  // disk 0
    for (int i = 0; i != 2; ++i) append_little_endian(to, count, 8);
    append_little_endian(to, size, 8);
    append_little_endian(to, begin, 8);
    append_little_endian(to, zip::locator_mark, 4);
    append_little_endian(to, 0, 4);
    append_little_endian(to, end64, 8);
    append_little_endian(to, 1, 4);
  }

  replacement_file file_;
  std::uint64_t limit_;
  std::vector<zip_entry> entries_;
};

}}}  // namespace placement::v0_1::detail
