#pragma once
/// The texts of a trace as JSON. placement.hpp does not include this header.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// The number of bytes of the UTF-8 character at the begin of a text; 0 if it is malformed.
constexpr std::size_t utf8_length(std::string_view s) noexcept {
  auto const at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  unsigned const first = at(0);
  if (first < 0x80) return 1;
  std::size_t const n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || s.size() < n) return 0;
  for (std::size_t i = 1; i != n; ++i)
    if ((at(i) & 0xC0u) != 0x80) return 0;
  bool const is_overlong = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
  bool const is_beyond = (first == 0xED && at(1) > 0x9F) || (first == 0xF4 && at(1) > 0x8F);
  return is_overlong || is_beyond ? 0 : n;
}
/// A text as a JSON string. Malformed UTF-8 becomes U+FFFD.
inline std::string json_string(std::string_view s) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "\"";
  while (!s.empty()) {
    auto const c = static_cast<unsigned char>(s[0]);
    std::size_t const n = utf8_length(s);
    if (n == 0) out += "\\ufffd";
    else if (c == '"' || c == '\\') out += {'\\', s[0]};
    else if (c < 0x20 || c == 0x7F) out += {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    else out += s.substr(0, n);
    s.remove_prefix(n == 0 ? 1 : n);
  }
  return out + '"';
}
/// Nanoseconds as microseconds: "12.345".
inline std::string json_time(std::int64_t ns) {
  std::string const below = std::to_string(ns % 1000);
  return std::to_string(ns / 1000) + '.' + std::string(3 - below.size(), '0') + below;
}

}}}  // namespace placement::v0_1::detail
