#pragma once
/// Winograd's transforms of tiles, with which convolutions by filters of 3 by 3 need a quarter of
/// the multiplications. A tile of 6 by 6 elements becomes 4 by 4 results, or the other way around.
///
/// The points of interpolation are 0, 3/4, -3/4, 3/2, -3/2 and infinity. Whole numbers are usual;
/// with these the error of a sum is about twice that of adding its products, not eight times:
/// decision 0103.
/// Source: Lavin, Gray: Fast algorithms for convolutional neural networks (2016).

#include <placement/gpu/each_index.hpp>
#include <placement/shape/fast_division.hpp>
#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The number of points, which is the extent of a transformed tile.
inline constexpr int winograd_points = 6;
/// The matrices that the transformed elements of all tiles form: one for each pair of points.
inline constexpr int winograd_matrices = winograd_points * winograd_points;
/// The distance of neighbouring tiles.
inline constexpr int winograd_step = 4;

/// The points other than 0 and infinity, and functions of them. All are exact in float.
struct winograd_numbers {
  static constexpr float a = 0.75f, b = 1.5f, a2 = a * a, b2 = b * b;
};

/// One dimension of the transform of images: 6 elements to 6 points.
struct winograd_images : winograd_numbers {
  static constexpr int from = 6, to = 6;

  PLACEMENT_HD static constexpr void apply(float (&x)[6]) {
    float const even_a = x[4] - b2 * x[2], odd_a = a * (x[3] - b2 * x[1]);
    float const even_b = x[4] - a2 * x[2], odd_b = b * (x[3] - a2 * x[1]);
    x[0] = a2 * b2 * x[0] - (a2 + b2) * x[2] + x[4];
    x[5] = a2 * b2 * x[1] - (a2 + b2) * x[3] + x[5];
    x[1] = even_a + odd_a;
    x[2] = even_a - odd_a;
    x[3] = even_b + odd_b;
    x[4] = even_b - odd_b;
  }
};
/// The transform of a filter: N elements to 6 points. N: 3, or 4 where gradients are the filter.
template <int N> struct winograd_filter : winograd_numbers {
  static constexpr int from = N, to = 6;

  PLACEMENT_HD static constexpr void apply(float (&x)[6]) {
    constexpr float at_0 = 1 / (a2 * b2), at_a = 1 / (2 * a2 * (a2 - b2)),
                    at_b = 1 / (2 * b2 * (b2 - a2));
    float const cube = N == 4 ? x[3] : 0;
    float const even_a = x[0] + a2 * x[2], odd_a = a * (x[1] + a2 * cube);
    float const even_b = x[0] + b2 * x[2], odd_b = b * (x[1] + b2 * cube);
    x[5] = x[N - 1];
    x[0] = at_0 * x[0];
    x[1] = at_a * (even_a + odd_a);
    x[2] = at_a * (even_a - odd_a);
    x[3] = at_b * (even_b + odd_b);
    x[4] = at_b * (even_b - odd_b);
  }
};
/// The transform of products back to results: 6 points to N elements. N: 4, or 3 for the gradient
/// of a filter.
template <int N> struct winograd_results : winograd_numbers {
  static constexpr int from = 6, to = N;

  PLACEMENT_HD static constexpr void apply(float (&x)[6]) {
    float const even_a = x[1] + x[2], odd_a = a * (x[1] - x[2]);
    float const even_b = x[3] + x[4], odd_b = b * (x[3] - x[4]);
    float const last = x[5];
    x[0] = x[0] + even_a + even_b;
    x[1] = odd_a + odd_b;
    x[2] = a2 * even_a + b2 * even_b + (N == 3 ? last : 0);
    x[3] = a2 * odd_a + b2 * odd_b + last;
  }
};

/// The elements (i, j) of tiles in matrices: each pair (i, j) has a matrix of all tiles. A filter
/// is one tile for each of its channels. Flipped: the last pair is first.
template <class T, int Side, bool Flipped = false> struct winograd_stack {
  T* p;
  index_t size;  ///< of a matrix

  PLACEMENT_HD winograd_stack at(index_t i) const { return {p + i, size}; }
  PLACEMENT_HD T* find(int i, int j) const {
    int const pair = i * Side + j;
    return p + (Flipped ? Side * Side - 1 - pair : pair) * size;
  }
};
/// The elements (i, j) of tiles of images. The first tile of an image is at (-before_y, -before_x).
template <class T> struct winograd_tiles {
  T* p;
  fast_divisor channels, across, down;  ///< across, down: the numbers of tiles of an image
  int height, width;                    ///< of an image
  int before_y, before_x;
  std::uint32_t first_row;  ///< the row of tiles that has tile 0, counted over all images
  int y = 0, x = 0;         ///< where the tile begins
  index_t first = 0;        ///< the number of its first element, also where that is outside

  /// The tile and the channel of number i.
  PLACEMENT_HD winograd_tiles at(index_t i) const {
    auto const number = static_cast<std::uint32_t>(i);
    std::uint32_t const tile = channels.quotient(number), row = across.quotient(tile),
                        row_of_all = first_row + row, image = down.quotient(row_of_all);
    winograd_tiles t = *this;
    t.y = static_cast<int>(row_of_all - image * down.divisor) * winograd_step - before_y;
    t.x = static_cast<int>(tile - row * across.divisor) * winograd_step - before_x;
    t.first = ((index_t{image} * height + t.y) * width + t.x) * channels.divisor +
              (number - tile * channels.divisor);
    return t;
  }
  /// nullptr outside of the image.
  PLACEMENT_HD T* find(int i, int j) const {
    bool const inside = y + i >= 0 && y + i < height && x + j >= 0 && x + j < width;
    return inside ? p + first + (i * width + j) * static_cast<int>(channels.divisor) : nullptr;
  }
};

/// Transforms tile i of `from` to tile i of `to`.
template <class Transform, class From, class To> struct winograd_transform {
  From from;
  To to;

  PLACEMENT_HD void operator()(index_t i) const {
    From const source = from.at(i);
    To const result = to.at(i);
    float x[winograd_points][winograd_points];
    PLACEMENT_UNROLL
    for (int r = 0; r < Transform::from; ++r) {
      PLACEMENT_UNROLL
      for (int c = 0; c < Transform::from; ++c) {
        float const* const element = source.find(r, c);
        x[r][c] = element != nullptr ? *element : 0;
      }
    }
    PLACEMENT_UNROLL
    for (int c = 0; c < Transform::from; ++c) {
      float column[winograd_points];
      PLACEMENT_UNROLL
      for (int r = 0; r < Transform::from; ++r) column[r] = x[r][c];
      Transform::apply(column);
      PLACEMENT_UNROLL
      for (int r = 0; r < Transform::to; ++r) x[r][c] = column[r];
    }
    PLACEMENT_UNROLL
    for (int r = 0; r < Transform::to; ++r) {
      Transform::apply(x[r]);
      PLACEMENT_UNROLL
      for (int c = 0; c < Transform::to; ++c)
        if (float* const element = result.find(r, c); element != nullptr) *element = x[r][c];
    }
  }
};
/// Transforms n tiles. Cost: one launch.
template <class Transform, class Grid, class From, class To>
void transform_tiles(Grid const& grid, From const& from, To const& to, index_t n) {
  for_each_index(grid, n, winograd_transform<Transform, From, To>{from, to});
}

/// The bytes of the transformed tiles that are in memory at once, at most, and those of a
/// transformed filter.
inline constexpr std::size_t winograd_bytes = std::size_t{256} << 20,
                             winograd_filter_bytes = std::size_t{160} << 20;

/// A convolution of stride 1 with y.out * x.out results for each image and filter. Rows of tiles
/// are counted over all images.
struct winograd_conv2d {
  index_t images, channels, filters;
  window_axis y, x;
  std::size_t most_bytes = winograd_bytes;  ///< of transformed tiles

  static constexpr index_t tiles(window_axis const& a) {
    return (a.out + winograd_step - 1) / winograd_step;
  }
  constexpr index_t tiles_of_image() const { return tiles(y) * tiles(x); }
  constexpr std::size_t filter_bytes() const {
    return static_cast<std::size_t>(winograd_matrices * channels * filters) * sizeof(float);
  }
  constexpr index_t rows() const { return images * tiles(y); }
  /// The bytes of a row of transformed tiles, before and after the product.
  constexpr std::size_t bytes_of_row() const {
    return static_cast<std::size_t>(winograd_matrices * tiles(x) * (channels + filters)) *
           sizeof(float);
  }
  /// All rows in parts of equal size, the largest that their bytes allow.
  constexpr index_t rows_at_once() const {
    auto const most = static_cast<index_t>(most_bytes / bytes_of_row());
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
/// tiles extend little beyond the results.
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
  if (results == 0 || c.filter_bytes() > winograd_filter_bytes) return false;
  double const work = 9.0 * static_cast<double>(s.images) * static_cast<double>(results) *
                      static_cast<double>(s.channels * s.filters);
  return c.bytes_of_row() <= winograd_bytes && s.images <= most_rows / s.y.out &&
         work >= least_work && c.tiles_of_image() * winograd_step * winograd_step <= 2 * results;
}

}}}  // namespace placement::v0_1::detail
