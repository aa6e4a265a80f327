#pragma once
/// Parsing of numbers and words in external text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether the text is a letter, then letters, digits or '_'.
constexpr bool is_identifier(std::string_view text) noexcept {
  if (text.empty() || !is_letter(text.front())) return false;
  std::size_t i = 1;
  while (i != text.size() && (is_letter(text[i]) || is_digit(text[i]) || text[i] == '_')) ++i;
  return i == text.size();
}

/// Equality up to the case of ASCII letters.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i != a.size(); ++i)
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  return true;
}

constexpr std::uint64_t max_decimal = ~std::uint64_t{0};

/// The value of a text of decimal digits. A value that does not fit becomes the largest, so nothing
/// wraps. std::nullopt for an empty text or any other character.
constexpr std::optional<std::uint64_t> parse_decimal(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (char c : text) {
    if (!is_digit(c)) return std::nullopt;
    auto const digit = static_cast<std::uint64_t>(c - '0');
    bool const fits = value <= (max_decimal - digit) / 10;
    value = fits ? value * 10 + digit : max_decimal;
  }
  return value;
}

}}}  // namespace placement::v0_1::detail
