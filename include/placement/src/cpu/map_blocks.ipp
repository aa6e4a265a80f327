#pragma once
/// Definitions: the driver of block kernels.

#include <placement/config.hpp>
#include <placement/cpu/block_partition.hpp>
#include <placement/cpu/block_runner.hpp>
#include <placement/cpu/map_blocks.hpp>
#include <placement/src/cpu/parallel_for.ipp>
#include <placement/src/shape/extents.ipp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- contiguous operands

/// Elements [chunk.begin, chunk.end) of a result whose operands are contiguous.
class contiguous_blocks {
 public:
  contiguous_blocks(block_call const& call, work_chunk const& chunk)
      : call_(call), chunk_(chunk), in_(call.operands) {}

  void run() {
    start(chunk_.begin);
    call_.run(call_.expr, result(chunk_.begin), in_.data(), chunk_.end - chunk_.begin);
  }
  /// By non-temporal stores.
  void stream() {
    constexpr index_t length = 512;
    alignas(64) unsigned char some[static_cast<std::size_t>(length) * sizeof(double)];
    for (index_t i = chunk_.begin; i < chunk_.end; i += length) {
      index_t const n = chunk_.end - i < length ? chunk_.end - i : length;
      start(i);
      call_.run(call_.expr, some, in_.data(), n);
      stream_to(result(i), some, static_cast<std::size_t>(n) * call_.result_bytes);
    }
  }

 private:
  void start(index_t i) {
    for (unsigned k = 0; k != call_.operands; ++k) {
      block_operand const& o = call_.operand[k];
      if (o.bytes == 0) in_[k].first = i;
      else if (o.is_single) in_[k].data = o.data;
      else in_[k].data = static_cast<unsigned char const*>(o.data) + i * o.bytes;
    }
  }
  void* result(index_t i) const {
    return static_cast<unsigned char*>(call_.out) + i * call_.result_bytes;
  }

  block_call const& call_;
  work_chunk const& chunk_;
  local_array<block_input> in_;
};

PLACEMENT_INLINE void run_contiguous_chunk(block_call const& call, work_chunk const& chunk) {
  contiguous_blocks blocks(call, chunk);
  if (chunk.streamed) blocks.stream();
  else blocks.run();
}

PLACEMENT_INLINE void run_contiguous_blocks(block_call const& call, index_t n, par on) {
  auto const count = static_cast<std::size_t>(n);
  std::size_t bytes = call.result_bytes;
  bool may_stream = reinterpret_cast<std::uintptr_t>(call.out) % 64 == 0;
  for (unsigned k = 0; k != call.operands; ++k) {
    if (call.operand[k].is_single) continue;
    bytes += call.operand[k].bytes;
    may_stream = may_stream && call.operand[k].data != call.out;
  }
  on.parallel_for({n, block_length, count * call.cost_per_element, count * bytes, may_stream},
                  [&](work_chunk const& chunk) { run_contiguous_chunk(call, chunk); });
}

// ---- operands of any layout

/// A result of at most max_elements elements, computed without a partition: each strided operand is
/// gathered once.
class small_result {
 public:
  static constexpr std::size_t max_elements = 64;

  small_result(block_call const& call, any_shape const& shape, std::size_t elements)
      : call_(call), shape_(shape), elements_(elements) {}

  /// False, and no effect, for a case that blocks are needed for.
  bool run(layout_level const& where) {
    if (call_.operands > max_operands || !is_dense(where)) return false;
    for (unsigned k = 0; k != call_.operands; ++k)
      if (!prepare(k, call_.operand[k])) return false;
    call_.run(call_.expr, static_cast<unsigned char*>(call_.out) + where.base * call_.result_bytes,
              in_, static_cast<index_t>(elements_));
    return true;
  }

 private:
  static constexpr unsigned max_operands = 8;

  bool is_dense(layout_level const& l) const {
    index_t stride = 1;
    for (std::size_t d = shape_.rank; d-- > 0;) {
      if (shape_.extent[d] != 1 && l.stride[d] != stride) return false;
      stride *= shape_.extent[d];
    }
    return true;
  }
  bool prepare(unsigned k, block_operand const& o) {
    if (o.is_single) {
      in_[k] = {o.data, 0};
      return true;
    }
    if (o.level->outer != nullptr) return false;
    auto const* const data = static_cast<unsigned char const*>(o.data);
    index_t const base = o.level->base;
    if (is_dense(*o.level)) {
      in_[k] = {o.bytes == 0 ? nullptr : data + base * o.bytes, base};
      return true;
    }
    if (o.bytes == 0) return false;
    gather(memory_[k], data, o);
    in_[k] = {memory_[k], 0};
    return true;
  }
  /// Copies an operand row by row. The shape has a last dimension, as the operand is not dense.
  void gather(unsigned char* to, unsigned char const* from, block_operand const& o) const {
    std::size_t const last = shape_.rank - 1;
    index_t const columns = shape_.extent[last], step = o.level->stride[last];
    with_word(o.bytes, [&]<class W>(W) {
      constexpr index_t word = sizeof(W);
      unsigned char* const end = to + static_cast<index_t>(elements_) * word;
      index_t c[max_rank]{};
      unsigned char const* row = from + o.level->base * word;
      while (to != end) {
        for (index_t j = 0; j != columns; ++j, to += word)
          store_word(to, load_word<W>(row + j * step * word));
        for (std::size_t d = last; d-- > 0;) {
          row += o.level->stride[d] * word;
          if (++c[d] != shape_.extent[d]) break;
          row -= o.level->stride[d] * shape_.extent[d] * word;
          c[d] = 0;
        }
      }
    });
  }

  block_call const& call_;
  any_shape const& shape_;
  std::size_t elements_;
  block_input in_[max_operands];
  alignas(64) unsigned char memory_[max_operands][max_elements * sizeof(double)];
};

PLACEMENT_INLINE void run_strided_blocks(block_call const& call, layout_level const& where,
                                         any_shape const& shape, par on) {
  std::size_t elements = 1;
  for (std::size_t d = 0; d != shape.rank; ++d)
    elements *= static_cast<std::size_t>(shape.extent[d]);
  if (elements == 0) return;
  if (elements <= small_result::max_elements && small_result(call, shape, elements).run(where))
    return;
  block_partition const partition(call, where, shape);
  std::size_t const copies = partition.staged_bytes == 0 ? 1 : 8;  // an element at a time
  constexpr index_t elements_of_chunk = 4096;
  index_t const of_block = partition.block_rows * partition.block_columns;
  index_t const grain =
      of_block < elements_of_chunk && partition.count() > 1 ? elements_of_chunk / of_block : 1;
  on.parallel_for({partition.count(), grain, elements * call.cost_per_element * copies, 0, false},
                  [&](work_chunk const& chunk) {
                    block_runner runner(call, partition);
                    result_block block = partition.at(chunk.begin);
                    for (index_t i = chunk.begin; i != chunk.end; ++i, partition.next(block))
                      runner.run(block);
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
