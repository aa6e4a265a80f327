#pragma once
/// A folder for the files of a test, removed at its end.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "placement.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;

  std::string const& path() const { return path_; }
  /// The path of a file in it.
  std::string operator/(std::string const& name) const { return path_ + "/" + name; }

  void write(std::string const& name, std::string const& bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
  }
  std::string read(std::string const& name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The number of files in it, including hidden ones.
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }
  /// A message in which paths lack this folder.
  std::string without_path(std::string message) const {
    for (std::size_t at; (at = message.find(path_ + "/")) != message.npos;)
      message.erase(at, path_.size() + 1);
    return message;
  }

 private:
  std::string path_;
};
