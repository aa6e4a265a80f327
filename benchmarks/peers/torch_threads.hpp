#pragma once
/// The number of threads that LibTorch may use.

#include <ATen/Parallel.h>
#include <row.hpp>

namespace bench {

/// As many as each side may use. If that is the current number, LibTorch is not called: it would
/// start a pool, and every reference count in the process would then be changed by locked
/// instructions.
inline void limit_torch_threads() {
  if (at::get_num_threads() != threads()) at::set_num_threads(threads());
}

}  // namespace bench
