#pragma once
/// Definitions of gradient/tape_core.hpp.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/gradient/tape_core.hpp>
#include <placement/memory/transfer.hpp>
#include <placement/place/log.hpp>
#include <placement/place/scope_stack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void tape_core::end() noexcept {
  auto const leave = [this](gradient_recorder*& innermost) {
    if (innermost == this) {
      innermost = outer_;
      return;
    }
    for (auto* t = static_cast<tape_core*>(innermost); t != nullptr; t = t->outer_)
      if (t->outer_ == this) t->outer_ = outer_;  // an inner tape outlives it
  };
  leave(gradients_here);
  for (gradient_pause* p = pauses_here; p != nullptr; p = p->outer) leave(p->recorder);
}

PLACEMENT_INLINE void tape_record::keep_operands(tensors_of const& operands) {
  copied_operands made;
  std::swap(made, copies);
  operands.for_each([&](buffer_ref const& operand, bool is_read) {
    if (!operand || (!operand->is_external() && made.empty())) [[likely]]
      return;
    buffer const* const of = operand.get();
    auto& elements = const_cast<buffer_ref&>(operand);  // of the record, which is not const
    if (of->is_external()) elements = copied_to(of->where(), *of);
    for (copied_operand& c : made)
      if (is_read && c.of == of && c.elements)
        copies.add({elements.get(), c.part, c.where, std::move(c.elements)});
  });
}

PLACEMENT_INLINE std::uint32_t tape_core::find(buffer const* b) const noexcept {
  if (b == nullptr || slots_.empty()) return none;
  for (std::size_t i = slot_of(b);; i = (i + 1) & (slots_.size() - 1)) {
    std::uint32_t const v = slots_[i];
    if (v == none || values_[v].elements.get() == b) return v;
  }
}
PLACEMENT_INLINE bool tape_core::any_has_gradients() const noexcept {
  for (tape_core const* t = this; t != nullptr; t = t->outer_)
    if (t->has_gradients_) return true;
  return false;
}
PLACEMENT_INLINE void tape_core::check_first_order(tensors_of const& operands, site at) const {
  operands.for_each([&](buffer_ref const& b, bool) {
    for (tape_core const* t = this; t != nullptr; t = t->outer_) {
      std::uint32_t const v = t->find(b.get());
      if (v != none && t->values_[v].is_gradient) throw_second_order(at);
    }
  });
}
PLACEMENT_INLINE bool tape_core::reaches(tensors_of const& operands) const {
  bool found = false;
  operands.for_each_on_path(
      [&](buffer_ref const& b, bool) { found = found || find(b.get()) != none; });
  return found;
}
PLACEMENT_INLINE bool tape_core::any_reaches(tensors_of const& operands) const {
  for (tape_core const* t = this; t != nullptr; t = t->outer_)
    if (t->reaches(operands)) return true;
  return false;
}

PLACEMENT_INLINE bool tape_core::has_value(buffer const& b) const noexcept {
  for (tape_core const* t = this; t != nullptr; t = t->outer_)
    if (t->find(&b) != none) return true;
  return false;
}

PLACEMENT_INLINE void tape_core::grow() {
  std::vector<std::uint32_t> larger(slots_.empty() ? 64 : slots_.size() * 2, none);
  slots_.swap(larger);
  for (std::uint32_t v = 0; v != values_.size(); ++v) {
    std::size_t i = slot_of(values_[v].elements.get());
    while (slots_[i] != none) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = v;
  }
}
PLACEMENT_INLINE std::uint32_t tape_core::add_value(buffer_ref elements,
                                                    element_functions const* functions) {
  if (std::uint32_t const known = find(elements.get()); known != none) return known;
  if ((values_.size() + 1) * 2 > slots_.size()) grow();
  auto const number = static_cast<std::uint32_t>(values_.size());
  buffer const* const b = elements.get();
  values_.emplace_back(std::move(elements), functions);
  if (b != nullptr) {
    std::size_t i = slot_of(b);
    while (slots_[i] != none) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = number;
  }
  return number;
}
PLACEMENT_INLINE void tape_core::add_record(tape_record const& r, buffer_ref const& result,
                                            element_functions const* functions) {
  records_.reserve(records_.size() + 1 > records_.capacity() ? 2 * records_.size() + 16
                                                             : records_.capacity());
  std::uint32_t const number = add_value(result, functions);
  values_[number].is_result = true;
  ++r.owners;
  records_.push_back({record_ref(&r), number});
}
PLACEMENT_INLINE void tape_core::check_target(buffer_ref const& elements, any_shape const& shape) {
  if (elements && elements->is_external())
    throw_borrowed("a recorded value cannot be written to", list_text(shape.extent, shape.rank));
}
PLACEMENT_INLINE bool tape_core::any_checks_numerics() const noexcept {
  for (tape_core const* t = this; t != nullptr; t = t->outer_)
    if (t->checks_numerics_) return true;
  return false;
}
PLACEMENT_INLINE void tape_core::note(tape_record& r, site at,
                                      std::initializer_list<tensors_of> operands,
                                      buffer_ref const& result,
                                      element_functions const* functions) {
  r.where = result ? result->where() : cpu0;
  r.at = at;
  for (tape_core* t = this; t != nullptr; t = t->outer_) {
    auto const reaches = [t](tensors_of const& x) { return t->reaches(x); };
    if (outer_ != nullptr && std::none_of(operands.begin(), operands.end(), reaches)) continue;
    if (t->has_listener()) [[unlikely]]
      for (tensors_of const& x : operands)
        x.for_each_on_path([t](buffer_ref const& b, bool) { t->note_read(b.get()); });
    t->add_record(r, result, functions);
  }
}
PLACEMENT_INLINE void tape_core::add_gradient(std::uint32_t value, buffer_ref more,
                                              device_spec requested) {
  tape_value& v = values_[value];
  if (v.gradient) {
    v.functions->add(v, std::move(more));
  } else {
    v.requested = requested;
    v.gradient = std::move(more);
  }
  if (any_checks_numerics()) [[unlikely]]
    check_gradient(v);
}

/// The record of a copy to another device.
class copy_record final : public tape_record {
 public:
  explicit copy_record(std::uint32_t from) : from_(from) {}
  void pull(tape_core& tape, std::uint32_t result) const override {
    tape_value const& to = tape.value(from_);
    buffer_ref g = tape.value(result).gradient;
    device const home = to.elements->where();
    if (!(g->where() == home)) g = copied_to(home, *g.get(), at.file, at.line);
    tape.add_gradient(from_, std::move(g), to.requested);
  }

 private:
  std::uint32_t from_;
};
PLACEMENT_INLINE void tape_core::record_copy(buffer_ref const& from, buffer_ref const& to,
                                             site at) {
  for (tape_core* t = this; t != nullptr; t = t->outer_) {
    std::uint32_t const v = t->find(from.get());
    if (v == none) continue;
    auto* const made = new copy_record(v);
    record_ref const r(made);
    made->where = from->where();
    made->at = at;
    if (t->has_listener()) t->note_read(from.get());
    t->add_record(*made, to, t->values_[v].functions);
    if (t->values_[v].is_gradient) t->values_[t->find(to.get())].is_gradient = true;
  }
}
PLACEMENT_INLINE void tape_core::mark_gradient(buffer_ref g) {
  for (tape_core* t = this; t != nullptr; t = t->outer_)
    if ((t != this || is_persistent_) && g) {
      t->values_[t->add_value(g, nullptr)].is_gradient = true;
      t->has_gradients_ = true;
    }
}

PLACEMENT_INLINE std::vector<std::uint32_t> tape_core::awaited_values() const {
  std::vector<std::uint32_t> all;
  for (std::uint32_t v = 0; v != values_.size(); ++v)
    if (values_[v].keeps_gradient && values_[v].first_reader != none) all.push_back(v);
  std::sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
    auto const first = values_[a].first_reader, other = values_[b].first_reader;
    return first != other ? first < other : a > b;
  });
  return all;
}
PLACEMENT_INLINE void tape_core::check_completed(
    std::vector<std::pair<std::uint32_t, buffer_ref>> const& completed) const {
  for (auto const& [v, gradient] : completed)
    if (values_[v].gradient.get() != gradient.get())
      throw placement_error(
          "placement: a record added to a gradient that was complete. A class derived from "
          "tape_record calls note_read() for each operand before add_record().");
}

PLACEMENT_INLINE void tape_core::run_backwards() {
  has_given_up_ = !is_persistent_;
  std::vector<std::uint32_t> awaited;
  std::vector<std::pair<std::uint32_t, buffer_ref>> completed;
  if (listener_ != nullptr) awaited = awaited_values();
  for (std::size_t i = records_.size(); i-- > 0;) {
    tape_record const& r = *records_[i].record;
    std::uint32_t const result = records_[i].result;
    if (values_[result].gradient) {
      open_scope const on_its_device(device_spec{r.where}, r.at);
      // No record that is left looks for this value.
      if (!is_persistent_ && !values_[result].keeps_gradient) values_[result].elements = {};
      {
        gradient_pause const reads_copies(r.copies, r.op);
        pulled_ = &r;
        r.pull(*this, result);
      }
      if (!values_[result].keeps_gradient) values_[result].gradient = {};
    }
    if (!is_persistent_) records_.pop_back();
    for (; !awaited.empty() && values_[awaited.back()].first_reader == i; awaited.pop_back())
      if (buffer_ref const& gradient = values_[awaited.back()].gradient) {
        completed.emplace_back(awaited.back(), gradient);
        listener_->complete(gradient);
      }
  }
  pulled_ = nullptr;
  check_completed(completed);
}
PLACEMENT_INLINE std::uint32_t tape_core::number_of_loss(buffer const* of, bool zeros) const {
  std::uint32_t const number = find(of);
  if (number == none && !zeros) throw_unknown_loss();
  return number;
}
PLACEMENT_INLINE void tape_core::clear() noexcept {
  if (is_persistent_) {
    for (tape_value& v : values_) {
      v.gradient = {};
      v.keeps_gradient = false;
    }
  } else {
    records_.clear();
    values_.clear();
    slots_.clear();
    has_gradients_ = false;
  }
}

}}}  // namespace placement::v0_1::detail
