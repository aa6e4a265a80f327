#pragma once
/// A convolution with a bias, relu and a max pool on a GPU, and its gradients: a kernel for each
/// op, with scratch memory between them.

#include <placement/gpu/pool_positions.hpp>
#include <placement/kernels/kept_bytes.hpp>

namespace placement { inline namespace v0_1 {

/// relu(x + bias), with one bias for each of the channels.
template <class T> struct biased_relu {
  T const *x, *bias;
  index_t channels;

  PLACEMENT_HD T operator()(index_t i) const { return vec<1>(i)(0); }
  template <int V> PLACEMENT_HD access_of<T, V> vec(index_t i) const {
    auto y = load_vec<V>(x + i);
    index_t channel = i % channels;
    PLACEMENT_UNROLL
    for (int j = 0; j < V; ++j) {
      T const sum = y.v[j] + bias[channel];
      y.v[j] = sum <= T{} ? T{} : sum;
      channel = channel + 1 == channels ? 0 : channel + 1;
    }
    return y;
  }
};
/// The gradient g where the result y of relu is positive, else 0.
template <class T> struct relu_gradient {
  T const *g, *y;

  PLACEMENT_HD T operator()(index_t i) const { return vec<1>(i)(0); }
  template <int V> PLACEMENT_HD access_of<T, V> vec(index_t i) const {
    auto x = load_vec<V>(g + i);
    auto const result = load_vec<V>(y + i);
    PLACEMENT_UNROLL
    for (int j = 0; j < V; ++j) x.v[j] = result.v[j] > T{} ? x.v[j] : T{};
    return x;
  }
};

namespace detail {

template <class T> inline constexpr std::size_t widest<biased_relu<T>> = sizeof(T);
template <class T> inline constexpr std::size_t widest<relu_gradient<T>> = sizeof(T);

/// out[i] = f(i), where f reads and writes at i alone. Scratch memory is aligned.
template <class Grid, class T, class F>
void map_scratch(Grid const& grid, T* out, index_t n, F const& f) {
  launch_tiles(grid, dense_result<T>{out}, n, f, n % vector_width<T, F> == 0);
}

/// A convolution, then x + bias and relu, then a max pool, whose images are its results.
/// Convolution: convolution_on_gpu.
template <class Convolution, class T> struct conv2d_pool_on_gpu {
  T const *x, *w, *bias;
  conv2d_sizes convolution;
  pool2d_sizes pool;
  kept_bytes const& positions;  ///< of the maxima in their windows

  /// Cost: two launches or more, and scratch memory for the convolution.
  template <class Grid> void forward(Grid const& grid, T* out) const {
    auto const scratch = allocate(grid, pool.in());
    auto* const y = static_cast<T*>(scratch.data());
    Convolution::forward(grid, convolution, y, x, w);
    unsigned char* const kept =
        fits_bytes(pool) ? positions.make(positions_size(), grid.where()) : nullptr;
    activation_pool_on(grid, pool, out, y, bias, kept);
    positions.written();
  }
  /// Calls f(d), with d the gradient of the convolution, in scratch memory. Computes the
  /// convolution again, unless positions were kept. g: the gradient of the pool's result.
  template <class Grid, class F>
  void with_gradient(Grid const& grid, T const* g, F const& f) const {
    auto const of_d = allocate(grid, pool.in());
    auto* const d = static_cast<T*>(of_d.data());
    if (auto* const kept = positions.of_size(positions_size(), grid.where())) {
      unpool_on(grid, pool, d, g, kept);
      return f(d);
    }
    auto const of_y = allocate(grid, pool.in()), of_largest = allocate(grid, pool.out());
    auto *const y = static_cast<T*>(of_y.data()), *const largest =
                                                      static_cast<T*>(of_largest.data());
    Convolution::forward(grid, convolution, y, x, w);
    map_scratch(grid, y, pool.in(), biased_relu<T>{y, bias, convolution.filters});
    pool_on<pool_maximum>(grid, pool, largest, y);
    pool_gradient_on<true>(grid, pool, d, y, largest, g);
    map_scratch(grid, d, pool.in(), relu_gradient<T>{d, y});
    f(d);
  }

 private:
  template <class Grid> static auto allocate(Grid const& grid, index_t n) {
    return grid.allocate_scratch(static_cast<std::size_t>(n) * sizeof(T));
  }
  std::size_t positions_size() const { return static_cast<std::size_t>(pool.out()); }
};

}  // namespace detail
}}  // namespace placement::v0_1
