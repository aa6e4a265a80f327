#pragma once
/// How many threads LibTorch may use.

#include <ATen/Parallel.h>
#include <row.hpp>

namespace bench {

/// As many as each side. Where that is so already nothing is said: LibTorch would start a pool, and
/// from then on every reference count in the process is changed by locked instructions.
inline void limit_torch_threads() {
  if (at::get_num_threads() != threads()) at::set_num_threads(threads());
}

}  // namespace bench
