#pragma once
/// A launch of a fused kernel, independent of its expression: immediately on the CPU, in the
/// device's queue on a GPU.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/block_epilogue.hpp>
#include <placement/exec/launch_on.hpp>
#include <placement/exec/operand_table.hpp>

#include <new>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

struct fused_launch_type;
struct fused_call;

/// The product or reduction whose result an element-wise kernel reads and overwrites, as its
/// epilogue.
struct fused_producer {
  fused_launch_type const* type;
  fused_call const* call;
  recognized_epilogue recognized;  ///< the epilogue, for a library of products
};

/// A kernel with its operands and its result, which are on one device. An element-wise kernel
/// writes the elements of a shape to the positions of `where`, and a reduction reads them. A
/// product has two operands, with layouts of the rank of its shape.
struct fused_call {
  block_call blocks;
  layout_level where;
  any_shape shape;
  index_t elements;    ///< that the block kernel computes, or multiplications of a product
  bool is_contiguous;  ///< each operand
  table_level const* level;
  unsigned levels;
  void const* op;     ///< the reduction of the elements; unused by other kernels
  std::size_t axis;   ///< of the reduction, unless it is over all elements
  index_t depth = 0;  ///< of the product
  fused_producer const* producer = nullptr;  ///< nullptr: this kernel is no epilogue
};
/// Computes a reduction or a product on the CPU, in dense memory. epilogue: nullptr for none.
using producer_function = void (*)(fused_call const&, block_epilogue const* epilogue, par);

/// The alignment of the memory for a kernel's ops and numbers: that of the widest register.
inline constexpr std::align_val_t slot_alignment{64};

/// How a queue handles the launches of a kernel. The kernel's ops and numbers are one block of
/// memory: the op of a reduction, then the expression of the block kernel.
struct fused_launch_type {
  std::size_t bytes;
  std::size_t expr_at;  ///< bytes before the expression
  bool may_throw;
  producer_function produce = nullptr;            ///< nullptr: an element-wise kernel
  launch_copier copy = nullptr;                   ///< nullptr: these are trivially copyable
  launcher (*own)() = nullptr;                    ///< this file's launcher, if it has one
  shared_word<launcher> const* others = nullptr;  ///< else that of another file
};

/// The call with the operands at `in`, which it writes to `operands`.
block_call call_of_inputs(block_call const& call, block_input const* in, block_operand* operands);
/// Computes n elements of contiguous operands on the CPU. `call` has the kinds of its operands,
/// `in` their addresses.
void run_long_contiguous(block_call const& call, block_input const* in, index_t n);
/// Computes the result on the CPU.
void run_fused(fused_launch_type const& type, fused_call const& call, par on);
/// Starts the kernel on a device. Throws: exceptions of the platform. On a simulated GPU also the
/// exceptions of the kernel, after all earlier work is done.
void launch_fused(device where, std::string_view op, fused_launch_type const& type,
                  fused_call const& call);

}}}  // namespace placement::v0_1::detail
