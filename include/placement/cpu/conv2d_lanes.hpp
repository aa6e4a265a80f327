#pragma once
/// Loops over convolutions whose vectors hold one element of several images each.

#include <placement/cpu/conv2d_tile.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Adds to sums[k][f] the products of the vectors x[k] and g[f] of each pixel.
struct lane_filter_tile {
  float* sums;
  index_t sums_tap;  ///< from the sums of a tap to the next
  float const* x;
  index_t x_row, x_next;
  float const* g;
  index_t g_row, g_next;
  index_t rows, columns;  ///< of pixels
};
template <int Bytes, int Taps, int Filters>
PLACEMENT_ALWAYS_INLINE inline void add_lane_products(lane_filter_tile const& t) {
  constexpr int N = Bytes / static_cast<int>(sizeof(float));
  using vector = lanes<float, N>;
  lane_array<float, N, Taps * Filters> sum;
  each<Taps * Filters>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    std::memcpy(&sum[i], t.sums + i / Filters * t.sums_tap + i % Filters * N, sizeof(vector));
  });
  for (index_t r = 0; r != t.rows; ++r) {
    float const *x = t.x + r * t.x_row, *g = t.g + r * t.g_row;
    for (index_t c = 0; c != t.columns; ++c, x += t.x_next, g += t.g_next) {
      lane_array<float, N, Taps> a;
      each<Taps>([&](auto k)
                     PLACEMENT_ALWAYS_INLINE { std::memcpy(&a[k], x + k * N, sizeof(vector)); });
      each<Filters>([&](auto f) PLACEMENT_ALWAYS_INLINE {
        vector b;
        std::memcpy(&b, g + f * N, sizeof b);
        each<Taps>([&](auto k) PLACEMENT_ALWAYS_INLINE { sum[k * Filters + f] += a[k] * b; });
      });
    }
  }
  each<Taps * Filters>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    std::memcpy(t.sums + i / Filters * t.sums_tap + i % Filters * N, &sum[i], sizeof(vector));
  });
}

using lane_filter_function = void (*)(lane_filter_tile const&);
/// The tiles for one kind of processor, by taps and filters.
struct lane_filter_tiles {
  static constexpr int max_taps = 6, max_filters = 4;

  index_t taps, filters;  ///< the most in a tile
  lane_filter_function tile[max_taps][max_filters];
};
template <int Taps, int Filters> void lane_filter_for_file(lane_filter_tile const& t) {
  add_lane_products<baseline_processor::bytes, Taps, Filters>(t);
}
template <int Taps, int Filters>
PLACEMENT_FOR_AVX2 void lane_filter_for_avx2(lane_filter_tile const& t) {
  add_lane_products<32, Taps, Filters>(t);
}
template <int Taps, int Filters>
PLACEMENT_FOR_AVX512 void lane_filter_for_avx512(lane_filter_tile const& t) {
  add_lane_products<64, Taps, Filters>(t);
}
/// The tiles of Function<taps, filters>(). Taps * Filters sums are in registers.
template <int Taps, int Filters, class Function>
constexpr lane_filter_tiles make_lane_filter_tiles(Function const& function) {
  lane_filter_tiles all{Taps, Filters, {}};
  [&]<int... I>(std::integer_sequence<int, I...>) {
    ((all.tile[I / Filters][I % Filters] =
          function(std::integral_constant<int, I / Filters + 1>{},
                   std::integral_constant<int, I % Filters + 1>{})),
     ...);
  }(std::make_integer_sequence<int, Taps * Filters>{});
  return all;
}
inline constexpr int file_taps = PLACEMENT_MANY_VECTORS ? 6 : 3,
                     file_filters = PLACEMENT_MANY_VECTORS ? 4 : 3;
inline constexpr lane_filter_tiles lane_filters_of_file =
    make_lane_filter_tiles<file_taps, file_filters>(
        []<int T, int F>(std::integral_constant<int, T>,
                         std::integral_constant<int, F>) -> lane_filter_function {
          return &lane_filter_for_file<T, F>;
        });
inline constexpr lane_filter_tiles lane_filters_of_avx2 = make_lane_filter_tiles<3, 3>(
    []<int T, int F>(std::integral_constant<int, T>,
                     std::integral_constant<int, F>) -> lane_filter_function {
      return &lane_filter_for_avx2<T, F>;
    });
inline constexpr lane_filter_tiles lane_filters_of_avx512 = make_lane_filter_tiles<6, 4>(
    []<int T, int F>(std::integral_constant<int, T>,
                     std::integral_constant<int, F>) -> lane_filter_function {
      return &lane_filter_for_avx512<T, F>;
    });

/// The tiles for the processor that runs this; as wide as those of tiles_here().
inline lane_filter_tiles const& lane_filters_here() {
  if constexpr (PLACEMENT_HAS_LEVELS) {
    cpu_level const level = cpu_level_in_use();
    if (level == cpu_level::avx512) return lane_filters_of_avx512;
    if constexpr (PLACEMENT_X86_LEVEL < 3)
      if (level == cpu_level::avx2) return lane_filters_of_avx2;
  }
  return lane_filters_of_file;
}

/// x + bias, relu and a max pool of rows of a convolution, whose windows tile the images; or the
/// gradient of that. Vectors have at most 32 bytes, as in max_pool_rows.hpp.
struct lane_pool_rows {
  float* x;        ///< the convolution: (rows, columns, channels, lanes)
  float const* g;  ///< the gradient of the results; null: the results are computed
  float const* bias;
  index_t rows, columns, channels, lanes;  ///< of the results
  index_t taps_y, taps_x;
  /// Beside the results: which pixel of its window is the first maximum, from 0 on; `taps_y *
  /// taps_x` where the gradient is 0. Null: none are written.
  unsigned char* positions = nullptr;

  /// Writes the results over the first part of x, or the gradient of x over x.
  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = Bytes / static_cast<int>(sizeof(float));
    if (g == nullptr && taps_y == 2 && taps_x == 2) return run_two<N>();
    index_t const pixel = channels * lanes, row = columns * taps_x * pixel;
    index_t to = 0;
    for (index_t i = 0; i != rows; ++i)
      for (index_t j = 0; j != columns; ++j)
        for (index_t c = 0; c != channels; ++c)
          for (index_t k = 0; k != lanes; k += N, to += N)
            window<N>(x + i * taps_y * row + j * taps_x * pixel + c * lanes + k, row, pixel,
                      bias[c], to);
  }

 private:
  template <int N>
  PLACEMENT_ALWAYS_INLINE inline void window(float* first, index_t row, index_t pixel, float b,
                                             index_t to) const {
    using vector = detail::lanes<float, N>;
    vector const zero{};
    vector max, left;
    std::memcpy(&max, first, sizeof max);
    for (index_t i = 0; i != taps_y; ++i)
      for (index_t j = 0; j != taps_x; ++j) {
        vector v;
        std::memcpy(&v, first + i * row + j * pixel, sizeof v);
        max = ((v > max) | (v != v)) ? v : max;
      }
    max += b;  // the largest of the sums, because rounding is monotonic
    if (g == nullptr) {
      if (positions != nullptr) write_positions<N>(first, row, pixel, b, max, positions + to);
      max = max <= zero ? zero : max;
      std::memcpy(x + to, &max, sizeof max);
      return;
    }
    std::memcpy(&left, g + to, sizeof left);
    left = max > zero ? left : zero;
    for (index_t i = 0; i != taps_y; ++i)
      for (index_t j = 0; j != taps_x; ++j) {
        float* const at = first + i * row + j * pixel;
        vector v;
        std::memcpy(&v, at, sizeof v);
        v += b;
        auto const is_max = v == max;  // if it is NaN, the gradient is 0
        vector const d = is_max ? left : zero;
        std::memcpy(at, &d, sizeof d);
        left = is_max ? zero : left;
      }
  }
  /// The results of windows of 2 x 2 pixels, which stay in registers.
  template <int N> PLACEMENT_ALWAYS_INLINE inline void run_two() const {
    lane_pool_rows const r = *this;  // in registers: stores could change *this
    r.template run_two_here<N>();
  }
  template <int N> PLACEMENT_ALWAYS_INLINE inline void run_two_here() const {
    using vector = detail::lanes<float, N>;
    using numbers = detail::lanes<int, N>;
    vector const zero{};
    index_t const pixel = channels * lanes, row = 2 * columns * pixel;
    index_t to = 0;
    for (index_t i = 0; i != rows; ++i)
      for (index_t j = 0; j != columns; ++j)
        for (index_t c = 0; c != channels; ++c) {
          float const* first = x + 2 * (i * row + j * pixel) + c * lanes;
          for (index_t k = 0; k != lanes; k += N, first += N, to += N) {
            lane_array<float, N, 4> v;
            each<4>([&](auto n) PLACEMENT_ALWAYS_INLINE {
              std::memcpy(&v[n], first + n / 2 * row + n % 2 * pixel, sizeof(vector));
              v[n] += bias[c];
            });
            vector max = v[0];
            each<4>([&](auto n) PLACEMENT_ALWAYS_INLINE {
              max = ((v[n] > max) | (v[n] != v[n])) ? v[n] : max;
            });
            vector const result = max <= zero ? zero : max;
            std::memcpy(x + to, &result, sizeof result);
            if (positions != nullptr) {
              numbers found = numbers{} + 3;
              each<3>([&](auto n) PLACEMENT_ALWAYS_INLINE {
                found = v[2 - n] == max ? numbers{} + (2 - n) : found;
              });
              found = max > zero ? found : numbers{} + 4;
              auto const bytes = __builtin_convertvector(found, detail::lanes<unsigned char, N>);
              std::memcpy(positions + to, &bytes, sizeof bytes);
            }
          }
        }
  }
  template <int N>
  PLACEMENT_ALWAYS_INLINE inline void write_positions(float const* first, index_t row,
                                                      index_t pixel, float b,
                                                      detail::lanes<float, N> const& max,
                                                      unsigned char* at) const {
    using numbers = detail::lanes<int, N>;
    int const none = static_cast<int>(taps_y * taps_x);
    numbers found = numbers{} + none;
    int number = none;
    for (index_t i = taps_y; i-- != 0;)
      for (index_t j = taps_x; j-- != 0;) {
        detail::lanes<float, N> v;
        std::memcpy(&v, first + i * row + j * pixel, sizeof v);
        v += b;
        found = v == max ? numbers{} + --number : found;
      }
    found = max > detail::lanes<float, N>{} ? found : numbers{} + none;
    auto const bytes = __builtin_convertvector(found, detail::lanes<unsigned char, N>);
    std::memcpy(at, &bytes, sizeof bytes);
  }
};
/// The gradient of a convolution's rows, of that of a max pool and the positions of its maxima.
struct lane_unpool_rows {
  float* x;  ///< the gradient of the convolution: (rows, columns, channels, lanes)
  float const* g;
  unsigned char const* positions;
  index_t rows, columns, vector;  ///< of the results; numbers of a pixel: channels times lanes
  index_t taps_y, taps_x;
  index_t row;  ///< numbers from row to row of x

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = Bytes / static_cast<int>(sizeof(float));
    lane_unpool_rows const r = *this;  // in registers: stores could change *this
    if (taps_y == 2 && taps_x == 2) r.run<N>(std::integral_constant<index_t, 2>{});
    else r.run<N>(index_t{0});
  }

 private:
  template <int N, class Taps> PLACEMENT_ALWAYS_INLINE inline void run(Taps taps) const {
    using numbers = detail::lanes<int, N>;
    using vector_type = detail::lanes<float, N>;
    index_t const height = taps != 0 ? taps : taps_y, width = taps != 0 ? taps : taps_x;
    index_t from = 0;
    for (index_t r = 0; r != rows; ++r)
      for (index_t c = 0; c != columns; ++c)
        for (index_t k = 0; k != vector; k += N, from += N) {
          float* const first = x + r * height * row + c * width * vector + k;
          vector_type left;
          std::memcpy(&left, g + from, sizeof left);
          detail::lanes<unsigned char, N> bytes;
          std::memcpy(&bytes, positions + from, sizeof bytes);
          auto const at = __builtin_convertvector(bytes, numbers);
          for (index_t i = 0; i != height; ++i)
            for (index_t j = 0; j != width; ++j) {
              vector_type const d =
                  at == numbers{} + static_cast<int>(i * width + j) ? left : vector_type{};
              std::memcpy(first + i * row + j * vector, &d, sizeof d);
            }
        }
  }
};
PLACEMENT_FOR_AVX2 inline void lane_unpool_for_avx2(lane_unpool_rows const& r) { r.run<32>(); }
inline void lane_unpool(lane_unpool_rows const& r) {
  if constexpr (PLACEMENT_HAS_LEVELS && PLACEMENT_X86_LEVEL < 3)
    if (cpu_level_in_use() != cpu_level::baseline) return lane_unpool_for_avx2(r);
  r.run<PLACEMENT_VECTOR_BYTES>();
}
PLACEMENT_FOR_AVX2 inline void lane_pool_for_avx2(lane_pool_rows const& r) { r.run<32>(); }
inline void lane_pool(lane_pool_rows const& r) {
  if constexpr (PLACEMENT_HAS_LEVELS && PLACEMENT_X86_LEVEL < 3)
    if (cpu_level_in_use() != cpu_level::baseline) return lane_pool_for_avx2(r);
  r.run<PLACEMENT_VECTOR_BYTES>();
}

}}}  // namespace placement::v0_1::detail
