// Files that save_npy and npz_writer replace: owners, permissions, links, other folders, errors.
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <placement/interop/npz.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace placement;

namespace {

/// Root has all permissions, so a test of them runs as another user.
class plain_user {
 public:
  plain_user() {
    if (!was_root_) return;
    REQUIRE(::setgroups(0, nullptr) == 0);
    REQUIRE(::setegid(65534) == 0);
    REQUIRE(::seteuid(65534) == 0);
  }
  ~plain_user() {
    if (was_root_) static_cast<void>(::seteuid(0) != 0 || ::setegid(0) != 0);
  }
  plain_user(plain_user const&) = delete;
  plain_user& operator=(plain_user const&) = delete;

 private:
  bool was_root_ = ::geteuid() == 0;
};

/// Another folder for relative paths.
class working_folder {
 public:
  explicit working_folder(std::string const& path) {
    REQUIRE(::getcwd(old_, sizeof old_) != nullptr);
    REQUIRE(::chdir(path.c_str()) == 0);
  }
  ~working_folder() { static_cast<void>(::chdir(old_) != 0); }
  working_folder(working_folder const&) = delete;
  working_folder& operator=(working_folder const&) = delete;

 private:
  char old_[4096];
};

struct stat status_of(std::string const& path) {
  struct stat s{};
  REQUIRE(::lstat(path.c_str(), &s) == 0);
  return s;
}
mode_t permissions_of(std::string const& path) { return status_of(path).st_mode & 07777; }

}  // namespace

TEST_CASE("a path with a null character is an error, and the file of its first part stays") {
  temporary_folder const folder;
  folder.write("x", "old");
  CHECK(error_message<file_error>([&] {
          save_npy(folder / std::string("x\0y", 3), vector<float>{1.f});
        }).find("x\\x00y' cannot be written: Invalid argument.") != std::string::npos);
  CHECK(folder.read("x") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("a file that is replaced keeps its owner, group and permissions") {
  temporary_folder const folder;
  auto const path = folder / "x.npy";
  folder.write("x.npy", "old");
  if (::geteuid() == 0) REQUIRE(::chown(path.c_str(), 12345, 12346) == 0);
  REQUIRE(::chmod(path.c_str(), 04751) == 0);
  struct stat const old = status_of(path);
  save_npy(path, vector<float>{1.f});
  CHECK(status_of(path).st_uid == old.st_uid);
  CHECK(status_of(path).st_gid == old.st_gid);
  CHECK(permissions_of(path) == 04751);
}

TEST_CASE("permissions of a group that a new file cannot have are dropped") {
  temporary_folder const folder;
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  plain_user const user;
  folder.write("x", "");
  detail::descriptor const file(detail::open_path(folder / "x", O_WRONLY));
  struct stat old = status_of(folder / "x");
  old.st_mode = S_IFREG | 06775;
  detail::copy_ownership(file.get(), old);
  CHECK(permissions_of(folder / "x") == 06775);
  old.st_uid = 0;
  detail::copy_ownership(file.get(), old);
  CHECK(permissions_of(folder / "x") == 0775);
  old.st_gid = 0;
  detail::copy_ownership(file.get(), old);
  CHECK(permissions_of(folder / "x") == 0705);
}

TEST_CASE("a file that cannot be written to is not replaced") {
  temporary_folder const folder;
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  plain_user const user;
  folder.write("x.npy", "old");
  REQUIRE(::chmod((folder / "x.npy").c_str(), 0444) == 0);
  CHECK(folder.without_path(error_message<file_error>([&] {
    save_npy(folder / "x.npy", vector<float>{1.f});
  })) == "placement: 'x.npy' cannot be written: Permission denied. Check that the file and its "
         "folder can be written to.");
  CHECK(folder.read("x.npy") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("a symbolic link to a missing file stays, and the file is made") {
  temporary_folder const folder, other;
  REQUIRE(::symlink("second.npy", (folder / "first.npy").c_str()) == 0);
  REQUIRE(::symlink((other / "x.npy").c_str(), (folder / "second.npy").c_str()) == 0);
  save_npy(folder / "first.npy", vector<float>{1.f, 2.f});
  CHECK(S_ISLNK(status_of(folder / "first.npy").st_mode));
  CHECK(S_ISLNK(status_of(folder / "second.npy").st_mode));
  CHECK(S_ISREG(status_of(other / "x.npy").st_mode));
  CHECK(to_string(load_npy<float, 1>(folder / "first.npy")) == "[1 2]");
  CHECK(folder.count() == 2);
  REQUIRE(::symlink("loop.npy", (folder / "loop.npy").c_str()) == 0);
  CHECK(error_message<file_error>([&] {
          save_npy(folder / "loop.npy", vector<float>{1.f});
        }).find("Too many levels of symbolic links") != std::string::npos);
  CHECK(S_ISLNK(status_of(folder / "loop.npy").st_mode));
}

TEST_CASE("an archive whose file became a folder can be closed when the folder is gone") {
  temporary_folder const folder;
  npz_writer out(folder / "a.npz");
  out.add("x", vector<int>{1, 2});
  REQUIRE(::mkdir((folder / "a.npz").c_str(), 0700) == 0);
  CHECK(folder.without_path(error_message<file_error>([&] { out.close(); })) ==
        "placement: 'a.npz' cannot be written: Is a directory. Remove the folder of that name, or "
        "choose another path.");
  REQUIRE(::rmdir((folder / "a.npz").c_str()) == 0);
  out.add("y", vector<int>{3, 4});
  out.close();
  npz_file const in(folder / "a.npz");
  CHECK(in.names() == std::vector<std::string>{"x", "y"});
  CHECK(to_string(in.load<int, 1>("x")) == "[1 2]");
  CHECK(to_string(in.load<int, 1>("y")) == "[3 4]");
  CHECK(folder.count() == 1);
}

TEST_CASE("a relative path is that of the folder in which the archive was opened") {
  temporary_folder const folder, other;
  working_folder const first(folder.path());
  npz_writer out("a.npz");
  out.add("x", vector<int>{1, 2});
  {
    working_folder const second(other.path());
    out.close();
  }
  CHECK(other.count() == 0);
  CHECK(to_string(npz_file("a.npz").load<int, 1>("x")) == "[1 2]");
}

TEST_CASE("a child of fork leaves the temporary file to its parent") {
  temporary_folder const folder;
  auto out = std::make_unique<npz_writer>(folder / "a.npz");
  out->add("x", vector<int>{1, 2});
  pid_t const child = ::fork();
  if (child == 0) {
    out.reset();
    ::_exit(0);
  }
  REQUIRE(child > 0);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  out->close();
  CHECK(to_string(npz_file(folder / "a.npz").load<int, 1>("x")) == "[1 2]");
  CHECK(folder.count() == 1);
}
