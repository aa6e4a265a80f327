#pragma once
/// Definitions of fused_kernel.hpp.

#include <placement/config.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/src/exec/fused_call.ipp>
#include <placement/src/expr/bind.ipp>
#include <placement/src/expr/destination.ipp>

#include <cstddef>
#include <optional>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- operands

PLACEMENT_INLINE operand_source& fused_operands::add_slot(unsigned bytes, any_shape const& as) {
  operand_source& s = source_[table.operands];
  if (as.rank == 0) table.add_single(bytes);
  else table.add_dense(bytes, as);
  return s;
}
PLACEMENT_INLINE void fused_operands::add_computed(unsigned bytes, any_shape const& as) {
  add_slot(bytes, as) = {nullptr, nullptr, 0};
  any_computed = true;
}
PLACEMENT_INLINE void fused_operands::add_buffer(buffer const* b, std::size_t count, unsigned bytes,
                                                 bool is_handle, any_shape const& as) {
  add_slot(bytes, as) = {b, nullptr, count};
  collected.add(b, bytes, is_handle, are_views);
}
PLACEMENT_INLINE void fused_operands::add_inline(void const* data, std::size_t count,
                                                 unsigned bytes, any_shape const& as) {
  add_slot(bytes, as) = {nullptr, data, count};
  collected.add_inline(data, count * bytes);
}

PLACEMENT_INLINE void operand_binder::bring(unsigned k) {
  block_operand& o = table_.operand[k];
  operand_source const& from = listed_.source(k);
  if (from.data != nullptr) o.data = kept_.bring_from_host(from.data, from.count * o.bytes);
  else o.data = kept_.bring(from.elements, from.count);
}
PLACEMENT_INLINE void operand_binder::keep(unsigned k, buffer_ref temporary) {
  table_.operand[k].data = kept_.keep(std::move(temporary));
}

// ---- the steps of an evaluation

/// The placement of a kernel that certainly runs on CPU:0, under settings that neither log nor
/// reject anything.
inline kernel_placement quiet_placement(fused_kernel const& k, fused_request const& r) {
  return {{k.type.root, r.requested.requested, r.requested.requested_by, {cpu0}, r.at, 0, 0, 0},
          settings_word{r.change.applied_to(settings_here().bits())}};
}
inline kernel_placement placement_of(fused_kernel const& k, fused_request const& r) {
  if (runs_quietly_on_cpu0(r.requested, r.change, true)) [[likely]]
    return quiet_placement(k, r);
  kernel_placement const p = resolve(k.type, r.requested, r.change, r.at);
  fused_kernel const& chosen = p.split ? *k.split : k;
  if (p.facts.decision.fell_back) [[unlikely]]
    report_fallback_of(op_of_kernel{k.root, r.shape, r.from, true}, p.facts, p.how);
  if (p.forbids_moves) [[unlikely]]
    chosen.visit(r.expression, p.facts, throw_if_moved);
  throw_if_unrecorded("An op ran on", p.facts.decision.device);
  return p;
}

/// Whether a kernel may write directly to the buffer of its result, of `bytes`.
inline bool may_write_to(buffer const* b, device where, std::size_t bytes, reads const& found,
                         bool is_rvalue, bool reduces) {
  if (b == nullptr || !(b->where() == where) || b->size() != bytes || found.overlaps) return false;
  if (!b->is_external() &&
      (b->is_read_elsewhere() || b->owners() != 1 + (is_rvalue ? found.handles : 0)))
    return false;
  return reduces ? found.handles == 0 && !found.named : !found.elsewhere;
}

inline call_site call_site_of_result(fused_kernel const& k, fused_request const& r) {
  call_site caller{k.type.root, r.at.file, r.at.line};
  if (r.from.name != label::none) [[unlikely]]
    caller.name = to_string(r.from.name);
  return caller;
}

/// The ops and numbers of a kernel, in memory of their own.
class slot_memory {
 public:
  slot_memory(fused_kernel const& k, void const* e) : type_(k.launch) {
    if (type_.bytes > sizeof(local_)) heap_ = ::operator new(type_.bytes, slot_alignment);
    try {
      k.write(e, get());
    } catch (...) {
      ::operator delete(heap_, slot_alignment);
      throw;
    }
  }
  ~slot_memory() {
    if (type_.copy != nullptr) type_.copy(get(), nullptr);
    ::operator delete(heap_, slot_alignment);
  }
  slot_memory(slot_memory const&) = delete;
  slot_memory& operator=(slot_memory const&) = delete;

  unsigned char* get() { return heap_ != nullptr ? static_cast<unsigned char*>(heap_) : local_; }

 private:
  fused_launch_type const& type_;
  void* heap_ = nullptr;
  alignas(static_cast<std::size_t>(slot_alignment)) unsigned char local_[256];
};

PLACEMENT_INLINE void evaluate_fused(fused_kernel const& whole, fused_request const& r,
                                     result_tensor const& out) try {
  kernel_placement const p = placement_of(whole, r);
  fused_kernel const& k = p.split ? *whole.split : whole;
  device const where = p.facts.decision.device;

  local_array<block_operand, 8> operands(k.size.operands);
  local_array<table_level, 8> levels(k.size.levels);
  local_array<operand_source, 8> sources(k.size.operands);
  operand_table table(operands.data(), levels.data(), r.input);
  read_collector collected{out.elements.get(), k.result_bytes};
  fused_operands listed(table, sources.data(), collected, k.type.root, p.facts.at);
  k.list(r.expression, listed);

  bool const reduces = k.launch.reduce != nullptr;
  std::size_t const elements =
      reduces ? checked_count(r.input, k.element_bytes, k.type.root, r.at) : r.input.count();
  std::size_t const count = r.shape.count();  // result_memory checks it
  bool const in_place =
      !k.launch.may_throw && may_write_to(out.elements.get(), where, count * k.result_bytes,
                                          collected.found, r.is_rvalue, reduces);
  std::optional<result_memory> to;
  if (out.host == nullptr || !(where == cpu0))
    to.emplace(out.elements, out.shape, r.shape, k.result_bytes, where, in_place,
               call_site_of_result(k, r));

  operand_slots<8> slots;
  kernel_operands kept(slots, where, p.how, p.facts);
  operand_binder binder(kept, table, listed);
  if (listed.any_computed) {
    k.compute(r.expression, r.pin, binder);
  } else {
    for (unsigned i = 0; i != table.operands; ++i)
      if (operands[i].bytes != 0) binder.bring(i);
  }
  if (k.logs && p.how.reports_ops()) [[unlikely]]
    k.visit(r.expression, kept.facts_now(), log_op_of);

  std::size_t const cost = k.cost_per_element + (table.is_contiguous ? 0 : k.cost_of_reshapes);
  slot_memory ops(k, r.expression);
  index_t strides[max_rank];
  fused_call const call{{k.run, ops.get() + k.launch.expr_at, operands.data(), table.operands,
                         k.element_bytes, cost, to ? to->data() : out.host, k.is_one_operand},
                        {0, row_major_strides(r.input, strides), r.input.rank, nullptr, nullptr},
                        r.input,
                        static_cast<index_t>(elements),
                        table.is_contiguous,
                        levels.data(),
                        table.levels,
                        ops.get(),
                        r.axis};
  launch_fused(where, k.type.root, k.launch, call);
  if (to) to->keep(k.type.root, p.facts.at);
  out.requested = r.requested.requested;
} catch (...) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
