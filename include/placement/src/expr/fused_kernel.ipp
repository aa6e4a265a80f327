#pragma once
/// Definitions of fused_kernel.hpp.

#include <placement/config.hpp>
#include <placement/cpu/small_results.hpp>
#include <placement/device/fork.hpp>
#include <placement/device/trace_events.hpp>
#include <placement/exec/fused_call.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/destination.hpp>
#include <placement/expr/epilogue.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/expr/fused_operands.hpp>
#include <placement/expr/reads.hpp>
#include <placement/expr/task_evaluator.hpp>
#include <placement/src/expr/kernel_in_evaluation.ipp>

#include <cstddef>
#include <optional>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- operands

PLACEMENT_INLINE void operand_binder::bring_from(unsigned k, operand_source const& from) {
  block_operand& o = table_.operand[k];
  o.data = from.data != nullptr ? kept_.in_place(from.data) : kept_.in_place(from.elements);
  if (o.data != nullptr) [[likely]]
    return;
  byte_range part = listed_.copied_bytes(k, from);
  void const* const copy =
      from.data != nullptr ? kept_.copy_of(from.data, {from.data, cpu0, from.count * o.bytes}, part)
                           : kept_.bring_part(from.elements, from.count, part);
  table_.set_copy(k, copy, part.first);
}
PLACEMENT_INLINE void operand_binder::keep(unsigned k, buffer_ref temporary) {
  byte_range part = table_.read_bytes(k, temporary ? temporary->size() : 0);
  void const* const kept = kept_.keep(std::move(temporary), part);
  table_.set_copy(k, kept, part.first);
}

PLACEMENT_INLINE recognized_epilogue recognize(epilogue_form const& form,
                                               operand_table const& table) {
  if (!form.known || form.bias < 0) return {form.known, form.as, nullptr};
  block_operand const& bias = table.operand[form.bias];
  if (bias.bytes == 0 || bias.level == nullptr || bias.level->outer != nullptr ||
      bias.level->rank == 0)
    return {};
  std::size_t const last = bias.level->rank - 1;
  for (std::size_t d = 0; d != last; ++d)
    if (bias.level->stride[d] != 0) return {};
  if (bias.level->stride[last] != 1) return {};
  auto const* const first = static_cast<unsigned char const*>(bias.data);
  return {true, form.as, first + bias.level->base * bias.bytes};
}

// ---- the steps of an evaluation

/// The placement of a kernel that certainly runs on CPU:0, under settings that neither log nor
/// reject anything.
inline kernel_placement quiet_placement(fused_kernel const& k, fused_request const& r) {
  return {{k.type.root,
           r.requested.requested,
           r.requested.requested_by,
           {cpu0},
           r.at,
           0,
           0,
           0,
           kernel_source::none,
           r.from.name},
          settings_word{r.change.applied_to(settings_here().bits())}};
}
/// Reports what the log and the policies want to know before a kernel runs.
/// Throws: placement_error for what a policy rejects.
inline void report(fused_kernel const& k, fused_request const& r, kernel_placement const& p) {
  fused_kernel const& chosen = p.split ? *k.split : k;
  if (p.facts.decision.fell_back) [[unlikely]]
    report_fallback_of(op_of_kernel{k.root, r.shape, r.from, true}, p.facts, p.how);
  if (p.forbids_moves) [[unlikely]]
    chosen.visit(r.expression, p.facts, throw_if_moved);
  throw_if_unrecorded("An op ran on", p.facts.decision.device);
}
inline bool runs_quietly(fused_request const& r) {
  return runs_quietly_on_cpu0(r.requested, r.change, true);
}
inline kernel_placement placement_of(fused_kernel const& k, fused_request const& r) {
  if (runs_quietly(r)) [[likely]]
    return quiet_placement(k, r);
  kernel_placement const p = resolve(k.type, r.requested, r.change, r.at, r.from.name);
  report(k, r, p);
  return p;
}

/// Whether a kernel may write directly to the buffer of its result, of `bytes`. at_one_index: each
/// element depends on operands at its own index only, except for views.
inline bool may_write_to(buffer const* b, device where, std::size_t bytes, reads const& found,
                         bool is_rvalue, bool at_one_index) {
  if (b == nullptr || !(b->where() == where) || b->size() != bytes || found.overlaps) return false;
  if (!b->is_external() &&
      (b->is_read_elsewhere() || b->owners() != 1 + (is_rvalue ? found.handles : 0)))
    return false;
  return at_one_index ? !found.elsewhere : found.handles == 0 && !found.named;
}

inline call_site call_site_of_result(fused_kernel const& k, fused_request const& r) {
  call_site caller{k.type.root, r.at.file, r.at.line};
  if (r.from.name != label::none) [[unlikely]]
    caller.name = full_name(r.from.name, k.type.root);
  return caller;
}

/// The elements that a kernel computes, or the multiplications of a product.
inline std::size_t elements_of_kernel(fused_kernel const& k, kernel_extents const& x, site at) {
  if (k.set_extents == nullptr) return x.shape.count();
  if (x.depth != 0) return x.shape.count() * static_cast<std::size_t>(x.depth);
  return checked_count(x.shape, k.element_bytes, k.type.root, at);
}

/// Where an evaluation runs its kernel, and its operands there.
struct evaluation_site {
  kernel_placement const& placement;
  kernel_operands& kept;
  void* result;
  device where;  ///< of this process, or of another task
};
inline void log_kernel(fused_kernel const& k, fused_request const& r, evaluation_site const& at) {
  if (k.logs && at.placement.how.reports_ops()) [[unlikely]]
    k.visit(r.expression, at.kept.facts_now(), log_op_of);
  if (is_traced.peek() && next_kernel.exists) [[unlikely]]
    next_kernel.note.bytes = r.shape.count() * k.result_bytes;
}

PLACEMENT_INLINE void custom_call::log_ops() const {
  if (operands.where().has_task()) return;  // the other task logs them
  log_kernel(kernel, request, {placement, operands, out, operands.where()});
}

/// Launches the product or reduction at `node` with k as its epilogue. A function of its own, as
/// the operands of the former take more stack than all else.
[[gnu::noinline]] inline void launch_with_producer(fused_kernel const& k, void const* node,
                                                   fused_request const& r,
                                                   kernel_in_evaluation& epilogue,
                                                   evaluation_site const& at) {
  fused_kernel const& first = k.producer->kernel;
  kernel_extents extents(r.shape);
  first.set_extents(node, extents);
  std::size_t const elements = elements_of_kernel(first, extents, r.at);
  read_collector already_collected;  // by the list of the epilogue
  kernel_in_evaluation kernel(first, node, extents, already_collected, r.at);
  kernel.bring(r.pin, at.kept, -1, nullptr);
  if (at.where.has_task()) return;
  log_kernel(k, r, at);

  fused_call const call = kernel.call(elements, at.result);
  fused_producer const producer{&first.launch, &call,
                                recognize(k.producer->form, epilogue.table())};
  fused_call all = epilogue.call(r.shape.count(), at.result);
  all.producer = &producer;
  launch_fused(at.where, k.type.root, k.launch, all);
}
/// Runs the custom op at `node` on the CPU, with k as its epilogue.
inline void run_with_epilogue(fused_kernel const& k, void const* node, fused_request const& r,
                              kernel_in_evaluation& epilogue, evaluation_site const& at) {
  fused_call const call = epilogue.call(r.shape.count(), at.result);
  block_epilogue const finish{call.blocks, call.shape, call.is_contiguous};
  epilogue_callback const callback = callback_of(finish);
  k.producer->kernel.run_custom({node, r.pin, at.kept, at.placement, at.result, k, r, &callback});
}

/// Whether an element-wise kernel on a device may write to a view, if its operands do not forbid
/// it. Kernels of GPUs write rows that lie one after another.
inline bool fits_view(result_view const* to, device where, fused_kernel const& k,
                      any_shape const& shape) {
  return to != nullptr && !k.launch.may_throw && k.set_extents == nullptr &&
         k.run_custom == nullptr && to->elements->where() == where &&
         (where.is_cpu() || is_row_major(to->where, shape));
}
/// Launches an element-wise kernel to the elements of a view. False, and no effect, where these
/// have other owners, or are operands at other indices. handles: held by the expression's nodes.
inline bool launched_to(result_view& to, fused_kernel const& k, fused_request const& r,
                        kernel_in_evaluation& kernel, evaluation_site const& at, int handles) {
  buffer& b = *to.elements.get();
  if (!b.is_external() && b.owners() != 1 + (r.is_rvalue ? handles : 0)) return false;
  if (!kernel.table().may_write({b.data(), k.result_bytes, to.where, r.shape})) return false;
  throw_if_forked(at.where);
  log_kernel(k, r, at);
  b.await_readers();
  fused_call call = kernel.call(r.shape.count(), b.data());
  if (!is_row_major(to.where, r.shape)) call.is_contiguous = false;
  if (call.is_contiguous || !at.where.is_cpu())
    call.blocks.out = static_cast<unsigned char*>(b.data()) + to.where.base * k.result_bytes;
  else call.where = to.where;
  launch_fused(at.where, k.type.root, k.launch, call);
  b.written();
  to.is_written = true;
  return true;
}

PLACEMENT_INLINE void evaluate_fused(fused_kernel const& whole, fused_request const& r,
                                     result_tensor const& out) try {
  if (task_evaluator* const tasks = evaluator_of_tasks()) [[unlikely]]
    return tasks->evaluate(whole, r, {out.elements, out.requested, out.shape, out.host});
  kernel_placement const p = placement_of(whole, r);
  evaluate_on(p.facts.decision.device, whole, p, r, out);
} catch (...) { rethrow_as_error(); }

PLACEMENT_INLINE void evaluate_on(device where, fused_kernel const& whole,
                                  kernel_placement const& p, fused_request const& r,
                                  result_tensor const& out) {
  traced_call const traced(whole.type.root, where);
  fused_kernel const& k = p.split ? *whole.split : whole;

  kernel_extents extents(r.shape);
  if (k.set_extents != nullptr) k.set_extents(r.expression, extents);
  buffer_ref const& written = out.view != nullptr ? out.view->elements : out.elements;
  read_collector collected{written.get(), k.result_bytes};
  kernel_in_evaluation kernel(k, r.expression, extents, collected, p.facts.at);
  std::size_t const elements = elements_of_kernel(k, extents, r.at);
  void const* const node =
      k.producer != nullptr ? k.producer->find(r.expression, p.facts.decision) : nullptr;

  bool const may_follow_custom = k.producer != nullptr && k.producer->kernel.run_custom != nullptr;
  bool const follows_custom = may_follow_custom && node != nullptr;  // which may throw
  bool const at_one_index = k.set_extents == nullptr && k.run_custom == nullptr &&
                            (k.producer == nullptr || may_follow_custom);
  std::size_t const count = r.shape.count();  // result_memory checks it
  bool const in_place = !k.launch.may_throw && !follows_custom &&
                        may_write_to(out.elements.get(), where, count * k.result_bytes,
                                     collected.found, r.is_rvalue, at_one_index);
  std::optional<result_memory> to;
  auto const make_memory = [&] {
    to.emplace(out.elements, out.shape, r.shape, k.result_bytes, where, in_place,
               call_site_of_result(k, r));
    return to->data();
  };
  bool const has_view = node == nullptr && fits_view(out.view, where, k, r.shape);
  bool const has_host = out.host != nullptr && where == cpu0;

  operand_slots<8> slots;
  kernel_operands kept(slots, where, p.how, p.facts, r.copies);
  evaluation_site at{p, kept, has_view ? nullptr : has_host ? out.host : make_memory(), where};
  kernel.bring(r.pin, kept, node != nullptr ? k.producer->slot : -1, at.result);
  if (has_view) {
    if (launched_to(*out.view, k, r, kernel, at, collected.found.handles)) return;
    at.result = make_memory();
  }
  if (follows_custom) {
    run_with_epilogue(k, node, r, kernel, at);
  } else if (node != nullptr) {
    launch_with_producer(k, node, r, kernel, at);
  } else if (k.run_custom != nullptr) {
    k.run_custom({r.expression, r.pin, kept, p, at.result, k, r});
  } else {
    log_kernel(k, r, at);
    launch_fused(where, k.type.root, k.launch, kernel.call(elements, at.result));
  }
  if (to) to->keep(k.type.root, p.facts.at);
  out.requested = r.requested.requested;
}

}}}  // namespace placement::v0_1::detail
