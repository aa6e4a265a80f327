#pragma once
/// What a trace notes of placement's events before the kernel or the copy starts.

#include <placement/config.hpp>
#include <placement/device/trace_events.hpp>
#include <placement/place/op_event.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// What an event states about the whole kernel.
inline void note_kernel(trace_note& n, op_event const& e) {
  n.name = e.op;
  n.element = e.element;
  n.why = to_string(e.why);
  n.label = to_string(e.name);
  n.scope = e.scope;
  n.where = e.actual;
  n.requested = e.requested;
  n.fell_back = e.fell_back;
  n.is_constant = e.is_constant;
  n.copied_bytes = e.bytes;
  n.file = e.where.file;
  n.line = e.where.line;
  n.has_shape = true;
  n.rank = static_cast<unsigned char>(std::min(e.shape.size(), trace_note::max_extents));
  std::copy_n(e.shape.begin(), n.rank, n.extent);
}

/// Notes an op of the next kernel, or a call of copy_to(). Fallbacks are noted with their ops, and
/// copies of operands by note_copy_for_trace().
inline void note_for_trace(op_event const& e) {
  if (e.kind == op_event_kind::op) {
    next_work& next = next_kernel;
    if (!next.exists || next.kernel_id != e.kernel_id) {
      next.note = {};
      next.kernel_id = e.kernel_id;
      next.since = e.is_constant ? trace_clock() : 0;
      next.exists = true;
    }
    trace_note& n = next.note;
    if (n.ops < trace_note::max_ops) n.op[n.ops] = e.op;
    ++n.ops;
    if (e.is_outermost || n.ops == 1) note_kernel(n, e);
  } else if (e.kind == op_event_kind::copy_to && e.bytes != 0) {
    trace_note& n = next_copy.note;
    n = {};
    n.kind = trace_kind::copy;
    n.why = "copy_to()";
    n.bytes = e.bytes;
    n.requested = e.requested;
    n.label = to_string(e.name);
    n.scope = e.scope;
    n.file = e.where.file;
    n.line = e.where.line;
    next_copy.exists = true;
  }
}
/// Notes that the next copy is that of an operand of this op.
inline void note_copy_for_trace(std::string_view reader, std::size_t bytes, site at) {
  trace_note& n = next_copy.note;
  n = {};
  n.kind = trace_kind::copy;
  n.reader = reader;
  n.bytes = bytes;
  n.file = at.file;
  n.line = at.line;
  next_copy.exists = true;
}

}}}  // namespace placement::v0_1::detail
