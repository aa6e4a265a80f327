#pragma once
/// Definitions: the driver of block kernels whose operands have any layout.

#include <placement/config.hpp>
#include <placement/cpu/block_partition.hpp>
#include <placement/cpu/block_runner.hpp>
#include <placement/cpu/map_blocks.hpp>
#include <placement/cpu/ordered_call.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/small_results.hpp>
#include <placement/cpu/stream.hpp>
#include <placement/shape/extents.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void block_call::compute_all(void* to, block_input const* in, index_t n) const {
  index_t const first = (static_cast<unsigned char*>(to) - static_cast<unsigned char*>(out)) /
                        static_cast<index_t>(result_bytes);
  void* all[max_results];
  all[0] = to;
  for (unsigned k = 0; k != more_results; ++k)
    all[k + 1] = static_cast<unsigned char*>(more[k].data) + first * more[k].bytes;
  run(expr, static_cast<void*>(all), in, n);
}

PLACEMENT_INLINE layout_level const* without_reshapes(layout_level const* outer) {
  while (outer->outer != nullptr && outer->base == 0 &&
         is_row_major(*outer, {outer->rank, outer->extent}))
    outer = outer->outer;
  return outer;
}

/// The same call in the shape that an operand has below its reshape. There a transposed operand is
/// copied by tiles, and an operand alone as a box. Below the reshape every other operand has its
/// elements in row-major order, or the same shape.
class call_below_reshape {
 public:
  call_below_reshape(block_call const& call, layout_level const& where, any_shape const& shape)
      : call_(call), shape_(shape), operands_(call.operands), levels_(call.operands) {
    for (unsigned k = 0; below_ == nullptr && k != call.operands; ++k)
      if (call.is_operand() ? is_reshaped(call.operand[k]) : is_transposed(call.operand[k]))
        below_ = call.operand[k].level;
    if (below_ == nullptr || !is_row_major(where, shape)) return;
    exists_ = true;
    row_major_strides({below_->rank, below_->extent}, stride_);
    for (unsigned k = 0; exists_ && k != call.operands; ++k) exists_ = move(k, call.operand[k]);
    where_ = row_major(where.base);
    call_.operand = operands_.data();
  }
  bool exists() const { return exists_; }
  block_call const& call() const { return call_; }
  layout_level const& where() const { return where_; }
  any_shape shape() const { return {below_->rank, below_->extent}; }

 private:
  layout_level row_major(index_t base) const {
    return {base, stride_, below_->rank, nullptr, nullptr};
  }
  /// Does one layout below give the elements of the whole shape in order?
  bool is_reshaped(block_operand const& o) const {
    return !o.is_single && o.level->outer != nullptr && o.level->outer->outer == nullptr &&
           o.level->outer->base == 0 && is_row_major(*o.level->outer, shape_) &&
           count({o.level->rank, o.level->extent}) == count(shape_);
  }
  bool is_transposed(block_operand const& o) const {
    if (!is_reshaped(o)) return false;
    std::size_t d = o.level->rank;
    while (d != 0 && o.level->extent[d - 1] == 1) --d;
    return d > 1 && o.level->stride[d - 1] > 1 && o.level->stride[d - 2] == 1;
  }
  bool move(unsigned k, block_operand const& o) {
    operands_[k] = o;
    if (o.is_single) return true;
    operands_[k].level = &levels_[k];
    if (o.level->outer == nullptr) {
      levels_[k] = row_major(o.level->base);
      return is_row_major(*o.level, shape_);
    }
    if (!is_reshaped(o) || o.level->rank != below_->rank) return false;
    for (std::size_t d = 0; d != below_->rank; ++d)
      if (o.level->extent[d] != below_->extent[d]) return false;
    levels_[k] = {o.level->base, o.level->stride, below_->rank, nullptr, nullptr};
    return true;
  }
  static index_t count(any_shape const& shape) {
    index_t n = 1;
    for (std::size_t d = 0; d != shape.rank; ++d) n *= shape.extent[d];
    return n;
  }

  block_call call_;
  any_shape const& shape_;
  local_array<block_operand> operands_;
  local_array<layout_level> levels_;
  layout_level const* below_ = nullptr;
  layout_level where_{};
  index_t stride_[max_rank]{};
  bool exists_ = false;
};

/// Whether a large result is written by non-temporal stores.
inline bool is_streamed(block_call const& call, layout_level const& where, any_shape const& shape,
                        std::size_t elements) {
  std::size_t const bytes = elements * call.result_bytes;
  return bytes >= min_streamed_bytes && call.more_results == 0 && is_row_major(where, shape) &&
         is_streamable(call, call.out) && is_beyond_caches(2 * bytes);
}

PLACEMENT_INLINE void run_strided_blocks(block_call const& call, layout_level const& where,
                                         any_shape const& shape, par on) {
  std::size_t elements = 1;
  for (std::size_t d = 0; d != shape.rank; ++d)
    elements *= static_cast<std::size_t>(shape.extent[d]);
  if (elements == 0) return;
  if (!is_in_order(where, shape))
    if (ordered_call const ordered(call, where, shape); ordered.exists())
      return run_strided_blocks(ordered.call(), ordered.where(), ordered.shape(), on);
  if (elements <= small_result::max_elements && small_result(call, shape, elements).run(where))
    return;
  if (copy_operand(call, where, shape, elements, on)) return;
  if (small_rows(call, shape).run(where, elements)) return;
  if (call_below_reshape const below(call, where, shape); below.exists())
    return run_strided_blocks(below.call(), below.where(), below.shape(), on);
  bool const streamed = is_streamed(call, where, shape, elements);
  block_call blocks = call;
  if (streamed) blocks.run_rows = nullptr;
  block_partition const partition(blocks, where, shape);
  bool const has_copies =
      partition.staged_bytes != 0 || partition.copies_to_result || partition.writes_elements;
  std::size_t const copies = has_copies ? 8 : 1;  // an element at a time
  constexpr index_t elements_of_chunk = 4096;
  index_t const of_block = partition.block_rows * partition.block_columns;
  index_t const grain =
      of_block < elements_of_chunk && partition.count() > 1 ? elements_of_chunk / of_block : 1;
  on.parallel_for({partition.count(), grain, elements * call.cost_per_element * copies, 0, false},
                  [&](work_chunk const& chunk) {
                    block_runner runner(blocks, partition, streamed);
                    result_block block = partition.at(chunk.begin);
                    for (index_t i = chunk.begin; i != chunk.end; ++i, partition.next(block))
                      runner.run(block);
                    if (streamed) finish_streams();
                  });
}

PLACEMENT_INLINE block_call contiguous_call(block_call const& call, block_operand* operands) {
  for (unsigned k = 0; k != call.operands; ++k) {
    operands[k] = call.operand[k];
    operands[k].level = nullptr;
  }
  block_call all = call;
  all.operand = operands;
  return all;
}
PLACEMENT_INLINE void run_dense_blocks(block_call const& call, any_shape const& shape, par on) {
  index_t stride[max_rank];
  run_strided_blocks(call, {0, row_major_strides(shape, stride), shape.rank, nullptr, nullptr},
                     shape, on);
}

}}}  // namespace placement::v0_1::detail
