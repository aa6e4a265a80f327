#pragma once
/// Definitions: pools on the CPU, and their gradients.

#include <placement/config.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/max_pool_rows.hpp>
#include <placement/cpu/pool2d.hpp>
#include <placement/cpu/real_arrays.hpp>

#include <algorithm>
#include <new>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The positions [from, to) of a window that lie inside of a dimension.
struct window_part {
  index_t first;  ///< may be outside
  index_t from, to;

  window_part(window_axis const& a, index_t position) : first(position * a.stride - a.before) {
    from = std::max(first, index_t{0});
    to = std::min(first + a.taps, a.in);
  }
  index_t size() const { return to - from; }
};

/// Calls f(integral_constant<N>, c) for vectors of N channels from c on, and those of the rest by
/// one each.
template <class S, class F>
PLACEMENT_ALWAYS_INLINE inline void each_vector(index_t channels, F const& f) {
  constexpr int N = PLACEMENT_VECTOR_BYTES / static_cast<int>(sizeof(S));
  index_t c = 0;
  for (; c + N <= channels; c += N) f(std::integral_constant<int, N>{}, c);
  for (; c != channels; ++c) f(std::integral_constant<int, 1>{}, c);
}

/// Calls each(window rows, window columns, the image, the pixel of the result) for results of a
/// chunk of rows, which are numbered across images.
template <class F> void each_window(pool2d_sizes const& s, work_chunk const& chunk, F const& each) {
  for (index_t row = chunk.begin; row != chunk.end; ++row) {
    window_part const y(s.y, row % s.y.out);
    for (index_t j = 0; j != s.x.out; ++j)
      each(y, window_part(s.x, j), row / s.y.out, (row * s.x.out + j) * s.channels);
  }
}
/// Calls f with the offset in memory of each pixel of a window, in row-major order.
template <class F>
PLACEMENT_ALWAYS_INLINE inline void each_pixel(pool2d_sizes const& s, index_t image,
                                               window_part const& y, window_part const& x,
                                               F const& f) {
  index_t const row = s.x.in * s.channels, first = image * s.y.in * row + x.from * s.channels;
  for (index_t i = y.from; i < y.to; ++i) {
    index_t at = first + i * row;
    for (index_t j = x.from; j < x.to; ++j, at += s.channels) f(at);
  }
}
inline work_size work_of_pool(pool2d_sizes const& s, index_t units) {
  return {units, 1, static_cast<std::size_t>(s.out() * s.y.taps * s.x.taps)};
}

template <class S> void max_pool(S* out, S const* x, pool2d_sizes const& s, par on) {
  using by_vectors = max_pool_rows<S>;
  if (by_vectors::forward_fits(s))
    return on.parallel_for(work_of_pool(s, s.images * s.y.out), [&](work_chunk const& chunk) {
      pool_rows(by_vectors{s, out, x, nullptr, nullptr, chunk.begin, chunk.end});
    });
  on.parallel_for(work_of_pool(s, s.images * s.y.out), [&](work_chunk const& chunk) {
    each_window(s, chunk, [&](auto const& rows, auto const& columns, index_t image, index_t to) {
      each_vector<S>(s.channels, [&]<int N>(std::integral_constant<int, N>, index_t c) {
        S const* const first =
            x + ((image * s.y.in + rows.from) * s.x.in + columns.from) * s.channels;
        auto best = load_lanes<N>(first + c);
        each_pixel(s, image, rows, columns, [&](index_t at) {
          auto const v = load_lanes<N>(x + at + c);
          best = (v > best) | ((v != v) & (best == best)) ? v : best;
        });
        store_lanes<N>(out + to + c, best);
      });
    });
  });
}
/// Adds each gradient to the first element of its window that equals the maximum y.
template <class S>
void max_pool_gradient(S* out, S const* x, S const* y, S const* g, pool2d_sizes const& s, par on) {
  using by_vectors = max_pool_rows<S>;
  if (by_vectors::gradient_fits(s))
    return on.parallel_for(work_of_pool(s, s.images * s.y.out), [&](work_chunk const& chunk) {
      pool_rows(by_vectors{s, out, x, y, g, chunk.begin, chunk.end});
    });
  index_t const image_size = s.y.in * s.x.in * s.channels;
  on.parallel_for(work_of_pool(s, s.images), [&](work_chunk const& images) {
    std::fill(out + images.begin * image_size, out + images.end * image_size, S{});
    work_chunk const chunk{images.begin * s.y.out, images.end * s.y.out};
    each_window(s, chunk, [&](auto const& rows, auto const& columns, index_t image, index_t from) {
      each_vector<S>(s.channels, [&]<int N>(std::integral_constant<int, N>, index_t c) {
        auto const max = load_lanes<N>(y + from + c);
        auto left = load_lanes<N>(g + from + c);  // 0 after the first maximum
        lanes<S, N> const zero{};
        each_pixel(s, image, rows, columns, [&](index_t at) {
          auto const v = load_lanes<N>(x + at + c);
          auto const is_max = (v == max) | ((v != v) & (max != max));
          store_lanes<N>(out + at + c, load_lanes<N>(out + at + c) + (is_max ? left : zero));
          left = is_max ? zero : left;
        });
      });
    });
  });
}

template <class S> void avg_pool(S* out, S const* x, pool2d_sizes const& s, par on) {
  on.parallel_for(work_of_pool(s, s.images * s.y.out), [&](work_chunk const& chunk) {
    each_window(s, chunk, [&](auto const& rows, auto const& columns, index_t image, index_t to) {
      S const count = static_cast<S>(rows.size() * columns.size());
      each_vector<S>(s.channels, [&]<int N>(std::integral_constant<int, N>, index_t c) {
        lanes<S, N> sum{};
        each_pixel(s, image, rows, columns, [&](index_t at) { sum += load_lanes<N>(x + at + c); });
        store_lanes<N>(out + to + c, sum / count);
      });
    });
  });
}
template <class S> void avg_pool_gradient(S* out, S const* g, pool2d_sizes const& s, par on) {
  index_t const image_size = s.y.in * s.x.in * s.channels;
  on.parallel_for(work_of_pool(s, s.images), [&](work_chunk const& images) {
    std::fill(out + images.begin * image_size, out + images.end * image_size, S{});
    work_chunk const chunk{images.begin * s.y.out, images.end * s.y.out};
    each_window(s, chunk, [&](auto const& rows, auto const& columns, index_t image, index_t from) {
      S const count = static_cast<S>(rows.size() * columns.size());
      each_vector<S>(s.channels, [&]<int N>(std::integral_constant<int, N>, index_t c) {
        lanes<S, N> const share = load_lanes<N>(g + from + c) / count;
        each_pixel(s, image, rows, columns, [&](index_t at) {
          store_lanes<N>(out + at + c, load_lanes<N>(out + at + c) + share);
        });
      });
    });
  });
}

PLACEMENT_INLINE void max_pool_forward(product_element type, void* out, void const* x,
                                       pool2d_sizes const& s, par on) {
  on_real_arrays(
      type, out, s.out(), [&](auto* to, auto const* a) { max_pool(to, a, s, on); },
      real_array{x, s.in()});
}
PLACEMENT_INLINE void max_pool_backward(product_element type, void* out, void const* x,
                                        void const* y, void const* g, pool2d_sizes const& s,
                                        par on) {
  on_real_arrays(
      type, out, s.in(),
      [&](auto* to, auto const* a, auto const* b, auto const* c) {
        max_pool_gradient(to, a, b, c, s, on);
      },
      real_array{x, s.in()}, real_array{y, s.out()}, real_array{g, s.out()});
}
PLACEMENT_INLINE void avg_pool_forward(product_element type, void* out, void const* x,
                                       pool2d_sizes const& s, par on) {
  on_real_arrays(
      type, out, s.out(), [&](auto* to, auto const* a) { avg_pool(to, a, s, on); },
      real_array{x, s.in()});
}
PLACEMENT_INLINE void avg_pool_backward(product_element type, void* out, void const* g,
                                        pool2d_sizes const& s, par on) {
  on_real_arrays(
      type, out, s.in(), [&](auto* to, auto const* a) { avg_pool_gradient(to, a, s, on); },
      real_array{g, s.out()});
}

PLACEMENT_INLINE void batch_norm_pool_backward(float* out, batch_norm_pool_call const& call,
                                               pool2d_sizes const& s, par on) try {
  using by_vectors = max_pool_rows<float>;
  if (by_vectors::gradient_fits(s)) {
    constexpr index_t excess = 16;  // numbers of a vector
    auto const padded = [&](float const* row) {
      std::vector<float> all(static_cast<std::size_t>(s.channels + excess));
      std::copy_n(row, s.channels, all.begin());
      return all;
    };
    auto const mean = padded(call.mean), of_x = padded(call.of_x), shift = padded(call.shift);
    return on.parallel_for(work_of_pool(s, s.images * s.y.out), [&](work_chunk const& chunk) {
      pool_rows(by_vectors{s, out, call.x, call.y, call.g, chunk.begin, chunk.end, mean.data(),
                           of_x.data(), shift.data()});
    });
  }
  max_pool_gradient(out, call.x, call.y, call.g, s, on);
  on.parallel_for(work_of_pool(s, s.in() / s.channels), [&](work_chunk const& pixels) {
    for (index_t i = pixels.begin; i != pixels.end; ++i)
      for (index_t c = 0; c != s.channels; ++c)
        out[i * s.channels + c] -=
            (call.x[i * s.channels + c] - call.mean[c]) * call.of_x[c] + call.shift[c];
  });
} catch (std::bad_alloc const&) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
