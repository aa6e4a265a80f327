#pragma once
/// The error report of kernels, which cannot throw: an index out of range.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 {

/// Memory that a GPU writes and the host reads after the queue's work is done. If several threads
/// report an error, any one of them wins.
struct kernel_report {
  index_t index = 0, extent = 0;
  int reported = 0;
  index_t row = -1;          ///< of a label; the index is then a class number
  char const* op = nullptr;  ///< the name of the op, in host memory; null: gather
  bool from_end = false;     ///< whether negative indices of the op count from the end

  /// name: an address that the host passed to the kernel. A literal in device code has another.
  PLACEMENT_HD void set(index_t where, index_t of, char const* name = nullptr,
                        bool negative = false) {
    index = where;
    extent = of;
    op = name;
    from_end = negative;
    reported = 1;
  }
  PLACEMENT_HD void set_label(index_t label, index_t classes, index_t of_row) {
    set(label, classes);
    row = of_row;
  }
};

}}  // namespace placement::v0_1
