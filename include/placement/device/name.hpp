#pragma once
/// Device names: TensorFlow's strings, such as "/job:worker/task:1/device:GPU:0", as their parts.
/// parse_name.hpp has their parser, names.hpp their relations and merges.

#include <placement/error.hpp>
#include <placement/runtime/parse.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// The parts of a device name. Texts are views: of the parsed text, or of static storage for "CPU"
/// and "GPU", which are recognised in any case.
struct device_name {
  static constexpr int unset = -1;

  std::string_view job;
  int replica = unset;
  int task = unset;
  std::string_view type;
  int index = unset;

  friend constexpr bool operator==(device_name const&, device_name const&) = default;

  constexpr bool has_job() const noexcept { return !job.empty(); }
  constexpr bool has_replica() const noexcept { return replica != unset; }
  constexpr bool has_task() const noexcept { return task != unset; }
  constexpr bool has_type() const noexcept { return !type.empty(); }
  constexpr bool has_index() const noexcept { return index != unset; }

  /// Whether no part is given, as in "", "/", "/job:*" and "/device:*".
  constexpr bool is_empty() const noexcept { return *this == device_name{}; }
};

/// The longest text that is read as a device name, and the longest canonical form.
inline constexpr std::size_t longest_device_name = 4096;

namespace detail {

template <class Text> constexpr void append_number(Text& text, std::string_view label, int value) {
  bool const negative = value < 0;  // only if the parts were filled in by hand
  unsigned magnitude = negative ? 0u - static_cast<unsigned>(value) : static_cast<unsigned>(value);
  char digits[11]{};
  std::size_t first = sizeof digits;
  do digits[--first] = static_cast<char>('0' + magnitude % 10);
  while ((magnitude /= 10) != 0);
  if (negative) digits[--first] = '-';
  text += label;
  text += std::string_view(digits + first, sizeof digits - first);
}

/// Appends the canonical form to a string, or to any type with `+= string_view`.
template <class Text> constexpr void append_name(Text& text, device_name const& name) {
  if (name.has_job()) {
    text += std::string_view("/job:");
    text += name.job;
  }
  if (name.has_replica()) append_number(text, "/replica:", name.replica);
  if (name.has_task()) append_number(text, "/task:", name.task);
  if (!name.has_type() && !name.has_index()) return;
  text += std::string_view("/device:");
  text += name.has_type() ? name.type : std::string_view("*");
  if (name.has_index()) append_number(text, ":", name.index);
  else text += std::string_view(":*");
}

/// The number of characters of the canonical form.
constexpr std::size_t canonical_length(device_name const& name) noexcept {
  struct length {
    std::size_t value = 0;
    constexpr void operator+=(std::string_view more) noexcept { value += more.size(); }
  } total;
  append_name(total, name);
  return total.value;
}

/// `job` and task of a number in the program; without a table the task alone.
device_name name_of_task_here(int task) noexcept;
constexpr device_name name_of_task(int task) noexcept {
  if (!std::is_constant_evaluated()) return name_of_task_here(task);
  device_name n;
  n.task = task;
  return n;
}

/// Whether each of `job`, replica and task is this process's or not given.
constexpr bool is_this_task(device_name const& name) noexcept {
  return (!name.has_job() || name.job == "localhost") &&
         (!name.has_replica() || name.replica == 0) && (!name.has_task() || name.task == 0);
}

/// The canonical spelling of a type, in static storage: "gpu" -> "GPU". Other types stay as they
/// are.
constexpr std::string_view canonical_type(std::string_view type) noexcept {
  return equal_ignoring_case(type, "cpu") ? "CPU" : equal_ignoring_case(type, "gpu") ? "GPU" : type;
}

[[noreturn, gnu::cold]] inline void throw_null_name() {
  throw invalid_argument("A null pointer is no device name. Give one such as \"/gpu:0\"");
}
/// Any kind of text as a string_view. Throws: invalid_argument for a null pointer.
template <class Name> constexpr std::string_view text_of_name(Name const& name) {
  if constexpr (std::is_pointer_v<Name>)
    if (name == nullptr) throw_null_name();
  return name;
}

}  // namespace detail

}}  // namespace placement::v0_1
