#pragma once
/// One operand of a block kernel over the collapsed dimensions, and the parts of the result.

#include <placement/cpu/block_call.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// How the elements of an operand become contiguous in a block.
enum class staging : unsigned char {
  in_place,    ///< they are; or an index generator has consecutive numbers
  repeated,    ///< one element for all columns
  gathered,    ///< the elements lie a step apart
  transposed,  ///< neighbours down a column are contiguous
  reshaped,    ///< the layout counts elements of another shape
  numbered,    ///< an index generator, whose numbers are written to memory
};

/// An operand, or the result, over the collapsed dimensions. Units of base and strides: bytes; of
/// an index generator and of a reshaped operand element numbers.
struct operand_walk {
  unsigned char* data = nullptr;
  index_t base = 0;
  index_t stride[max_rank]{};
  index_t step = 0, pitch = 0;  ///< from column to column, from row to row
  unsigned bytes = 0;           ///< of an element; of a number of an index generator
  bool is_generator = false;
  bool is_single = false;
  staging how = staging::in_place;
  layout_level const* level = nullptr;  ///< of a reshaped operand, the innermost
  unsigned same_as = 0;  ///< the first copied operand with these elements; its own number at least
};

/// Some columns of some rows of a matrix.
struct result_block {
  index_t matrix[max_rank]{};  ///< coordinates before rows and columns
  index_t row = 0, rows = 0, column = 0, columns = 0;
};

/// An order of dimensions: that of the shape, with dimension `axis`, and the ones before it if
/// `count` says so, at another position. makes_rows: it is not joined with its neighbours, and
/// numbers the rows of the matrices.
struct walk_order {
  std::size_t axis = 0, position = 0;
  bool makes_rows = false;
  std::size_t count = 1;
};

}}}  // namespace placement::v0_1::detail
