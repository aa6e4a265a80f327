#pragma once
/// Convolutions by filters of 3 by 3, and their gradients, as products of transformed tiles.

#include <placement/gpu/conv2d_products.hpp>
#include <placement/gpu/winograd.hpp>
#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The bytes of the transformed tiles that are in memory at once, at most.
inline constexpr std::size_t winograd_bytes = std::size_t{256} << 20;

/// A convolution of stride 1 with y.out * x.out results for each image and filter. Rows of tiles
/// are counted over all images.
struct winograd_conv2d {
  index_t images, channels, filters;
  window_axis y, x;

  static constexpr index_t tiles(window_axis const& a) {
    return (a.out + winograd_step - 1) / winograd_step;
  }
  constexpr index_t tiles_of_image() const { return tiles(y) * tiles(x); }
  constexpr index_t rows() const { return images * tiles(y); }
  /// The bytes of a row of transformed tiles, before and after the product.
  constexpr std::size_t bytes_of_row() const {
    return static_cast<std::size_t>(winograd_matrices * tiles(x) * (channels + filters)) *
           sizeof(float);
  }
  /// All rows in as few parts of equal size as their bytes allow.
  constexpr index_t rows_at_once() const {
    auto const most = static_cast<index_t>(winograd_bytes / bytes_of_row());
    index_t const parts = most < 1 ? rows() : (rows() + most - 1) / most;
    return (rows() + parts - 1) / parts;
  }

  /// The tiles of images of so many channels from a row of tiles on. size, before: of an image.
  template <class T>
  winograd_tiles<T> tiles_from(index_t row, T* images_of, index_t n, index_t height, index_t width,
                               index_t before_y, index_t before_x) const {
    auto const divisor = [](index_t d) { return fast_divisor(static_cast<std::uint32_t>(d)); };
    return {images_of,
            divisor(n),
            divisor(tiles(x)),
            divisor(tiles(y)),
            static_cast<int>(height),
            static_cast<int>(width),
            static_cast<int>(before_y),
            static_cast<int>(before_x),
            static_cast<std::uint32_t>(row)};
  }
  template <class T> winograd_tiles<T> images_from(index_t row, T* p) const {
    return tiles_from(row, p, channels, y.in, x.in, y.before, x.before);
  }
  template <class T> winograd_tiles<T> results_from(index_t row, T* p) const {
    return tiles_from(row, p, filters, y.out, x.out, 0, 0);
  }
};

/// Whether products of transformed tiles are faster: there are enough channels for a product, and
/// tiles do not extend far beyond the results.
constexpr bool uses_winograd(conv2d_sizes const& s) {
  constexpr index_t least_channels = 32, most_channels = 1 << 14, most_pixels = 1 << 14;
  constexpr index_t most_rows = index_t{1} << 30;
  constexpr double least_work = 1 << 28;  // multiplications of the direct kernel
  auto const fits = [](window_axis const& a) {
    return a.taps == 3 && a.stride == 1 && a.dilation == 1 && a.in <= most_pixels &&
           a.out <= most_pixels && a.before <= 2;
  };
  if (s.groups != 1 || !fits(s.y) || !fits(s.x) || s.channels < least_channels ||
      s.filters < least_channels || s.channels > most_channels || s.filters > most_channels)
    return false;
  winograd_conv2d const c{s.images, s.channels, s.filters, s.y, s.x};
  index_t const results = s.y.out * s.x.out;
  double const work = 9.0 * static_cast<double>(s.images) * static_cast<double>(results) *
                      static_cast<double>(s.channels * s.filters);
  return c.bytes_of_row() <= winograd_bytes && s.images <= most_rows / s.y.out &&
         work >= least_work && c.tiles_of_image() * winograd_step * winograd_step <= 2 * results;
}

/// out = the convolution c of x with a filter, whose transform u has a matrix of `channels` rows
/// for each pair of points. Cost: three launches, or a multiple of that for many images.
template <class Grid>
void convolve_tiles(Grid const& grid, winograd_conv2d const& c, float* out, float const* x,
                    strided_view<float const, 3> const& u) {
  using stack = winograd_stack<float, winograd_points>;
  using const_stack = winograd_stack<float const, winograd_points>;
  index_t const at_once = c.rows_at_once(), all = c.rows();
  auto const scratch = grid.allocate_scratch(static_cast<std::size_t>(at_once) * c.bytes_of_row());
  auto* const v = static_cast<float*>(scratch.data());
  for (index_t row = 0; row < all; row += at_once) {
    index_t const tiles = (all - row < at_once ? all - row : at_once) * c.tiles(c.x);
    index_t const images = tiles * c.channels, results = tiles * c.filters;
    float* const m = v + winograd_matrices * images;
    transform_tiles<winograd_images>(grid, c.images_from(row, x), stack{v, images}, images);
    multiply_floats(grid, m, shape(winograd_matrices, tiles, c.filters), c.channels,
                    matrix_at(v, images, c.channels, index_t{1}), u, false);
    transform_tiles<winograd_results<4>>(grid, const_stack{m, results}, c.results_from(row, out),
                                         results);
  }
}

/// The convolution, or with OfImages the gradient of its images: the convolution of the gradient
/// with the flipped filter.
template <bool OfImages, class Grid>
void winograd_conv2d_on(Grid const& grid, conv2d_sizes const& s, float* out, float const* x,
                        float const* w) {
  index_t const pairs = s.channels * s.filters;
  auto const scratch =
      grid.allocate_scratch(static_cast<std::size_t>(winograd_matrices * pairs) * sizeof(float));
  auto* const u = static_cast<float*>(scratch.data());
  transform_tiles<winograd_filter<3>>(grid, winograd_stack<float const, 3, OfImages>{w, pairs},
                                      winograd_stack<float, winograd_points>{u, pairs}, pairs);
  if constexpr (OfImages) {
    auto const flipped = [](window_axis a) {
      std::swap(a.in, a.out);
      a.before = a.taps - 1 - a.before;
      return a;
    };
    convolve_tiles(grid, {s.images, s.filters, s.channels, flipped(s.y), flipped(s.x)}, out, x,
                   matrix_at(u, pairs, index_t{1}, s.filters));
  } else {
    convolve_tiles(grid, {s.images, s.channels, s.filters, s.y, s.x}, out, x,
                   matrix_at(u, pairs, s.filters, index_t{1}));
  }
}

/// The gradient of the filter, as if that of a result were the filter. The sums of each part of the
/// images are added in double.
template <class Grid>
void winograd_filter_gradient_on(Grid const& grid, conv2d_sizes const& s, float* out,
                                 float const* x, float const* g) {
  using stack = winograd_stack<float, winograd_points>;
  winograd_conv2d const c{s.images, s.channels, s.filters, s.y, s.x};
  index_t const at_once = c.rows_at_once(), all = c.rows(), parts = (all + at_once - 1) / at_once;
  index_t const pairs = s.channels * s.filters, sums = winograd_matrices * pairs;
  auto const scratch = grid.allocate_scratch(static_cast<std::size_t>(at_once) * c.bytes_of_row());
  auto const of_sums =
      grid.allocate_scratch(static_cast<std::size_t>(parts * sums) * sizeof(float));
  auto* const v = static_cast<float*>(scratch.data());
  auto* const m = static_cast<float*>(of_sums.data());
  for (index_t part = 0; part < parts; ++part) {
    index_t const row = part * at_once;
    index_t const tiles = (all - row < at_once ? all - row : at_once) * c.tiles(c.x);
    index_t const images = tiles * c.channels, results = tiles * c.filters;
    float* const d = v + winograd_matrices * images;
    transform_tiles<winograd_images>(grid, c.images_from(row, x), stack{v, images}, images);
    transform_tiles<winograd_filter<4>>(grid, c.results_from(row, g), stack{d, results}, results);
    multiply_floats(grid, m + part * sums, shape(winograd_matrices, s.channels, s.filters), tiles,
                    matrix_at(v, images, index_t{1}, c.channels),
                    matrix_at(d, results, c.filters, index_t{1}), false);
  }
  if (parts > 1) launch_sum_of_parts(grid, m, m, sums, parts);
  transform_tiles<winograd_results<3>>(grid, winograd_stack<float const, winograd_points>{m, pairs},
                                       winograd_stack<float, 3>{out, pairs}, pairs);
}

}}}  // namespace placement::v0_1::detail
