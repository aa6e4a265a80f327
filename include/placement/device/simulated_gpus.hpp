#pragma once
/// How many simulated GPUs a program has, and what each is like.

#include <placement/version.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace placement::inline v0_1 {

/// How many simulated GPUs there are, and what each is like.
struct simulated_gpus {
  int count = 0;
  std::size_t memory_bytes = std::size_t{1} << 30;
  std::size_t held_bytes = 0;  ///< of its memory, what other processes hold
  /// The same GPU by GPU, where it differs: `{0, 0, 1 << 30}`. Those behind the list have
  /// held_bytes.
  std::vector<std::size_t> held_bytes_of = {};
  /// What it stands for, printed as "Simulated GPU (name)".
  std::string name{};  // NOLINT(readability-redundant-member-init): or g++ warns at {.count = 2}
  int capability_major = 7;
  int capability_minor = 5;
  /// Work of fewer steps than this, which a thread would take longer to wake for, is done at once
  /// where nothing is before it.
  std::size_t run_inline_below = std::size_t{1} << 14;
  /// How much may wait in a GPU's queue: kernels and copies, and the host memory that they keep.
  /// Who launches more waits until there is room, as with CUDA's launch queue.
  std::size_t queue_length = 1024;
  std::size_t queue_bytes = std::size_t{32} << 20;

  friend bool operator==(simulated_gpus const&, simulated_gpus const&) = default;
};

}  // namespace placement::inline v0_1
