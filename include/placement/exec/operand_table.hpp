#pragma once
/// The operands of a fused kernel, independent of its expression: their addresses, and the layouts
/// that view ops and broadcasting give them.

#include <placement/cpu/block_call.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// A layout of an operand table, and the memory of its strides. `extent` is used by the layout of a
/// reshape: the extents of the reshaped operand.
struct table_level {
  layout_level layout;
  index_t stride[max_rank];
  index_t extent[max_rank];
  std::size_t view_rank;       ///< of the outermost view with this layout
  index_t const* view_extent;  ///< its extents; null for an operand without a view
};

/// Consecutive bytes of an operand's memory.
struct byte_range {
  std::size_t first, size;

  constexpr std::size_t last() const { return first + size; }
  constexpr bool contains(byte_range const& o) const {
    return first <= o.first && o.last() <= last();
  }
  /// Whether both together are consecutive bytes.
  constexpr bool touches(byte_range const& o) const {
    return first <= o.last() && o.first <= last();
  }
  constexpr byte_range with(byte_range const& o) const {
    std::size_t const begin = first < o.first ? first : o.first;
    return {begin, (last() > o.last() ? last() : o.last()) - begin};
  }
};

/// Elements in memory that a kernel writes.
struct written_elements {
  void const* data;
  unsigned bytes;  ///< of an element
  layout_level const& where;
  any_shape const& shape;
};

/// The number of operands and layouts of a kernel.
struct table_size {
  unsigned operands, levels;
};

/// Operands in the order of the kernel's slots, and layouts in the order of the expression. A
/// layout counts in the shape in force: the result's, or below a view op that of its operand.
class operand_table {
 public:
  /// The arrays have the sizes that the kernel declares. They and the extents of `shape` outlive
  /// this object.
  operand_table(block_operand* first_operand, table_level* first_level, any_shape const& shape)
      : operand(first_operand), level(first_level), shape_(shape) {}

  /// Adds elements in memory, dense in `x`, broadcast to the shape in force. Their address follows.
  void add_dense(unsigned bytes, any_shape const& x);
  /// Adds an element in memory, of rank 0.
  void add_single(unsigned bytes) { operand[operands++] = {nullptr, nullptr, bytes, true}; }
  /// Adds an index generator of shape x.
  void add_generator(any_shape const& x) { add_dense(0, x); }

  /// What a view op replaces while its operand is listed.
  struct frame {
    any_shape shape;
    layout_level const* outer;
    index_t const* extent;
    unsigned first;  ///< level of the operand
  };
  /// Begins the operand of an op that changes layouts. x: the operand's shape, which outlives the
  /// frame.
  frame begin_view(any_shape const& x);
  /// Calls change(level) for each layout of the operand.
  template <class Change> void change_layouts(frame const& f, Change const& change) {
    for (unsigned i = f.first; i != levels; ++i)
      if (level[i].layout.outer == f.outer) change(level[i]);
  }
  /// Ends it. x: the shape of the view, to which the layouts now belong.
  void end_view(frame const& f, any_shape const& x);
  /// Ends an operand of a product: its layouts get the rank of the product's shape x. Only
  /// dimensions of the batch are broadcast.
  void end_factor(frame const& f, any_shape const& x);
  /// Begins the operand of a reshape. x: the shape of the reshape, below: that of its operand.
  frame begin_reshape(any_shape const& x, any_shape const& below);
  void end_reshape(frame const& f) { restore(f); }

  /// The bytes of operand k from the first to the last one that its views read. Of an operand
  /// without a view, which has `size` bytes: all.
  byte_range read_bytes(unsigned k, std::size_t size) const;
  /// Whether an element-wise kernel may write there: operands in memory lie apart from what is
  /// written, or are read at the index that is written. The operands have their addresses.
  bool may_write(written_elements const& to) const;
  /// Sets operand k to a copy of its bytes from `first` on.
  void set_copy(unsigned k, void const* copy, std::size_t first);

  block_operand* operand;
  table_level* level;
  unsigned operands = 0, levels = 0;
  bool is_contiguous = true;  ///< each operand is dense in the result's shape, or has rank 0

 private:
  table_level& add_level(any_shape const& x);
  table_level* level_of(unsigned k) const;
  void restore(frame const& f) {
    shape_ = f.shape;
    outer_ = f.outer;
    extent_ = f.extent;
  }

  any_shape shape_;  ///< in force
  layout_level const* outer_ = nullptr;
  index_t const* extent_ = nullptr;
};

/// Gives a layout of shape `from` the strides that broadcast it to shape `to`.
void broadcast_strides(table_level& l, any_shape const& from, any_shape const& to);
bool same_extents(any_shape const& a, any_shape const& b);

}}}  // namespace placement::v0_1::detail
