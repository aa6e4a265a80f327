#pragma once
/// One matrix product as the CPU's loops take it, and the loops for few elements and for vectors.

#include <placement/kernels/lanes.hpp>

namespace placement::inline v0_1::detail {

/// out = a b for matrices that may lie in any way: a(i, k) is at a + i * a_row + k * a_step, b(k,
/// j) at b + k * b_row + j * b_step, the rows of out are dense. No extent is 0.
template <class T> struct matrix_product {
  T* out;
  index_t rows, columns, depth;
  T const* a;
  index_t a_row, a_step;
  T const* b;
  index_t b_row, b_step;
};

// ---- few elements: sums in registers, operands where they are

/// The sums of Rows x Vectors N elements of the result from (i, j) on.
template <int N, int Vectors, int Rows, class T>
[[gnu::always_inline]] inline void multiply_tile(matrix_product<T> const& p, index_t i, index_t j) {
  using S = summed<T>;
  T const* left = p.a + i * p.a_row;
  T const* right = p.b + j * p.b_step;
  lane_array<S, N, Rows * Vectors> sums{};
  for (index_t k = 0; k != p.depth; ++k) {
    lane_array<S, N, Vectors> y;
    each<Vectors>([&](auto v)
                      __attribute__((always_inline)) { y[v] = load_lanes<N>(right + v * N); });
    each<Rows * Vectors>([&](auto t) __attribute__((always_inline)) {
      add_product<N>(sums[t], load_lanes<1>(left + t / Vectors * p.a_row), y[t % Vectors]);
    });
    left += p.a_step;
    right += p.b_row;
  }
  T* const to = p.out + i * p.columns + j;
  each<Rows * Vectors>([&](auto t) __attribute__((always_inline)) {
    store_lanes<N>(to + t / Vectors * p.columns + t % Vectors * N, sums[t]);
  });
}

/// A product of at least one such tile. The last ones are moved back so that they fit: they compute
/// some elements again, the same.
template <int N, int Vectors, int Rows, class T>
[[gnu::always_inline]] inline void multiply_tiles(matrix_product<T> const& p) {
  constexpr index_t width = index_t{N} * Vectors;
  for (index_t i = 0; i < p.rows; i += Rows) {
    index_t const row = i + Rows <= p.rows ? i : p.rows - Rows;
    for (index_t j = 0; j < p.columns; j += width)
      multiply_tile<N, Vectors, Rows>(p, row, j + width <= p.columns ? j : p.columns - width);
  }
}

/// The next multiple of `to`.
constexpr index_t rounded_up(index_t n, index_t to) { return (n + to - 1) / to * to; }

/// Products whose operands follow each other at constant distances.
template <class T> struct product_batch {
  matrix_product<T> first;
  index_t count, a_next, b_next;

  /// f(product) for each.
  template <class F> [[gnu::always_inline]] void each_product(F const& f) const {
    matrix_product<T> p = first;
    for (index_t left = count; left != 0; --left) {
      f(p);
      p.out += p.rows * p.columns;
      p.a += a_next;
      p.b += b_next;
    }
  }
};

template <int N, int Vectors, int Rows, class T> void multiply_each(product_batch<T> const& all) {
  all.each_product([](matrix_product<T> const& p)
                       __attribute__((always_inline)) { multiply_tiles<N, Vectors, Rows>(p); });
}
template <int N, int Vectors, class T> void multiply_each_in_rows(product_batch<T> const& all) {
  index_t const rows = all.first.rows;
  index_t const computed_again = rounded_up(rows, 8) - rows;
  if constexpr (Vectors == 1 || PLACEMENT_MANY_VECTORS)
    if (rows >= 8 && (computed_again < 4 || rows > 32)) return multiply_each<N, Vectors, 8>(all);
  if (rows >= 4) return multiply_each<N, Vectors, 4>(all);
  multiply_each<N, Vectors, 1>(all);
}
template <int N, class T> void multiply_each_in_columns(product_batch<T> const& all) {
  bool const fits = all.first.columns >= N && (N == 1 || all.first.b_step == 1);
  if (fits || N == 1) return multiply_each_in_rows<N, 1>(all);
  if constexpr (N > 1) multiply_each_in_columns<(N > 4 ? N / 2 : 1)>(all);
}

// ---- squares of 4, 8 and 16 that lie densely: no length is left to the program

/// Of lanes that hold rows of N elements: element K of each row, N times.
template <int N, int K, class V> [[gnu::always_inline]] inline V spread_element(V const& v) {
  if constexpr (N == 8)
    return __builtin_shufflevector(v, v, K, K, K, K, K, K, K, K, 8 + K, 8 + K, 8 + K, 8 + K, 8 + K,
                                   8 + K, 8 + K, 8 + K);
  else if constexpr (sizeof(V) / sizeof(v[0]) == 16)
    return __builtin_shufflevector(v, v, K, K, K, K, 4 + K, 4 + K, 4 + K, 4 + K, 8 + K, 8 + K,
                                   8 + K, 8 + K, 12 + K, 12 + K, 12 + K, 12 + K);
  else return __builtin_shufflevector(v, v, K, K, K, K, 4 + K, 4 + K, 4 + K, 4 + K);
}
/// Row K of them, again and again.
template <int N, int K, class V> [[gnu::always_inline]] inline V repeat_row(V const& v) {
  constexpr int I = N * K;
  if constexpr (N == 8)
    return __builtin_shufflevector(v, v, I, I + 1, I + 2, I + 3, I + 4, I + 5, I + 6, I + 7, I,
                                   I + 1, I + 2, I + 3, I + 4, I + 5, I + 6, I + 7);
  else if constexpr (sizeof(V) / sizeof(v[0]) == 16)
    return __builtin_shufflevector(v, v, I, I + 1, I + 2, I + 3, I, I + 1, I + 2, I + 3, I, I + 1,
                                   I + 2, I + 3, I, I + 1, I + 2, I + 3);
  else return __builtin_shufflevector(v, v, I, I + 1, I + 2, I + 3, I, I + 1, I + 2, I + 3);
}

/// An N x N product in registers of L elements, several rows in each.
template <int N, int L, class T>
[[gnu::always_inline]] inline void multiply_square_in_registers(T* out, T const* a, T const* b) {
  constexpr int rows = L / N, count = N / rows;
  lane_array<T, L, count> x, y, sums{};
  each<count>([&](auto r) __attribute__((always_inline)) {
    x[r] = load_lanes<L>(a + r * L);
    y[r] = load_lanes<L>(b + r * L);
  });
  each<N>([&](auto k) __attribute__((always_inline)) {
    auto const row = repeat_row<N, k % rows>(y[k / rows]);
    each<count>([&](auto r) __attribute__((always_inline)) {
      sums[r] += spread_element<N, decltype(k)::value>(x[r]) * row;
    });
  });
  each<count>([&](auto r) __attribute__((always_inline)) { store_lanes<L>(out + r * L, sums[r]); });
}
template <int N, int L, class T> void multiply_squares_of(product_batch<T> const& all) {
  all.each_product([](matrix_product<T> const& p) __attribute__((always_inline)) {
    if constexpr (L > N) multiply_square_in_registers<N, L>(p.out, p.a, p.b);
    else
      multiply_tiles<L, 1, N == 4 ? 4 : 8>(matrix_product<T>{p.out, N, N, N, p.a, N, 1, p.b, N, 1});
  });
}
/// False: these are others.
template <int Bytes, class T> bool multiply_squares(product_batch<T> const& all) {
  constexpr int L = lanes_in<T, Bytes>;
  matrix_product<T> const& p = all.first;
  index_t const n = p.columns;
  if (p.rows != n || p.depth != n || p.a_row != n || p.a_step != 1 || p.b_row != n ||
      p.b_step != 1 || !std::is_floating_point_v<T>)
    return false;
  if constexpr (std::is_floating_point_v<T>) {
    if (n == 4) return multiply_squares_of<4, L>(all), true;
    if (n == 8) return multiply_squares_of<8, L>(all), true;
    if (n == 16) return multiply_squares_of<16, L>(all), true;
  }
  return false;
}

/// Multiplies without memory of its own. Cost: best below some 64 x 64 elements.
template <int Bytes, class T> void multiply_few(product_batch<T> const& all) {
  constexpr int N = lanes_in<summed<T>, Bytes>;
  if (multiply_squares<Bytes>(all)) return;
  if (all.first.columns >= 2 * N && all.first.b_step == 1) return multiply_each_in_rows<N, 2>(all);
  multiply_each_in_columns<N>(all);
}

/// A product of few elements whose extents are constants: nothing is decided by the program where
/// its strides are constants, too.
template <int Bytes, int M, int N, class T>
[[gnu::always_inline]] inline void multiply_static(matrix_product<T> const& p) {
  constexpr int most = lanes_in<summed<T>, Bytes>;
  constexpr int L = N >= most ? most : N >= 8 ? 8 : N >= 4 ? 4 : N >= 2 ? 2 : 1;
  constexpr int rows = M < 8 ? M : 8;
  if constexpr (std::is_floating_point_v<T> && M == N && (N == 4 || N == 8) && most > N)
    if (p.depth == N && p.a_row == N && p.a_step == 1 && p.b_row == N && p.b_step == 1)
      return multiply_square_in_registers<N, most>(p.out, p.a, p.b);
  if (p.b_step == 1) multiply_tiles<L, 1, rows>(p);
  else multiply_tiles<1, 1, rows>(p);
}

// ---- a matrix and a vector: each element of the matrix is read once, at memory's speed

/// out[i] = matrix row i times x, for rows that lie densely, Rows of them side by side.
template <int N, int Rows, class T>
[[gnu::always_inline]] inline void dot_rows(T* out, T const* m, index_t m_row, T const* x,
                                            index_t depth) {
  using S = summed<T>;
  lane_array<S, N, 2 * Rows> sums{};
  index_t k = 0;
  constexpr index_t both = index_t{2} * N;
  for (; k + both <= depth; k += both) {
    lanes<S, N> const x0 = load_lanes<N>(x + k), x1 = load_lanes<N>(x + k + N);
    each<Rows>([&](auto r) __attribute__((always_inline)) {
      T const* const row = m + r * m_row + k;
      sums[2 * r] += load_lanes<N>(row) * x0;
      sums[2 * r + 1] += load_lanes<N>(row + N) * x1;
    });
  }
  each<Rows>([&](auto r) __attribute__((always_inline)) {
    S sum = sum_of_lanes<S, N>(sums[2 * r] + sums[2 * r + 1]);
    for (index_t l = k; l != depth; ++l)
      add_product<1>(sum, load_lanes<1>(m + r * m_row + l), load_lanes<1>(x + l));
    out[r] = static_cast<T>(sum);
  });
}
template <int Bytes, class T>
void multiply_rows_by_vector(T* out, index_t rows, T const* m, index_t m_row, T const* x,
                             index_t depth) {
  constexpr int N = lanes_in<summed<T>, Bytes>;
  index_t i = 0;
  for (; i + 4 <= rows; i += 4) dot_rows<N, 4>(out + i, m + i * m_row, m_row, x, depth);
  for (; i != rows; ++i) dot_rows<N, 1>(out + i, m + i * m_row, m_row, x, depth);
}

/// sums[j] += x[0] row0[j] + x[1] row1[j] ... for Rows rows that lie densely.
template <int N, int Rows, class T>
[[gnu::always_inline]] inline void add_rows(summed<T>* sums, index_t n, T const* m, index_t m_row,
                                            T const* x, index_t x_step) {
  using S = summed<T>;
  lane_array<S, 1, Rows> factor;
  each<Rows>([&](auto r)
                 __attribute__((always_inline)) { factor[r] = load_lanes<1>(x + r * x_step); });
  index_t j = 0;
  for (; j + N <= n; j += N) {
    lanes<S, N> sum = load_lanes<N>(sums + j);
    each<Rows>([&](auto r) __attribute__((always_inline)) {
      add_product<N>(sum, factor[r], load_lanes<N>(m + r * m_row + j));
    });
    store_lanes<N>(sums + j, sum);
  }
  for (; j != n; ++j)
    each<Rows>([&](auto r) __attribute__((always_inline)) {
      add_product<1>(sums[j], factor[r], load_lanes<1>(m + r * m_row + j));
    });
}
/// out = x m for a vector x and a matrix whose rows lie densely.
template <int Bytes, class T>
void multiply_vector_by_rows(T* out, index_t n, T const* m, index_t m_row, T const* x,
                             index_t x_step, index_t depth) {
  constexpr int N = lanes_in<summed<T>, Bytes>;
  constexpr index_t strip = 1024;  // sums that stay in the first cache
  summed<T> sums[strip];
  for (index_t from = 0; from < n; from += strip) {
    index_t const width = n - from < strip ? n - from : strip;
    for (index_t j = 0; j != width; ++j) sums[j] = summed<T>{};
    index_t k = 0;
    for (; k + 8 <= depth; k += 8)
      add_rows<N, 8>(sums, width, m + k * m_row + from, m_row, x + k * x_step, x_step);
    for (; k != depth; ++k)
      add_rows<N, 1>(sums, width, m + k * m_row + from, m_row, x + k * x_step, x_step);
    for (index_t j = 0; j != width; ++j) out[from + j] = static_cast<T>(sums[j]);
  }
}

/// A product with one row or one column. False: none, or its elements lie so that others are as
/// fast.
template <int Bytes, class T> bool multiply_vector(matrix_product<T> const& p) {
  if (p.columns == 1 && p.a_step == 1 && p.b_row == 1)
    multiply_rows_by_vector<Bytes>(p.out, p.rows, p.a, p.a_row, p.b, p.depth);
  else if (p.columns == 1 && p.a_row == 1)
    multiply_vector_by_rows<Bytes>(p.out, p.rows, p.a, p.a_step, p.b, p.b_row, p.depth);
  else if (p.rows == 1 && p.b_step == 1)
    multiply_vector_by_rows<Bytes>(p.out, p.columns, p.b, p.b_row, p.a, p.a_step, p.depth);
  else if (p.rows == 1 && p.b_row == 1 && p.a_step == 1)
    multiply_rows_by_vector<Bytes>(p.out, p.columns, p.b, p.b_step, p.a, p.depth);
  else return false;
  return true;
}

}  // namespace placement::inline v0_1::detail
