#pragma once
/// Max pools whose windows lie inside of the images, and their gradients: rows of results by
/// vectors of the processor's width.

#include <placement/cpu/conv2d_tile.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/shape/window.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 { namespace detail {

/// Vectors hold channels of one pixel: the shortest of 16 bytes or more that hold all, else the
/// longest. A vector that is longer than the channels that remain also reads and writes the next
/// pixels of the row: those are written again, after it. So the last channels come first. Near the
/// end of a row vectors are written exactly, and near the end of the arrays also read exactly.
template <class S> struct max_pool_rows {
  pool2d_sizes const& size;
  S* out;      ///< the results, or the gradient of the images
  S const* x;  ///< the images
  S const* y;  ///< results and their gradient, for the gradient of the images; else null
  S const* g;
  index_t begin, end;  ///< rows of results, numbered across images
  /// If it is not null, (x - mean) * of_x + shift is subtracted from the gradient. Mean, of_x and
  /// shift of the channels, each followed by a vector of any numbers.
  S const *mean = nullptr, *of_x = nullptr, *shift = nullptr;

  /// Whether these loops compute a pool.
  static bool forward_fits(pool2d_sizes const& s) { return is_inside(s.y) && is_inside(s.x); }
  /// Each element of the images is then in one window.
  static bool gradient_fits(pool2d_sizes const& s) {
    auto const tiles = [](window_axis const& a) {
      return a.before == 0 && a.stride == a.taps && a.in == a.out * a.taps;
    };
    return tiles(s.y) && tiles(s.x);
  }

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = Bytes / static_cast<int>(sizeof(S));
    if constexpr (Bytes > 16)
      if (size.channels <= N / 2) return run<Bytes / 2>();
    // Copies, whose members stay in registers: stores to `out` could change *this.
    pool2d_sizes const sizes = size;
    max_pool_rows const rows{sizes, out, x, y, g, begin, end, mean, of_x, shift};
    if (g == nullptr) rows.template run_rows<N, loop::maxima>();
    else if (mean == nullptr) rows.template run_rows<N, loop::gradient>();
    else rows.template run_rows<N, loop::gradient_of_moments>();
  }

 private:
  static bool is_inside(window_axis const& a) {
    return a.before == 0 && (a.out - 1) * a.stride + a.taps <= a.in;
  }

  enum class loop { maxima, gradient, gradient_of_moments };
  /// Where the end of a vector lies. After an end of a row an array has at least N numbers more.
  enum class at { row, end_of_row, end_of_arrays };

  template <int N, loop What> PLACEMENT_ALWAYS_INLINE inline void run_rows() const {
    if (size.y.taps == 2 && size.x.taps == 2) run_rows<N, What, 2>();
    else run_rows<N, What, 0>();
  }
  /// Taps: of both axes, if it is not 0.
  template <int N, loop What, int Taps> PLACEMENT_ALWAYS_INLINE inline void run_rows() const {
    index_t const c = size.channels, last = (c - 1) / N * N;  // of the last vector
    index_t const step = size.x.stride * c, row = size.x.in * c, width = size.x.out * c;
    // Whole vectors stay in their row before this window.
    index_t const in_images = (row - (size.x.taps - 1) * c - last - N + step) / step;
    index_t const in_results = (width - last - N + c) / c;
    index_t const whole = std::clamp(std::min(in_images, in_results), index_t{0}, size.x.out);
    index_t const rows = size.images * size.y.out;
    for (index_t r = begin; r != end; ++r) {
      index_t const image = r / size.y.out, i = r % size.y.out;
      index_t from = (image * size.y.in + i * size.y.stride) * row, to = r * width;
      for (index_t j = 0; j != whole; ++j, from += step, to += c) {
        prefetch<What, Taps>(from, to);
        for (index_t k = last; k >= 0; k -= N)
          window<N, What, Taps, at::row>(from + k, to + k, k, N);
      }
      for (index_t j = whole; j < size.x.out; ++j, from += step, to += c)
        for (index_t k = last; k >= 0; k -= N)
          if (c - k >= N) window<N, What, Taps, at::row>(from + k, to + k, k, N);
          else if ((rows - r - 1) * width >= N)
            window<N, What, Taps, at::end_of_row>(from + k, to + k, k, c - k);
          else window<N, What, Taps, at::end_of_arrays>(from + k, to + k, k, c - k);
    }
  }
  template <int N, at Where>
  PLACEMENT_ALWAYS_INLINE static inline void load(lanes<S, N>& v, S const* p, index_t n) {
    if constexpr (Where == at::end_of_arrays) {
      S some[static_cast<std::size_t>(N)]{};
      copy_first<static_cast<std::size_t>(N) / 2>(some, p, n);
      std::memcpy(&v, some, sizeof v);
    } else {
      std::memcpy(&v, p, sizeof v);
    }
  }
  template <int N, at Where>
  PLACEMENT_ALWAYS_INLINE static inline void store(S* p, lanes<S, N> const& v, index_t n) {
    if constexpr (Where != at::row) {
      S some[static_cast<std::size_t>(N)];
      std::memcpy(some, &v, sizeof v);
      copy_first<static_cast<std::size_t>(N) / 2>(p, some, n);
    } else {
      std::memcpy(p, &v, sizeof v);
    }
  }
  /// Loads what a later window reads and writes, some kilobytes ahead. Windows read several rows,
  /// so that the processor does not see one sequence of addresses.
  template <loop What, int Taps>
  PLACEMENT_ALWAYS_INLINE inline void prefetch(index_t from, index_t to) const {
    constexpr index_t ahead = 6144 / static_cast<index_t>(sizeof(S));
    for (index_t i = 0; i != (Taps != 0 ? Taps : size.y.taps); ++i) {
      index_t const p = from + ahead + i * size.x.in * size.channels;
      __builtin_prefetch(address_of(x, p));
      if constexpr (What != loop::maxima) __builtin_prefetch(address_of(out, p), 1);
    }
    if constexpr (What != loop::maxima) {
      __builtin_prefetch(address_of(y, to + ahead));
      __builtin_prefetch(address_of(g, to + ahead));
    }
  }
  /// n channels of one window from `channel` on, the first at `from` in the images and at `to` in
  /// the results.
  template <int N, loop What, int Taps, at Where>
  PLACEMENT_ALWAYS_INLINE inline void window(index_t from, index_t to, index_t channel,
                                             index_t n) const {
    using vector = lanes<S, N>;
    if constexpr (What == loop::maxima) {
      vector best;
      load<N, Where>(best, x + from, n);
      each_tap<Taps>(from, [&](index_t p) PLACEMENT_ALWAYS_INLINE {
        vector v;
        load<N, Where>(v, x + p, n);
        best = ((v > best) | (v != v)) ? v : best;
      });
      store<N, Where>(out + to, best, n);
    } else {
      vector max, left;  // the gradient, 0 after the first maximum
      vector const zero{};
      vector m{}, a{}, b{};
      if constexpr (What == loop::gradient_of_moments) {
        std::memcpy(&m, mean + channel, sizeof m);
        std::memcpy(&a, of_x + channel, sizeof a);
        std::memcpy(&b, shift + channel, sizeof b);
      }
      load<N, Where>(max, y + to, n);
      load<N, Where>(left, g + to, n);
      each_tap<Taps>(from, [&](index_t p) PLACEMENT_ALWAYS_INLINE {
        vector v;
        load<N, Where>(v, x + p, n);
        auto const is_max = (v == max) | (v != v);
        vector d = is_max ? left : zero;
        if constexpr (What == loop::gradient_of_moments) d -= (v - m) * a + b;
        store<N, Where>(out + p, d, n);
        left = is_max ? zero : left;
      });
    }
  }
  /// Calls f with the place of each pixel of the window whose first pixel is at `from`.
  template <int Taps, class F>
  PLACEMENT_ALWAYS_INLINE inline void each_tap(index_t from, F const& f) const {
    index_t const row = size.x.in * size.channels;
    if constexpr (Taps != 0) {
      each<Taps * Taps>([&](auto k) PLACEMENT_ALWAYS_INLINE {
        f(from + k / Taps * row + k % Taps * size.channels);
      });
    } else {
      for (index_t i = 0; i != size.y.taps; ++i)
        for (index_t j = 0; j != size.x.taps; ++j) f(from + i * row + j * size.channels);
    }
  }
};

template <class S> PLACEMENT_FOR_AVX2 void pool_rows_for_avx2(max_pool_rows<S> const& rows) {
  rows.template run<32>();
}
/// Vectors have at most 32 bytes: in a function with a target, g++ compiles comparisons of 64 bytes
/// to scalar code.
template <class S> void pool_rows(max_pool_rows<S> const& rows) {
  if constexpr (PLACEMENT_HAS_LEVELS && PLACEMENT_X86_LEVEL < 3)
    if (cpu_level_in_use() != cpu_level::baseline) return pool_rows_for_avx2(rows);
  rows.template run<PLACEMENT_VECTOR_BYTES>();
}

}}}  // namespace placement::v0_1::detail
