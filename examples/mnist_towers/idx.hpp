#pragma once
/// A strict reader of gzip-compressed IDX files, the format of the MNIST digits.
///
/// An IDX file is two zero bytes, the element type (8: bytes), the rank, each extent as four bytes,
/// most significant first, then the elements in row-major order. All other input is an error that
/// names the file and the problem.

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace idx {

/// The error for an invalid file.
struct error : std::runtime_error {
  error(std::string const& name, std::string const& what) : runtime_error(name + ": " + what) {}
};

/// Bytes with a shape.
struct array {
  std::vector<std::size_t> extents;
  std::vector<std::uint8_t> elements;
};

/// The largest accepted number of elements, so that an invalid header cannot request all memory.
inline constexpr std::size_t max_elements = std::size_t{1} << 30;

namespace detail {

/// A sequential reader of the content of a gzip file.
class gzip_reader {
 public:
  gzip_reader(std::string name, std::span<std::uint8_t const> compressed)
      : name_(std::move(name)), left_(compressed) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw error(name_, "zlib could not be started");
  }
  ~gzip_reader() { inflateEnd(&stream_); }
  gzip_reader(gzip_reader const&) = delete;
  gzip_reader& operator=(gzip_reader const&) = delete;

  std::string const& name() const { return name_; }

  /// Fills `out`. Throws: error if the content is shorter.
  void read(std::span<std::uint8_t> out) {
    std::size_t const got = read_some(out);
    total_ += got;
    if (got != out.size())
      throw error(name_, "ends after " + std::to_string(total_) + " bytes, which is too early");
  }
  /// Throws: error unless the content ends here, its checksum is right, and nothing follows it.
  void expect_end() {
    std::uint8_t one_more = 0;
    if (read_some({&one_more, 1}) != 0) throw error(name_, "has more bytes than its header says");
    if (!left_.empty()) throw error(name_, "has bytes after the end of the gzip data");
  }

 private:
  std::size_t read_some(std::span<std::uint8_t> out) {
    std::size_t got = 0;
    while (got != out.size() && !ended_) got += inflate_some(out.subspan(got));
    return got;
  }
  std::size_t inflate_some(std::span<std::uint8_t> out) {
    constexpr std::size_t max = std::size_t{1} << 20;  // zlib counts in unsigned int
    auto const in = left_.first(left_.size() < max ? left_.size() : max);
    auto const to = out.first(out.size() < max ? out.size() : max);
    stream_.next_in = const_cast<std::uint8_t*>(in.data());  // zlib does not write to it
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = to.data();
    stream_.avail_out = static_cast<unsigned>(to.size());
    int const result = inflate(&stream_, Z_NO_FLUSH);
    left_ = left_.subspan(in.size() - stream_.avail_in);
    std::size_t const got = to.size() - stream_.avail_out;
    ended_ = result == Z_STREAM_END;
    if (result == Z_BUF_ERROR || (result == Z_OK && got == 0 && left_.empty()))
      throw error(name_, "is cut off: the gzip data does not end");
    if (result != Z_OK && !ended_)
      throw error(name_, std::string("is no sound gzip file") +
                             (stream_.msg != nullptr ? std::string(": ") + stream_.msg : ""));
    return got;
  }

  std::string name_;
  std::span<std::uint8_t const> left_;
  z_stream stream_{};
  bool ended_ = false;
  std::size_t total_ = 0;
};

inline std::vector<std::size_t> read_header(gzip_reader& file, std::size_t rank) {
  std::uint8_t magic[4];
  file.read(magic);
  if (magic[0] != 0 || magic[1] != 0)
    throw error(file.name(), "is no IDX file: its first two bytes are not 0");
  if (magic[2] != 8)
    throw error(file.name(),
                "has elements of IDX type " + std::to_string(magic[2]) + ", not bytes (8)");
  if (magic[3] != rank)
    throw error(file.name(), "has rank " + std::to_string(magic[3]) + " where " +
                                 std::to_string(rank) + " is expected");
  std::vector<std::size_t> extents;
  for (std::size_t d = 0; d != rank; ++d) {
    std::uint8_t b[4];
    file.read(b);
    extents.push_back(std::size_t{b[0]} << 24 | std::size_t{b[1]} << 16 | std::size_t{b[2]} << 8 |
                      b[3]);
  }
  return extents;
}

inline std::size_t checked_count(std::string const& name, std::vector<std::size_t> const& extents) {
  std::size_t count = 1;
  for (std::size_t n : extents) {
    if (n == 0) throw error(name, "has an extent of 0");
    if (n > max_elements / count)
      throw error(name, "has a header that asks for more than " + std::to_string(max_elements) +
                            " elements");
    count *= n;
  }
  return count;
}

}  // namespace detail

/// Parses the array in a gzip-compressed IDX file of bytes, given the file's content. `name` is
/// used in messages.
/// Throws: error unless the content is exactly one array of this rank.
/// Cost: memory is proportional to the content of the file, not to the extents in its header.
inline array parse(std::string name, std::span<std::uint8_t const> compressed, std::size_t rank) {
  constexpr std::size_t step = std::size_t{1} << 20;
  detail::gzip_reader file(std::move(name), compressed);
  array a;
  a.extents = detail::read_header(file, rank);
  std::size_t const count = detail::checked_count(file.name(), a.extents);
  while (a.elements.size() != count) {
    std::size_t const have = a.elements.size();
    a.elements.resize(count - have < step ? count : have + step);
    file.read(std::span(a.elements).subspan(have));
  }
  file.expect_end();
  return a;
}

/// The same from a file. Throws: error, also if the file cannot be read.
inline array read_file(std::string const& path, std::size_t rank) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw error(path, "cannot be opened");
  std::vector<char> const content(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) throw error(path, "cannot be read");
  auto const* const bytes = reinterpret_cast<std::uint8_t const*>(content.data());
  return parse(path, {bytes, content.size()}, rank);
}

}  // namespace idx
