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
      : call_(call), all_(partition), inputs_(call.operands + 1), staged_(call.operands + 1) {
    index_t const bytes = all_.staged_bytes * all_.staged_length;
    if (bytes > block_partition::max_local_bytes)
      heap_ = std::make_unique<unsigned char[]>(static_cast<std::size_t>(bytes));
    unsigned char* next = heap_ ? heap_.get() : local_;
    for (unsigned k = 0; k <= call.operands; ++k) {
      staged_[k] = {next, 0, 0, 0, 0};
      if (all_.walk[k].how != staging::in_place)
        next += all_.staged_length * static_cast<index_t>(all_.walk[k].bytes);
    }
  }

  void run(result_block const& b) {
    staged_operand* const staged = staged_.data();
    operand_walk const* const walk = all_.walk.data();
    for (unsigned k = 0; k <= all_.operands; ++k) {
      staged[k].position = all_.start_of(walk[k], b);
      if (walk[k].how == staging::transposed) transpose(walk[k], staged[k], b);
    }
    index_t const together = all_.joins_rows ? b.rows : 1;
    for (index_t r = 0; r != b.rows; r += together) {
      run_rows(r, together, b.columns);
      for (unsigned k = 0; k <= all_.operands; ++k) staged[k].position += walk[k].pitch;
    }
  }

 private:
  /// position: of the next row in the walk. The memory holds rows x columns elements from position
  /// `source` on; none at first.
  struct staged_operand {
    unsigned char* memory;
    index_t position;
    index_t source, rows, columns;
  };

  /// Rows of a block from its row r on, as one call of the kernel.
  void run_rows(index_t r, index_t rows, index_t columns) {
    operand_walk const* const walk = all_.walk.data();
    staged_operand* const staged = staged_.data();
    block_input* const in = inputs_.data();
    for (unsigned k = 0; k != all_.operands; ++k) {
      operand_walk const& w = walk[k];
      if (w.how == staging::in_place) [[likely]]
        in[k] = {w.is_generator ? nullptr : w.data + staged[k].position, staged[k].position};
      else if (w.how == staging::transposed)
        in[k].data = staged[k].memory + r * all_.block_columns * static_cast<index_t>(w.bytes);
      else in[k].data = stage(w, staged[k], rows, columns);
    }
    operand_walk const& to = walk[all_.operands];
    unsigned char* const out = to.data + staged[all_.operands].position;
    if (to.how == staging::in_place) [[likely]] {
      call_.run(call_.expr, out, in, rows * columns);
    } else {
      unsigned char* const some = staged[all_.operands].memory;
      auto const bytes = static_cast<index_t>(to.bytes);
      call_.run(call_.expr, some, in, rows * columns);
      copy_elements({out, to.pitch, to.step}, {some, bytes * columns, bytes}, rows, columns,
                    to.bytes);
    }
  }

  /// Rows x columns elements from the operand's position on, contiguously.
  [[gnu::noinline]] static unsigned char const* stage(operand_walk const& w, staged_operand& to,
                                                      index_t rows, index_t columns) {
    if (to.source == to.position && to.rows >= rows && to.columns >= columns) return to.memory;
    to.source = to.position;
    to.rows = rows;
    to.columns = columns;
    auto const bytes = static_cast<index_t>(w.bytes);
    switch (w.how) {
      case staging::repeated:
        for (index_t r = 0; r != rows; ++r)
          repeat_element(to.memory + r * columns * bytes, w.data + to.position + r * w.pitch,
                         columns, w.bytes);
        break;
      case staging::numbered: number_elements(w, to, rows, columns); break;
      case staging::reshaped: {
        auto const* const from = w.data;
        for_each_number(w, to.position, rows, columns, [&](index_t i, index_t number) {
          repeat_element(to.memory + i * bytes, from + number * bytes, 1, w.bytes);
        });
        break;
      }
      default:
        copy_elements({to.memory, columns * bytes, bytes}, {w.data + to.position, w.pitch, w.step},
                      rows, columns, w.bytes);
    }
    return to.memory;
  }
  static void number_elements(operand_walk const& w, staged_operand const& to, index_t rows,
                              index_t columns) {
    constexpr index_t word = sizeof(index_t);
    for_each_number(w, to.position, rows, columns,
                    [&](index_t i, index_t number) { store_word(to.memory + i * word, number); });
  }
  /// Calls f(i, number) for each of rows x columns elements from a position on.
  template <class F>
  static void for_each_number(operand_walk const& w, index_t at, index_t rows, index_t columns,
                              F const& f) {
    for (index_t r = 0, i = 0; r != rows; ++r)
      for (index_t j = 0; j != columns; ++j, ++i) {
        index_t const number = at + r * w.pitch + j * w.step;
        f(i, w.level == nullptr ? number : position_of(*w.level, number));
      }
  }
  void transpose(operand_walk const& w, staged_operand const& to, result_block const& b) const {
    transpose_elements(to.memory, all_.block_columns * static_cast<index_t>(w.bytes),
                       w.data + to.position, w.step, b.rows, b.columns, w.bytes);
  }

  block_call const& call_;
  block_partition const& all_;
  local_array<block_input> inputs_;
  local_array<staged_operand> staged_;  ///< of the operands, then of the result
  std::unique_ptr<unsigned char[]> heap_;
  alignas(64) unsigned char local_[static_cast<std::size_t>(block_partition::max_local_bytes)];
};

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
  void gather(unsigned char* to, unsigned char const* from, block_operand const& o) const {
    with_word(o.bytes, [&]<class W>(W) {
      constexpr index_t word = sizeof(W);
      index_t c[max_rank]{};
      index_t position = o.level->base;
      for (std::size_t i = 0; i != elements_; ++i, to += word) {
        store_word(to, load_word<W>(from + position * word));
        for (std::size_t d = shape_.rank; d-- > 0;) {
          position += o.level->stride[d];
          if (++c[d] != shape_.extent[d]) break;
          position -= o.level->stride[d] * shape_.extent[d];
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

template <class Once>
void run_strided_blocks(block_call const& call, layout_level const& where, any_shape const& shape,
                        par on) {
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

}}}  // namespace placement::v0_1::detail
