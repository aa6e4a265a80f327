#pragma once
/// The CPU's loops of a convolution with a bias, relu and a max pool, and of its gradients.

#include <placement/cpu/conv2d.hpp>
#include <placement/cpu/pool2d.hpp>
#include <placement/kernels/kept_bytes.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// A convolution, then x + bias, relu, and a max pool. The pool's images are the convolution's
/// results. x, w, bias: dense floats.
struct conv2d_pool_call {
  float const *x, *w, *bias;
  conv2d_sizes const& convolution;
  pool2d_sizes const& pool;
  kept_bytes const& positions;  ///< of the maxima in their windows
};

// ---- Throws: out_of_memory. The gradients compute the convolution again, unless the forward pass
// kept the positions. Each result depends on the extents alone, not on the number of threads. g:
// the gradient of the pool's result.

void conv2d_pool_forward(float* out, conv2d_pool_call const& call, par on);
void conv2d_pool_backward_input(float* out, conv2d_pool_call const& call, float const* g, par on);
void conv2d_pool_backward_filter(float* out, conv2d_pool_call const& call, float const* g, par on);

}}}  // namespace placement::v0_1::detail
