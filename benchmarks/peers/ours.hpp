#pragma once
/// What our side of every program begins with.

#include <placement/placement.hpp>

#include <row.hpp>

namespace bench {

/// Before anything computes: as many threads as are measured.
inline bool const threads_are_set = [] {
  placement::set_intra_op_threads(threads());
  return true;
}();

}  // namespace bench
