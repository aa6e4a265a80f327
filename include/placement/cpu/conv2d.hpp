#pragma once
/// The CPU's loops of convolutions, compiled once for all shapes.

#include <placement/cpu/finished_tile.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/kernels/product_engine.hpp>
#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The multiplications of a convolution.
constexpr index_t multiplications_of(conv2d_sizes const& s) {
  return wrapping_product(s.all_results(), s.y.taps, s.x.taps, s.channels / s.groups);
}

// ---- Dense memory of one element type. Throws: out_of_memory. Each result depends on the extents
// alone, not on the number of threads.

/// out = the images x convolved with the filter w, then the epilogue of each element.
void conv2d_forward(product_element type, void* out, void const* x, void const* w,
                    conv2d_sizes const& sizes, par on, epilogue_callback const& epilogue = {});
/// out = the gradient of the images, of the result's gradient g.
void conv2d_backward_input(product_element type, void* out, void const* w, void const* g,
                           conv2d_sizes const& sizes, par on);
/// out = the gradient of the filter.
void conv2d_backward_filter(product_element type, void* out, void const* x, void const* g,
                            conv2d_sizes const& sizes, par on);

}}}  // namespace placement::v0_1::detail
