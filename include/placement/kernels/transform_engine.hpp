#pragma once
/// The interface to libraries for Fourier transforms on GPUs. A component registers an engine;
/// without one, the ops of fft/ run on the CPU.

#include <placement/config.hpp>
#include <placement/runtime/shared_word.hpp>
#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 {

struct logical_device;

/// The numbers of a transform's operand and result.
enum class transform_kind : unsigned char {
  complex_to_complex,
  real_to_complex,  ///< all n elements of the result
  real_to_half,     ///< the first n / 2 + 1 elements
  half_to_real,     ///< from n / 2 + 1 elements
};

/// Transforms of fibers: n elements each, `before * after` of them. Fibers of the operand have `in`
/// elements, those of the result `out`; missing elements are 0. Element i of a fiber is at
/// (b * in + i) * after + a. The result is scaled.
struct fiber_transform {
  transform_kind kind{};
  bool is_double = false, is_inverse = false;
  index_t before = 1, after = 1, n = 1, in = 1, out = 1;
  double scale = 1;
};
/// Transforms of dense planes, m x n, to complex numbers.
struct plane_transform {
  bool is_double = false, is_inverse = false, is_real = false;
  index_t count = 1, m = 1, n = 1;
  double scale = 1;
};

/// Transforms on GPUs, in the order of the device's queue. No operand and no result is empty, and
/// they do not overlap. Throws: errors of the library.
/// Register an engine before its use; it must never be destroyed.
class transform_engine {
 public:
  virtual void run(logical_device const& on, fiber_transform const& t, void const* in,
                   void* out) = 0;
  virtual void run(logical_device const& on, plane_transform const& t, void const* in,
                   void* out) = 0;

  transform_engine(transform_engine const&) = delete;
  transform_engine& operator=(transform_engine const&) = delete;

 protected:
  transform_engine() = default;
  ~transform_engine() = default;
};

namespace detail {

PLACEMENT_PROCESS_STATE inline constinit shared_word<transform_engine*> gpu_transforms{nullptr};

/// The gpu_library of these ops.
struct registered_transforms {
  static bool is_registered() noexcept { return gpu_transforms.peek() != nullptr; }
  static transform_engine& engine() noexcept { return *gpu_transforms.peek(); }
};

}  // namespace detail

/// Sets the engine for transforms on GPUs; nullptr selects the CPU. The engine must never be
/// destroyed. Thread: safe.
inline void set_gpu_transforms(transform_engine* engine) noexcept {
  detail::gpu_transforms.publish(engine);
}

}}  // namespace placement::v0_1
