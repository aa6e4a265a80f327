#pragma once
/// Definitions for writes into external buffers and for copies from other devices.

#include <placement/config.hpp>
#include <placement/device/fork.hpp>
#include <placement/error.hpp>
#include <placement/exec/operand_table.hpp>
#include <placement/expr/destination.hpp>
#include <placement/place/log.hpp>
#include <placement/src/expr/decide.ipp>

#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void read_collector::add(buffer const* read, std::size_t element_bytes,
                                          bool is_handle, bool is_elsewhere) {
  if (next != nullptr) next->add(read, element_bytes, is_handle, is_elsewhere);
  if (read == b) {
    if (is_handle) ++found.handles;
    else found.named = true;
  } else {
    if (read == nullptr || b == nullptr || !b->overlaps(*read)) return;
    bool const is_same = read->data() == b->data() && read->size() == b->size();
    if (!is_same || element_bytes != element) {
      found.overlaps = true;
      return;
    }
    found.named = true;
  }
  found.elsewhere = found.elsewhere || is_elsewhere;
}

PLACEMENT_INLINE void read_collector::add_inline(void const* data, std::size_t bytes) {
  if (next != nullptr) next->add_inline(data, bytes);
  found.overlaps = found.overlaps || (b != nullptr && b->is_external() && b->where() == cpu0 &&
                                      ranges_overlap(data, bytes, b->data(), b->size()));
}

PLACEMENT_INLINE void log_if_moved(std::string_view op, device from, buffer const& to, site at) {
  if (from == to.where() || to.size() == 0 || !settings_here().reports_copies()) return;
  log_copy(event_of_copy(op, from, to.where(), to.size(), at, names_here()), transfers::silent);
}

PLACEMENT_INLINE void report_copy_to(op_of_kernel const& copy, kernel_facts const& k, device from) {
  op_event e = event_of(op_event_kind::copy_to, copy, k);
  e.kernel = {};
  e.from = from;
  log_copy_to(e);
}

/// Stores elements that are on `where` already, or in external memory.
inline bool stored_at_home(buffer_ref& old, elements_to_store const& x, device where) {
  if (old && old->is_external()) {
    result_memory to(old, x.has, x.shape, x.element, where, true, {{}, x.at.file, x.at.line});
    throw_if_watched(x.elements.get(), "Copy", x.at);
    if (x.elements && x.elements.get() != old.get())
      write_to_external(*old.get(), *x.elements.get(), "", x.at);
    to.keep("", {});
    return true;
  }
  if (x.elements && !(x.elements->where() == where)) return false;
  if (x.elements.get() != old.get()) old = x.elements;
  return true;
}
inline void check_stored(elements_to_store const& x) {
  if (!x.elements && x.shape.count() != 0) moved_from("Copy", x.at);
}
PLACEMENT_INLINE void store_elements(buffer_ref& old, elements_to_store const& x) try {
  check_stored(x);
  stored_at_home(old, x, x.where);
} catch (...) { rethrow_as_error(); }

PLACEMENT_INLINE void store_elements(buffer_ref& old, elements_to_store const& x,
                                     request_to_store const& r) try {
  check_stored(x);
  check_scopes();
  decision const d = place({r.requested, r.by, {true, true}}, this_machine(), r.how.policy());
  bool const reports = r.is_copy_to && settings_here().reports_copies();
  if (d.fell_back || reports) [[unlikely]] {
    op_type_facts const facts{"Copy", x.element_name, false};
    origin const from{x.at, r.requested, names_here()};
    op_of_kernel const copy{facts, x.shape, from, true};
    kernel_facts k{facts.op, r.requested, r.by, d, x.at};
    if (d.fell_back) report_fallback_of(copy, k, r.how);
    if (x.elements && !(x.where == d.device)) k.bytes = x.elements->size();
    if (reports) report_copy_to(copy, k, x.where);
  }
  if (stored_at_home(old, x, d.device)) return;
  device const from = x.elements->where();
  if (!r.is_copy_to && x.elements->size() != 0)
    charge_copy(r.how, "Copy", from, d.device, x.at, names_here());
  buffer_ref moved = copied_to(d.device, *x.elements.get(), x.at.file, x.at.line);
  if (!r.is_copy_to) log_if_moved("", from, *moved.get(), x.at);
  if (gradients_here != nullptr && gradients_here->watches(*x.elements.get())) [[unlikely]]
    gradients_here->note_copy(x.elements, moved, x.at);
  old = std::move(moved);
} catch (...) { rethrow_as_error(); }

PLACEMENT_INLINE void write_to_external(buffer& to, buffer const& from, std::string_view op,
                                        site at) {
  if (from.is_of_tasks()) [[unlikely]] {
    buffer_ref const all = copied_to_host(from, at.file, at.line);
    return write_to_external(to, *all.get(), op, at);
  }
  if (to.overlaps(from)) {
    if (to.data() == from.data()) return;
    buffer_ref const all_read = copied_to(from.where(), from);
    return write_to_external(to, *all_read.get(), op, at);
  }
  copy_into(to, {from.data(), from.where(), to.size(), &from});
  log_if_moved(op, from.where(), to, at);
}

PLACEMENT_INLINE void result_memory::prepare(any_shape const& has, any_shape const& shape,
                                             std::size_t element, device where, bool in_place,
                                             call_site const& requested_by) {
  throw_if_forked(where);
  site const at{requested_by.file, requested_by.line};
  std::size_t const size = checked_count(shape, element, requested_by.tag, at) * element;
  if (old_ && old_->is_external() && !same_extents(has, shape))
    throw_external_reshape(has, shape, requested_by.tag, at);
  if (!in_place) fresh_ = buffer_ref{buffer::make(where, size, requested_by)};
  else if (old_) old_->await_readers();
}

PLACEMENT_INLINE void result_memory::keep(std::string_view op, site at) {
  if (fresh_ && old_ && old_->is_external()) [[unlikely]] {
    fresh_->written();
    write_to_external(*old_.get(), *fresh_.get(), op, at);
  } else if (fresh_) {
    old_ = std::move(fresh_);
  }
  if (old_) old_->written();
}

[[noreturn]] PLACEMENT_INLINE void throw_external_reshape(any_shape const& has,
                                                          any_shape const& given,
                                                          std::string_view op, site at) {
  throw shape_error("placement: a tensor in borrowed memory keeps its shape " + text_of(has) +
                    "; the value has shape " + text_of(given) +
                    ". Slice the value, or borrow memory of its size." + location_text(op, at));
}

}}}  // namespace placement::v0_1::detail
