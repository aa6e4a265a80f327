#pragma once
/// Files that replace another one at once.

#include <placement/interop/file.hpp>

#include <atomic>
#include <cstdlib>
#include <memory>

namespace placement { inline namespace v0_1 { namespace detail {

/// The folder of a path, with its last slash.
inline std::string folder_of(std::string const& path) {
  std::size_t const slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

/// An existing path without symbolic links and "..", from the root on. Empty: errno has the reason.
inline std::string real_path(std::string const& path) {
  std::unique_ptr<char, void (*)(void*)> const real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : std::string();
}

/// The file that a symbolic link names, which may be missing. Empty: the path is no link.
inline std::string link_target(std::string const& path) {
  std::string text(4096, '\0');  // PATH_MAX
  ssize_t const bytes = ::readlink(path.c_str(), text.data(), text.size());
  if (bytes <= 0) return {};
  text.resize(static_cast<std::size_t>(bytes));
  return text[0] == '/' ? text : folder_of(path) + text;
}

/// What a new file replaces.
struct replaced_file {
  std::string path;  ///< from the root on; empty: errno has the reason
  struct stat old{};
  bool exists = false;
};

/// The file that a path names after all symbolic links, so that a replacement keeps them. Throws:
/// file_error if it is no regular file.
inline replaced_file find_replaced(std::string path) {
  replaced_file f;
  errno = path.empty() ? ENOENT : EINVAL;
  if (path.empty() || path.find('\0') != std::string::npos) return f;
  f.exists = ::stat(path.c_str(), &f.old) == 0;
  if (f.exists && !S_ISREG(f.old.st_mode))
    throw file_error("placement: " + quoted_path(path) +
                     " is no regular file, and is not replaced. Give the path of a file.");
  if (f.exists) {
    // Renaming needs no permission of the file itself; writing to it does.
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) f.path = real_path(path);
    return f;
  }
  if (errno != ENOENT) return f;
  constexpr int most_links = 40;  // as in Linux
  int links = 0;
  for (std::string next; !(next = link_target(path)).empty(); path = std::move(next))
    if (++links > most_links) {
      errno = ELOOP;
      return f;
    }
  std::string folder = real_path(folder_of(path));
  if (folder.empty()) return f;
  if (folder.back() != '/') folder += '/';
  f.path = folder + path.substr(path.rfind('/') + 1);
  return f;
}

/// Gives a new file the owner, group and permissions of an old one. The system may keep the user's
/// own owner and group; permissions for others than those are then dropped.
inline void copy_ownership(int file, struct stat const& old) noexcept {
  constexpr auto own = static_cast<uid_t>(-1);
  [[maybe_unused]] bool const is_group_kept =
      ::fchown(file, old.st_uid, old.st_gid) == 0 || ::fchown(file, own, old.st_gid) == 0;
  struct stat s{};
  if (::fstat(file, &s) != 0) return;
  mode_t mode = old.st_mode & 07777;
  if (s.st_uid != old.st_uid || s.st_gid != old.st_gid)
    mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
  if (s.st_gid != old.st_gid) mode &= ~static_cast<mode_t>(S_IRWXG);
  static_cast<void>(::fchmod(file, mode));
}

/// A new file that replaces another one at once. Bytes go to a temporary file in the same folder.
/// commit() gives it the name; without commit() the destructor removes it, in the process that made
/// it. Readers see the old or the new file, never a part.
class replacement_file {
 public:
  /// Throws: file_error if the folder or the target cannot be written to, or the target is no
  /// regular file.
  explicit replacement_file(std::string const& target)
      : target_(find_replaced(target)), file_(create()) {
    if (file_.get() < 0) throw_uncreated(target);
  }
  ~replacement_file() {
    if (!temporary_.empty() && ::getpid() == process_) ::unlink(temporary_.c_str());
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
  /// target is then unchanged, and more bytes may be written.
  void commit() {
    if (::ftruncate(file_.get(), static_cast<off_t>(position_)) != 0) throw_unwritten();
    if (::fsync(file_.get()) != 0) throw_unwritten();
    if (::rename(temporary_.c_str(), target_.path.c_str()) != 0) throw_unwritten();
    temporary_.clear();
    file_.close();
    // The entry of the folder. Some file systems cannot sync folders; the replacement still holds.
    descriptor const folder(open_path(folder_of(target_.path), O_RDONLY | O_DIRECTORY));
    if (folder.get() >= 0) ::fsync(folder.get());
  }

 private:
  [[noreturn]] void throw_uncreated(std::string const& path) const {
    throw_file_error(path, "written",
                     target_.exists ? "Check that the file and its folder can be written to."
                                    : "Check that its folder exists and can be written to.");
  }
  [[noreturn]] void throw_unwritten() const {
    std::string_view remedy = "Check the disk and the folder; the file there is unchanged.";
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
      remedy = "Free space or choose another folder; the file there is unchanged.";
    if (errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST)
      remedy = "Remove the folder of that name, or choose another path.";
    throw_file_error(target_.path, "written", remedy);
  }

  /// Opens a new file beside the target. -1: errno has the reason.
  int create() {
    if (target_.path.empty()) return -1;
    static std::atomic<unsigned> count{0};
    for (int tries = 0; tries != 100; ++tries) {
      temporary_ = folder_of(target_.path) + ".placement." + std::to_string(process_) + "." +
                   std::to_string(count.fetch_add(1)) + ".tmp";
      int const file =
          open_path(temporary_, O_WRONLY | O_CREAT | O_EXCL, target_.exists ? 0600 : 0666);
      if (file < 0 && errno == EEXIST) continue;
      if (file < 0) temporary_.clear();  // nothing to remove
      else if (target_.exists) copy_ownership(file, target_.old);
      return file;
    }
    temporary_.clear();
    return -1;
  }

  replaced_file target_;
  std::string temporary_;
  pid_t process_ = ::getpid();
  descriptor file_;
  std::uint64_t position_ = 0;
};

}}}  // namespace placement::v0_1::detail
