#pragma once
/// Definitions: a convolution with a bias, relu and a max pool on the CPU, where vectors of images
/// do not fit.

#include <placement/config.hpp>
#include <placement/cpu/conv2d_pool.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/src/cpu/pool2d.ipp>

#include <algorithm>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// Floats in scratch memory.
class scratch_floats {
 public:
  /// Throws: out_of_memory.
  explicit scratch_floats(index_t n)
      : memory_(buffer::make(cpu0, static_cast<std::size_t>(n) * sizeof(float))) {}
  float* get() const { return static_cast<float*>(memory_->data()); }

 private:
  buffer_ref memory_;
};

/// Writes N numbers as bytes.
template <int N>
PLACEMENT_ALWAYS_INLINE inline void store_bytes(unsigned char* p, lanes<int, N> const& x) {
  if constexpr (N == 1) {
    *p = static_cast<unsigned char>(x);
  } else {
    auto const bytes = __builtin_convertvector(x, lanes<unsigned char, N>);
    std::memcpy(p, &bytes, sizeof bytes);
  }
}

/// The convolution of all images is in scratch memory. One pass adds the bias, computes relu and
/// the maxima, and stores their positions.
class whole_conv2d_pool {
 public:
  whole_conv2d_pool(conv2d_pool_call const& call, par on)
      : c_(call), p_(call.pool), on_(on), taps_(static_cast<int>(p_.y.taps * p_.x.taps)) {}

  void forward(float* out) const {
    scratch_floats const y(c_.convolution.all_results());
    conv2d_forward(product_element_of<float>, y.get(), c_.x, c_.w, c_.convolution, on_);
    pool(out, y.get(), fits_bytes(p_) ? c_.positions.make(positions_size()) : nullptr);
  }

  /// The gradient of the convolution. g: the gradient of the pool's result.
  scratch_floats gradient(float const* g) const {
    scratch_floats d(p_.in());
    if (auto* const kept = c_.positions.of_size(positions_size())) {
      unpool(d.get(), g, kept);
      return d;
    }
    scratch_floats const y(c_.convolution.all_results()), largest(p_.out());
    conv2d_forward(product_element_of<float>, y.get(), c_.x, c_.w, c_.convolution, on_);
    activate(y.get());
    max_pool(largest.get(), y.get(), p_, on_);
    max_pool_gradient(d.get(), y.get(), largest.get(), g, p_, on_);
    float* const of_sums = d.get();
    float const* const results = y.get();
    on_.parallel_for(work_of_pool(p_, p_.in()), [&](work_chunk const& chunk) {
      for (index_t i = chunk.begin; i != chunk.end; ++i)
        of_sums[i] = results[i] > 0 ? of_sums[i] : 0;
    });
    return d;
  }

 private:
  std::size_t positions_size() const { return static_cast<std::size_t>(p_.out()); }

  void pool(float* out, float const* y, unsigned char* positions) const {
    on_.parallel_for(work_of_pool(p_, p_.images * p_.y.out), [&](work_chunk const& chunk) {
      each_window(p_, chunk, [&](auto const& rows, auto const& columns, index_t image, index_t to) {
        each_vector<float>(p_.channels, [&]<int N>(std::integral_constant<int, N>, index_t c) {
          window<N>(out + to + c, y + c, c_.bias + c, rows, columns, image,
                    positions == nullptr ? nullptr : positions + to + c);
        });
      });
    });
  }
  template <int N>
  PLACEMENT_ALWAYS_INLINE void window(float* out, float const* y, float const* bias,
                                      window_part const& rows, window_part const& columns,
                                      index_t image, unsigned char* positions) const {
    using numbers = lanes<int, N>;
    lanes<float, N> const zero{}, offset = load_lanes<N>(bias);
    index_t const first = ((image * p_.y.in + rows.from) * p_.x.in + columns.from) * p_.channels;
    int const width = static_cast<int>(p_.x.taps);
    int row = static_cast<int>((rows.from - rows.first) * width + columns.from - columns.first);
    lanes<float, N> best = load_lanes<N>(y + first) + offset;
    numbers at = numbers{} + row;
    for (index_t i = 0; i != rows.size(); ++i, row += width)
      for (index_t j = 0; j != columns.size(); ++j) {
        lanes<float, N> const v =
            load_lanes<N>(y + first + (i * p_.x.in + j) * p_.channels) + offset;
        auto const is_larger = (v > best) | ((v != v) & (best == best));
        best = is_larger ? v : best;
        at = is_larger ? numbers{} + (row + static_cast<int>(j)) : at;
      }
    store_lanes<N>(out, best <= zero ? zero : best);
    if (positions != nullptr) store_bytes<N>(positions, best > zero ? at : numbers{} + taps_);
  }

  void unpool(float* d, float const* g, unsigned char const* positions) const {
    index_t const image_size = p_.y.in * p_.x.in * p_.channels;
    int const width = static_cast<int>(p_.x.taps);
    on_.parallel_for(work_of_pool(p_, p_.images), [&](work_chunk const& images) {
      std::fill(d + images.begin * image_size, d + images.end * image_size, 0.f);
      work_chunk const chunk{images.begin * p_.y.out, images.end * p_.y.out};
      each_window(p_, chunk, [&](auto const& rows, auto const& columns, index_t, index_t from) {
        index_t const image = from / (p_.y.out * p_.x.out * p_.channels);
        index_t const first =
            ((image * p_.y.in + rows.first) * p_.x.in + columns.first) * p_.channels;
        for (index_t c = 0; c != p_.channels; ++c) {
          int const at = positions[from + c];
          if (at == taps_) continue;
          d[first + (at / width * p_.x.in + at % width) * p_.channels + c] += g[from + c];
        }
      });
    });
  }

  /// relu(y + bias).
  void activate(float* y) const {
    index_t const channels = p_.channels;
    on_.parallel_for(work_of_pool(p_, p_.in() / channels), [&](work_chunk const& pixels) {
      for (index_t i = pixels.begin; i != pixels.end; ++i)
        for (index_t c = 0; c != channels; ++c) {
          float const v = y[i * channels + c] + c_.bias[c];
          y[i * channels + c] = v <= 0 ? 0 : v;
        }
    });
  }

  conv2d_pool_call const& c_;
  pool2d_sizes const& p_;
  par on_;
  int taps_;  ///< pixels of a window: the position that means no gradient
};

}}}  // namespace placement::v0_1::detail
