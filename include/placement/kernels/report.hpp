#pragma once
/// The error report of kernels, which cannot throw: an index out of range.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 {

/// Memory that a GPU writes and the host reads after the queue's work is done. If several threads
/// report an error, any one of them wins.
struct kernel_report {
  index_t index = 0, extent = 0;
  int reported = 0;
  index_t row = -1;  ///< of a label; the index is then a class number

  PLACEMENT_HD void set(index_t where, index_t of) {
    index = where;
    extent = of;
    reported = 1;
  }
  PLACEMENT_HD void set_label(index_t label, index_t classes, index_t of_row) {
    set(label, classes);
    row = of_row;
  }
};

}}  // namespace placement::v0_1
