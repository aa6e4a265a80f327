#pragma once
/// Definitions: a convolution with a bias, relu and a max pool on the CPU, and its gradients.

#include <placement/config.hpp>
#include <placement/cpu/conv2d_filter_lanes.hpp>
#include <placement/cpu/conv2d_lanes.hpp>
#include <placement/cpu/conv2d_packed_gather.hpp>
#include <placement/cpu/conv2d_pool.hpp>
#include <placement/src/cpu/conv2d_pool_whole.ipp>
#include <placement/src/cpu/pool2d.ipp>

#include <algorithm>

namespace placement { inline namespace v0_1 { namespace detail {

/// Blocks of as many images as a vector has lanes. The convolution of a block exists in scratch
/// memory only, some rows at a time.
class conv2d_pool_lanes {
 public:
  explicit conv2d_pool_lanes(conv2d_pool_call const& call)
      : call_(call),
        s_(call.convolution),
        p_(call.pool),
        gather_(forward_axis(s_.y), forward_axis(s_.x), s_.channels, s_.filters, 1, s_.images,
                true) {
    index_t const tap = s_.channels * s_.filters;
    gather_.pack(call.w, {s_.x.taps * tap, tap, s_.filters, 1, s_.filters}, filter_);
    // Some rows of windows, whose results stay in the second cache.
    constexpr index_t elements = 1 << 15;
    rows_ = std::clamp(elements / (row_size() * p_.y.taps * lanes()), index_t{1}, p_.y.out);
    kept_ = call.positions.of_size(positions_size());
  }

  /// Whether a call is computed in blocks. For others see whole_conv2d_pool.
  static bool fits(conv2d_pool_call const& call) {
    constexpr index_t most = 1 << 20;  // elements of scratch memory for the gradients of a block
    conv2d_sizes const& s = call.convolution;
    index_t const lanes = tiles_here<float>().lanes;
    auto const overlaps = [](window_axis const& a) {
      index_t const after = a.out - a.in - a.before + a.reach() - 1;
      return a.stride == 1 && a.before < a.reach() && after < a.reach();
    };
    index_t const image = (s.y.in + s.y.reach()) * (s.x.in + s.x.reach());
    return s.groups == 1 && s.channels > 0 && s.images >= lanes && overlaps(s.y) && overlaps(s.x) &&
           max_pool_rows<float>::gradient_fits(call.pool) && s.y.in < most && s.x.in < most &&
           s.filters < most && image < most && s.channels < most &&
           image * (s.channels + s.filters) < most / lanes && s.filter_size() < most / lanes;
  }

  void forward(float* out, par on) const {
    index_t const result = p_.y.out * p_.x.out * s_.filters, row = p_.x.out * s_.filters;
    unsigned char* const positions =
        fits_bytes(p_) ? call_.positions.make(positions_size()) : nullptr;
    on.parallel_for(work(blocks(), 1), [&](work_chunk const& chunk) {
      scratch_buffer memory;
      float* const slab = scratch_array<float>(memory, slab_size() + rows_size());
      for (index_t block = chunk.begin; block != chunk.end; ++block)
        each_part(block, slab, [&](float* sums, index_t i, index_t rows, index_t count) {
          pool(sums, nullptr, rows,
               positions == nullptr ? nullptr : positions + (block * result + i * row) * lanes());
          gather_.write_images(out + block * lanes() * result + i * row, sums, result, count,
                               rows * row);
        });
    });
  }

  void filter_gradient(float* out, float const* g, par on) const {
    index_t const pitch = gather_.slab().pitch();
    lane_filter_products const products{s_, gather_.runs(), pitch, lanes()};
    auto const add = [&](float* sums, index_t block, thread_scratch& memory) {
      float* const slab = scratch_array<float>(memory, slab_size() + 2 * rows_size());
      if (kept_ != nullptr) read_images(block, slab);
      each_gradient(block, slab, g, [&](float const* d, index_t first, index_t rows) {
        products.add(sums, slab + first * p_.y.taps * pitch * lanes(), d, rows * p_.y.taps);
      });
    };
    sum_filter_slots(out, s_.filter_size(), lanes(), blocks(), multiplications_of(s_), on, add);
  }

  void input_gradient(float* out, float const* g, par on) const {
    gather_axis const y = backward_axis(s_.y), x = backward_axis(s_.x);
    conv2d_gather<float> back(y, x, s_.filters, s_.channels, 1, s_.images, true);
    thread_scratch filter;
    index_t const tap = s_.channels * s_.filters;
    back.pack(call_.w, {s_.x.taps * tap, tap, 1, s_.filters, s_.filters}, filter);
    index_t const pitch = back.slab().pitch() * lanes();
    index_t const border = back.slab().size(s_.y.in) * lanes(), image = s_.image_size();
    on.parallel_for(work(blocks(), 2), [&](work_chunk const& chunk) {
      scratch_buffer memory;
      float* const slab =
          scratch_array<float>(memory, slab_size() + 2 * rows_size() + border + image * lanes());
      float* const whole = slab + slab_size() + 2 * rows_size();
      std::fill_n(whole, border, 0.f);  // the zeros around a gradient stay
      for (index_t block = chunk.begin; block != chunk.end; ++block) {
        auto const row_of = [&](index_t first) {
          return whole + (first * p_.y.taps - y.first) * pitch - x.first * pixel();
        };
        if (kept_ != nullptr) {
          each_kept(block, slab, g, [&](lane_unpool_rows part, index_t first) {
            part.x = row_of(first);
            part.row = pitch;
            lane_unpool(part);
          });
        } else
          each_gradient(block, slab, g, [&](float const* d, index_t first, index_t rows) {
            float* to = row_of(first);
            for (index_t r = 0; r != rows * p_.y.taps; ++r, to += pitch, d += row_size() * lanes())
              std::copy_n(d, row_size() * lanes(), to);
          });
        float* const sums = whole + border;
        back.compute_vectors(sums, whole, 0, s_.y.in);
        back.write_images(out + block * lanes() * image, sums, image, count(block), image);
      }
    });
  }

 private:
  index_t lanes() const { return tiles_.lanes; }
  index_t blocks() const { return (s_.images + lanes() - 1) / lanes(); }
  index_t count(index_t block) const { return std::min(lanes(), s_.images - block * lanes()); }
  index_t row_size() const { return s_.x.out * s_.filters; }
  index_t pixel() const { return s_.filters * lanes(); }
  index_t slab_size() const { return gather_.slab().size(s_.y.out) * lanes(); }
  index_t rows_size() const { return rows_ * p_.y.taps * row_size() * lanes(); }
  work_size work(index_t units, std::size_t products) const {
    return {units, 1, products * static_cast<std::size_t>(multiplications_of(s_)) / 4};
  }

  void read_images(index_t block, float* slab) const {
    gather_.slab().read_vectors(tiles_, slab, call_.x + block * lanes() * s_.image_size(),
                                count(block), 0, s_.y.out);
  }
  /// Calls f(sums, i, rows, images) for some rows of windows at a time, from the i-th on. sums:
  /// their convolution, in the memory behind the slab.
  template <class F> void each_part(index_t block, float* slab, F const& f) const {
    read_images(block, slab);
    for (index_t i = 0; i < p_.y.out; i += rows_) {
      index_t const rows = std::min(rows_, p_.y.out - i);
      float* const sums = slab + slab_size();
      gather_.compute_vectors(sums, slab + i * p_.y.taps * gather_.slab().pitch() * lanes(),
                              i * p_.y.taps, rows * p_.y.taps);
      f(sums, i, rows, count(block));
    }
  }
  /// Calls f(rows, i) with the rows of windows from the i-th on, some at a time.
  template <class F> void each_kept(index_t block, float* slab, float const* g, F const& f) const {
    index_t const row = p_.x.out * s_.filters, result = p_.y.out * row;
    float *const d = slab + slab_size(), *const of_results = d + rows_size();
    for (index_t i = 0; i < p_.y.out; i += rows_) {
      index_t const rows = std::min(rows_, p_.y.out - i);
      slab_reader<float>::read_part(tiles_, of_results, g + block * lanes() * result + i * row,
                                    result, count(block), rows * row);
      f(lane_unpool_rows{d, of_results, kept_ + (block * result + i * row) * lanes(), rows,
                         p_.x.out, pixel(), p_.y.taps, p_.x.taps, row_size() * lanes()},
        i);
    }
  }
  /// Calls f(d, i, rows) with d, the gradient of the convolution in place of its sums. With kept
  /// positions the convolution is not computed, and the slab not written.
  template <class F>
  void each_gradient(index_t block, float* slab, float const* g, F const& f) const {
    index_t const row = p_.x.out * s_.filters, result = p_.y.out * row;
    if (kept_ != nullptr)
      return each_kept(block, slab, g, [&](lane_unpool_rows const& part, index_t i) {
        lane_unpool(part);
        f(part.x, i, part.rows);
      });
    each_part(block, slab, [&](float* sums, index_t i, index_t rows, index_t images) {
      float* const of_results = sums + rows_size();
      slab_reader<float>::read_part(tiles_, of_results, g + block * lanes() * result + i * row,
                                    result, images, rows * row);
      pool(sums, of_results, rows);
      f(sums, i, rows);
    });
  }
  void pool(float* sums, float const* g, index_t rows, unsigned char* positions = nullptr) const {
    lane_pool({sums, g, call_.bias, rows, p_.x.out, s_.filters, lanes(), p_.y.taps, p_.x.taps,
               positions});
  }
  std::size_t positions_size() const {
    return static_cast<std::size_t>(blocks() * p_.y.out * p_.x.out * pixel());
  }

  conv2d_pool_call const& call_;
  conv2d_sizes const& s_;
  pool2d_sizes const& p_;
  conv2d_tiles<float> const& tiles_ = tiles_here<float>();
  conv2d_gather<float> gather_;
  thread_scratch filter_;
  unsigned char const* kept_ = nullptr;  ///< positions of maxima of the forward pass
  index_t rows_ = 1;                     ///< of windows at a time
};

PLACEMENT_INLINE void conv2d_pool_forward(float* out, conv2d_pool_call const& c, par on) try {
  if (conv2d_pool_lanes::fits(c)) return conv2d_pool_lanes(c).forward(out, on);
  whole_conv2d_pool{c, on}.forward(out);
} catch (std::bad_alloc const&) { rethrow_as_error(); }
PLACEMENT_INLINE void conv2d_pool_backward_input(float* out, conv2d_pool_call const& c,
                                                 float const* g, par on) try {
  if (conv2d_pool_lanes::fits(c)) return conv2d_pool_lanes(c).input_gradient(out, g, on);
  conv2d_backward_input(product_element_of<float>, out, c.w,
                        whole_conv2d_pool{c, on}.gradient(g).get(), c.convolution, on);
} catch (std::bad_alloc const&) { rethrow_as_error(); }
PLACEMENT_INLINE void conv2d_pool_backward_filter(float* out, conv2d_pool_call const& c,
                                                  float const* g, par on) try {
  if (conv2d_pool_lanes::fits(c)) return conv2d_pool_lanes(c).filter_gradient(out, g, on);
  conv2d_backward_filter(product_element_of<float>, out, c.x,
                         whole_conv2d_pool{c, on}.gradient(g).get(), c.convolution, on);
} catch (std::bad_alloc const&) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
