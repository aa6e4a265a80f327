#pragma once
/// The CPU's loops of convolutions, compiled once for all shapes.

#include <placement/cpu/parallel_for.hpp>
#include <placement/kernels/product_engine.hpp>
#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The extents of a convolution. Images are (images, y.in, x.in, channels), the filter is (y.taps,
/// x.taps, channels / groups, filters), and the result (images, y.out, x.out, filters).
struct conv2d_sizes {
  index_t images, channels, filters, groups;
  window_axis y, x;

  constexpr index_t image_size() const { return wrapping_product(y.in, x.in, channels); }
  constexpr index_t result_size() const { return wrapping_product(y.out, x.out, filters); }
  constexpr index_t filter_size() const {
    return wrapping_product(y.taps, x.taps, channels / groups, filters);
  }
  constexpr index_t all_images() const { return wrapping_product(images, image_size()); }
  constexpr index_t all_results() const { return wrapping_product(images, result_size()); }
};

// ---- Dense memory of one element type. Throws: out_of_memory. Each result depends on the extents
// alone, not on the number of threads.

/// out = the images x convolved with the filter w.
void conv2d_forward(product_element type, void* out, void const* x, void const* w,
                    conv2d_sizes const& sizes, par on);
/// out = the gradient of the images, of the result's gradient g.
void conv2d_backward_input(product_element type, void* out, void const* w, void const* g,
                           conv2d_sizes const& sizes, par on);
/// out = the gradient of the filter.
void conv2d_backward_filter(product_element type, void* out, void const* x, void const* g,
                            conv2d_sizes const& sizes, par on);

}}}  // namespace placement::v0_1::detail
