#pragma once
/// Definitions of collectives.hpp: errors and log lines.

#include <placement/config.hpp>
#include <placement/place/log.hpp>
#include <placement/src/tasks/cluster.ipp>
#include <placement/tasks/collectives.hpp>

#include <string>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void log_task_op(task_call const& call, std::string_view element, device where) {
  op_event e;
  e.op = e.kernel = call.op;
  e.element = element;
  e.shape = {call.shape.extent, call.shape.rank};
  e.actual = where;
  e.why = reason::all_tasks;
  e.where = call.at;
  e.scope = to_string(names_here());
  log_op(e);
}

[[noreturn]] PLACEMENT_INLINE void throw_no_equal_parts(std::string_view op,
                                                        std::string const& shape, int count,
                                                        site at) {
  throw shape_error("placement: " + std::string(op) + place_text(at) + " over " +
                    std::to_string(count) + " tasks of shape " + shape +
                    ": the first extent is no multiple of " + std::to_string(count) +
                    ". Pad or slice the values.");
}

}}}  // namespace placement::v0_1::detail
