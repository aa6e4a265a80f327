#pragma once
/// Convolutions whose groups have one channel and one filter each: depthwise ones. Vectors hold
/// neighbouring channels of a pixel.

#include <placement/cpu/by_level.hpp>
#include <placement/cpu/conv2d_depthwise_blocks.hpp>
#include <placement/cpu/conv2d_depthwise_copies.hpp>
#include <placement/cpu/conv2d_depthwise_filter.hpp>
#include <placement/cpu/conv2d_depthwise_rows.hpp>
#include <placement/cpu/conv2d_gather.hpp>
#include <placement/cpu/finished_tile.hpp>

#include <algorithm>
#include <type_traits>
#include <vector>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// out(pixel, c) = the sum over taps of x(pixel, tap, c) w(tap, c).
template <class S> struct depthwise_sums {
  depthwise_pixels<S> p;
  S const* w;
  S* out;
  index_t out_next;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE inline void run() const {
    constexpr int N = lanes_in<S, Bytes>;
    constexpr index_t many = 7;      // many layers of nets have a multiple of 7 pixels
    depthwise_sums const r = *this;  // in registers: stores could change *this
    index_t const in_vectors = r.p.pixels < many ? 0 : r.p.channels / N * N;
    for (index_t i = 0; i < r.p.pixels && in_vectors != 0; i += many) {
      index_t const first = std::min(i, r.p.pixels - many);  // some are computed twice
      for (index_t c = 0; c != in_vectors; c += N) r.template add<N, many>(first, c);
    }
    if (in_vectors != r.p.channels) r.template by_pixel<N>(in_vectors);
  }

 private:
  /// Channels from c on, pixel by pixel.
  template <int N> PLACEMENT_ALWAYS_INLINE inline void by_pixel(index_t const from) const {
    for (index_t i = 0; i != p.pixels; ++i) {
      index_t c = from;
      for (; c + index_t{4} * N <= p.channels; c += index_t{4} * N) add_one<N, 4>(i, c);
      for (; c + N <= p.channels; c += N) add_one<N, 1>(i, c);
      each_last_channel<N>(c, p.channels, [&](auto n, index_t k) PLACEMENT_ALWAYS_INLINE {
        add_one<decltype(n)::value, 1>(i, k);
      });
    }
  }
  template <int N, int Vectors>
  PLACEMENT_ALWAYS_INLINE inline void add_one(index_t pixel, index_t c) const {
    lane_array<S, N, Vectors> sum{};
    for (index_t t = 0; t != p.tap_count; ++t) {
      depthwise_tap const& tap = p.taps[t];
      if (pixel < tap.first || pixel >= tap.last) continue;
      S const* const at = p.x + (tap.offset + pixel * p.next + c);
      each<Vectors>([&](auto v) PLACEMENT_ALWAYS_INLINE {
        sum[v] += load_lanes<N>(at + v * N) * load_lanes<N>(w + tap.filter + c + v * N);
      });
    }
    each<Vectors>([&](auto v) PLACEMENT_ALWAYS_INLINE {
      store_lanes<N>(out + pixel * out_next + c + v * N, sum[v]);
    });
  }
  /// A vector of each of some pixels. A vector of x is read once for a run of taps.
  template <int N, int Pixels>
  PLACEMENT_ALWAYS_INLINE inline void add(index_t pixel, index_t c) const {
    lane_array<S, N, Pixels> sum{};
    for (index_t t = 0, run = 0; t != p.tap_count; t += run) {
      depthwise_tap const* const tap = p.taps + t;
      index_t const at = tap->offset + pixel * p.next + c;
      run = tap->run;
      if (run == 3) add_run<N, Pixels, 3>(sum, at, tap, pixel, c);
      else if (run == 2) add_run<N, Pixels, 2>(sum, at, tap, pixel, c);
      else add_run<N, Pixels, 1>(sum, at, tap, pixel, c);
    }
    each<Pixels>([&](auto k) PLACEMENT_ALWAYS_INLINE {
      store_lanes<N>(out + (pixel + k) * out_next + c, sum[k]);
    });
  }
  template <int N, int Pixels, int Taps>
  PLACEMENT_ALWAYS_INLINE inline void add_run(lane_array<S, N, Pixels>& sum, index_t at,
                                              depthwise_tap const* tap, index_t pixel,
                                              index_t c) const {
    constexpr int read = Pixels + Taps - 1;
    lane_array<S, N, Taps> weight;
    each<Taps>([&](auto k)
                   PLACEMENT_ALWAYS_INLINE { weight[k] = load_lanes<N>(w + tap[k].filter + c); });
    auto const add_pixel = [&](auto m) PLACEMENT_ALWAYS_INLINE {
      auto const x = load_lanes<N>(p.x + (at + m * p.next));
      each<Taps>([&](auto k) PLACEMENT_ALWAYS_INLINE {
        constexpr int to = m - k;
        if constexpr (to >= 0 && to < Pixels) sum[to] += x * weight[k];
      });
    };
    index_t const first = tap->first - pixel, last = tap->last - pixel;
    if (first <= 0 && last >= read)
      each<read>([&](auto m) PLACEMENT_ALWAYS_INLINE { add_pixel(m); });
    else
      each<read>([&](auto m) PLACEMENT_ALWAYS_INLINE {
        if (m >= first && m < last) add_pixel(m);
      });
  }
};

/// The result, or the gradient of the images, by blocks of channels.
template <class S>
void convolve_depthwise_blocks(S* out, S const* x, S const* w, gather_axis const& rows,
                               gather_axis const& columns, index_t channels, work_size const& work,
                               par on, epilogue_callback const& epilogue) {
  depthwise_block<S> const of{rows.in, columns.in, channels};
  bool const is_forward = columns.phases[0].taps[0].number == 0;
  index_t const next = is_forward ? channels : -channels,
                image_size = rows.in * columns.in * channels;
  S const* const first_tap = is_forward ? w : w + 8 * channels;
  on.parallel_for(work, [&](work_chunk const& chunk) {
    scratch_buffer memory;
    S* const copy = scratch_array<S>(memory, of.copy_size());
    each_image_of_rows(
        chunk.begin, chunk.end, rows.out, [&](index_t image, index_t first, index_t last) {
          S* const to = out + (image * rows.out + first) * columns.out * channels;
          run_by_width(depthwise_sum_blocks<S>{of, x + image * image_size, first_tap, next, to,
                                               copy, -rows.first, -columns.first, columns.out,
                                               first, last});
          epilogue({(image * rows.out + first) * columns.out, (last - first) * columns.out, 0,
                    channels, channels});
        });
  });
}
/// The same by the axes of a gather. epilogue: called for finished rows.
template <class S>
void convolve_depthwise(S* out, S const* x, S const* w, gather_axis const& rows,
                        gather_axis const& columns, conv2d_sizes const& s, index_t multiplications,
                        par on, epilogue_callback const& epilogue = {}) {
  index_t const size = columns.out * s.channels;
  work_size const work{s.images * rows.out, 1, static_cast<std::size_t>(multiplications)};
  if (depthwise_block<S>::fits_sums(s))
    return convolve_depthwise_blocks(out, x, w, rows, columns, s.channels, work, on, epilogue);
  depthwise_copies<S> const copies(s.channels, rows.in, columns.in);
  auto const convolve = [&](depthwise_rows<S>& of_row, S const* image, index_t i, S const* filter) {
    of_row.each_phase(image, i % rows.out, [&](depthwise_pixels<S> const& p, index_t column) {
      run_by_width(depthwise_sums<S>{p, filter, out + i * size + column * s.channels,
                                     columns.stride * s.channels});
    });
    epilogue({i * columns.out, columns.out, 0, s.channels, s.channels});
  };
  on.parallel_for(work, [&](work_chunk const& chunk) {
    if (!copies.pay_off) {
      depthwise_rows<S> of_row(rows, columns, s, s.channels);
      for (index_t i = chunk.begin; i != chunk.end; ++i)
        convolve(of_row, x + i / rows.out * rows.in * columns.in * s.channels, i, w);
      return;
    }
    index_t const taps = s.y.taps * s.x.taps;
    thread_scratch memory;
    S* const all = scratch_array<S>(memory, copies.image_size() + taps * copies.pitch);
    S* const filter = all + copies.image_size();
    copies.copy(filter, w, taps);
    typename depthwise_copies<S>::image image(copies, all);
    depthwise_rows<S> of_row(rows, columns, s, copies.pitch);
    for (index_t i = chunk.begin; i != chunk.end; ++i) {
      image.read(of_row, x, i / rows.out, i % rows.out);
      convolve(of_row, image.data(), i, filter);
    }
  });
}

/// Sums of the gradient of the filter over rows of results.
template <class S> class depthwise_filter_rows {
 public:
  depthwise_filter_rows(conv2d_sizes const& s, gather_axis const& rows, gather_axis const& columns)
      : s_(s), copies_(s.channels, s.y.in, s.x.in, second_cache), rows_(rows), columns_(columns) {}

  /// sums = those of the rows [begin, end) of all images. sums: zeros, unless there are blocks.
  void add(S* sums, S const* x, S const* g, index_t begin, index_t end) const {
    if (depthwise_block<S>::fits_filter(s_)) return add_blocks(sums, x, g, begin, end);
    if (copies_.pay_off) return add_copied(sums, x, g, begin, end);
    depthwise_rows<S> of_row(rows_, columns_, s_, s_.channels);
    for (index_t i = begin; i != end; ++i)
      add_row(of_row, x + i / s_.y.out * s_.image_size(), g, i, sums);
  }

 private:
  static constexpr index_t second_cache = index_t{1} << 20;

  void add_blocks(S* sums, S const* x, S const* g, index_t begin, index_t end) const {
    thread_scratch memory;
    depthwise_block<S> const of{s_.y.in, s_.x.in, s_.channels};
    S* const copy = scratch_array<S>(memory, of.copy_size());
    each_image_of_rows(begin, end, s_.y.out, [&](index_t image, index_t first, index_t last) {
      S const* const gradients = g + (image * s_.y.out + first) * s_.x.out * s_.channels;
      run_by_width(depthwise_filter_blocks<S>{of, x + image * s_.image_size(), gradients, sums,
                                              copy, s_.y.before, s_.x.before, s_.x.out, first, last,
                                              image == begin / s_.y.out});
    });
  }
  /// i: of the row, among those of all images.
  void add_row(depthwise_rows<S>& of_row, S const* image, S const* g, index_t i, S* sums) const {
    of_row.each_phase(image, i % s_.y.out, [&](depthwise_pixels<S> const& p, index_t column) {
      run_by_width(depthwise_filter_sums<S>{p, g + (i * s_.x.out + column) * s_.channels, sums});
    });
  }
  void add_copied(S* sums, S const* x, S const* g, index_t begin, index_t end) const {
    index_t const pitch = copies_.pitch, taps = s_.y.taps * s_.x.taps;
    thread_scratch memory;
    S* const all = scratch_array<S>(memory, copies_.image_size() + taps * pitch);
    S* const copied_sums = all + copies_.image_size();
    std::fill_n(copied_sums, taps * pitch, S{});
    typename depthwise_copies<S>::image image(copies_, all);
    depthwise_rows<S> of_row(rows_, columns_, s_, pitch);
    for (index_t i = begin; i != end; ++i) {
      image.read(of_row, x, i / s_.y.out, i % s_.y.out);
      add_row(of_row, image.data(), g, i, copied_sums);
    }
    for (index_t tap = 0; tap != taps; ++tap)
      std::copy_n(copied_sums + tap * pitch, s_.channels, sums + tap * s_.channels);
  }

  conv2d_sizes s_;
  depthwise_copies<S> copies_;
  gather_axis const &rows_, &columns_;
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
  if (!depthwise_block<S>::fits_filter(s)) std::fill_n(sums, size * slots, S{});
  depthwise_filter_rows<S> const of_rows(s, rows, columns);
  on.parallel_for(
      {slots, 1, static_cast<std::size_t>(multiplications)}, [&](work_chunk const& chunk) {
        for (index_t slot = chunk.begin; slot != chunk.end; ++slot)
          of_rows.add(sums + slot * size, x, g, all * slot / slots, all * (slot + 1) / slots);
      });
  if (slots != 1) run_by_width(depthwise_slots<S>{out, sums, size, slots});
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
