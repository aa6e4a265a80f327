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
