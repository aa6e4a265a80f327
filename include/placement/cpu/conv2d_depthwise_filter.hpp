#pragma once
/// Pixels and taps of depthwise convolutions, and the sums of the gradient of their filter.

#include <placement/cpu/lanes.hpp>
#include <placement/shape/extents.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// A tap of the filter along a row: its offset of what pixel 0 reads, and in the filter. Pixels
/// [first, last) read elements of the row, and the others zeros. `run`: so many taps from this one
/// on read neighbouring pixels, at most 3.
struct depthwise_tap {
  index_t offset, filter, first, last, run;
};

/// Calls f(N, c) for the channels from c on that fill no larger vector: for 4, then for single
/// ones.
template <int N, class F>
PLACEMENT_ALWAYS_INLINE inline void each_last_channel(index_t c, index_t channels, F const& f) {
  if constexpr (N > 4)
    for (; c + 4 <= channels; c += 4) f(std::integral_constant<int, 4>{}, c);
  for (; c != channels; ++c) f(std::integral_constant<int, 1>{}, c);
}

/// Pixels of a row. What they read is `next` elements apart in x.
template <class S> struct depthwise_pixels {
  index_t channels, pixels;
  depthwise_tap const* taps;
  index_t tap_count;
  S const* x;
  index_t next;
};

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
  /// Adds to the taps in runs of Length: three runs at a time, then single ones. The last channels,
  /// which fill no vector, take one run at a time. More combinations cost seconds to compile.
  template <int N, int Length> PLACEMENT_ALWAYS_INLINE inline void add_runs() const {
    constexpr int runs = 3;
    index_t const full = p.channels - p.channels % N;
    depthwise_tap const* first[std::size_t{runs}];
    int count = 0;
    for (index_t t = 0; t != p.tap_count; t += p.taps[t].run) {
      if (p.taps[t].run != Length) continue;
      first[count++] = p.taps + t;
      each_last_channel<N>(full, p.channels, [&](auto n, index_t c) PLACEMENT_ALWAYS_INLINE {
        add_channels<decltype(n)::value, Length, 1>(first + (count - 1), c);
      });
      if (count == runs) {
        add<N, Length, runs>(first, full);
        count = 0;
      }
    }
    for (int r = 0; r != count; ++r) add<N, Length, 1>(first + r, full);
  }
  /// Adds to runs of taps, vector by vector of channels.
  template <int N, int Length, int Runs>
  PLACEMENT_ALWAYS_INLINE inline void add(depthwise_tap const* const* first, index_t full) const {
    for (index_t c = 0; c != full; c += N) add_channels<N, Length, Runs>(first, c);
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

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
