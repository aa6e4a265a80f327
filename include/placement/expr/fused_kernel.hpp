#pragma once
/// The kernel of an expression as a constant, and its evaluation, which is compiled once: resolve
/// the device, list the operands, choose the destination, bring the operands, log, launch, keep the
/// result.

#include <placement/exec/fused_call.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/decide.hpp>
#include <placement/expr/fused_operands.hpp>
#include <placement/kernels/gemm_epilogue.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Extents that a kernel computes with, besides those of its result. shape: of the elements that
/// the block kernel computes.
struct kernel_extents {
  any_shape shape;
  std::size_t axis = 0;  ///< of a reduction
  index_t depth = 0;     ///< of a product
  index_t extent[max_rank];

  explicit kernel_extents(any_shape const& x) : shape(x) {}
  kernel_extents(kernel_extents const&) = delete;
  kernel_extents& operator=(kernel_extents const&) = delete;

  void set_shape(any_shape const& x) {
    for (std::size_t d = 0; d != x.rank; ++d) extent[d] = x.extent[d];
    shape = {x.rank, extent};
  }
};

/// Gives the operands of a kernel their addresses on its device.
class operand_binder {
 public:
  /// produced_slot: of the operand that the kernel's producer computes; -1 for none.
  operand_binder(kernel_operands& kept, operand_table& table, fused_operands const& listed,
                 int produced_slot)
      : kept_(kept), table_(table), listed_(listed), produced_slot_(produced_slot) {}

  site at() const { return kept_.at(); }
  bool is_produced(unsigned k) const { return static_cast<int>(k) == produced_slot_; }
  /// Brings operand k to the device, as listed.
  void bring(unsigned k) { bring_from(k, listed_.source(k)); }
  /// The same for operand x as it is now: kernels that ran before may have changed it.
  template <class X> void bring(unsigned k, X const& x) {
    bring_from(k, source_of(x, kept_.root(), at()));
  }
  /// Sets operand k to the elements of a temporary, and keeps them.
  void keep(unsigned k, buffer_ref temporary);

 private:
  void bring_from(unsigned k, operand_source const& from);

  kernel_operands& kept_;
  operand_table& table_;
  fused_operands const& listed_;
  int produced_slot_;
};

struct fused_kernel;
struct fused_request;

/// A custom op or a literal whose device and destination are chosen.
struct custom_call {
  void const* expression;
  void const* pin;  ///< for operands that are kernels of their own
  kernel_operands& operands;
  kernel_placement const& placement;
  void* out;
  fused_kernel const& kernel;
  fused_request const& request;
  epilogue_callback const* epilogue = nullptr;  ///< for the loops on the CPU; null for none

  /// Logs the ops, if a log or an observer is on. Call it when the operands are on the device.
  void log_ops() const;
};

/// The product, reduction or custom op whose epilogue an element-wise kernel is where both have one
/// shape.
struct producer_kernel {
  fused_kernel const& kernel;
  /// Its node in e; nullptr if the shapes differ, or if a custom op may go to another device.
  void const* (*find)(void const* e, decision const&);
  int slot;  ///< of its result among the operands of the epilogue
  epilogue_form form;
};

/// A fused kernel, a custom op or a literal, as a constant.
struct fused_kernel {
  kernel_type const& type;
  op_type_facts const& root;
  block_function run = nullptr;  ///< null for a product
  void (*list)(void const* e, fused_operands&);
  /// Writes ops and numbers, as fused_launch_type describes.
  void (*write)(void const* e, void* to);
  /// Computes operands that are kernels of their own, and brings all others; null without such.
  void (*compute)(void const* e, void const* pin, operand_binder&) = nullptr;
  void (*visit)(void const* e, kernel_facts const&, op_visitor) = nullptr;
  /// Of a reduction or product; null for element-wise kernels.
  void (*set_extents)(void const* e, kernel_extents&) = nullptr;
  table_size size;
  unsigned element_bytes;  ///< of what the block kernel computes
  unsigned result_bytes;   ///< of an element of the result
  std::size_t cost_per_element;
  std::size_t cost_of_reshapes;  ///< per element, unless all operands are contiguous
  block_form form;
  row_function run_rows = nullptr;
  bool logs;
  fused_launch_type launch;
  fused_kernel const* split = nullptr;  ///< of the split fusion group; null if it is never split
  producer_kernel const* producer = nullptr;  ///< null if this kernel is no epilogue
  /// Of a custom op or a literal: brings the operands and runs it; null for fused kernels, which
  /// have the members above.
  void (*run_custom)(custom_call const&) = nullptr;
};

/// The elements of a tensor that a result is written to without a temporary where that is safe.
struct result_view {
  buffer_ref& elements;  ///< of the whole tensor
  layout_level where;    ///< of the result in them
  bool is_written = false;
};
/// The tensor that receives a result, without its type. `shape`: its shape so far. host: memory for
/// a result on CPU:0, which the tensor then does not receive; null for none. view: the same, if the
/// kernel can write to it; the kernel says so in it.
struct result_tensor {
  buffer_ref& elements;
  device_spec& requested;
  any_shape shape;
  void* host = nullptr;
  result_view* view = nullptr;
};
/// An expression and how it is to be evaluated.
struct fused_request {
  void const* expression;
  origin const& from;
  any_shape shape;
  requested_device requested;
  settings_change change;
  void const* pin;
  copied_operands* copies;  ///< that all kernels of the evaluation read; null for none
  bool is_rvalue;           ///< the expression's handles end with it
  site at;                  ///< for expressions without a location of their own
};

/// Computes an expression into a tensor, except for the tensor's shape. Strong: when it throws, the
/// tensor is unchanged.
void evaluate_fused(fused_kernel const& k, fused_request const& request, result_tensor const& out);

}}}  // namespace placement::v0_1::detail
