#pragma once
/// Definitions of the error messages of parse_name.hpp and names.hpp.

#include <placement/config.hpp>
#include <placement/device/name.hpp>
#include <placement/device/names.hpp>
#include <placement/device/parse_name.hpp>
#include <placement/error.hpp>
#include <placement/runtime/escape.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// The text with a caret below one column. A long text is cut to the part around the caret.
inline std::string marked(std::string_view text, std::size_t column) {
  std::size_t const place = column - 1;
  std::size_t const from = place > max_quoted_length / 2 ? place - max_quoted_length / 2 : 0;
  std::string const before = (from == 0 ? "" : "...") + escape(text.substr(from, place - from));
  std::string_view const rest = text.substr(place);
  std::string const after = escape(rest.substr(0, max_quoted_length / 2));
  return "  " + before + after + (rest.size() > max_quoted_length / 2 ? "..." : "") + "\n  " +
         std::string(before.size(), ' ') + "^";
}

[[noreturn]] PLACEMENT_INLINE void throw_not_a_name(std::string_view text,
                                                    name_reading const& wrong) {
  throw invalid_argument(quote(text) + " is not a device name: at column " +
                         std::to_string(wrong.column) + " expected " + std::string(wrong.expected) +
                         "\n" + marked(text, wrong.column));
}

[[noreturn]] PLACEMENT_INLINE void throw_clash(std::string_view parts, device_name const& a,
                                               device_name const& b) {
  throw invalid_argument("Cannot merge devices with incompatible " + std::string(parts) + ": '" +
                         to_string(a) + "' and '" + to_string(b) + "'");
}

}}}  // namespace placement::v0_1::detail
