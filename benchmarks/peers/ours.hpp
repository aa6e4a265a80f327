#pragma once
/// The common part of all files of the placement side.

#include <placement/placement.hpp>

#include <row.hpp>

namespace bench {

/// Sets the number of threads before anything computes.
inline bool const threads_are_set = [] {
  placement::set_intra_op_threads(threads());
  return true;
}();

}  // namespace bench
