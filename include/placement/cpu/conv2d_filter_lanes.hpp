#pragma once
/// The gradient of a convolution's filter, with one element of several images in each vector.

#include <placement/cpu/conv2d_gather.hpp>
#include <placement/cpu/conv2d_lanes.hpp>

#include <algorithm>
#include <numeric>

namespace placement { inline namespace v0_1 { namespace detail {

/// Adds the products of rows of a block of images to sums of the filter: (taps, filters, lanes).
struct lane_filter_products {
  conv2d_sizes const& s;
  tap_runs const& runs;
  index_t pitch;  ///< vectors from row to row of the images
  index_t lanes;

  /// x: vectors of the first row that the first row of g reads. g: vectors of `rows` rows of the
  /// result's gradient.
  void add(float* sums, float const* x, float const* g, index_t rows) const {
    index_t const row = s.x.out * s.filters * lanes, most = rows_at_once();
    for (index_t i = 0; i < rows; i += most)
      add_rows(sums, x + i * s.y.stride * pitch * lanes, g + i * row, std::min(most, rows - i));
  }
  /// So many rows that their gradient stays in the first cache, but for tiles of 48 pixels.
  index_t rows_at_once() const {
    index_t const elements = 1 << 9, least = (48 + s.x.out - 1) / s.x.out;
    return std::clamp(elements / (s.x.out * s.filters), std::min(least, s.y.out), s.y.out);
  }

 private:
  void add_rows(float* sums, float const* x, float const* g, index_t rows) const {
    lane_filter_tiles const& tiles = lane_filters_here();
    index_t const length = runs.length, pixel = s.filters * lanes;
    index_t const k_parts = (length + tiles.taps - 1) / tiles.taps;
    index_t const f_parts = (s.filters + tiles.filters - 1) / tiles.filters;
    lane_filter_tile t{nullptr,
                       pixel,
                       nullptr,
                       s.y.stride * pitch * lanes,
                       s.x.stride * s.channels * lanes,
                       nullptr,
                       s.x.out * pixel,
                       pixel,
                       rows,
                       s.x.out};
    for (index_t const offset : runs.offset) {
      for (index_t i = 0, k = 0; i != k_parts; ++i) {
        index_t const next_k = length * (i + 1) / k_parts;
        t.x = x + (offset + k) * lanes;
        for (index_t j = 0, f = 0; j != f_parts; ++j) {
          index_t const next_f = s.filters * (j + 1) / f_parts;
          t.sums = sums + k * pixel + f * lanes;
          t.g = g + f * lanes;
          tiles.tile[next_k - k - 1][next_f - f - 1](t);
          f = next_f;
        }
        k = next_k;
      }
      sums += length * pixel;
    }
  }
};

/// Calls add(lane_sums, block, scratch memory) for each block of at most 16 slots. The lanes of a
/// slot are added in order, then the slots in double. So `out` does not depend on the number of
/// threads.
template <class Add>
void sum_filter_slots(float* out, index_t size, index_t lanes, index_t blocks,
                      index_t multiplications, par on, Add const& add) {
  index_t const slots = std::min(blocks, index_t{16});
  thread_scratch all;
  float* const sums = scratch_array<float>(all, size * slots);
  work_size const work{slots, 1, static_cast<std::size_t>(multiplications) / 2};
  on.parallel_for(work, [&](work_chunk const& chunk) {
    scratch_buffer memory, more;
    float* const lane_sums = scratch_array<float>(memory, size * lanes);
    for (index_t slot = chunk.begin; slot != chunk.end; ++slot) {
      std::fill_n(lane_sums, size * lanes, 0.f);
      for (index_t i = blocks * slot / slots; i != blocks * (slot + 1) / slots; ++i)
        add(lane_sums, i, more);
      for (index_t k = 0; k != size; ++k)
        sums[slot * size + k] =
            std::accumulate(lane_sums + k * lanes, lane_sums + (k + 1) * lanes, 0.f);
    }
  });
  for (index_t k = 0; k != size; ++k) {
    double sum = 0;
    for (index_t slot = 0; slot != slots; ++slot) sum += static_cast<double>(sums[slot * size + k]);
    out[k] = static_cast<float>(sum);
  }
}

/// Images are transposed in registers, as those of conv2d_gather.
class conv2d_filter_lanes {
 public:
  conv2d_filter_lanes(float const* x, float const* g, conv2d_sizes const& s)
      : x_(x), g_(g), s_(s), slab_(y_axis_, x_axis_, s.channels) {
    slab_.copy_all();
  }

  /// Whether channels fill vectors badly, and a block of images fits the second cache.
  static bool fits(conv2d_sizes const& s) {
    constexpr index_t most = 1 << 20;  // elements of scratch memory for a block
    index_t const lanes = tiles_here<float>().lanes;
    index_t const filled = (s.filters + lanes - 1) / lanes * lanes;
    index_t const image = (s.y.in + s.y.reach()) * (s.x.in + s.x.reach());
    return s.groups == 1 && s.images >= lanes && s.filters * 4 <= filled * 3 && s.x.in < most &&
           image < most && s.channels < most && s.filters < most &&
           image * (s.channels + s.filters) < most / lanes && s.filter_size() < most / lanes;
  }

  void run(float* out, index_t multiplications, par on) const {
    index_t const lanes = tiles_.lanes, row = s_.x.out * s_.filters;
    tap_runs const runs(y_axis_.phases[0], x_axis_.phases[0], slab_.pitch(), s_.channels, 1);
    lane_filter_products const products{s_, runs, slab_.pitch(), lanes};
    index_t const rows = products.rows_at_once();
    index_t const blocks = (s_.images + lanes - 1) / lanes, all = slab_.size(s_.y.out);
    auto const add = [&](float* sums, index_t block, thread_scratch& memory) {
      float* const slab = scratch_array<float>(memory, (all + rows * row) * lanes);
      float* const g = slab + all * lanes;
      index_t const first = block * lanes, count = std::min(lanes, s_.images - first);
      slab_.read_vectors(tiles_, slab, x_ + first * s_.image_size(), count, 0, s_.y.out);
      for (index_t i = 0; i < s_.y.out; i += rows) {
        index_t const n = std::min(rows, s_.y.out - i);
        slab_reader<float>::read_part(tiles_, g, g_ + first * s_.result_size() + i * row,
                                      s_.result_size(), count, n * row);
        products.add(sums, slab + i * s_.y.stride * slab_.pitch() * lanes, g, n);
      }
    };
    sum_filter_slots(out, s_.filter_size(), lanes, blocks, multiplications, on, add);
  }

 private:
  float const *x_, *g_;
  conv2d_sizes const& s_;
  gather_axis const y_axis_ = forward_axis(s_.y), x_axis_ = forward_axis(s_.x);
  conv2d_tiles<float> const& tiles_ = tiles_here<float>();
  slab_reader<float> slab_;
};

}}}  // namespace placement::v0_1::detail
