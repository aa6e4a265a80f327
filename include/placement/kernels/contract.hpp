#pragma once
/// The CPU kernel of a (batched) matrix product, with what follows it applied while a row is in
/// cache.

#include <placement/kernels/float16.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/view.hpp>

#include <type_traits>

namespace placement::inline v0_1 {

namespace detail {
/// Products of signed integers wrap: computed unsigned, where wrapping is defined. Those of numbers
/// of 16 bits are summed in float.
template <class T> constexpr computed_in<T> multiply_add(computed_in<T> sum, T x, T y) noexcept {
  if constexpr (std::is_integral_v<T>) {
    using wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(static_cast<wide>(sum) + static_cast<wide>(x) * static_cast<wide>(y));
  } else {
    return sum + widened(x) * widened(y);
  }
}
}  // namespace detail

template <class Op, class T> struct kernel<cpu_kernels, contract, Op, T> {
  static constexpr bool exists = true;
  /// A trip count that the compiler knows is vectorised at -O2 too.
  static constexpr index_t chunk = 32;
  static constexpr index_t block = 256;  ///< columns that are summed side by side

  /// Matrices of so few elements, known to the compiler, are computed by loops of constant lengths.
  static constexpr std::size_t few = 64;

  /// out = a b for every matrix of the batch; `after(first, n)` is called for n finished elements
  /// from `first` on.
  /// Shapes: a is (..., m, k) and b is (..., k, n), broadcast over the batch; out is dense (..., m,
  /// n).
  template <class On, class X, class After>
  [[gnu::always_inline]] static inline void run(On const&, T* out, X const& x, index_t depth,
                                                strided_view<T const, X::rank> const& a,
                                                strided_view<T const, X::rank> const& b,
                                                After const& after) {
    if constexpr (X::is_static && X::rank == 2) {
      if constexpr (X::count() <= few) return run_few<X>(out, depth, a, b, after);
    }
    run_many(out, x, depth, a, b, after);
  }

 private:
  using sum = computed_in<T>;

  template <class X, class After>
  [[gnu::always_inline]] static inline void run_few(T* out, index_t depth,
                                                    strided_view<T const, 2> const& a,
                                                    strided_view<T const, 2> const& b,
                                                    After const& after) {
    constexpr index_t m = X::at(0), n = X::at(1);
    if constexpr (m != 0 && n != 0) {
      T const* const left = a.data + a.where.base;
      T const* const right = b.data + b.where.base;
      sum sums[X::count()]{};
      for (index_t i = 0; i != m; ++i)
        for (index_t k = 0; k != depth; ++k)
          for (index_t j = 0; j != n; ++j)
            sums[i * n + j] = detail::multiply_add<T>(
                sums[i * n + j], left[i * a.where.stride[0] + k * a.where.stride[1]],
                right[k * b.where.stride[0] + j * b.where.stride[1]]);
      for (index_t i = 0; i != m; ++i)
        for (index_t j = 0; j != n; ++j) out[i * n + j] = static_cast<T>(sums[i * n + j]);
      for (index_t i = 0; i != m; ++i) after(i * n, n);
    }
  }
  template <class X, class After>
  static void run_many(T* out, X const& x, index_t depth, strided_view<T const, X::rank> const& a,
                       strided_view<T const, X::rank> const& b, After const& after) {
    constexpr std::size_t row_dim = X::rank - 2, col_dim = X::rank - 1;
    index_t const n = x.at(col_dim);
    index_t const a_step = a.where.stride[col_dim];
    index_t const b_row = b.where.stride[row_dim], b_step = b.where.stride[col_dim];
    index_t o = 0;
    for_each_row(x,
                 [&](coordinates<X::rank> const& c) {  // c: a batch index and a row of the result
                   T const* const a_row = a.data + a.where.row(c);
                   auto batch = c;
                   batch.at[row_dim] = 0;
                   T const* const b_matrix = b.data + b.where.row(batch);
                   for (index_t from = 0; from < n; from += block) {
                     index_t const width = n - from < block ? n - from : block;
                     sum sums[block]{};
                     // an empty b may be a null pointer, which has no columns to step to
                     T const* const columns = b_matrix + (depth == 0 ? 0 : from * b_step);
                     if (b_step == 1) accumulate(sums, width, depth, a_row, a_step, columns, b_row);
                     else accumulate(sums, width, depth, a_row, a_step, columns, b_row, b_step);
                     for (index_t j = 0; j != width; ++j) out[o + j] = static_cast<T>(sums[j]);
                     after(o, width);
                     o += width;
                   }
                 });
  }

  static void accumulate(sum* sums, index_t width, index_t depth, T const* a, index_t a_step,
                         T const* b, index_t b_row) {
    for (index_t k = 0; k != depth; ++k) {
      T const x = a[k * a_step];
      T const* const y = b + k * b_row;
      index_t const whole = width / chunk * chunk;
      for (index_t from = 0; from != whole; from += chunk) {
        PLACEMENT_SAME_INDEX_ONLY
        for (index_t j = 0; j < chunk; ++j)
          sums[from + j] = detail::multiply_add<T>(sums[from + j], x, y[from + j]);
      }
      for (index_t j = whole; j != width; ++j) sums[j] = detail::multiply_add<T>(sums[j], x, y[j]);
    }
  }
  static void accumulate(sum* sums, index_t width, index_t depth, T const* a, index_t a_step,
                         T const* b, index_t b_row, index_t b_step) {
    for (index_t j = 0; j != width; ++j) {  // a transposed right side: each column lies along k
      sum total{};
      for (index_t k = 0; k != depth; ++k)
        total = detail::multiply_add<T>(total, a[k * a_step], b[k * b_row + j * b_step]);
      sums[j] = total;
    }
  }
};

}  // namespace placement::inline v0_1
