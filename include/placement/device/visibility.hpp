#pragma once
/// Pure functions: the GPUs that CUDA_VISIBLE_DEVICES or a visible_device_list makes visible.

#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/runtime/parse.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// An iterator over the entries of a comma-separated list. next() returns std::nullopt at the end.
class comma_list {
 public:
  constexpr explicit comma_list(std::string_view text) noexcept : rest_(text) {}

  constexpr std::optional<std::string_view> next() noexcept {
    if (done_) return std::nullopt;
    std::size_t const comma = rest_.find(',');
    std::string_view const entry = rest_.substr(0, comma);
    done_ = comma == std::string_view::npos;
    if (!done_) rest_.remove_prefix(comma + 1);
    return entry;
  }

 private:
  std::string_view rest_;
  bool done_ = false;
};

constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The number at the start of an entry, as CUDA reads it: "1", " 2", "+1" and "1gpu" are numbers.
/// std::nullopt if there is none below `count`.
constexpr std::optional<int> leading_index(std::string_view entry, int count) noexcept {
  entry = trimmed(entry);
  if (entry.starts_with('+')) entry.remove_prefix(1);
  std::size_t digits = 0;
  while (digits != entry.size() && is_digit(entry[digits])) ++digits;
  auto const value = parse_decimal(entry.substr(0, digits));
  if (!value || *value >= static_cast<std::uint64_t>(count)) return std::nullopt;
  return static_cast<int>(*value);
}

/// The only device whose UUID begins with this text; std::nullopt if there is none or more than
/// one.
inline std::optional<int> with_uuid(std::string_view prefix, std::span<std::string const> uuids) {
  std::optional<int> found;
  for (std::size_t i = 0; i != uuids.size(); ++i) {
    if (!std::string_view(uuids[i]).starts_with(prefix)) continue;
    if (found) return std::nullopt;
    found = static_cast<int>(i);
  }
  return found;
}

inline bool contains(std::span<int const> list, int value) noexcept {
  std::size_t i = 0;
  while (i != list.size() && list[i] != value) ++i;
  return i != list.size();
}

}  // namespace detail

/// The devices that CUDA_VISIBLE_DEVICES leaves, in its order; `uuids` has one text per device.
///
/// Not set: all devices. Empty or -1: none. The first invalid entry ends the list. An entry is an
/// index, or, if the first one begins with "GPU-", the beginning of one device's UUID. A device
/// listed twice makes none visible, as in CUDA. Numbers of any length are read without wrapping.
inline std::vector<int> visible_by_environment(std::optional<std::string> const& text,
                                               std::span<std::string const> uuids) {
  int const count = static_cast<int>(uuids.size());
  std::vector<int> visible;
  if (!text) {
    for (int i = 0; i != count; ++i) visible.push_back(i);
    return visible;
  }
  bool const by_uuid = text->starts_with("GPU-");
  detail::comma_list list(*text);
  while (auto const entry = list.next()) {
    auto const index = !by_uuid                     ? detail::leading_index(*entry, count)
                       : entry->starts_with("GPU-") ? detail::with_uuid(*entry, uuids)
                                                    : std::nullopt;
    if (!index) break;
    if (detail::contains(visible, *index)) return {};
    visible.push_back(*index);
  }
  return visible;
}

/// The devices of a list such as "1,2" among `count`; an empty text means all.
/// Throws: invalid_argument for an entry that is not a number, not a device, or given twice.
inline std::vector<int> visible_by_list(std::string_view text, int count) {
  std::vector<int> visible;
  if (text.empty()) {
    for (int i = 0; i != count; ++i) visible.push_back(i);
    return visible;
  }
  detail::comma_list list(text);
  while (auto const entry = list.next()) {
    std::string_view const digits = detail::trimmed(*entry);
    auto const value = detail::parse_decimal(digits);
    if (!value)
      throw invalid_argument("Could not parse entry in visible device list " + detail::quote(text) +
                             ": " + detail::quote(*entry) +
                             ". Give indexes separated by commas, as in '1,2'");
    auto const index = detail::leading_index(digits, count);
    if (!index)
      throw invalid_argument("Invalid visible device index: " +
                             std::string(digits.substr(0, detail::max_quoted_length)));
    if (detail::contains(visible, *index))
      throw invalid_argument(
          "Visible device list " + detail::quote(text) +
          " contains a duplicate entry: /physical_device:GPU:" + std::to_string(*index));
    visible.push_back(*index);
  }
  return visible;
}

}}  // namespace placement::v0_1
