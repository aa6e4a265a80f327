#pragma once
/// Convolutions whose groups have one channel and one filter each: depthwise ones. Vectors hold
/// neighbouring channels of a pixel.

#include <placement/cpu/by_level.hpp>
#include <placement/cpu/conv2d_gather.hpp>

#include <type_traits>
#include <vector>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// A tap of the filter: the offset of what it reads for the first pixel, and its own. `run`: so
/// many taps from this one on read neighbouring pixels, at most 3.
struct depthwise_tap {
  index_t offset, filter, run;
};

/// Calls f(N, c) for vectors of channels from c on: as many of N numbers as fit, then of 4, then
/// single ones.
template <int N, class F>
PLACEMENT_ALWAYS_INLINE inline void each_channel_vector(index_t channels, F const& f) {
  index_t c = 0;
  for (; c + N <= channels; c += N) f(std::integral_constant<int, N>{}, c);
  if constexpr (N > 4)
    for (; c + 4 <= channels; c += 4) f(std::integral_constant<int, 4>{}, c);
  if constexpr (N > 1)
    for (; c != channels; ++c) f(std::integral_constant<int, 1>{}, c);
}

/// Neighbouring pixels of a row with the same taps. Pixels are `next` elements apart in x.
template <class S> struct depthwise_pixels {
  index_t channels, pixels;
  depthwise_tap const* taps;
  index_t tap_count;
  S const* x;
  index_t next;
};

/// out(pixel, c) = the sum over taps of x(pixel, tap, c) w(tap, c).
template <class S> struct depthwise_sums {
  depthwise_pixels<S> p;
  S const* w;
  S* out;
  index_t out_next;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = lanes_in<S, Bytes>, many = 6;
    depthwise_sums const r = *this;  // in registers: stores could change *this
    index_t i = 0;
    for (; i + many <= r.p.pixels; i += many)
      each_channel_vector<N>(p.channels, [&](auto n, index_t c) PLACEMENT_ALWAYS_INLINE {
        r.template add<decltype(n)::value, many, 1>(i, c);
      });
    for (; i != r.p.pixels; ++i) {
      index_t c = 0;
      for (; c + 4 * N <= r.p.channels; c += 4 * N) r.template add<N, 1, 4>(i, c);
      each_channel_vector<N>(r.p.channels - c, [&](auto n, index_t k) PLACEMENT_ALWAYS_INLINE {
        r.template add<decltype(n)::value, 1, 1>(i, c + k);
      });
    }
  }

 private:
  /// Some vectors of some pixels. A vector of x is read once for a run of taps.
  template <int N, int Pixels, int Vectors>
  PLACEMENT_ALWAYS_INLINE inline void add(index_t pixel, index_t c) const {
    lane_array<S, N, Pixels * Vectors> sum{};
    S const* const from = p.x + pixel * p.next + c;
    for (index_t t = 0; t != p.tap_count;) {
      S const* const at = from + p.taps[t].offset;
      index_t const run = Pixels == 1 ? 1 : p.taps[t].run;
      if (run == 3) add_run<N, Pixels, Vectors, 3>(sum, at, p.taps + t, c);
      else if (run == 2) add_run<N, Pixels, Vectors, 2>(sum, at, p.taps + t, c);
      else add_run<N, Pixels, Vectors, 1>(sum, at, p.taps + t, c);
      t += run;
    }
    S* const to = out + pixel * out_next + c;
    each<Pixels * Vectors>([&](auto k) PLACEMENT_ALWAYS_INLINE {
      store_lanes<N>(to + k / Vectors * out_next + k % Vectors * N, sum[k]);
    });
  }
  template <int N, int Pixels, int Vectors, int Taps>
  PLACEMENT_ALWAYS_INLINE inline void add_run(lane_array<S, N, Pixels * Vectors>& sum, S const* at,
                                              depthwise_tap const* taps, index_t c) const {
    lane_array<S, N, Taps * Vectors> weight;
    each<Taps * Vectors>([&](auto k) PLACEMENT_ALWAYS_INLINE {
      weight[k] = load_lanes<N>(w + taps[k / Vectors].filter + c + k % Vectors * N);
    });
    each<(Pixels + Taps - 1) * Vectors>([&](auto m) PLACEMENT_ALWAYS_INLINE {
      constexpr int read = m / Vectors, v = m % Vectors;
      auto const x = load_lanes<N>(at + read * p.next + v * N);
      each<Taps>([&](auto k) PLACEMENT_ALWAYS_INLINE {
        constexpr int pixel = read - k;
        if constexpr (pixel >= 0 && pixel < Pixels)
          sum[pixel * Vectors + v] += x * weight[k * Vectors + v];
      });
    });
  }
};

/// sums(tap, c) += the sum over pixels of x(pixel, tap, c) g(pixel, c).
template <class S> struct depthwise_filter_sums {
  depthwise_pixels<S> p;
  S const* g;
  S* sums;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    depthwise_filter_sums const r = *this;
    index_t const parts = (r.p.tap_count + most - 1) / most;
    for (index_t part = 0; part != parts; ++part) {
      index_t const first = r.p.tap_count * part / parts;
      r.template add_taps<lanes_in<S, Bytes>, most>(first,
                                                    r.p.tap_count * (part + 1) / parts - first);
    }
  }

 private:
  static constexpr int most = 9;  ///< taps, whose sums are in registers

  template <int Most, int Taps>
  PLACEMENT_ALWAYS_INLINE inline void add_taps(index_t first, index_t count) const {
    if (count == Taps) return add<Most, Taps>(p.taps + first);
    if constexpr (Taps > 1) add_taps<Most, Taps - 1>(first, count);
  }
  template <int Most, int Taps>
  PLACEMENT_ALWAYS_INLINE inline void add(depthwise_tap const* taps) const {
    each_channel_vector<Most>(p.channels, [&](auto n, index_t c) PLACEMENT_ALWAYS_INLINE {
      constexpr int N = decltype(n)::value;
      lane_array<S, N, Taps> sum;
      S const* at[static_cast<std::size_t>(Taps)];
      each<Taps>([&](auto t) PLACEMENT_ALWAYS_INLINE {
        sum[t] = load_lanes<N>(sums + taps[t].filter + c);
        at[t] = p.x + taps[t].offset + c;
      });
      for (index_t i = 0; i != p.pixels; ++i) {
        auto const gradient = load_lanes<N>(g + i * p.channels + c);
        each<Taps>([&](auto t) PLACEMENT_ALWAYS_INLINE {
          sum[t] += load_lanes<N>(at[t] + i * p.next) * gradient;
        });
      }
      each<Taps>([&](auto t) PLACEMENT_ALWAYS_INLINE {
        store_lanes<N>(sums + taps[t].filter + c, sum[t]);
      });
    });
  }
};

/// Rows of a depthwise convolution, of its result or of its gradient of the images.
template <class S> class depthwise_rows {
 public:
  depthwise_rows(gather_axis const& y, gather_axis const& x, conv2d_sizes const& s)
      : y_(y), x_(x), channels_(s.channels), filter_row_(s.x.taps * s.channels) {}

  /// Calls f(pixels, column) for parts of a row of the result: columns `column`, `column` +
  /// x.stride and so on. image: of the operand.
  template <class F> void each_part(S const* image, index_t row, F const& f) {
    auto const& p = y_.phases[static_cast<std::size_t>(row % y_.stride)];
    index_t const top = y_.first + (row - p.first) / y_.stride * y_.step;
    for (gather_phase const& q : x_.phases) {
      auto const part = [&](index_t v, index_t end) {
        if (v == end) return;
        list_taps(p, q, top, v);
        join_taps();
        f(depthwise_pixels<S>{channels_, end - v, taps_.data(), static_cast<index_t>(taps_.size()),
                              image, x_.step * channels_},
          v * x_.stride + q.first);
      };
      auto const [begin, end] = inside(q);
      for (index_t v = q.begin; v != begin; ++v) part(v, v + 1);
      part(begin, end);
      for (index_t v = end; v != q.end; ++v) part(v, v + 1);
    }
  }

 private:
  /// The positions whose taps are all inside of a row.
  run_range inside(gather_phase const& q) const {
    if (q.taps.empty()) return {q.begin, q.end};
    index_t const left = x_.first + q.taps.front().offset, right = x_.first + q.taps.back().offset;
    index_t const begin = left >= 0 ? 0 : (-left + x_.step - 1) / x_.step;
    index_t const end = right < x_.in ? (x_.in - 1 - right) / x_.step + 1 : 0;
    index_t const first = std::clamp(begin, q.begin, q.end);
    return {first, std::clamp(end, first, q.end)};
  }
  /// Lists the taps that read elements of the operand at position v.
  void list_taps(gather_phase const& p, gather_phase const& q, index_t top, index_t v) {
    taps_.clear();
    for (auto const& i : p.taps) {
      index_t const row = top + i.offset;
      if (row < 0 || row >= y_.in) continue;
      for (auto const& j : q.taps) {
        index_t const column = x_.first + v * x_.step + j.offset;
        if (column < 0 || column >= x_.in) continue;
        taps_.push_back(
            {(row * x_.in + column) * channels_, i.number * filter_row_ + j.number * channels_, 1});
      }
    }
  }

  /// Taps of neighbouring pixels are runs of 3, or of what is left.
  void join_taps() {
    index_t const next = x_.step * channels_;
    for (std::size_t i = 0, end = 0; i != taps_.size(); i = end) {
      for (end = i + 1; end != taps_.size() && end != i + 3; ++end)
        if (taps_[end].offset != taps_[end - 1].offset + next) break;
      taps_[i].run = static_cast<index_t>(end - i);
    }
  }

  gather_axis const &y_, &x_;
  index_t channels_, filter_row_;
  std::vector<depthwise_tap> taps_;
};

/// The result, or the gradient of the images, by the axes of a gather.
template <class S>
void convolve_depthwise(S* out, S const* x, S const* w, gather_axis const& rows,
                        gather_axis const& columns, conv2d_sizes const& s, index_t multiplications,
                        par on) {
  index_t const size = columns.out * s.channels;
  work_size const work{s.images * rows.out, 1, static_cast<std::size_t>(multiplications)};
  on.parallel_for(work, [&](work_chunk const& chunk) {
    depthwise_rows<S> of_row(rows, columns, s);
    for (index_t i = chunk.begin; i != chunk.end; ++i) {
      S const* const image = x + i / rows.out * rows.in * columns.in * s.channels;
      of_row.each_part(image, i % rows.out, [&](depthwise_pixels<S> const& p, index_t column) {
        run_by_width(depthwise_sums<S>{p, w, out + i * size + column * s.channels,
                                       columns.stride * s.channels});
      });
    }
  });
}

/// The gradient of the filter. Sums over the pixels in slots, whose number depends on the extents
/// alone, as in conv2d_filter.
template <class S>
void depthwise_filter_gradient(S* out, S const* x, S const* g, conv2d_sizes const& s,
                               index_t multiplications, par on) {
  constexpr index_t most = 16, pixels = 64, elements = 1 << 20;
  gather_axis const rows = forward_axis(s.y), columns = forward_axis(s.x);
  index_t const size = s.filter_size(), all = s.images * s.y.out;
  index_t const slots =
      std::max(std::min({most, all, all * s.x.out / pixels, elements / size}), index_t{1});
  thread_scratch memory;
  S* const sums = slots == 1 ? out : scratch_array<S>(memory, size * slots);
  std::fill_n(sums, size * slots, S{});
  on.parallel_for(
      {slots, 1, static_cast<std::size_t>(multiplications)}, [&](work_chunk const& chunk) {
        depthwise_rows<S> of_row(rows, columns, s);
        for (index_t slot = chunk.begin; slot != chunk.end; ++slot)
          for (index_t i = all * slot / slots; i != all * (slot + 1) / slots; ++i)
            of_row.each_part(x + i / s.y.out * s.image_size(), i % s.y.out,
                             [&](depthwise_pixels<S> const& p, index_t column) {
                               run_by_width(depthwise_filter_sums<S>{
                                   p, g + (i * s.x.out + column) * s.channels, sums + slot * size});
                             });
      });
  for (index_t k = 0; k != size && slots != 1; ++k) {
    S sum = sums[k];
    for (index_t slot = 1; slot != slots; ++slot) sum += sums[slot * size + k];
    out[k] = sum;
  }
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
