#pragma once
/// Files that are read at positions.

#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 {

/// A file that cannot be read or written, or whose contents are malformed.
struct file_error : detail::error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

namespace detail {

/// A path in a message: quoted and escaped, at most 200 bytes of its end.
inline std::string quoted_path(std::string_view path) {
  constexpr std::size_t max = 200;
  if (path.size() <= max) return "'" + escape(path) + "'";
  return "'..." + escape(path.substr(path.size() - max)) + "'";
}

/// Throws the error of a system call. `what`: what was tried.
[[noreturn, gnu::cold]] inline void throw_file_error(std::string_view path, std::string_view what,
                                                     std::string_view remedy) {
  int const code = errno;
  throw file_error("placement: " + quoted_path(path) + " cannot be " + std::string(what) + ": " +
                   std::generic_category().message(code) + ". " + std::string(remedy));
}

/// Opens a path, which a null character does not end. -1: errno has the reason.
inline int open_path(std::string const& path, int flags, mode_t mode = 0666) noexcept {
  if (path.find('\0') == std::string::npos) return ::open(path.c_str(), flags | O_CLOEXEC, mode);
  errno = EINVAL;
  return -1;
}

/// An open file descriptor, which the destructor closes.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  descriptor(descriptor const&) = delete;
  descriptor& operator=(descriptor const&) = delete;

  int get() const noexcept { return number_; }
  /// Closes it before the destructor does.
  void close() noexcept { ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

/// A regular file that is open for reading. Thread: its members may be called on many threads.
class input_file {
 public:
  /// Throws: file_error unless the path is a readable regular file.
  explicit input_file(std::string path)
      // A FIFO without a writer would block without O_NONBLOCK.
      : path_(std::move(path)), file_(open_path(path_, O_RDONLY | O_NONBLOCK)) {
    struct stat s{};
    if (file_.get() < 0 || ::fstat(file_.get(), &s) != 0)
      throw_file_error(path_, "opened", "Check the path and its permissions.");
    if (!S_ISREG(s.st_mode))
      throw file_error("placement: " + quoted_path(path_) +
                       " is no regular file. Give the path of a file.");
    size_ = static_cast<std::uint64_t>(s.st_size);
  }

  std::string const& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }
  int number() const noexcept { return file_.get(); }

  /// Reads `bytes` at `offset`. Throws: file_error, also if the file ends before.
  void read_at(std::uint64_t offset, void* to, std::size_t bytes) const {
    auto* at = static_cast<char*>(to);
    while (bytes != 0) {
      ssize_t const n = ::pread(file_.get(), at, bytes, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_file_error(path_, "read", "Check the disk.");
      if (n == 0)
        throw file_error("placement: " + quoted_path(path_) + " ends at byte " +
                         std::to_string(offset) + ", " + std::to_string(bytes) +
                         " bytes too early. Did another program shorten it?");
      at += n;
      offset += static_cast<std::uint64_t>(n);
      bytes -= static_cast<std::size_t>(n);
    }
  }

 private:
  std::string path_;
  descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace detail

}}  // namespace placement::v0_1
