#pragma once
/// A call of a block kernel, independent of its expression.

#include <placement/shape/extents.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// The most columns of a tile of a reduction.
inline constexpr index_t max_tile_columns = 256;

/// An operand of a block: elements from `data` on. Of an index generator the element numbers from
/// `data` on, or first, first + 1, ... where `data` is null.
struct block_input {
  void const* data = nullptr;
  index_t first = 0;
};
/// Writes n elements of an expression to `out`. Of several expressions: `out` is an array of void*,
/// the addresses of their results.
using block_function = void (*)(void const* expr, void* out, block_input const* in, index_t n);

/// Rows of a result and of two operands. Elements of a row are contiguous; an operand that repeats
/// has one element for the whole row. Pitches: bytes from row to row.
struct row_block {
  void* to;
  index_t to_pitch;
  void const* x;
  index_t x_pitch;
  bool x_repeats;
  void const* y;
  index_t y_pitch;
  bool y_repeats;
  index_t rows, columns;
  /// Of a strided result: bytes from element to element, also of the operands; 0 for one whose rows
  /// are contiguous.
  index_t to_step = 0, x_step = 0, y_step = 0;
};
/// Computes the elements of a block of rows.
using row_function = void (*)(row_block const& b);

/// A layout of any rank: element (i, j, ...) is number base + i * stride[0] + j * stride[1] + ...
/// The coordinates count in the result's shape where `outer` is null. Else they are those of the
/// element of shape `extent` whose row-major number `outer` gives: the layout of a reshape.
struct layout_level {
  index_t base;
  index_t const* stride;
  std::size_t rank;
  index_t const* extent;
  layout_level const* outer;
};

/// An operand of a block kernel. bytes: of an element; 0 for an index generator. level: its layout,
/// or nullptr for a contiguous operand. is_single: an operand of rank 0.
struct block_operand {
  void const* data;
  layout_level const* level;
  unsigned bytes;
  bool is_single;
};

/// A result after the first of a kernel of several expressions.
struct block_result {
  void* data;
  unsigned bytes;  ///< of an element
};
/// The most results of a kernel.
inline constexpr unsigned max_results = 16;

/// What a block kernel computes, if reductions can do without its results: an operand in memory,
/// the products of two (or of one with itself), or the magnitudes of one.
enum class block_form : unsigned char { any, operand, product, magnitude };

/// A block kernel with its operands and its result.
struct block_call {
  block_function run;
  void const* expr;
  block_operand const* operand;
  unsigned operands;
  unsigned result_bytes;         ///< of an element
  std::size_t cost_per_element;  ///< an addition has 1
  void* out;
  block_form form = block_form::any;
  row_function run_rows = nullptr;     ///< computes whole rows; null for none
  block_result const* more = nullptr;  ///< further results, dense in the shape of the first
  unsigned more_results = 0;

  bool is_operand() const { return form == block_form::operand; }
  /// Computes n elements. to: their place in the first result.
  void compute(void* to, block_input const* in, index_t n) const {
    if (more_results == 0) run(expr, to, in, n);
    else compute_all(to, in, n);
  }

 private:
  void compute_all(void* to, block_input const* in, index_t n) const;
};

/// Writes n elements of contiguous operands by non-temporal stores. out: a multiple of 16 bytes.
/// in: is changed.
void stream_elements(block_call const& call, void* out, block_input* in, index_t n);

/// Elements that one call of a block kernel writes.
inline constexpr index_t block_length = 1024;

}}}  // namespace placement::v0_1::detail
