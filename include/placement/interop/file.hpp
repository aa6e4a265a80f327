#pragma once
/// Files that are read at positions, and files that replace another one at once.

#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
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
inline int open_path(std::string const& path, int flags) noexcept {
  if (path.find('\0') == path.npos) return ::open(path.c_str(), flags | O_CLOEXEC, 0666);
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
  /// Closes it before the destructor does. False: the system reported an error.
  bool close() noexcept { return ::close(std::exchange(number_, -1)) == 0; }

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

/// A path without symbolic links, so that a replacement keeps the link. A path that does not exist
/// is returned unchanged.
inline std::string without_links(std::string const& path) {
  std::unique_ptr<char, void (*)(void*)> const real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

/// A new file that replaces another one at once. Bytes go to a temporary file in the same folder.
/// commit() gives it the name; without commit() the destructor removes it. Readers see the old or
/// the new file, never a part.
class replacement_file {
 public:
  /// Throws: file_error if the folder cannot be written to, or the target is no regular file.
  explicit replacement_file(std::string const& target)
      : target_(without_links(target)), file_(create()) {
    if (file_.get() < 0)
      throw_file_error(target, "written", "Check that its folder exists and can be written to.");
  }
  ~replacement_file() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  replacement_file(replacement_file const&) = delete;
  replacement_file& operator=(replacement_file const&) = delete;

  std::uint64_t position() const noexcept { return position_; }

  /// Appends bytes. Throws: file_error, as when the disk is full.
  void write(void const* from, std::size_t bytes) {
    auto const* at = static_cast<char const*>(from);
    while (bytes != 0) {
      ssize_t const n = ::pwrite(file_.get(), at, bytes, static_cast<off_t>(position_));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_unwritten();
      at += n;
      position_ += static_cast<std::uint64_t>(n);
      bytes -= static_cast<std::size_t>(n);
    }
  }
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Leaves bytes out, which read as zeros.
  void skip(std::uint64_t bytes) noexcept { position_ += bytes; }
  /// Drops what is behind an earlier position.
  void rewind(std::uint64_t position) noexcept { position_ = position; }

  /// Waits until the bytes are on the disk, then replaces the target. Throws: file_error; the
  /// target is then unchanged.
  void commit() {
    if (::ftruncate(file_.get(), static_cast<off_t>(position_)) != 0) throw_unwritten();
    if (::fsync(file_.get()) != 0 || !file_.close()) throw_unwritten();
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) throw_unwritten();
    temporary_.clear();
    // The entry of the folder. Some file systems cannot sync folders; the replacement still holds.
    descriptor const folder(open_path(folder_of(target_), O_RDONLY | O_DIRECTORY));
    if (folder.get() >= 0) ::fsync(folder.get());
  }

 private:
  static std::string folder_of(std::string const& path) {
    std::size_t const slash = path.rfind('/');
    return slash == path.npos ? "." : path.substr(0, slash + 1);
  }
  [[noreturn]] void throw_unwritten() const {
    throw_file_error(target_, "written",
                     "Free space or choose another folder; the file there is unchanged.");
  }

  /// Opens a new file beside the target, with the target's permissions if that exists. -1: errno
  /// has the reason.
  int create() {
    struct stat old{};
    bool const exists = ::stat(target_.c_str(), &old) == 0;
    errno = target_.empty() ? ENOENT : EINVAL;
    if (target_.empty() || target_.find('\0') != target_.npos) return -1;
    if (exists && !S_ISREG(old.st_mode))
      throw file_error("placement: " + quoted_path(target_) +
                       " is no regular file, and is not replaced. Give the path of a file.");
    static std::atomic<unsigned> count{0};
    for (int tries = 0; tries != 100; ++tries) {
      temporary_ = folder_of(target_) + ".placement." + std::to_string(::getpid()) + "." +
                   std::to_string(count.fetch_add(1)) + ".tmp";
      int const file = open_path(temporary_, O_WRONLY | O_CREAT | O_EXCL);
      if (file < 0 && errno == EEXIST) continue;
      if (file < 0) temporary_.clear();  // nothing to remove
      else if (exists) static_cast<void>(::fchmod(file, old.st_mode & 07777));
      return file;
    }
    temporary_.clear();
    return -1;
  }

  std::string target_, temporary_;
  descriptor file_;
  std::uint64_t position_ = 0;
};

}  // namespace detail

}}  // namespace placement::v0_1
