#pragma once
/// Definitions that copy operands to the device of their kernel.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/task_evaluator.hpp>
#include <placement/place/log.hpp>
#include <placement/src/device/device.ipp>
#include <placement/src/expr/decide.ipp>
#include <placement/src/place/trace_notes.ipp>

#include <cstddef>
#include <string>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE operand_storage& kernel_operands::next() {
  if (used_ < room_) {
    ::new (static_cast<void*>(static_cast<operand_storage*>(slots_) + used_)) operand_storage;
  } else {
    if (more_ == nullptr) more_ = new std::vector<operand_storage>;
    more_->emplace_back();
  }
  return at(used_++);
}

PLACEMENT_INLINE void kernel_operands::forget(void const* b) noexcept {
  for (std::size_t i = 0; i != used_; ++i)
    if (at(i).source == b) at(i).source = nullptr;
}

PLACEMENT_INLINE void kernel_operands::release_all() noexcept {
  for (std::size_t i = 0; i != used_ && i != room_; ++i) at(i).~operand_storage();
  delete more_;
}

PLACEMENT_INLINE void const* kernel_operands::bring_part(buffer const* b, std::size_t elements,
                                                         byte_range& part) {
  if (b == nullptr) {
    if (elements != 0) moved_from(facts_.root, facts_.at);
    return nullptr;
  }
  throw_if_watched(b, facts_.root, facts_.at);
  if (b->is_of_tasks()) [[unlikely]]
    return bring_of_tasks(*b, part);
  if (!(b->where() == where_)) return copy_of(b, {b->data(), b->where(), b->size(), b}, part);
  part.first = 0;
  return b->data();
}
PLACEMENT_INLINE void const* kernel_operands::bring_from(buffer const* b, std::size_t elements) {
  byte_range whole{0, b == nullptr ? 0 : b->size()};
  return bring_part(b, elements, whole);
}

PLACEMENT_INLINE void const* kernel_operands::keep(buffer_ref b, byte_range& part) {
  if (!b) return nullptr;
  if (b->is_of_tasks()) [[unlikely]] {
    void const* const p = bring_of_tasks(*b.get(), part);
    next().owner = std::move(b);  // it keeps the elements of this task
    return p;
  }
  if (!(b->where() == where_)) {
    void const* const p = copy_of(b.get(), {b->data(), b->where(), b->size(), b.get()}, part);
    if (b->owners() == 1) forget(b.get());  // the next temporary may have its address
    return p;
  }
  part.first = 0;
  void const* const p = b->data();
  next().owner = std::move(b);
  return p;
}

/// The copy of a buffer that the statement of this gradient made on a device; null if there is
/// none.
inline copied_operand const* kept_copy(buffer const* of, device where, byte_range const& part) {
  if (pauses_here == nullptr || pauses_here->kept_copies == nullptr) return nullptr;
  for (copied_operand const& c : *pauses_here->kept_copies)
    if (c.of == of && c.elements->where() == where && c.part.contains(part)) return &c;
  return nullptr;
}
/// Keeps a copy for the gradient of the statement, if it is recorded.
inline void note_kept_copy(buffer const* of, byte_range const& part, buffer_ref const& copy) {
  if (pauses_here != nullptr && pauses_here->made_copies != nullptr)
    pauses_here->made_copies->push_back({of, part, copy});
}

PLACEMENT_INLINE void const* kernel_operands::copy_of(void const* source, byte_source const& bytes,
                                                      byte_range& part) {
  device const from = bytes.where;
  std::size_t const size = part.size;
  if (size == 0 || (where_.has_task() && from == where_.local())) return nullptr;
  for (std::size_t i = 0; i != used_; ++i) {
    if (at(i).source != source || !at(i).part.contains(part)) continue;
    part = at(i).part;
    return at(i).owner ? at(i).owner->data() : nullptr;
  }
  if (bytes.of != nullptr) {
    if (copied_operand const* const kept = kept_copy(bytes.of, where_, part)) {
      operand_storage& h = next();
      h.owner = kept->elements;
      h.source = source;
      h.part = part = kept->part;
      return h.owner->data();
    }
  }
  if (how_.moves() == transfers::refuse) throw_explicit_transfer(from);
  charge_copy(how_, facts_.root, from, where_, facts_.at, facts_.name);
  if (where_.has_task()) [[unlikely]] {  // all tasks count the copy; the other one makes it
    operand_storage& h = next();
    h.source = source;
    h.part = part;
    return nullptr;
  }
  if (is_traced.peek()) [[unlikely]]
    note_copy_for_trace(facts_.root, size, facts_.at);
  auto const* const first = static_cast<std::byte const*>(bytes.data) + part.first;
  buffer_ref copy =
      copied_to(where_, {first, from, size, bytes.of}, {"Copy", facts_.at.file, facts_.at.line});
  if (bytes.of != nullptr) note_kept_copy(bytes.of, part, copy);
  void const* const p = copy->data();
  operand_storage& h = next();
  h.owner = std::move(copy);
  h.source = source;
  h.part = part;
  ++copies_;
  bytes_ += size;
  if (how_.moves() == transfers::warn || how_.reports_copies()) [[unlikely]] {
    op_event e = event_of_copy(facts_.root, from, where_, size, facts_.at, facts_.name);
    e.kernel_id = facts_.id;
    log_copy(e, how_.moves());
  }
  return p;
}

PLACEMENT_INLINE void const* kernel_operands::bring_of_tasks(buffer const& b, byte_range& part) {
  if (part.size == 0) return nullptr;
  for (std::size_t i = 0; i != used_; ++i) {
    if (at(i).source != &b || !at(i).part.contains(part)) continue;
    part = at(i).part;
    return at(i).owner ? at(i).owner->data() : nullptr;
  }
  auto& tasks = static_cast<task_evaluator&>(memory_of_tasks());
  if (tasks.needs_message(b) || !(b.where().local() == where_.local())) {
    if (how_.moves() == transfers::refuse) throw_explicit_transfer(b.where());
    charge_copy(how_, facts_.root, b.where(), facts_.decision.device, facts_.at, facts_.name);
    ++copies_;
    bytes_ += part.size;
    if (how_.moves() == transfers::warn || how_.reports_copies()) [[unlikely]] {
      op_event e = event_of_copy(facts_.root, b.where(), facts_.decision.device, part.size,
                                 facts_.at, facts_.name);
      e.kernel_id = facts_.id;
      transfers const policy = how_.moves();
      if (!where_.has_task()) log_copy(e, policy);
    }
  }
  buffer_ref got = tasks.bring(b, part);
  if (got && !where_.has_task() && !(got->where() == where_))
    got = copied_to(where_, *got.get(), facts_.at.file, facts_.at.line);
  void const* const p = got ? got->data() : nullptr;
  operand_storage& h = next();
  h.owner = std::move(got);
  h.source = &b;
  h.part = part;
  return p;
}

[[noreturn]] PLACEMENT_INLINE void kernel_operands::throw_explicit_transfer(device from) const {
  throw placement_error("placement: explicit transfers: an operand of " +
                        std::string(full_name(facts_.name, facts_.root)) + " is on " +
                        to_string(from) + ", the op runs on " + to_string(where_) +
                        place_text(facts_.at) + ". Move it with copy_to, or allow transfers.");
}

}}}  // namespace placement::v0_1::detail
