#pragma once
/// Reads and writes arrays without their types in NumPy's archives: all of them, or none.

#include <placement/interop/npz.hpp>
#include <placement/nn/any_array.hpp>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn { namespace detail {

/// The element type of a file for one of placement. NumPy has no bfloat16: its bits are uint16.
inline std::string_view element_in_file(std::string_view element) {
  return element == "bfloat16" ? "uint16" : element;
}

/// An archive that replaces a file at close().
class array_writer {
 public:
  /// Throws: file_error if the folder cannot be written to.
  explicit array_writer(std::string const& path) : zip_(path) {}

  /// Throws: invalid_argument for a name that is there; file_error; out_of_memory.
  void add(any_array const& a) {
    core::buffer_ref host = *a.elements;
    if (host && host->where().is_gpu()) host = core::copied_to(cpu0, *host.get());
    add(a.name, a.element, a.shape(), host ? host->data() : nullptr, host ? host->size() : 0);
  }
  /// Numbers as a vector.
  void add(std::string const& name, std::vector<std::uint64_t> const& numbers) {
    auto const n = static_cast<index_t>(numbers.size());
    add(name, "uint64", {1, &n}, numbers.data(), numbers.size() * sizeof(std::uint64_t));
  }
  /// One number.
  void add(std::string const& name, index_t number) {
    add(name, "int64", {0, nullptr}, &number, sizeof number);
  }
  void close() { zip_.finish(); }

 private:
  void add(std::string const& name, std::string_view element, core::any_shape const& shape,
           void const* data, std::size_t bytes) {
    if (!names_.insert(name).second)
      throw invalid_argument("placement: a checkpoint has two arrays " + core::quote(name) +
                             ". Give each variable its own name, or save parts in files of their "
                             "own.");
    core::npy_type const& type = *core::npy_type_of(element_in_file(element));
    zip_.add(name + std::string(core::npy_suffix), core::npy_header_text(type, shape, npy_order::c),
             data, bytes);
  }

  core::zip_writer zip_;
  std::set<std::string> names_;
};

/// Reads arrays for a program. Differences are collected: check() throws one error with all. Until
/// commit() nothing is changed.
class array_reader {
 public:
  /// Throws: file_error for a file that is no archive.
  explicit array_reader(std::string const& path) : file_(path), path_(path) {}

  bool has(std::string_view name) const noexcept { return file_.contains(name); }
  void add_problem(std::string text) { problems_.push_back(std::move(text)); }

  /// Reads an array for its place, on its device.
  void add(any_array a) {
    npy_info const* const info = find(a.name, element_in_file(a.element), a.shape());
    if (info == nullptr) return;
    core::buffer_ref elements = read(a.name, *info);
    if (!elements || a.shape().count() == 0) return;
    if (!(a.where == cpu0)) elements = core::copied_to(a.where, *elements.get());
    read_.push_back({a.elements, std::move(elements)});
  }
  /// A vector of numbers; empty after a problem.
  std::vector<std::uint64_t> numbers(std::string const& name, std::size_t count) {
    auto const n = static_cast<index_t>(count);
    return numbers(name, "uint64", {1, &n});
  }
  /// One number; 0 after a problem, or if it is negative, which is one.
  index_t number(std::string const& name) {
    auto const found = numbers(name, "int64", {0, nullptr});
    if (found.empty()) return 0;
    auto const number = static_cast<index_t>(found[0]);
    if (number < 0) add_problem(core::quote(name) + " is " + std::to_string(number));
    return std::max<index_t>(number, 0);
  }

  /// Counts the arrays that were not read as problems.
  void expect_no_more() {
    for (std::string const& name : file_.names())
      if (!used_.contains(name)) {
        add_problem(core::quote(name) + " is in the file only");
        has_more_ = true;
      }
  }
  /// Throws: file_error with all problems, if there are any.
  void check() const {
    if (problems_.empty()) return;
    std::string text = "placement: " + core::quoted_path(path_) + " does not fit: ";
    for (std::size_t i = 0; i != problems_.size(); ++i) text += (i == 0 ? "" : "; ") + problems_[i];
    text += ". Nothing was restored. Give the parts that were saved";
    if (has_more_) text += ", or nn::checkpoint_match::partial for arrays in the file only";
    throw file_error(text + ".");
  }
  /// Gives each place what was read for it.
  void commit() noexcept {
    for (auto& [to, elements] : read_) *to = std::move(elements);
  }

 private:
  /// The header of an array of this type and shape; null after a problem.
  npy_info const* find(std::string const& name, std::string_view element,
                       core::any_shape const& shape) {
    used_.insert(name);
    if (!has(name)) {
      add_problem(core::quote(name) + " is not in the file");
      return nullptr;
    }
    try {
      info_ = file_.info(name);
    } catch (file_error const& e) {
      add_problem(text_of(e));
      return nullptr;
    }
    core::any_shape const given(info_.shape.size(), info_.shape.data());
    std::string const quoted = core::quote(name);
    if (info_.element != element)
      add_problem(quoted + " is " + std::string(element) + ", but in the file " +
                  (info_.element.empty() ? core::quote(info_.dtype) : std::string(info_.element)));
    if (!core::same_extents(given, shape))
      add_problem(quoted + " has shape " + core::text_of(shape) + ", but in the file " +
                  core::text_of(given));
    return info_.element == element && core::same_extents(given, shape) ? &info_ : nullptr;
  }
  /// The elements on the host; null after a problem.
  core::buffer_ref read(std::string const& name, npy_info const& info) {
    try {
      return file_.elements(name, info);
    } catch (file_error const& e) { add_problem(text_of(e)); }
    return {};
  }
  std::vector<std::uint64_t> numbers(std::string const& name, std::string_view element,
                                     core::any_shape const& shape) {
    npy_info const* const info = find(name, element, shape);
    core::buffer_ref const elements = info == nullptr ? core::buffer_ref() : read(name, *info);
    std::vector<std::uint64_t> all(elements ? shape.count() : 0);
    if (!all.empty()) std::memcpy(all.data(), elements->data(), all.size() * sizeof all[0]);
    return all;
  }
  /// A message without the library's name and the last full stop.
  static std::string text_of(file_error const& e) {
    std::string text = e.what();
    constexpr std::string_view library = "placement: ";
    if (text.starts_with(library)) text.erase(0, library.size());
    if (text.ends_with('.')) text.pop_back();
    return text;
  }

  struct placed_elements {
    core::buffer_ref* to;
    core::buffer_ref elements;
  };

  npz_file file_;
  std::string path_;
  npy_info info_;
  std::set<std::string> used_;
  std::vector<std::string> problems_;
  std::vector<placed_elements> read_;
  bool has_more_ = false;
};

}}}}  // namespace placement::v0_1::nn::detail
