#pragma once
/// The number of simulated GPUs and their properties.

#include <cstddef>
#include <string>
#include <vector>

namespace placement { inline namespace v0_1 {

/// The number of simulated GPUs and their properties.
struct simulated_gpus {
  int count = 0;
  std::size_t memory_bytes = std::size_t{1} << 30;
  std::size_t held_bytes = 0;  ///< memory that other processes hold
  /// The same for each GPU, if it differs: `{0, 0, 1 << 30}`. GPUs beyond the end of the list have
  /// held_bytes.
  std::vector<std::size_t> held_bytes_of = {};
  /// The GPU model, printed as "Simulated GPU (name)".
  std::string name{};  // NOLINT(readability-redundant-member-init): or g++ warns at {.count = 2}
  int capability_major = 7;
  int capability_minor = 5;
  /// Work of lower cost than this runs on the caller's thread if the queue is idle: waking the
  /// queue's thread would take longer.
  std::size_t run_inline_below = std::size_t{1} << 14;
  /// The limits of a GPU's queue: the number of kernels and copies, and the host memory that they
  /// keep. A launch into a full queue blocks until there is space, as with CUDA's launch queue.
  std::size_t queue_length = 1024;
  std::size_t queue_bytes = std::size_t{32} << 20;

  friend bool operator==(simulated_gpus const&, simulated_gpus const&) = default;
};

}}  // namespace placement::v0_1
