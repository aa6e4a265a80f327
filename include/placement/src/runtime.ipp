#pragma once
/// The definitions of devices, memory, placement, the log, plans of expressions and tasks. A file
/// of cmake/definitions compiles them.

#include <placement/src/device/configuration.ipp>
#include <placement/src/device/device.ipp>
#include <placement/src/device/device_spec.ipp>
#include <placement/src/device/environment.ipp>
#include <placement/src/device/fork.ipp>
#include <placement/src/device/name.ipp>
#include <placement/src/device/notices.ipp>
#include <placement/src/device/query.ipp>
#include <placement/src/device/registry.ipp>
#include <placement/src/device/synchronize.ipp>
#include <placement/src/device/task_table.ipp>
#include <placement/src/device/trace_events.ipp>
#include <placement/src/device/traced_work.ipp>
#include <placement/src/exec/fused_call.ipp>
#include <placement/src/exec/launch_on.ipp>
#include <placement/src/exec/operand_table.ipp>
#include <placement/src/expr/assign.ipp>
#include <placement/src/expr/bind.ipp>
#include <placement/src/expr/contiguous.ipp>
#include <placement/src/expr/contiguous_product.ipp>
#include <placement/src/expr/decide.ipp>
#include <placement/src/expr/destination.ipp>
#include <placement/src/expr/evaluate_elsewhere.ipp>
#include <placement/src/expr/fused_kernel.ipp>
#include <placement/src/expr/fused_operands.ipp>
#include <placement/src/expr/gradient_recorder.ipp>
#include <placement/src/expr/joint_kernel.ipp>
#include <placement/src/expr/kernel_in_evaluation.ipp>
#include <placement/src/expr/tensor.ipp>
#include <placement/src/gradient/broadcast_sum.ipp>
#include <placement/src/gradient/relocate.ipp>
#include <placement/src/gradient/tape_core.ipp>
#include <placement/src/gradient/tape_errors.ipp>
#include <placement/src/memory/blocks.ipp>
#include <placement/src/memory/buffer.ipp>
#include <placement/src/memory/memory_observer.ipp>
#include <placement/src/memory/recorder.ipp>
#include <placement/src/memory/small_blocks.ipp>
#include <placement/src/memory/transfer.ipp>
#include <placement/src/memory/wrong_free.ipp>
#include <placement/src/ops/set_seed.ipp>
#include <placement/src/place/label.ipp>
#include <placement/src/place/location.ipp>
#include <placement/src/place/log.ipp>
#include <placement/src/place/name_scope.ipp>
#include <placement/src/place/op_event.ipp>
#include <placement/src/place/rule.ipp>
#include <placement/src/place/scope_stack.ipp>
#include <placement/src/place/settings.ipp>
#include <placement/src/place/trace.ipp>
#include <placement/src/place/trace_notes.ipp>
#include <placement/src/place/trace_text.ipp>
#include <placement/src/shape/extents.ipp>

#if defined(PLACEMENT_EMIT_DEFINITIONS)  // else the headers of these ops include them
#  include <placement/src/parallel/collective_call.ipp>
#  include <placement/src/parallel/mirrored_strategy.ipp>
#  include <placement/src/parallel/rendezvous.ipp>
#  include <placement/src/parallel/tower_team.ipp>
#  include <placement/src/parallel/tower_threads.ipp>
#  include <placement/src/tasks/cluster.ipp>
#  include <placement/src/tasks/collectives.ipp>
#  include <placement/src/tasks/jobs.ipp>
#  include <placement/src/tasks/statement.ipp>
#  include <placement/src/tasks/sums.ipp>
#  include <placement/src/tasks/task_transfers.ipp>
#  include <placement/src/tasks/task_views.ipp>
#  include <placement/src/tasks/tasks.ipp>
#endif

#include <placement/cuda/definitions.cuh>  // empty unless a CUDA compiler reads it
