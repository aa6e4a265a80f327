#pragma once
/// Definitions of task_evaluator.hpp: the steps of an evaluation for a kernel of another task.

#include <placement/config.hpp>
#include <placement/expr/task_evaluator.hpp>
#include <placement/src/expr/fused_kernel.ipp>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE kernel_placement resolve_placement(fused_kernel const& k, fused_request const& r) {
  return placement_of(k, r);
}

PLACEMENT_INLINE void evaluate_elsewhere(fused_kernel const& whole, kernel_placement const& p,
                                         fused_request const& r) {
  fused_kernel const& k = p.split ? *whole.split : whole;
  if (k.root.constant) return;
  device const where = p.facts.decision.device;
  kernel_extents extents(r.shape);
  if (k.set_extents != nullptr) k.set_extents(r.expression, extents);
  read_collector collected;
  kernel_in_evaluation kernel(k, r.expression, extents, collected, p.facts.at);
  void const* const node =
      k.producer != nullptr ? k.producer->find(r.expression, p.facts.decision) : nullptr;
  operand_slots<8> slots;
  kernel_operands kept(slots, where, p.how, p.facts, r.copies);
  evaluation_site const at{p, kept, nullptr, where};
  kernel.bring(r.pin, kept, node != nullptr ? k.producer->slot : -1, nullptr);
  if (node != nullptr) launch_with_producer(k, node, r, kernel, at);
  else if (k.run_custom != nullptr) k.run_custom({r.expression, r.pin, kept, p, nullptr, k, r});
}

}}}  // namespace placement::v0_1::detail
