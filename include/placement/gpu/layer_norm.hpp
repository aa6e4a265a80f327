#pragma once
/// Layer normalisation and its gradient on a GPU. A group of threads keeps a short row in
/// registers; a block reads a long row three times.

#include <placement/gpu/softmax.hpp>

#include <cmath>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The sums over a row: of one term for results, of two for gradients.
template <std::size_t N> struct row_sums {
  double of[N];

  PLACEMENT_HD friend constexpr row_sums operator+(row_sums a, row_sums const& b) noexcept {
    PLACEMENT_UNROLL
    for (std::size_t i = 0; i < N; ++i) a.of[i] += b.of[i];
    return a;
  }
};
}  // namespace detail

/// Rows normalised, or the gradient of that with respect to x. Short: a group of threads has a
/// whole row in registers.
///
/// With h = g * scale and y the normalised row, the gradient is
/// (h - mean(h) - y mean(h y)) / deviation. Four terms are added in their type, these sums in
/// double, in an order that only the length and the alignment determine.
template <class T, bool Gradient, bool Short> struct layer_norm_kernel {
  using wide = computed_in<T>;
  using sums = detail::row_sums<Gradient ? 2 : 1>;
  static constexpr int width = vector_width<T, dense_leaf<T>>;
  /// A thread's elements in registers: of the row, or of a part of a long one.
  static constexpr int items = Short ? detail::softmax_items_per_thread : 8;
  static constexpr std::size_t shared_bytes = block_threads / 32 * sizeof(sums);
  /// A thread's elements of x, and for gradients those of h; zeros beyond the row.
  struct elements {
    wide x[std::size_t{items}], h[std::size_t{Gradient ? items : 1}];
  };
  struct nothing {};
  struct local {
    sums s;
    wide mean, mean_of_h;
    std::conditional_t<Short, elements, nothing> row;
  };

  T* out;
  T const *x, *g;              ///< g: of gradients alone
  wide const *scale, *offset;  ///< null for 1 and 0
  index_t rows, length;
  double epsilon;
  int group_size;  ///< threads that share a row
  bool vectorized;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    auto const added = [](sums const& a, sums const& b) { return a + b; };
    block.each_without_barrier([&](int thread, local& mine) {
      if (vectorized) add_elements<width>(block.number(), thread, mine);
      else add_elements<1>(block.number(), thread, mine);
    });
    block.combine(group_size, added);
    block.each_without_barrier([&](int thread, local& mine) {
      mine.mean = static_cast<wide>(mine.s.of[0] / static_cast<double>(length));
      if constexpr (Gradient)
        mine.mean_of_h = static_cast<wide>(mine.s.of[1] / static_cast<double>(length));
      if (vectorized) add_differences<width>(block.number(), thread, mine);
      else add_differences<1>(block.number(), thread, mine);
    });
    block.combine(group_size, added);
    block.each_without_barrier([&](int thread, local& mine) {
      if (vectorized) write<width>(block.number(), thread, mine);
      else write<1>(block.number(), thread, mine);
    });
  }

 private:
  PLACEMENT_HD index_t row_of(index_t block, int thread) const {
    return block * (block_threads / group_size) + thread / group_size;
  }
  /// The column of element k of a thread, in the part of a row that begins at `start`.
  template <int V> PLACEMENT_HD index_t column(index_t start, int thread, int k) const {
    return start + static_cast<index_t>(thread % group_size + k / V * group_size) * V;
  }
  template <int V>
  PLACEMENT_HD void load(index_t row, index_t start, int thread, elements& e) const {
    PLACEMENT_UNROLL
    for (int k = 0; k < items; k += V) {
      index_t const j = column<V>(start, thread, k);
      bool const inside = row < rows && j < length;
      auto loaded = repeated<V>(T{}), of_g = loaded;
      if (inside) loaded = load_vec<V>(x + row * length + j);
      if constexpr (Gradient)
        if (inside) of_g = load_vec<V>(g + row * length + j);
      auto factors = repeated<V>(wide{1});
      if constexpr (Gradient)
        if (inside && scale != nullptr) factors = load_vec<V>(scale + j);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) {
        e.x[k + v] = widened(loaded.v[v]);
        if constexpr (Gradient) e.h[k + v] = widened(of_g.v[v]) * factors.v[v];
      }
    }
  }
  /// Calls f(elements, start) for each part of a row: one if the row is short. `loads`: they are
  /// read from memory, also those of a short row.
  template <int V, bool loads, class F>
  PLACEMENT_HD void each_part(index_t row, int thread, local& mine, F const& f) const {
    if constexpr (Short) {
      if constexpr (loads) load<V>(row, 0, thread, mine.row);
      f(mine.row, 0);
    } else {
      PLACEMENT_ROLLED
      for (index_t start = 0; start < length; start += index_t{block_threads} * items) {
        elements e;
        load<V>(row, start, thread, e);
        f(e, start);
      }
    }
  }
  /// The sum of term(k) for k below `items`.
  template <class Term> PLACEMENT_HD static double total(Term const& term) {
    static_assert(items % 4 == 0);
    double all = 0;
    PLACEMENT_UNROLL
    for (int k = 0; k < items; k += 4)
      all += static_cast<double>((term(k) + term(k + 1)) + (term(k + 2) + term(k + 3)));
    return all;
  }
  template <int V> PLACEMENT_HD void add_elements(index_t block, int thread, local& mine) const {
    sums s{};
    each_part<V, true>(row_of(block, thread), thread, mine, [&](elements const& e, index_t) {
      s.of[0] += total([&](int k) { return e.x[k]; });
      if constexpr (Gradient) s.of[1] += total([&](int k) { return e.h[k]; });
    });
    mine.s = s;
  }
  /// The squares of the differences to the mean, and their products with h.
  template <int V> PLACEMENT_HD void add_differences(index_t block, int thread, local& mine) const {
    sums s{};
    wide const mean = mine.mean;
    each_part<V, false>(row_of(block, thread), thread, mine, [&](elements const& e, index_t start) {
      auto const away = [&](int k) {
        return column<V>(start, thread, k) < length ? e.x[k] - mean : wide{};
      };
      s.of[0] += total([&](int k) { return away(k) * away(k); });
      if constexpr (Gradient) s.of[1] += total([&](int k) { return e.h[k] * away(k); });
    });
    mine.s = s;
  }
  template <int V> PLACEMENT_HD void write(index_t block, int thread, local& mine) const {
    auto const count = static_cast<double>(length);
    double const inverse_deviation = 1 / std::sqrt(mine.s.of[0] / count + epsilon);
    wide const mean = mine.mean, down = mine.mean_of_h;
    auto const inverse = static_cast<wide>(inverse_deviation);
    wide slope{};
    if constexpr (Gradient)
      slope = static_cast<wide>(mine.s.of[1] / count * inverse_deviation * inverse_deviation);
    index_t const row = row_of(block, thread);
    each_part<V, false>(row, thread, mine, [&](elements const& e, index_t start) {
      PLACEMENT_UNROLL
      for (int k = 0; k < items; k += V) {
        index_t const j = column<V>(start, thread, k);
        if (row >= rows || j >= length) continue;
        access_of<wide, V> y;
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v) {
          wide const away = e.x[k + v] - mean;
          if constexpr (Gradient) y.v[v] = (e.h[k + v] - down - away * slope) * inverse;
          else y.v[v] = away * inverse;
        }
        if constexpr (!Gradient)
          if (scale != nullptr) {
            auto const factors = load_vec<V>(scale + j), added = load_vec<V>(offset + j);
            PLACEMENT_UNROLL
            for (int v = 0; v < V; ++v) y.v[v] = y.v[v] * factors.v[v] + added.v[v];
          }
        access_of<T, V> results;
        PLACEMENT_UNROLL
        for (int v = 0; v < V; ++v) results.v[v] = static_cast<T>(y.v[v]);
        store_vec(out + row * length + j, results);
      }
    });
  }
};

namespace detail {

/// The operands of a layer normalisation. Unused ones are null.
template <class T> struct layer_norm_operands {
  T* out;
  T const *x, *g;
  computed_in<T> const *scale, *offset;
};

/// Normalises rows of n elements, `size` in all, or computes the gradient. Cost: one launch.
template <bool Gradient, class Grid, class T>
void layer_norm_of(Grid const& grid, layer_norm_operands<T> const& of, index_t size, index_t n,
                   double epsilon) {
  if (size == 0) return;
  index_t const rows = size / n;
  auto const run = [&]<bool Short>(std::bool_constant<Short>) {
    using device_kernel = layer_norm_kernel<T, Gradient, Short>;
    constexpr int width = device_kernel::width;
    bool const vectorized = n % width == 0 && is_aligned<width>(of.out) &&
                            is_aligned<width>(of.x) && is_aligned<width>(of.g) &&
                            is_aligned<width>(of.scale) && is_aligned<width>(of.offset);
    int const group_size = Short ? row_group_size(n) : block_threads;
    index_t const of_block = block_threads / group_size;
    grid(device_kernel{of.out, of.x, of.g, of.scale, of.offset, rows, n, epsilon, group_size,
                       vectorized},
         (rows + of_block - 1) / of_block);
  };
  if (n > longest_block_row) run(std::false_type{});
  else run(std::true_type{});
}

}  // namespace detail
}}  // namespace placement::v0_1
