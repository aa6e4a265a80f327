#pragma once
/// The interface to libraries for convolutions on the CPU. A component registers an engine; without
/// one, the library's own kernels compute convolutions.

#include <placement/kernels/product_engine.hpp>
#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 {

/// What a call computes, and of which two operands.
enum class convolution_pass : unsigned char {
  forward,          ///< the result, of the images and the filter
  input_gradient,   ///< the gradient of the images, of the filter and the result's gradient
  filter_gradient,  ///< the gradient of the filter, of the images and the result's gradient
};

/// A convolution or one of its gradients. Images are (N, H, W, C), the filter is (height, width, C
/// / groups, F), and the result is (N, rows, columns, F). All are dense and in row-major order, and
/// no extent is 0.
struct convolution_call {
  convolution_pass pass{};
  product_element element{};  ///< of all three arrays
  conv2d_sizes sizes;
  void* out = nullptr;
  void const* a = nullptr;  ///< the first operand
  void const* b = nullptr;  ///< the second operand
  bool is_parallel = true;  ///< false: other kernels run in parallel with this one
};

/// Computes convolutions on the CPU. Register an engine before its use; it must never be destroyed.
class convolution_engine {
 public:
  /// Computes `out` before it returns. Returns false, without any effect, if the
  /// engine does not support the call. Throws: errors of the library. Thread: must be safe.
  virtual bool convolve(convolution_call const& call) = 0;

  convolution_engine(convolution_engine const&) = delete;
  convolution_engine& operator=(convolution_engine const&) = delete;

 protected:
  convolution_engine() = default;
  ~convolution_engine() = default;
};

namespace detail {
PLACEMENT_PROCESS_STATE inline constinit shared_word<convolution_engine*> cpu_convolutions{nullptr};
}  // namespace detail

/// Sets the engine for convolutions on the CPU and on simulated GPUs; nullptr selects the library's
/// own kernels. The engine must never be destroyed. Thread: safe.
inline void set_cpu_convolutions(convolution_engine* engine) noexcept {
  detail::cpu_convolutions.publish(engine);
}

}}  // namespace placement::v0_1
