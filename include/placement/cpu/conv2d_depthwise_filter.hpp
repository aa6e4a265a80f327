#pragma once
/// The gradient of the filter of a depthwise convolution.

#include <placement/cpu/conv2d_depthwise.hpp>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// sums(tap, c) += the sum over pixels of x(pixel, tap, c) g(pixel, c).
template <class S> struct depthwise_filter_sums {
  depthwise_pixels<S> p;
  S const* g;
  S* sums;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = lanes_in<S, Bytes>;
    depthwise_filter_sums const r = *this;
    r.template add_runs<N, 3>();
    r.template add_runs<N, 2>();
    r.template add_runs<N, 1>();
  }

 private:
  /// As many taps have their sums in registers.
  static constexpr int most = 9;

  /// Adds to the taps in runs of Length, some runs at a time.
  template <int N, int Length> PLACEMENT_ALWAYS_INLINE inline void add_runs() const {
    constexpr int runs = most / Length;
    depthwise_tap const* first[std::size_t{runs}];
    int count = 0;
    for (index_t t = 0; t != p.tap_count; t += p.taps[t].run) {
      if (p.taps[t].run != Length) continue;
      first[count++] = p.taps + t;
      if (count == runs) {
        add<N, Length, runs>(first);
        count = 0;
      }
    }
    if constexpr (runs > 1) add_some<N, Length, runs - 1>(first, count);
  }
  template <int N, int Length, int Runs>
  PLACEMENT_ALWAYS_INLINE inline void add_some(depthwise_tap const* const* first, int count) const {
    if (count == Runs) return add<N, Length, Runs>(first);
    if constexpr (Runs > 1) add_some<N, Length, Runs - 1>(first, count);
  }
  /// Adds to runs of taps, vector by vector of channels.
  template <int N, int Length, int Runs>
  PLACEMENT_ALWAYS_INLINE inline void add(depthwise_tap const* const* first) const {
    index_t c = 0;
    for (; c + N <= p.channels; c += N) add_channels<N, Length, Runs>(first, c);
    each_last_channel<N>(c, p.channels, [&](auto n, index_t k) PLACEMENT_ALWAYS_INLINE {
      add_channels<decltype(n)::value, Length, Runs>(first, k);
    });
  }
  /// Reads a vector of x once for a run of taps: column m of x and gradient m - k belong to tap k.
  template <int N, int Length, int Runs>
  PLACEMENT_ALWAYS_INLINE inline void add_channels(depthwise_tap const* const* first,
                                                   index_t c) const {
    lane_array<S, N, Length * Runs> sum;
    S const* x[std::size_t{Runs}];
    each<Runs>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      x[r] = p.x + (first[r]->offset + c);
      each<Length>([&](auto k) PLACEMENT_ALWAYS_INLINE {
        sum[r * Length + k] = load_lanes<N>(sums + first[r][k].filter + c);
      });
    });
    S const* const gradients = g + c;
    index_t from = Length - 1, end = p.pixels;  // columns whose taps all have a gradient
    each<Runs>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      from = std::max(from, first[r]->first);
      end = std::min(end, first[r]->last);
    });
    end = std::max(from, end);
    auto const add_edge = [&](auto r, index_t m) PLACEMENT_ALWAYS_INLINE {
      auto const of = load_lanes<N>(x[r] + m * p.next);
      each<Length>([&](auto k) PLACEMENT_ALWAYS_INLINE {
        if (m >= k && m - k < p.pixels)
          sum[r * Length + k] += of * load_lanes<N>(gradients + (m - k) * p.channels);
      });
    };
    each<Runs>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      index_t const before = std::min({from, first[r]->last, p.pixels + Length - 1});
      for (index_t m = first[r]->first; m < before; ++m) add_edge(r, m);
    });
    lane_array<S, N, Length> near;  // near[k]: gradient m - k
    if (from < end)
      each<Length - 1>([&](auto k) PLACEMENT_ALWAYS_INLINE {
        near[k] = load_lanes<N>(gradients + (from - 1 - k) * p.channels);
      });
    for (index_t m = from; m < end; ++m) {
      each<Length - 1>(
          [&](auto k) PLACEMENT_ALWAYS_INLINE { near[Length - 1 - k] = near[Length - 2 - k]; });
      near[0] = load_lanes<N>(gradients + m * p.channels);
      each<Runs>([&](auto r) PLACEMENT_ALWAYS_INLINE {
        auto const of = load_lanes<N>(x[r] + m * p.next);
        each<Length>([&](auto k) PLACEMENT_ALWAYS_INLINE { sum[r * Length + k] += of * near[k]; });
      });
    }
    each<Runs>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      index_t const after = std::min(first[r]->last, p.pixels + Length - 1);
      for (index_t m = end; m < after; ++m) add_edge(r, m);
      each<Length>([&](auto k) PLACEMENT_ALWAYS_INLINE {
        store_lanes<N>(sums + first[r][k].filter + c, sum[r * Length + k]);
      });
    });
  }
};

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
  on.parallel_for({slots, 1, static_cast<std::size_t>(multiplications)},
                  [&](work_chunk const& chunk) {
                    depthwise_rows<S> of_row(rows, columns, s);
                    for (index_t slot = chunk.begin; slot != chunk.end; ++slot)
                      for (index_t i = all * slot / slots; i != all * (slot + 1) / slots; ++i)
                        of_row.each_phase(
                            x + i / s.y.out * s.image_size(), i % s.y.out,
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
