#pragma once
/// Softmax cross entropy and its gradient on a GPU. A group of threads takes a row: one pass for
/// its maximum, one for its sums, and for the gradient one for the results.

#include <placement/gpu/softmax.hpp>
#include <placement/kernels/report.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The maximum of a row; then the sums of exp(x - max), of label * (x - max) and of the labels.
template <class T> struct cross_entropy_state {
  T max;
  double total, product, weight;
};

/// Labels as probabilities, by row and class.
template <class T> struct probabilities_on_gpu {
  T const* labels;
  index_t n;

  /// The labels of V classes from j on.
  template <int V> PLACEMENT_HD access_of<T, V> vec(index_t row, index_t j) const {
    return load_vec<V>(labels + row * n + j);
  }
  PLACEMENT_HD bool is_checked(index_t) const { return true; }
  template <int V> bool is_vectorizable() const { return is_aligned<V>(labels); }
};
/// Labels as class numbers. One out of range is reported.
template <class Index> struct classes_on_gpu {
  Index const* labels;
  index_t n;
  kernel_report* report;

  struct one_class {
    index_t number;
    PLACEMENT_HD float operator()(index_t v) const { return v == number ? 1.f : 0.f; }
  };
  template <int> PLACEMENT_HD one_class vec(index_t row, index_t j) const {
    return {static_cast<index_t>(labels[row]) - j};
  }
  template <int> bool is_vectorizable() const { return true; }
  PLACEMENT_HD bool is_checked(index_t row) const {
    auto const label = static_cast<index_t>(labels[row]);
    if (label >= 0 && label < n) return true;
    report->set_label(label, n, row);
    return false;
  }
};

}  // namespace detail

/// Gradient: whether the results are gradients. Rows with a label out of range get zeros.
template <class Labels, class T, bool Gradient> struct cross_entropy_kernel {
  using wide = computed_in<T>;
  using state = detail::cross_entropy_state<wide>;
  static constexpr int width = vector_width<T, dense_leaf<T>>;
  static constexpr std::size_t shared_bytes = block_threads / 32 * sizeof(state);
  struct local {
    state s;
  };

  T* out;
  T const* logits;
  T const* g;  ///< that of row r at g[r * step]; unused for losses
  Labels labels;
  index_t step, rows, length;
  int group_size;
  bool vectorized;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each_without_barrier([&](int thread, local& mine) {
      mine.s = {detail::below_all<wide>(), 0, 0, 0};
      if (vectorized) find_maximum<width>(block.number(), thread, mine.s);
      else find_maximum<1>(block.number(), thread, mine.s);
    });
    block.combine(group_size, [](state const& a, state const& b) {
      return state{detail::larger_of(a.max, b.max), 0, 0, 0};
    });
    block.each_without_barrier([&](int thread, local& mine) {
      if (vectorized) add_terms<width>(block.number(), thread, mine.s);
      else add_terms<1>(block.number(), thread, mine.s);
    });
    block.combine(group_size, [](state const& a, state const& b) {
      return state{a.max, a.total + b.total, a.product + b.product, a.weight + b.weight};
    });
    block.each_without_barrier([&](int thread, local& mine) {
      if constexpr (!Gradient) write_loss(block.number(), thread, mine.s);
      else if (vectorized) write_gradient<width>(block.number(), thread, mine.s);
      else write_gradient<1>(block.number(), thread, mine.s);
    });
  }

 private:
  PLACEMENT_HD index_t row_of(index_t block, int thread) const {
    return block * (block_threads / group_size) + thread / group_size;
  }
  /// Calls f(row, j, logits from j on) for the vectors of a thread.
  template <int V, class F> PLACEMENT_HD void each(index_t block, int thread, F const& f) const {
    index_t const row = row_of(block, thread);
    if (row >= rows) return;
    PLACEMENT_ROLLED
    for (index_t j = static_cast<index_t>(thread % group_size) * V; j < length;
         j += static_cast<index_t>(group_size) * V)
      f(row, j, load_vec<V>(logits + row * length + j));
  }
  template <int V> PLACEMENT_HD void find_maximum(index_t block, int thread, state& s) const {
    each<V>(block, thread, [&](index_t, index_t, access_of<T, V> const& x) {
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) s.max = detail::larger_of(s.max, widened(x.v[v]));
    });
  }
  template <int V> PLACEMENT_HD void add_terms(index_t block, int thread, state& s) const {
    each<V>(block, thread, [&](index_t row, index_t j, access_of<T, V> const& x) {
      auto const given = labels.template vec<V>(row, j);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) {
        wide const below = widened(x.v[v]) - s.max;
        auto const label = static_cast<double>(widened(given(v)));
        s.total += static_cast<double>(math::exp_of_negative(below));
        s.weight += label;
        if (label != 0) s.product += label * static_cast<double>(below);
      }
    });
  }
  PLACEMENT_HD void write_loss(index_t block, int thread, state const& s) const {
    index_t const row = row_of(block, thread);
    if (row >= rows || thread % group_size != 0) return;
    bool const checked = labels.is_checked(row);
    out[row] =
        checked && length != 0 ? static_cast<T>(s.weight * math::log(s.total) - s.product) : T{};
  }
  template <int V>
  PLACEMENT_HD void write_gradient(index_t block, int thread, state const& s) const {
    wide const scale = static_cast<wide>(1 / s.total);
    index_t const own_row = row_of(block, thread);
    bool const checked = own_row < rows && labels.is_checked(own_row);
    each<V>(block, thread, [&](index_t row, index_t j, access_of<T, V> const& x) {
      auto const given = labels.template vec<V>(row, j);
      wide const of_loss = widened(g[row * step]);
      access_of<T, V> results;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) {
        wide const p = math::exp_of_negative(widened(x.v[v]) - s.max) * scale,
                   label = static_cast<wide>(widened(given(v)));
        results.v[v] = checked ? static_cast<T>((p - label) * of_loss) : T{};
      }
      store_vec(out + row * length + j, results);
    });
  }
};

namespace detail {

template <class Grid, class T, class X>
probabilities_on_gpu<T> labels_on_gpu(Grid const&, dense_view<T const, X> const& labels,
                                      index_t n) {
  return {labels.data, n};
}
template <class Grid, class Index, class X> requires std::is_integral_v<Index>
classes_on_gpu<Index> labels_on_gpu(Grid const& grid, dense_view<Index const, X> const& labels,
                                    index_t n) {
  return {labels.data, n, grid.report()};
}

/// Cost: one launch.
template <bool Gradient, class Grid, class T, class X, class Labels>
void cross_entropy_of(Grid const& grid, T* out, dense_view<T const, X> const& logits,
                      Labels const& given, T const* g, index_t step) {
  index_t const length = row_length(logits.shape);
  index_t rows = 1;
  for (std::size_t d = 0; d + 1 < X::rank; ++d) rows *= logits.shape.at(d);
  if (rows == 0 || (Gradient && length == 0)) return;
  auto const labels = labels_on_gpu(grid, given, length);
  int const group_size = row_group_size(length < longest_block_row ? length : longest_block_row);
  index_t const of_block = block_threads / group_size;
  using device_kernel = cross_entropy_kernel<std::remove_const_t<decltype(labels)>, T, Gradient>;
  constexpr int width = device_kernel::width;
  bool const vectorized = length % width == 0 && is_aligned<width>(logits.data) &&
                          (!Gradient || is_aligned<width>(out)) &&
                          labels.template is_vectorizable<width>();
  grid(device_kernel{out, logits.data, g, labels, step, rows, length, group_size, vectorized},
       (rows + of_block - 1) / of_block);
}

}  // namespace detail
}}  // namespace placement::v0_1
