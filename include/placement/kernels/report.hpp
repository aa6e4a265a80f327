#pragma once
/// What a kernel that cannot throw leaves for the host: an index outside of its dimension.

#include <placement/shape/extents.hpp>

namespace placement::inline v0_1 {

/// Lies where a GPU writes and the host reads after the queue's work is done. Any of several
/// threads with something to say may have the last word.
struct kernel_report {
  index_t index = 0, extent = 0;
  int reported = 0;

  PLACEMENT_HD void set(index_t where, index_t of) {
    index = where;
    extent = of;
    reported = 1;
  }
};

}  // namespace placement::inline v0_1
