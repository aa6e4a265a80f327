#pragma once
/// The interface to libraries for all-reduces between GPUs. A component registers an engine;
/// without one, copies and kernels of the library reduce.

#include <placement/device/logical_device.hpp>
#include <placement/kernels/product_engine.hpp>

#include <atomic>
#include <cstddef>
#include <span>

namespace placement { inline namespace v0_1 {

/// One device of an all-reduce, its operand and its result.
struct all_reduce_member {
  logical_device const* on;
  void const* in;
  void* out;
};
/// The result of an all-reduce: the sum of the operands, or their mean.
enum class all_reduce_result : unsigned char { sum, mean };
struct all_reduce_call {
  product_element element{};
  std::size_t count = 0;  ///< elements of an operand
  all_reduce_result result{};
};

/// Reduces between GPUs. Register an engine before its use; it must never be destroyed.
class all_reduce_engine {
 public:
  /// Adds the all-reduce to the queues of all members, in any order of additions. Returns false,
  /// without any effect, if the engine does not support it. Throws: errors of the library.
  virtual bool all_reduce(std::span<all_reduce_member const> members,
                          all_reduce_call const& call) = 0;

  all_reduce_engine(all_reduce_engine const&) = delete;
  all_reduce_engine& operator=(all_reduce_engine const&) = delete;

 protected:
  all_reduce_engine() = default;
  ~all_reduce_engine() = default;
};

namespace detail {
PLACEMENT_PROCESS_STATE inline constinit std::atomic<all_reduce_engine*> gpu_all_reduces{nullptr};
}  // namespace detail

/// Sets the engine for all-reduces under `fast` between hardware GPUs; nullptr: none.
inline void set_gpu_all_reduce(all_reduce_engine* engine) {
  detail::gpu_all_reduces.store(engine, std::memory_order_release);
}

}}  // namespace placement::v0_1
