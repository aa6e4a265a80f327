#pragma once
/// Bodies: the driver of block kernels.

#include <placement/cpu/block_partition.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/cpu/map_blocks.hpp>
#include <placement/cpu/parallel_for_bodies.hpp>
#include <placement/cpu/strided_copy.hpp>

#include <cstdint>
#include <memory>

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

template <class Once> void run_contiguous_chunk(block_call const& call, work_chunk const& chunk) {
  contiguous_blocks blocks(call, chunk);
  if (chunk.streamed) blocks.stream();
  else blocks.run();
}

template <class Once> void run_contiguous_blocks(block_call const& call, index_t n, par on) {
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

/// Runs blocks one after another, with the memory that operands are copied to.
class block_runner {
 public:
  block_runner(block_call const& call, block_partition const& partition)
      : call_(call), all_(partition), in_(call.operands), staged_(call.operands + 1) {
    index_t const bytes = all_.staged_bytes * all_.staged_length;
    if (bytes > block_partition::max_local_bytes)
      heap_ = std::make_unique<unsigned char[]>(static_cast<std::size_t>(bytes));
    unsigned char* next = heap_ ? heap_.get() : local_;
    for (unsigned k = 0; k <= call.operands; ++k) {
      staged_[k] = {next, nullptr, 0, 0};
      if (all_.walk[k].how != staging::in_place)
        next += all_.staged_length * static_cast<index_t>(all_.walk[k].bytes);
    }
  }

  void run(block_partition::block const& b) {
    for (unsigned k = 0; k != all_.operands; ++k)
      if (all_.walk[k].how == staging::transposed) transpose(k, b);
    index_t const together = all_.joins_rows ? b.rows : 1;
    for (index_t r = 0; r != b.rows; r += together) run_rows(b, r, together);
  }

 private:
  /// What the memory of an operand holds: a copy of what begins at `source`.
  struct staged_operand {
    unsigned char* memory;
    unsigned char const* source;
    index_t rows, columns;
  };

  /// Rows of block b from its row r on, as one call of the kernel.
  void run_rows(block_partition::block const& b, index_t r, index_t rows) {
    for (unsigned k = 0; k != all_.operands; ++k) {
      operand_walk const& w = all_.walk[k];
      index_t const at = all_.start_of(w, b) + r * w.pitch;
      if (w.bytes == 0)
        in_[k] = {nullptr, w.level == nullptr ? at : position_of(*w.level, at), w.step};
      else if (w.how == staging::in_place) in_[k].data = w.data + at;
      else if (w.how == staging::transposed)
        in_[k].data = staged_[k].memory + r * all_.block_columns * static_cast<index_t>(w.bytes);
      else in_[k].data = stage(k, at, rows, b.columns);
    }
    operand_walk const& to = all_.result();
    unsigned char* const out = to.data + all_.start_of(to, b) + r * to.pitch;
    if (to.how == staging::in_place) {
      call_.run(call_.expr, out, in_.data(), rows * b.columns);
    } else {
      unsigned char* const some = staged_[all_.operands].memory;
      auto const bytes = static_cast<index_t>(to.bytes);
      call_.run(call_.expr, some, in_.data(), rows * b.columns);
      copy_elements({out, to.pitch, to.step}, {some, bytes * b.columns, bytes}, rows, b.columns,
                    to.bytes);
    }
  }

  /// Rows x columns elements side by side, from position `at` on.
  unsigned char const* stage(unsigned k, index_t at, index_t rows, index_t columns) {
    operand_walk const& w = all_.walk[k];
    staged_operand& to = staged_[k];
    auto const bytes = static_cast<index_t>(w.bytes);
    if (w.how == staging::reshaped) {
      for (index_t r = 0; r != rows; ++r)
        for (index_t j = 0; j != columns; ++j)
          repeat_element(to.memory + (r * columns + j) * bytes,
                         w.data + position_of(*w.level, at + r * w.pitch + j * w.step) * bytes, 1,
                         w.bytes);
      return to.memory;
    }
    unsigned char const* const from = w.data + at;
    if (to.source == from && to.rows >= rows && to.columns >= columns) return to.memory;
    if (w.how == staging::repeated) repeat_element(to.memory, from, columns, w.bytes);
    else
      copy_elements({to.memory, columns * bytes, bytes}, {from, w.pitch, w.step}, rows, columns,
                    w.bytes);
    to = {to.memory, from, rows, columns};
    return to.memory;
  }
  void transpose(unsigned k, block_partition::block const& b) {
    operand_walk const& w = all_.walk[k];
    transpose_elements(staged_[k].memory, all_.block_columns * static_cast<index_t>(w.bytes),
                       w.data + all_.start_of(w, b), w.step, b.rows, b.columns, w.bytes);
  }

  block_call const& call_;
  block_partition const& all_;
  local_array<block_input> in_;
  local_array<staged_operand> staged_;  ///< of the operands, then of the result
  std::unique_ptr<unsigned char[]> heap_;
  alignas(64) unsigned char local_[static_cast<std::size_t>(block_partition::max_local_bytes)];
};

template <class Once>
void run_strided_blocks(block_call const& call, layout_level const& where, any_shape const& shape,
                        par on) {
  std::size_t elements = 1;
  for (std::size_t d = 0; d != shape.rank; ++d)
    elements *= static_cast<std::size_t>(shape.extent[d]);
  if (elements == 0) return;
  block_partition const partition(call, where, shape);
  index_t const of_block = partition.block_rows * partition.block_columns;
  std::size_t const copies = partition.staged_bytes == 0 ? 1 : 8;  // an element at a time
  on.parallel_for({partition.count(), of_block < 4096 ? 4096 / of_block : 1,
                   elements * call.cost_per_element * copies, 0, false},
                  [&](work_chunk const& chunk) {
                    block_runner runner(call, partition);
                    for (index_t unit = chunk.begin; unit != chunk.end; ++unit)
                      runner.run(partition.at(unit));
                  });
}

}}}  // namespace placement::v0_1::detail
