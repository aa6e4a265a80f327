#pragma once
/// Definitions of joint_kernel.hpp.

#include <placement/config.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/device/trace_events.hpp>
#include <placement/expr/joint_kernel.hpp>
#include <placement/src/cpu/common_exprs.ipp>
#include <placement/src/expr/fused_kernel.ipp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// Resolves the device of each kernel. False if they differ, or if each result has a kernel of its
/// own there, as on hardware GPUs.
inline bool place_together(joint_kernel const& k, joint_result* results) {
  bool quiet = true;
  for (unsigned i = 0; i != k.results; ++i) quiet = quiet && runs_quietly(results[i].request);
  for (unsigned i = 0; i != k.results; ++i) {
    joint_result& one = results[i];
    fused_request const& r = one.request;
    one.placement = quiet ? quiet_placement(one.kernel, r)
                          : resolve(one.kernel.type, r.requested, r.change, r.at, r.from.name);
    one.placement.facts.id = results[0].placement.facts.id;  // they are one kernel
  }
  if (quiet) return true;
  if (results[0].placement.facts.decision.device.has_task()) return false;
  device const where = results[0].placement.facts.decision.device;
  if (!where.is_cpu() && this_machine().real) return false;
  for (unsigned i = 0; i != k.results; ++i)
    if (!(results[i].placement.facts.decision.device == where)) return false;
  for (unsigned i = 0; i != k.results; ++i)
    report(results[i].kernel, results[i].request, results[i].placement);
  return true;
}

/// Do two results have memory in common?
inline bool shares_memory(joint_result const& a, joint_result const& b) {
  buffer const* const x = a.out.elements.get();
  buffer const* const y = b.out.elements.get();
  return x != nullptr && y != nullptr && (x == y || x->overlaps(*y));
}
/// May a result be written over the elements of its tensor? All expressions give up their handles.
inline bool may_write_in_place(joint_kernel const& k, joint_result const* results, unsigned i) {
  joint_result const& r = results[i];
  for (unsigned j = 0; j != k.results; ++j)
    if (j != i && shares_memory(r, results[j])) return false;
  if (r.reads.found.named || !same_extents(r.out.shape, r.request.shape)) return false;
  return may_write_to(r.out.elements.get(), r.placement.facts.decision.device,
                      r.request.shape.count() * r.kernel.result_bytes, r.reads.found, true, true);
}

/// The operands of all expressions, one after another.
class joint_operands {
 public:
  joint_operands(joint_kernel const& k, joint_result* results)
      : joint_operands(k, results, size_of(k, results)) {}

  /// Brings the operands of all expressions to the device. Temporaries that several expressions
  /// read are computed once, and added to the known.
  void bring(joint_kernel const& k, joint_result* results, computed_values& known) {
    for_each_table(k, results, [&](unsigned i, operand_table& table, fused_operands& listed) {
      joint_result& r = results[i];
      table.operands = r.kernel.size.operands;
      table.levels = r.kernel.size.levels;
      operand_binder binder(*r.operands, table, listed, -1);
      if (k.compute[i] != nullptr) return k.compute[i](r.request.expression, binder, known);
      for (unsigned j = 0; j != r.kernel.size.operands; ++j)
        if (table.operand[j].bytes != 0) binder.bring(j);
    });
  }

  block_operand const* data() const { return operands_.data(); }
  unsigned count() const { return size_.operands; }
  table_level const* levels() const { return levels_.data(); }
  unsigned level_count() const { return size_.levels; }
  bool are_contiguous() const { return is_contiguous_; }
  /// Whether all operands are known before any of them is computed, and none is of tasks.
  bool are_of_no_task(joint_kernel const& k) const {
    for (unsigned i = 0; i != k.results; ++i)
      if (k.compute[i] != nullptr) return false;
    for (unsigned i = 0; i != size_.operands; ++i) {
      buffer const* const b =
          sources_.data()[i].data == nullptr ? sources_.data()[i].elements : nullptr;
      if (operands_.data()[i].bytes != 0 && b != nullptr && b->is_of_tasks()) return false;
    }
    return true;
  }

 private:
  joint_operands(joint_kernel const& k, joint_result* results, table_size const& size)
      : size_(size), operands_(size.operands), levels_(size.levels), sources_(size.operands) {
    for_each_table(k, results, [&](unsigned i, operand_table& table, fused_operands& listed) {
      results[i].kernel.list(results[i].request.expression, listed);
      is_contiguous_ = is_contiguous_ && table.is_contiguous;
    });
  }
  static table_size size_of(joint_kernel const& k, joint_result const* results) {
    table_size all{0, 0};
    for (unsigned i = 0; i != k.results; ++i) {
      all.operands += results[i].kernel.size.operands;
      all.levels += results[i].kernel.size.levels;
    }
    return all;
  }
  /// Calls f(i, table, listed) for the part of the table of each expression.
  template <class F> void for_each_table(joint_kernel const& k, joint_result* results, F const& f) {
    table_size at{0, 0};
    for (unsigned i = 0; i != k.results; ++i) {
      joint_result& r = results[i];
      operand_table table(operands_.data() + at.operands, levels_.data() + at.levels,
                          r.request.shape);
      fused_operands listed(table, sources_.data() + at.operands, results[0].reads,
                            r.kernel.type.root, r.placement.facts.at);
      f(i, table, listed);
      at.operands += r.kernel.size.operands;
      at.levels += r.kernel.size.levels;
    }
  }

  table_size size_;
  local_array<block_operand> operands_;
  local_array<table_level> levels_;
  local_array<operand_source> sources_;
  bool is_contiguous_ = true;
};

/// The work per element of all expressions.
inline std::size_t cost_of(joint_kernel const& k, joint_result const* results, bool contiguous) {
  std::size_t cost = 0;
  for (unsigned i = 0; i != k.results; ++i) {
    fused_kernel const& one = results[i].kernel;
    cost += one.cost_per_element + (contiguous ? 0 : one.cost_of_reshapes);
  }
  return cost;
}

/// Launches the kernel of all results.
inline void launch_joint(joint_kernel const& k, joint_result const* results,
                         joint_operands const& operands) {
  slot_memory expressions(k.launch, k.write, results);
  bool const shared = k.are_shared != nullptr && k.are_shared(expressions.get(), operands.data());
  block_result more[max_results];
  for (unsigned i = 1; i != k.results; ++i)
    more[i - 1] = {results[i].memory->data(), results[i].kernel.result_bytes};

  joint_result const& first = results[0];
  any_shape const& shape = first.request.shape;
  bool const contiguous = operands.are_contiguous();
  index_t strides[max_rank];
  launch_fused(first.placement.facts.decision.device, first.kernel.type.root, k.launch,
               {{shared ? k.run_shared : k.run, expressions.get(), operands.data(),
                 operands.count(), first.kernel.result_bytes, cost_of(k, results, contiguous),
                 first.memory->data(), block_form::any, nullptr, more, k.results - 1},
                {0, row_major_strides(shape, strides), shape.rank, nullptr, nullptr},
                shape,
                static_cast<index_t>(shape.count()),
                contiguous,
                operands.levels(),
                operands.level_count(),
                expressions.get(),
                0});
}

PLACEMENT_INLINE bool evaluate_joint(joint_kernel const& k, joint_result* results) {
  for (unsigned i = 1; i != k.results; ++i)
    if (!same_extents(results[i].request.shape, results[0].request.shape)) return false;
  if (k.share_producer != nullptr && !k.share_producer(results)) return false;
  if (!place_together(k, results)) return false;
  traced_call const traced(results[0].kernel.type.root, results[0].placement.facts.decision.device);
  for (unsigned i = 0; i != k.results; ++i) {
    joint_result& r = results[i];
    r.reads.b = r.out.elements.get();
    r.reads.element = r.kernel.result_bytes;
    r.reads.next = i + 1 != k.results ? &results[i + 1].reads : nullptr;
  }
  joint_operands operands(k, results);
  if (evaluator_of_tasks() != nullptr && !operands.are_of_no_task(k)) [[unlikely]]
    return false;
  computed_values known;
  for (unsigned i = 0; i != k.results; ++i) {
    joint_result& r = results[i];
    device const where = r.placement.facts.decision.device;
    r.memory.emplace(r.out.elements, r.out.shape, r.request.shape, r.kernel.result_bytes, where,
                     may_write_in_place(k, results, i), call_site_of_result(r.kernel, r.request));
    r.operands.emplace(r.slots, where, r.placement.how, r.placement.facts, &known.copies);
  }
  operands.bring(k, results, known);
  for (unsigned i = 0; i != k.results; ++i)
    log_kernel(results[i].kernel, results[i].request,
               {results[i].placement, *results[i].operands, nullptr, results[i].operands->where()});
  launch_joint(k, results, operands);
  for (unsigned i = 0; i != k.results; ++i) {
    joint_result& r = results[i];
    r.memory->keep(r.kernel.type.root, r.placement.facts.at);
    r.out.requested = r.request.requested.requested;
  }
  return true;
}

}}}  // namespace placement::v0_1::detail
