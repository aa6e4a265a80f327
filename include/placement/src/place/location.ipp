#pragma once
/// Definitions of location.hpp.

#include <placement/config.hpp>
#include <placement/place/location.hpp>
#include <placement/place/log_words.hpp>
#include <placement/place/scope.hpp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE std::string location_text(std::string_view op, site at) {
  std::string const line = place_text(at.known() ? at : site_of_scope());
  if (!op.empty()) return " In " + std::string(op) + line + '.';
  return line.empty() ? line : " A" + line.substr(2) + '.';
}

PLACEMENT_INLINE void add_location(shape_error& e, std::string_view op, site at) {
  e = shape_error(e.what() + location_text(op, at));  // assigns the base: a derived type stays
}

[[noreturn]] PLACEMENT_INLINE void rethrow_from_rule(std::string_view op, site at) try {
  try {
    throw;
  } catch (shape_error& e) {
    add_location(e, op, at);
    throw;
  }
} catch (...) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
