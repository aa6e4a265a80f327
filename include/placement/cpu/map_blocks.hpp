#pragma once
/// The driver of block kernels, which every expression shares and which is compiled once. It
/// partitions the result into blocks and distributes them among threads. It copies strided operands
/// to contiguous memory, and writes large results by non-temporal stores.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/parallel_for.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Computes some elements of contiguous operands.
void run_contiguous_chunk(block_call const& call, work_chunk const& chunk);
/// Whether a result may be written by non-temporal stores: it is in no cache as an operand.
bool is_streamable(block_call const& call, void const* result);
/// Computes n elements of contiguous operands.
void run_contiguous_blocks(block_call const& call, index_t n, par on);
/// The call with its operands, copied to `operands`, as contiguous ones.
block_call contiguous_call(block_call const& call, block_operand* operands);
/// Computes the elements of a shape, to the positions of a layout.
void run_strided_blocks(block_call const& call, layout_level const& where, any_shape const& shape,
                        par on);

/// Computes the elements of a shape to call.out, in row-major order.
void run_dense_blocks(block_call const& call, any_shape const& shape, par on);

}}}  // namespace placement::v0_1::detail
