#pragma once
/// Bodies: what the log says of an op, and the refusal of a copy.

#include <placement/device/device_bodies.hpp>
#include <placement/error.hpp>
#include <placement/expr/decide.hpp>
#include <placement/kernels/extents_bodies.hpp>
#include <placement/place/log_bodies.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace placement::inline v0_1::detail {

template <class Once>
[[noreturn]] void refuse_beyond_budget(std::string_view op, device from, device to,
                                       std::uint32_t most, site at) {
  throw placement_error(
      "placement: at most " + std::to_string(most) + (most == 1 ? " copy is" : " copies are") +
      " allowed here, and an operand of " + std::string(op) + " on " + to_string(from) +
      " would be another, to " + to_string(to) + place_text(at) +
      ". Move it with copy_to, run the op where its operands are, or allow more.");
}

inline op_record record_of(op_of_kernel const& op, kernel_facts const& k) {
  op_record r;
  r.op = op.op.op;
  r.element = op.op.element;
  r.shape = text_of(op.shape);
  r.decision = k.decision;
  r.asked = k.asked;
  r.who = k.who;
  r.where = op.from.where.known() ? op.from.where : k.at;
  r.name = op.from.name;
  r.constant = op.op.constant;
  if (op.is_root) {
    r.copies = k.copies;
    r.copied_bytes = k.bytes;
  } else {
    r.fused_in = k.root;
    r.written = op.from.asked;
    r.moved = was_moved(op.from, k);
  }
  return r;
}

template <class Once> void log_op_of(op_of_kernel const& op, kernel_facts const& k) {
  log_op(record_of(op, k));
}

template <class Once> void refuse_if_moved(op_of_kernel const& op, kernel_facts const& k) {
  if (!op.is_root && op.from.asked.said() && was_moved(op.from, k)) refuse_move(record_of(op, k));
}

template <class Once>
void report_fallback_of(op_of_kernel const& root, kernel_facts const& k, settings_word how) {
  if (k.decision.refused) refuse(record_of(root, k), how);
  log_fallback(record_of(root, k));
}

template <class Once>
settled settle(kernel_type const& type, asking const& asked, settings_change c, site at) {
  machine const m = this_machine();
  settings_word const how{c.applied_to(settings_here().bits())};
  verdict const v = decide(question_of(type, asked, m), m, how.policy());
  return {{type.root, asked.asked, asked.who, v.decided, at},
          how,
          v.split,
          !how.soft() && !is_pinned(asked.who)};
}

}  // namespace placement::inline v0_1::detail
