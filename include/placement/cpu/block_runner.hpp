#pragma once
/// Runs a block kernel on blocks of a result, with the memory that operands are copied to.

#include <placement/cpu/number_runs.hpp>
#include <placement/cpu/strided_copy.hpp>
#include <placement/cpu/transpose_elements.hpp>

#include <cstdint>
#include <memory>

namespace placement { inline namespace v0_1 { namespace detail {

/// Runs blocks one after another.
class block_runner {
 public:
  /// streamed: results that are contiguous are written by non-temporal stores.
  block_runner(block_call const& call, operand_walks const& walks, bool streamed = false)
      : call_(call),
        all_(walks),
        streamed_(streamed),
        inputs_(walks.operands),
        staged_(walks.walk_count) {
    index_t const bytes = all_.staged_bytes * all_.staged_length;
    if (bytes > operand_walks::max_local_bytes)
      heap_ = std::make_unique<unsigned char[]>(static_cast<std::size_t>(bytes));
    unsigned char* next = heap_ ? heap_.get() : local_;
    for (unsigned k = 0; k != walks.walk_count; ++k) {
      staged_[k] = {next, 0, 0, 0, 0};
      if (all_.staged_bytes != 0 && all_.is_copied(k))
        next += all_.staged_length * static_cast<index_t>(all_.walk[k].bytes);
    }
    if (call_.is_operand()) {
      staging const how = all_.walk[0].how;
      copies_only_ = how != staging::in_place && how != staging::transposed;
      writes_copies_ = all_.copies_to_result && copies_only_;
      writes_transposed_ = all_.copies_to_result && how == staging::transposed;
      writes_rows_ = all_.writes_elements || (all_.has_result() && how == staging::in_place &&
                                              all_.walk[all_.operands].how == staging::in_place);
    }
  }

  /// Writes a block at its positions in the result's layout.
  void run(result_block const& b) {
    if (all_.runs_rows) return run_rows(b);
    for_each_run(b, [&](index_t) { return static_cast<unsigned char*>(nullptr); });
  }
  /// Writes a block contiguously, row by row.
  void run(result_block const& b, unsigned char* to) {
    index_t const row_bytes = b.columns * static_cast<index_t>(call_.result_bytes);
    for_each_run(b, [=](index_t row) { return to + row * row_bytes; });
  }

 private:
  /// position: of the next row in the walk. The memory holds rows x columns elements from position
  /// `source` on; none at first.
  struct staged_operand {
    unsigned char* memory;
    index_t position;
    index_t source, rows, columns;
  };

  /// Calls the kernel for all rows of the block together, or for each. to(r): where row r begins;
  /// null in a layout.
  template <class To>
  PLACEMENT_ALWAYS_INLINE inline void for_each_run(result_block const& b, To to) {
    staged_operand* const staged = staged_.data();
    operand_walk const* const walk = all_.walk.data();
    if (writes_transposed_) return write_transposed(b);
    if (writes_rows_ && (b.rows > 1 || all_.writes_elements)) return write_rows(b);
    for (unsigned k = 0; k != all_.walk_count; ++k) {
      staged[k].position = all_.start_of(walk[k], b);
      if (walk[k].how == staging::transposed && walk[k].same_as == k)
        transpose(walk[k], staged[k], b);
    }
    index_t const together = all_.joins_rows ? b.rows : 1;
    for (index_t r = 0; r != b.rows; r += together) {
      unsigned char* const row = to(r);
      if (row != nullptr && copies_only_) {
        copy_operand(row, together, b.columns);
      } else if (writes_copies_) {
        copy_operand(walk[all_.operands].data + staged[all_.operands].position, together,
                     b.columns);
      } else {
        bring_operands(r, together, b.columns);
        if (row == nullptr) run_in_layout(together, b.columns);
        else call_.compute(row, inputs_.data(), together * b.columns);
      }
      for (unsigned k = 0; k != all_.walk_count; ++k) staged[k].position += walk[k].pitch;
    }
  }

  /// All rows by the loop over rows.
  void run_rows(result_block const& b) const {
    operand_walk const &x = all_.walk[0], &y = all_.walk[1], &to = all_.walk[2];
    call_.run_rows({to.data + all_.start_of(to, b), to.pitch, x.data + all_.start_of(x, b), x.pitch,
                    x.step == 0, y.data + all_.start_of(y, b), y.pitch, y.step == 0, b.rows,
                    b.columns, all_.writes_elements ? to.step : 0, x.step, y.step});
  }

  /// Makes the operands of `rows` rows contiguous. r: the first of them in the block.
  void bring_operands(index_t r, index_t rows, index_t columns) {
    operand_walk const* const walk = all_.walk.data();
    staged_operand* const staged = staged_.data();
    block_input* const in = inputs_.data();
    for (unsigned k = 0; k != all_.operands; ++k) {
      operand_walk const& w = walk[k];
      if (w.how == staging::in_place) [[likely]]
        in[k] = {w.is_generator ? nullptr : w.data + staged[k].position, staged[k].position};
      else if (w.same_as != k) in[k] = in[w.same_as];
      else if (w.how == staging::transposed)
        in[k].data = staged[k].memory + r * staged[k].columns * static_cast<index_t>(w.bytes);
      else in[k].data = stage(w, staged[k], rows, columns);
    }
  }
  /// The elements of an expression that is an operand, without a copy in between.
  void copy_operand(unsigned char* to, index_t rows, index_t columns) {
    staged_[0] = {to, staged_[0].position, 0, 0, 0};
    stage(all_.walk[0], staged_[0], rows, columns);
  }
  /// The same of a transposed operand.
  void write_transposed(result_block const& b) const {
    operand_walk const &from = all_.walk[0], &to = all_.walk[all_.operands];
    transpose_elements(to.data + all_.start_of(to, b), to.pitch, from.data + all_.start_of(from, b),
                       from.step, b.rows, b.columns, from.bytes);
  }
  /// The same of an operand that lies by rows and columns, as the result does.
  void write_rows(result_block const& b) const {
    operand_walk const &from = all_.walk[0], &to = all_.walk[all_.operands];
    copy_elements({to.data + all_.start_of(to, b), to.pitch, to.step},
                  {from.data + all_.start_of(from, b), from.pitch, from.step}, b.rows, b.columns,
                  from.bytes);
  }
  void run_in_layout(index_t rows, index_t columns) {
    operand_walk const& to = all_.walk[all_.operands];
    staged_operand const& staged = staged_[all_.operands];
    unsigned char* const out = to.data + staged.position;
    if (to.how == staging::in_place) [[likely]] {
      if (streamed_ && reinterpret_cast<std::uintptr_t>(out) % 16 == 0) [[unlikely]]
        stream_elements(call_, out, inputs_.data(), rows * columns);
      else call_.compute(out, inputs_.data(), rows * columns);
    } else {
      auto const bytes = static_cast<index_t>(to.bytes);
      call_.run(call_.expr, staged.memory, inputs_.data(), rows * columns);
      copy_elements({out, to.pitch, to.step}, {staged.memory, bytes * columns, bytes}, rows,
                    columns, to.bytes);
    }
  }

  /// Rows x columns elements from the operand's position on, contiguously.
  [[gnu::noinline]] static unsigned char const* stage(operand_walk const& w, staged_operand& to,
                                                      index_t rows, index_t columns) {
    if (to.source == to.position && to.rows >= rows &&
        (rows == 1 ? to.columns >= columns : to.columns == columns))
      return to.memory;
    to.source = to.position;
    to.rows = rows;
    to.columns = columns;
    auto const bytes = static_cast<index_t>(w.bytes);
    switch (w.how) {
      case staging::repeated:
        repeat_rows(
            {to.memory, columns * bytes, w.data + to.position, w.pitch, rows, columns * bytes},
            w.bytes);
        break;
      case staging::numbered: number_elements(w, to, rows, columns); break;
      case staging::reshaped: copy_reshaped(w, to, rows, columns); break;
      default:
        copy_elements({to.memory, columns * bytes, bytes}, {w.data + to.position, w.pitch, w.step},
                      rows, columns, w.bytes);
    }
    return to.memory;
  }
  static void number_elements(operand_walk const& w, staged_operand const& to, index_t rows,
                              index_t columns) {
    constexpr index_t word = sizeof(index_t);
    for_each_number_run(w, to.position, rows, columns, [&](number_run const& run) {
      unsigned char* const numbers = to.memory + run.at * word;
      for (index_t j = 0; j != run.count; ++j)
        store_word(numbers + j * word, run.number + j * run.step);
    });
  }
  static void copy_reshaped(operand_walk const& w, staged_operand const& to, index_t rows,
                            index_t columns) {
    with_word(w.bytes, [&]<class W>(W) {
      constexpr index_t word = sizeof(W);
      for_each_number_run(w, to.position, rows, columns, [&](number_run const& run) {
        copy_run<W>(to.memory + run.at * word, w.data + run.number * word, run.step, run.count);
      });
    });
  }
  static void transpose(operand_walk const& w, staged_operand& to, result_block const& b) {
    to.columns = b.columns;
    transpose_elements(to.memory, b.columns * static_cast<index_t>(w.bytes), w.data + to.position,
                       w.step, b.rows, b.columns, w.bytes);
  }

  block_call const& call_;
  operand_walks const& all_;
  bool streamed_;
  local_array<block_input> inputs_;
  local_array<staged_operand> staged_;  ///< of the operands, then of the result
  bool copies_only_ = false;            ///< the expression is an operand that is copied
  bool writes_copies_ = false;          ///< and its copies are the result
  bool writes_transposed_ = false;      ///< likewise, of a transposed operand
  bool writes_rows_ = false;            ///< the expression is an operand whose rows are copied
  std::unique_ptr<unsigned char[]> heap_;
  alignas(64) unsigned char local_[static_cast<std::size_t>(operand_walks::max_local_bytes)];
};

}}}  // namespace placement::v0_1::detail
