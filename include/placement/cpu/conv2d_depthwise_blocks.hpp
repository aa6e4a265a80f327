#pragma once
/// Depthwise convolutions of small images with filters of 3 x 3 taps, one block of channels after
/// the other.
///
/// The pixels of small images with many channels are 2 or 4 KB apart, and so in a small part of the
/// first cache. So a block of channels is copied, and computed for all rows of an image.

#include <placement/cpu/conv2d_tile.hpp>
#include <placement/shape/window.hpp>

#include <algorithm>
#include <type_traits>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Calls f(image, first, last) for the rows [first, last) of each image that are among the rows
/// [begin, end) of all images. rows: of an image.
template <class F> void each_image_of_rows(index_t begin, index_t end, index_t rows, F const& f) {
  for (index_t i = begin, until = i; i != end; i = until) {
    index_t const image = i / rows;
    until = std::min((image + 1) * rows, end);
    f(image, i - image * rows, until - image * rows);
  }
}

/// Blocks of the channels of images, and copies of them.
template <class S> struct depthwise_block {
  static constexpr int taps = 3;  ///< of a row, and of a column
  static constexpr index_t line = 64 / sizeof(S);
  static constexpr index_t width = 4 * line;      ///< the most channels
  static constexpr index_t pitch = width + line;  ///< elements from pixel to pixel of a copy

  /// Whether the gradient of the filter takes blocks.
  static bool fits_filter(conv2d_sizes const& s) {
    return fits(s) && bytes(s.channels) >= 1024 && bytes(s.image_size()) <= (1 << 20);
  }
  /// Whether a row of results, or of the gradient of the images, takes blocks. Results that are a
  /// page apart, or more, need an entry of the table of pages each.
  static bool fits_sums(conv2d_sizes const& s) {
    index_t const pixel = bytes(s.channels), least = 7;  // pixels with sums in registers
    return fits(s) && s.x.in >= least && s.x.out >= least && pixel >= 2048 && pixel < 4096 &&
           bytes(std::max(s.image_size(), s.result_size())) <= (1 << 19);
  }

  index_t rows, columns, channels;  ///< of the image

  /// Elements of a copy of all rows.
  index_t copy_size() const { return rows * columns * pitch; }
  /// Copies channels [c, end) of rows [from, until).
  template <int N>
  PLACEMENT_ALWAYS_INLINE inline void copy(S* to, S const* image, index_t from, index_t until,
                                           index_t c, index_t end) const {
    for (index_t pixel = from * columns; pixel < until * columns; ++pixel, to += pitch)
      for (index_t k = c; k != end; k += N)
        store_lanes<N>(to + (k - c), load_lanes<N>(image + pixel * channels + k));
  }
  /// Calls f(c, end) for the channels [c, end) of each block.
  template <class F> PLACEMENT_ALWAYS_INLINE inline void each_block(F const& f) const {
    for (index_t c = 0; c < channels; c += width) f(c, std::min(c + width, channels));
  }

 private:
  static constexpr index_t bytes(index_t n) { return n * static_cast<index_t>(sizeof(S)); }
  static bool fits(conv2d_sizes const& s) {
    auto const is_plain = [](window_axis const& a) {
      return a.taps == taps && a.stride == 1 && a.dilation == 1;
    };
    return is_plain(s.y) && is_plain(s.x) && s.channels % line == 0 && s.x.out >= taps &&
           s.x.before < taps && s.x.out <= s.x.in + s.x.before;
  }
};

/// sums(tap, c) += the sum over pixels of x(pixel, tap, c) g(pixel, c), for rows of one image. The
/// sums of a vector of channels stay in registers for all rows.
template <class S> struct depthwise_filter_blocks {
  using block = depthwise_block<S>;

  block of;
  S const *x, *g;  ///< the image, and the result's gradient from row `first` on
  S* sums;
  S* copy;                     ///< of.copy_size() elements
  index_t top, left, results;  ///< of the padding; in a row of the result's gradient
  index_t first, last;         ///< rows [first, last) of the result
  bool starts;                 ///< sums are zeros, which are not read

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = lanes_in<S, Bytes>;
    depthwise_filter_blocks const r = *this;  // in registers: stores could change *this
    index_t const from = std::max(r.first - r.top, index_t{0});
    index_t const until = std::min(r.last + taps - 1 - r.top, r.of.rows);
    r.of.each_block([&](index_t c, index_t end) PLACEMENT_ALWAYS_INLINE {
      r.of.template copy<N>(r.copy, r.x, from, until, c, end);
      for (index_t k = c; k != end; k += N) r.template add_vector<N>(from, k, k - c);
    });
  }

 private:
  static constexpr int taps = block::taps;

  /// Channels from c on, which are at `at` in the copy. from: the first row that is copied.
  template <int N>
  PLACEMENT_ALWAYS_INLINE inline void add_vector(index_t from, index_t c, index_t at) const {
    lane_array<S, N, taps * taps> sum;
    each<taps * taps>([&](auto k) PLACEMENT_ALWAYS_INLINE {
      sum[k] = starts ? lanes<S, N>{} : load_lanes<N>(sums + k * of.channels + c);
    });
    S const* gradients = g + c;
    for (index_t i = first; i != last; ++i, gradients += results * of.channels) {
      index_t const read = i - top;  // by the first row of taps
      part_of_row const p{gradients, (read - from) * of.columns * block::pitch + at};
      if (read >= 0 && read + taps <= of.rows) add_row<N, 0, taps>(sum, p);
      else
        each<taps>([&](auto r) PLACEMENT_ALWAYS_INLINE {
          if (read + r >= 0 && read + r < of.rows) add_row<N, r, 1>(sum, p);
        });
    }
    each<taps * taps>([&](auto k) PLACEMENT_ALWAYS_INLINE {
      store_lanes<N>(sums + k * of.channels + c, sum[k]);
    });
  }
  /// A vector of channels of a row of the result.
  struct part_of_row {
    S const* gradients;
    index_t at;  ///< in the copy: what the first row of taps reads
  };
  /// Adds to `Count` rows of taps. Column m of x, with the padding, and gradient m - k belong to
  /// tap k.
  template <int N, int First, int Count>
  PLACEMENT_ALWAYS_INLINE inline void add_row(lane_array<S, N, taps * taps>& sum,
                                              part_of_row const& p) const {
    lane_array<S, N, taps> near{};  // near[k]: gradient m - k
    auto const shift = [&]() PLACEMENT_ALWAYS_INLINE {
      each<taps - 1>([&](auto k)
                         PLACEMENT_ALWAYS_INLINE { near[taps - 1 - k] = near[taps - 2 - k]; });
    };
    auto const read = [&](index_t m) PLACEMENT_ALWAYS_INLINE {
      shift();
      near[0] = load_lanes<N>(p.gradients + m * of.channels);
      __builtin_prefetch(address_of(p.gradients, m * of.channels + block::width), 0, 2);
    };
    auto const add = [&](auto from, auto count, index_t m) PLACEMENT_ALWAYS_INLINE {
      each<Count>([&](auto r) PLACEMENT_ALWAYS_INLINE {
        index_t const pixel = (First + r) * of.columns + m - left;
        auto const a = load_lanes<N>(copy + (p.at + pixel * block::pitch));
        each<decltype(count)::value>([&](auto k) PLACEMENT_ALWAYS_INLINE {
          sum[(First + r) * taps + from + k] += a * near[from + k];
        });
      });
    };
    using none = std::integral_constant<int, 0>;
    each<taps - 1>([&](auto m) PLACEMENT_ALWAYS_INLINE {
      read(m);
      if (m >= left) add(none{}, std::integral_constant<int, m + 1>{}, m);
    });
    for (index_t m = taps - 1; m < results; ++m) {
      read(m);
      add(none{}, std::integral_constant<int, taps>{}, m);
    }
    each<taps - 1>([&](auto k) PLACEMENT_ALWAYS_INLINE {
      shift();
      if (results + k < left + of.columns)
        add(std::integral_constant<int, k + 1>{}, std::integral_constant<int, taps - 1 - k>{},
            results + k);
    });
  }
};

/// out = the sum of slots of sums, added in order.
template <class S> struct depthwise_slots {
  S* out;
  S const* sums;
  index_t size, slots;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = lanes_in<S, Bytes>;
    depthwise_slots const r = *this;
    index_t k = 0;
    for (; k + N <= r.size; k += N) r.template add<N>(k);
    for (; k != r.size; ++k) r.template add<1>(k);
  }

 private:
  template <int N> PLACEMENT_ALWAYS_INLINE inline void add(index_t k) const {
    lanes<S, N> sum = load_lanes<N>(sums + k);
    for (index_t slot = 1; slot != slots; ++slot) sum += load_lanes<N>(sums + slot * size + k);
    store_lanes<N>(out + k, sum);
  }
};

/// out(pixel, c) = the sum over taps of x(pixel, tap, c) w(tap, c), for rows of one image. The
/// weights of a vector of channels stay in registers for all rows.
template <class S> struct depthwise_sum_blocks {
  using block = depthwise_block<S>;

  block of;
  S const *x, *w;              ///< the image, and the filter's first tap
  index_t w_next;              ///< from tap to tap
  S* out;                      ///< from row `first` on
  S* copy;                     ///< of.copy_size() elements
  index_t top, left, results;  ///< of the padding; in a row of the result
  index_t first, last;         ///< rows [first, last) of the result

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = lanes_in<S, Bytes>;
    depthwise_sum_blocks const r = *this;
    index_t const from = std::max(r.first - r.top, index_t{0});
    index_t const until = std::min(r.last + taps - 1 - r.top, r.of.rows);
    r.of.each_block([&](index_t c, index_t end) PLACEMENT_ALWAYS_INLINE {
      r.of.template copy<N>(r.copy, r.x, from, until, c, end);
      for (index_t k = c; k != end; k += N) r.template add_vector<N>(from, k, k - c);
    });
  }

 private:
  static constexpr int taps = block::taps;
  static constexpr int many = 7;  ///< pixels with sums in registers, as in depthwise_sums

  template <int N>
  PLACEMENT_ALWAYS_INLINE inline void add_vector(index_t from, index_t c, index_t at) const {
    lane_array<S, N, taps * taps> weight;
    each<taps * taps>(
        [&](auto k) PLACEMENT_ALWAYS_INLINE { weight[k] = load_lanes<N>(w + k * w_next + c); });
    S* to = out + c;
    for (index_t i = first; i != last; ++i, to += results * of.channels) {
      index_t const row = i - top - from;  // in the copy, of the first row of taps
      index_t const next = i * of.columns * of.channels + c + block::width;  // block
      for (index_t p = 0; p < results; p += many) {
        index_t const pixel = std::min(p, results - many);  // some are computed twice
        lane_array<S, N, many> sum{};
        each<taps>([&](auto r) PLACEMENT_ALWAYS_INLINE {
          if (i - top + r >= 0 && i - top + r < of.rows)
            add_row<N, r>(sum, weight, copy + ((row + r) * of.columns * block::pitch + at),
                          pixel - left);
        });
        each<many>([&](auto k) PLACEMENT_ALWAYS_INLINE {
          store_lanes<N>(to + (pixel + k) * of.channels, sum[k]);
          __builtin_prefetch(address_of(x, next + (pixel + k) * of.channels), 0, 2);
        });
      }
    }
  }
  /// Adds the products of one row of taps. row: the first pixel of a row of x. column: of x, that
  /// the first pixel and tap read.
  template <int N, int Row>
  PLACEMENT_ALWAYS_INLINE inline void add_row(lane_array<S, N, many>& sum,
                                              lane_array<S, N, taps * taps> const& weight,
                                              S const* row, index_t column) const {
    each<many + taps - 1>([&](auto m) PLACEMENT_ALWAYS_INLINE {
      constexpr bool exists = m >= taps - 1 && m < many;
      if (!exists && (column + m < 0 || column + m >= of.columns)) return;
      auto const a = load_lanes<N>(row + (column + m) * block::pitch);
      each<taps>([&](auto k) PLACEMENT_ALWAYS_INLINE {
        constexpr int to = m - k;
        if constexpr (to >= 0 && to < many) sum[to] += a * weight[Row * taps + k];
      });
    });
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
