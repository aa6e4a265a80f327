#pragma once
/// The CPU's loops of pools, compiled once for all shapes.

#include <placement/cpu/parallel_for.hpp>
#include <placement/kernels/product_engine.hpp>
#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- Dense memory of one element type; no extent is 0. Throws: out_of_memory.

void max_pool_forward(product_element type, void* out, void const* x, pool2d_sizes const& sizes,
                      par on);
void max_pool_backward(product_element type, void* out, void const* x, void const* y, void const* g,
                       pool2d_sizes const& sizes, par on);
void avg_pool_forward(product_element type, void* out, void const* x, pool2d_sizes const& sizes,
                      par on);
void avg_pool_backward(product_element type, void* out, void const* g, pool2d_sizes const& sizes,
                       par on);

/// x, y, g: of a max pool's gradient. The others: one for each channel.
struct batch_norm_pool_call {
  float const *x, *y, *g, *mean, *of_x, *shift;
};
/// out = the gradient of a max pool's images x, less (x - mean) * of_x + shift.
void batch_norm_pool_backward(float* out, batch_norm_pool_call const& call,
                              pool2d_sizes const& sizes, par on);

}}}  // namespace placement::v0_1::detail
