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
    bool const is_shared = b->owners() != 1;
    void const* const p = copy_of(b.get(), {b->data(), b->where(), b->size(), b.get()}, part,
                                  is_shared, is_shared ? b : buffer_ref{});
    if (!is_shared) forget(b.get());  // the next temporary may have its address
    return p;
  }
  part.first = 0;
  void const* const p = b->data();
  next().owner = std::move(b);
  return p;
}

/// The copy of a buffer on this device that another kernel made: one of this evaluation, or of the
/// statement whose gradient this is. Null if there is none.
PLACEMENT_INLINE copied_operand const* kernel_operands::known_copy(buffer const* of,
                                                                   byte_range const& part) const {
  if (shared_copies_ != nullptr)
    if (copied_operand const* const c = shared_copies_->find(of, where_, part)) return c;
  if (pauses_here == nullptr || pauses_here->kept_copies == nullptr) return nullptr;
  return pauses_here->kept_copies->find(of, where_, part);
}
/// Makes a copy known to the other kernels of this evaluation, and to the gradient of the statement
/// if it is recorded. temporary: the owner of a temporary's elements.
PLACEMENT_INLINE void kernel_operands::note_copy(buffer const* of, byte_range const& part,
                                                 buffer_ref const& copy,
                                                 buffer_ref const& temporary) const {
  if (shared_copies_ != nullptr) shared_copies_->add({of, part, where_, copy, temporary});
  if (copy && pauses_here != nullptr && pauses_here->made_copies != nullptr)
    pauses_here->made_copies->add({of, part, where_, copy});
}

PLACEMENT_INLINE void const* kernel_operands::copy_of(void const* source, byte_source const& bytes,
                                                      byte_range& part) {
  return copy_of(source, bytes, part, bytes.of != nullptr, {});
}
PLACEMENT_INLINE void const* kernel_operands::copy_of(void const* source, byte_source const& bytes,
                                                      byte_range& part, bool is_lasting,
                                                      buffer_ref const& temporary) {
  device const from = bytes.where;
  std::size_t const size = part.size;
  if (size == 0 || (where_.has_task() && from == where_.local())) return nullptr;
  for (std::size_t i = 0; i != used_; ++i) {
    if (at(i).source != source || !at(i).part.contains(part)) continue;
    part = at(i).part;
    return at(i).owner ? at(i).owner->data() : nullptr;
  }
  if (is_lasting) {
    if (copied_operand const* const known = known_copy(bytes.of, part)) {
      operand_storage& h = next();
      h.owner = known->elements;
      h.source = source;
      h.part = part = known->part;
      return h.owner ? h.owner->data() : nullptr;
    }
  }
  if (how_.moves() == transfers::refuse) throw_explicit_transfer(from);
  charge_copy(how_, facts_.root, from, where_, facts_.at, facts_.name);
  if (where_.has_task()) [[unlikely]] {  // all tasks count the copy; the other one makes it
    operand_storage& h = next();
    h.source = source;
    h.part = part;
    if (is_lasting) note_copy(bytes.of, part, {}, temporary);
    return nullptr;
  }
  if (is_traced.peek()) [[unlikely]]
    note_copy_for_trace(facts_.root, size, facts_.at);
  auto const* const first = static_cast<std::byte const*>(bytes.data) + part.first;
  buffer_ref copy =
      copied_to(where_, {first, from, size, bytes.of}, {"Copy", facts_.at.file, facts_.at.line});
  if (is_lasting) note_copy(bytes.of, part, copy, temporary);
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
