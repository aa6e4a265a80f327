#pragma once
/// The interface by which expressions are evaluated in a program of several tasks.

#include <placement/exec/operand_table.hpp>
#include <placement/memory/buffer_copy.hpp>
#include <placement/place/site.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

struct fused_kernel;
struct fused_request;
struct kernel_placement;
struct result_tensor;
struct view_assignment;

/// What evaluates expressions if the program has tasks.
class task_evaluator : public task_memory {
 public:
  /// As evaluate_fused().
  virtual void evaluate(fused_kernel const& k, fused_request const& r,
                        result_tensor const& out) = 0;
  /// Whether a message brings the elements of tasks to the kernel that is being evaluated.
  /// Throws: placement_error for elements that the kernel cannot read.
  virtual bool needs_message(buffer const& b) = 0;
  /// The bytes of elements of tasks for that kernel. Null if it runs elsewhere. `part`: as
  /// kernel_operands::bring_part(). Sends and receives what is needed.
  virtual buffer_ref bring(buffer const& b, byte_range& part) = 0;
  /// As write_view(), where the target or the value is of tasks.
  virtual void write(buffer_ref& elements, view_assignment const& a, site at) = 0;

 protected:
  ~task_evaluator() = default;
};

/// The evaluator of this process; null in a program without tasks.
inline task_evaluator* evaluator_of_tasks() noexcept {
  return static_cast<task_evaluator*>(tasks_of_process.load());
}

/// Evaluates a kernel whose placement is known, on a device of this process. `where`: the device,
/// which `p` may name with a task.
void evaluate_on(device where, fused_kernel const& whole, kernel_placement const& p,
                 fused_request const& r, result_tensor const& out);
/// Takes the same steps for a kernel of another task, except for its memory and its launch.
void evaluate_elsewhere(fused_kernel const& whole, kernel_placement const& p,
                        fused_request const& r);
/// The placement of a kernel, as evaluate_fused() resolves and reports it.
kernel_placement resolve_placement(fused_kernel const& k, fused_request const& r);

}}}  // namespace placement::v0_1::detail
