#pragma once
/// Windows that slide over images: the options of convolutions and pools, and their extents.

#include <placement/shape/extents.hpp>

#include <cstddef>
#include <limits>

namespace placement { inline namespace v0_1 {

/// Two numbers of an op on images: one for the height, one for the width.
struct window2d {
  index_t height = 1, width = 1;
};

/// Zeros around images. is_same: as many as TensorFlow's "SAME" adds, so that a result has extent /
/// stride rows and columns, rounded up. Of an odd number, the bottom and the right take one more.
struct padding2d {
  index_t top = 0, bottom = 0, left = 0, right = 0;
  bool is_same = false;
};
/// No padding, as TensorFlow's "VALID".
inline constexpr padding2d valid_padding{};
/// The padding of TensorFlow's "SAME".
inline constexpr padding2d same_padding{.is_same = true};

/// The options of a convolution: `{.padding = same_padding, .strides = {2, 2}}`.
struct conv2d_options {
  padding2d padding = valid_padding;
  window2d strides{1, 1};
  window2d dilations{1, 1};  ///< the distance of neighbours in a filter
  index_t groups = 1;        ///< parts of the channels that are convolved each by itself
};

/// The options of a pool: `{.window = {3, 3}, .strides = {2, 2}}`.
struct pool2d_options {
  window2d window{2, 2};
  window2d strides{0, 0};  ///< 0: the window's
  padding2d padding = valid_padding;
};

/// One dimension of images under a window. Position i of the result reads the elements
/// i * stride + k * dilation - before, for each k below `taps`.
struct window_axis {
  index_t in = 0, taps = 1, stride = 1, dilation = 1, before = 0, out = 0;

  /// The elements from the first that a window reads to the last.
  constexpr index_t reach() const { return (taps - 1) * dilation + 1; }
};

namespace detail {
/// The product of extents. It may only exceed index_t where one of them is 0, and is then 0.
template <class... N> constexpr index_t wrapping_product(N... n) {
  return static_cast<index_t>((std::size_t{1} * ... * static_cast<std::size_t>(n)));
}
}  // namespace detail

/// The extents of a convolution. Images are (images, y.in, x.in, channels), the filter is (y.taps,
/// x.taps, channels / groups, filters), and the result (images, y.out, x.out, filters).
struct conv2d_sizes {
  index_t images, channels, filters, groups;
  window_axis y, x;

  /// Whether each group has one channel and one filter.
  constexpr bool is_depthwise() const {
    return groups > 1 && groups == channels && groups == filters;
  }
  constexpr index_t image_size() const { return detail::wrapping_product(y.in, x.in, channels); }
  constexpr index_t result_size() const { return detail::wrapping_product(y.out, x.out, filters); }
  constexpr index_t filter_size() const {
    return detail::wrapping_product(y.taps, x.taps, channels / groups, filters);
  }
  constexpr index_t all_images() const { return detail::wrapping_product(images, image_size()); }
  constexpr index_t all_results() const { return detail::wrapping_product(images, result_size()); }
};

namespace detail {

namespace no_adl {
/// Options that are known at run time.
template <class O> struct run_time_options {
  O options;

  constexpr O const& get() const { return options; }
  static constexpr bool is_static = false;
};
/// Options in a type, so that static extents stay static.
template <auto Options> struct options_in_type {
  static constexpr auto get() { return Options; }
  static constexpr bool is_static = true;
};
}  // namespace no_adl
using no_adl::options_in_type;
using no_adl::run_time_options;

/// The largest stride, dilation, window or padding: 2^31 - 1.
inline constexpr index_t max_window = 0x7fffffff;

/// Why a window does not fit an image, or that it does.
enum class window_fit : unsigned char { fits, bad_option, too_large };

struct window_result {
  window_axis axis;
  window_fit fit;
};

/// The positions of a window along one dimension. padding_before, padding_after: explicit ones.
/// Source: tensorflow.org/api_docs/python/tf/nn#notes_on_padding_2.
constexpr window_result slide_window(window_axis a, bool is_same, index_t padding_before,
                                     index_t padding_after) {
  auto const in_range = [](index_t x, index_t least) { return x >= least && x <= max_window; };
  if (!in_range(a.taps, 1) || !in_range(a.stride, 1) || !in_range(a.dilation, 1) ||
      !in_range(padding_before, 0) || !in_range(padding_after, 0))
    return {a, window_fit::bad_option};
  if (is_same) {
    a.out = a.in / a.stride + (a.in % a.stride != 0 ? 1 : 0);
    index_t const all = a.out == 0 ? 0 : (a.out - 1) * a.stride - a.in + a.reach();
    a.before = all > 0 ? all / 2 : 0;
    return {a, window_fit::fits};
  }
  a.before = padding_before;
  index_t const padding = padding_before + padding_after;
  constexpr index_t most = std::numeric_limits<index_t>::max();
  index_t const past = a.in > most - padding ? most : a.in + padding;
  if (past >= a.reach()) a.out = (past - a.reach()) / a.stride + 1;
  else if (a.in != 0) return {a, window_fit::too_large};
  return {a, window_fit::fits};
}

/// The extents of a pool: images (images, y.in, x.in, channels) to (images, y.out, x.out,
/// channels).
struct pool2d_sizes {
  index_t images, channels;
  window_axis y, x;

  constexpr index_t in() const { return wrapping_product(images, y.in, x.in, channels); }
  constexpr index_t out() const { return wrapping_product(images, y.out, x.out, channels); }
};
/// Whether a byte numbers the pixels of a window, and one more.
constexpr bool fits_bytes(pool2d_sizes const& s) {
  return s.y.taps < 256 && s.x.taps < 256 && s.y.taps * s.x.taps < 256;
}

}  // namespace detail
}}  // namespace placement::v0_1
