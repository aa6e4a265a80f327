#pragma once
/// A launch of an element-wise kernel, independent of its expression: immediately on the CPU, in
/// the device's queue on a GPU.

#include <placement/cpu/map_blocks.hpp>
#include <placement/exec/launch_on.hpp>
#include <placement/exec/operand_table.hpp>

#include <new>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

/// A kernel with its operands and its result, which are on one device. The result is written to the
/// positions of `where`; it is dense if `is_contiguous`.
struct map_call {
  block_call blocks;
  layout_level where;
  any_shape shape;
  index_t elements;
  bool is_contiguous;  ///< and so is each operand
  table_level const* level;
  unsigned levels;
};

/// The alignment of the memory for a kernel's ops and numbers: that of the widest register.
inline constexpr std::align_val_t slot_alignment{64};

/// How a queue handles the launches of a kernel.
struct map_launch_type {
  std::size_t expr_bytes;  ///< of the kernel's ops and numbers
  bool may_throw;
  launch_copier copy = nullptr;                   ///< nullptr: these are trivially copyable
  launcher (*own)() = nullptr;                    ///< this file's launcher, if it has one
  shared_word<launcher> const* others = nullptr;  ///< else that of another file
};

/// Computes n elements of contiguous operands on the CPU. `call` has the kinds of its operands,
/// `in` their addresses.
void run_long_contiguous_map(block_call const& call, block_input const* in, index_t n);
/// Computes the elements on the CPU.
void run_map(map_call const& call, par on);
/// Starts the kernel on a device. Throws: exceptions of the platform. On a simulated GPU also the
/// exceptions of the kernel, after all earlier work is done.
void launch_map(device where, std::string_view op, map_launch_type const& type,
                map_call const& call);

}}}  // namespace placement::v0_1::detail
