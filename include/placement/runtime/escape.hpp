#pragma once
/// Escaping and quoting of external text for messages.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// One character in printable form: itself, or an escape such as \n, \x7f, \\.
inline std::string escape(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto const byte = static_cast<unsigned char>(c);
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  if (c == '\\' || c == '\'') return {'\\', c};
  if (byte >= 0x20 && byte < 0x7f) return {c};
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
}

inline std::string escape(std::string_view text) {
  std::string shown;
  for (char c : text) shown += escape(c);
  return shown;
}

/// The shortest text that reads back as the same number: "0", "1.5", "1.0000001". T: an
/// integer, float or double.
template <class T> std::string text_of_number(T value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    char text[32];
    int digits = 1;
    do std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    while (static_cast<T>(std::strtod(text, nullptr)) != value && ++digits <= 17);
    return text;
  }
}

/// The most characters of an external text that a message shows.
inline constexpr std::size_t max_quoted_length = 60;

/// 'text', escaped; a long one is cut and ends in "..." and its length.
inline std::string quote(std::string_view text) {
  bool const whole = text.size() <= max_quoted_length;
  std::string shown = "'";
  shown += escape(whole ? text : text.substr(0, max_quoted_length));
  shown += whole ? "'" : "...' (" + std::to_string(text.size()) + " characters)";
  return shown;
}

}}}  // namespace placement::v0_1::detail
