#pragma once
/// The log events of ops, and the error for a copy beyond the budget.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/expr/decide.hpp>
#include <placement/expr/gradient_recorder.hpp>
#include <placement/place/log.hpp>
#include <placement/src/device/device.ipp>

#include <cstdint>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

[[noreturn]] PLACEMENT_INLINE void throw_beyond_budget(std::string_view op, device from, device to,
                                                       std::uint32_t max, site at, label name) {
  throw placement_error(
      "placement: at most " + std::to_string(max) + (max == 1 ? " copy is" : " copies are") +
      " allowed here, and an operand of " + std::string(full_name(name, op)) + " on " +
      to_string(from) + " would be another, to " + to_string(to) + place_text(at) +
      ". Move it with copy_to, run the op where its operands are, or allow more.");
}

PLACEMENT_INLINE scopes_request request_of_scopes(op_type_facts const& op, std::size_t bytes) {
  // Not names_here(): a const variable is initialized at compile time if possible, without scopes.
  label const name = this_scope.settings.names;
  if (!is_one_device_here() && has_rule_here()) [[unlikely]]
    return {requested_by_rules({op.op, op.element, bytes, to_string(name)}), name};
  return {requested_here(), name};
}

/// The forward op of an op of a gradient: by its node, or by the statement whose gradient is
/// computed.
inline std::string_view forward_op_of(origin const& node) {
  if (node.gradient_of != label::none) return to_string(node.gradient_of);
  return pauses_here == nullptr ? std::string_view{} : pauses_here->forward_op;
}

inline op_event event_of(op_event_kind kind, op_of_kernel const& op, kernel_facts const& k) {
  op_event e;
  e.kind = kind;
  e.op = op.op.op;
  e.element = op.op.element;
  e.shape = {op.shape.extent, op.shape.rank};
  e.requested = k.requested;
  e.requested_by = k.requested_by;
  e.rule = site_of_rule(k.rule);
  e.actual = k.decision.device;
  e.why = k.decision.why;
  e.fell_back = k.decision.fell_back;
  e.is_constant = op.op.constant;
  e.kernel = k.root;
  e.kernel_id = k.id;
  e.source = k.source;
  e.is_outermost = op.is_root;
  if (op.from.name != label::none && !is_scope(op.from.name))
    e.name = label_of(entry_of(op.from.name).own);
  e.scope = to_string(scope_of(op.from.name));
  e.gradient_of = forward_op_of(op.from);
  e.where = op.from.where.known() ? op.from.where : k.at;
  if (op.is_root) {
    e.copies = k.copies;
    e.bytes = k.bytes;
  } else {
    e.written = op.from.requested;
    e.moved = was_moved(op.from, k);
  }
  return e;
}

/// The event of a copy. `reader`: the root op of the kernel that reads the copy.
inline op_event event_of_copy(std::string_view reader, device from, device to, std::size_t bytes,
                              site at, label reader_name) {
  op_event e;
  e.kind = op_event_kind::copy;
  e.op = "Copy";
  e.actual = to;
  e.kernel = reader;
  e.bytes = bytes;
  e.from = from;
  e.where = at;
  e.scope = to_string(scope_of(reader_name));
  return e;
}

PLACEMENT_INLINE void log_op_of(op_of_kernel const& op, kernel_facts const& k) {
  log_op(event_of(op_event_kind::op, op, k));
}

PLACEMENT_INLINE void throw_if_moved(op_of_kernel const& op, kernel_facts const& k) {
  if (!op.is_root && op.from.requested.has_value() && was_moved(op.from, k))
    throw_moved_op(event_of(op_event_kind::op, op, k));
}

PLACEMENT_INLINE void report_fallback_of(op_of_kernel const& root, kernel_facts const& k,
                                         settings_word how) {
  op_event const e = event_of(op_event_kind::fallback, root, k);
  if (k.decision.refused) throw_placement_error(e, how);
  log_fallback(e);
}

PLACEMENT_INLINE kernel_placement resolve(kernel_type const& type,
                                          requested_device const& requested, settings_change c,
                                          site at, label name) {
  check_scopes();
  machine const m = this_machine();
  settings_word const how{c.applied_to(settings_here().bits())};
  split_decision const v = decide(query_of(type, requested, m), m, how.policy());
  std::uint64_t const id = how.is_observed() ? next_kernel_id() : 0;
  return {{type.root, requested.requested, requested.requested_by, v.decided, at, 0, 0, id,
           v.source, name, requested.rule},
          how,
          v.split,
          !how.soft() && !is_pinned(requested.requested_by)};
}

}}}  // namespace placement::v0_1::detail
