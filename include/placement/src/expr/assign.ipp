#pragma once
/// Definitions: assignments through views, their errors and fallbacks.

#include <placement/config.hpp>
#include <placement/exec/fused_call.hpp>
#include <placement/expr/assign.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/task_evaluator.hpp>
#include <placement/place/log.hpp>

#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// Handles a target on a GPU without a kernel in this program: logs a fallback to the CPU or
/// throws.
[[gnu::cold]] inline void report_assignment(device wanted, std::string_view element,
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
  e.scope = to_string(names_here());
  if (!how.policy().soft || !how.policy().fall_back) throw_placement_error(e, how);
  log_fallback(e);
}

/// The device that writes to elements on device `there`.
inline device where_to_write(device there, view_assignment const& a) {
  if (there.is_cpu() || !this_machine().real) return there;
  if (a.type.own != nullptr || a.type.others->peek() != nullptr) return there;
  report_assignment(there, a.element, a.shape);
  return cpu0;
}
inline void unshare(buffer_ref& elements) {
  if (!elements->is_external() && elements->owners() != 1)
    elements = copied_to(elements->where(), *elements.get());
}

PLACEMENT_INLINE void write_view(buffer_ref& elements, view_assignment const& a) {
  if (!elements) return;
  throw_if_watched(elements.get(), assign_op::name, site_of_scope());
  throw_if_watched(a.value, assign_op::name, site_of_scope());
  if (elements->is_of_tasks() || (a.value != nullptr && a.value->is_of_tasks())) [[unlikely]]
    return static_cast<task_evaluator&>(memory_of_tasks()).write(elements, a, site_of_scope());
  device const there = elements->where(), where = where_to_write(there, a);

  block_operand operand;
  table_level level;
  operand_table table(&operand, &level, a.shape);
  kernel_facts facts;
  facts.root = assign_op::name;
  facts.at = site_of_scope();
  facts.name = names_here();
  operand_slots<1> slots;
  kernel_operands kept(slots, where, settings_here(), facts);
  if (a.has_elements) {
    table.add_dense(a.bytes, a.value_shape);
    operand.data = kept.bring(a.value, a.value_shape.count());
  }
  block_form const form = a.has_elements ? block_form::operand : block_form::any;
  fused_call call{{a.run, a.expr, &operand, table.operands, a.bytes, 1, nullptr, form},
                  a.where,
                  a.shape,
                  static_cast<index_t>(a.shape.count()),
                  false,
                  &level,
                  table.levels,
                  nullptr,
                  0};
  if (!(there == where)) {
    buffer_ref const here = copied_to(where, *elements.get());
    call.blocks.out = here->data();
    run_fused(a.type, call, {});
    unshare(elements);
    copy_into(*elements.get(), {here->data(), where, here->size(), here.get()});
  } else {
    if (elements->owners() != 1 + a.released_handles) unshare(elements);
    call.blocks.out = elements->data();
    elements->await_readers();
    launch_fused(where, assign_op::name, a.type, call);
  }
  elements->written();
}

[[noreturn]] PLACEMENT_INLINE void throw_reshaped_view(any_shape const& from, any_shape const& to,
                                                       site at) {
  throw shape_error("placement: Reshape" + place_text(at) + " of a view of shape " + text_of(from) +
                    " to " + text_of(to) +
                    " cannot be assigned to: its elements do not lie at even steps in memory. "
                    "Reshape the value instead, and assign it to the view as it is.");
}

}}}  // namespace placement::v0_1::detail
