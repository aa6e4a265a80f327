#pragma once
/// Several element-wise expressions of one shape as one kernel of the CPU: its constant, and its
/// evaluation, which is compiled once.

#include <placement/expr/destination.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/expr/same_value.hpp>

#include <optional>

namespace placement { inline namespace v0_1 { namespace detail {

/// One of several results: its kernel and its request, then what the steps of the evaluation give.
struct joint_result {
  joint_result(fused_kernel const& k, fused_request const& r, result_tensor const& to)
      : kernel(k), request(r), out(to) {}

  fused_kernel const& kernel;
  fused_request request;
  result_tensor out;

  kernel_placement placement{};
  read_collector reads{};  ///< of the elements of `out`, by all expressions
  std::optional<result_memory> memory{};
  operand_slots<8> slots;
  std::optional<kernel_operands> operands{};
};

/// A kernel of several results, as a constant.
struct joint_kernel {
  using compute_function = void (*)(void const* e, operand_binder&, computed_values& known);

  unsigned results;
  block_function run;
  block_function run_shared;  ///< computes common expressions once; null if there are none
  bool (*are_shared)(void const* expressions, block_operand const*);
  bool (*share_producer)(joint_result const*);  ///< null if no expression has one
  void (*write)(void const* results, void* to);
  compute_function const* compute;  ///< for each expression, or null, as in fused_kernel
  fused_launch_type launch;
};

/// Computes all results in one pass, except for the shapes of the tensors. Strong: when it throws,
/// the tensors are unchanged. False, and no effect, for different shapes, devices or producers.
bool evaluate_joint(joint_kernel const& k, joint_result* results);

}}}  // namespace placement::v0_1::detail
