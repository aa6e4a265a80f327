#pragma once
/// Errors and fallbacks of assignments through views.

#include <placement/config.hpp>
#include <placement/expr/assign.hpp>
#include <placement/src/place/log.ipp>

#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void report_assignment(device wanted, std::string_view element,
                                        any_shape const& shape) {
  settings_word const how = settings_here();
  op_event e;
  e.kind = op_event_kind::fallback;
  e.op = e.kernel = assign_op::name;
  e.element = element;
  e.shape = {shape.extent, shape.rank};
  e.requested = device_spec{wanted};
  e.actual = cpu0;
  e.why = reason::not_compiled_here;
  e.fell_back = true;
  e.where = site_of_scope();
  if (!how.policy().soft || !how.policy().fall_back) throw_placement_error(e, how);
  log_fallback(e);
}

[[noreturn]] PLACEMENT_INLINE void throw_reshaped_view(any_shape const& from, any_shape const& to,
                                                       site at) {
  throw shape_error("placement: Reshape" + place_text(at) + " of a view of shape " + text_of(from) +
                    " to " + text_of(to) +
                    " cannot be assigned to: its elements do not lie at even steps in memory. "
                    "Reshape the value instead, and assign it to the view as it is.");
}

}}}  // namespace placement::v0_1::detail
