#pragma once
/// Definitions of location.hpp.

#include <placement/config.hpp>
#include <placement/place/location.hpp>
#include <placement/place/log_words.hpp>
#include <placement/place/scope.hpp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE std::string location_text(std::string_view op, site at, label node) {
  std::string const line = place_text(at.known() ? at : site_of_scope());
  if (!op.empty()) return " In " + std::string(full_name(node, op)) + line + '.';
  return line.empty() ? line : " A" + line.substr(2) + '.';
}
PLACEMENT_INLINE std::string location_text(std::string_view op, site at) {
  return location_text(op, at, names_here());
}

PLACEMENT_INLINE void add_location(shape_error& e, std::string_view op, site at, label node) {
  e = shape_error(e.what() +
                  location_text(op, at, node));  // assigns the base: a derived type stays
}
PLACEMENT_INLINE void add_location(shape_error& e, std::string_view op, site at) {
  add_location(e, op, at, names_here());
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
