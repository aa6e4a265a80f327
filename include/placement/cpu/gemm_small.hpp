#pragma once
/// Small products on the CPU without scratch memory: sums are in registers, operands are read in
/// place.

#include <placement/cpu/matrix_product.hpp>

#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Computes the sums of Rows x (Vectors N) elements of the result from (i, j) on.
template <int N, int Vectors, int Rows, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_tile(matrix_product<T> const& p, index_t i,
                                                  index_t j) {
  using S = summed<T>;
  T const* left = p.a + i * p.a_row;
  T const* right = p.b + j * p.b_step;
  lane_array<S, N, Rows * Vectors> sums{};
  for (index_t k = 0; k != p.depth; ++k) {
    lane_array<S, N, Vectors> y;
    each<Vectors>([&](auto v) PLACEMENT_ALWAYS_INLINE { y[v] = load_lanes<N>(right + v * N); });
    each<Rows * Vectors>([&](auto t) PLACEMENT_ALWAYS_INLINE {
      add_product<N>(sums[t], load_lanes<1>(left + t / Vectors * p.a_row), y[t % Vectors]);
    });
    left += p.a_step;
    right += p.b_row;
  }
  T* const to = p.out + i * p.columns + j;
  each<Rows * Vectors>([&](auto t) PLACEMENT_ALWAYS_INLINE {
    store_lanes<N>(to + t / Vectors * p.columns + t % Vectors * N, sums[t]);
  });
}

/// A product of at least one such tile. The last tiles are moved back so that they fit; they
/// compute some elements twice, with equal results.
template <int N, int Vectors, int Rows, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_tiles(matrix_product<T> const& p) {
  constexpr index_t width = index_t{N} * Vectors;
  for (index_t i = 0; i < p.rows; i += Rows) {
    index_t const row = i + Rows <= p.rows ? i : p.rows - Rows;
    for (index_t j = 0; j < p.columns; j += width)
      multiply_tile<N, Vectors, Rows>(p, row, j + width <= p.columns ? j : p.columns - width);
  }
}

/// Products whose operands follow each other at constant distances.
template <class T> struct product_batch {
  matrix_product<T> first;
  index_t count, a_next, b_next;

  /// Calls f(product) for each product.
  template <class F> PLACEMENT_ALWAYS_INLINE void each_product(F const& f) const {
    matrix_product<T> p = first;
    for (index_t left = count; left != 0; --left) {
      f(p);
      p.out += p.rows * p.columns;
      p.a += a_next;
      p.b += b_next;
    }
  }
};

template <int N, int Vectors, int Rows, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_each(product_batch<T> const& all) {
  all.each_product([](matrix_product<T> const& p)
                       PLACEMENT_ALWAYS_INLINE { multiply_tiles<N, Vectors, Rows>(p); });
}
template <int N, int Vectors, bool ManyRegisters, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_each_in_rows(product_batch<T> const& all) {
  index_t const rows = all.first.rows;
  index_t const computed_again = rounded_up(rows, 8) - rows;
  if constexpr (Vectors == 1 || ManyRegisters)
    if (rows >= 8 && (computed_again < 4 || rows > 32)) return multiply_each<N, Vectors, 8>(all);
  if (rows >= 4) return multiply_each<N, Vectors, 4>(all);
  multiply_each<N, Vectors, 1>(all);
}
template <int N, bool ManyRegisters, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_each_in_columns(product_batch<T> const& all) {
  bool const fits = all.first.columns >= N && (N == 1 || all.first.b_step == 1);
  if (fits || N == 1) return multiply_each_in_rows<N, 1, ManyRegisters>(all);
  if constexpr (N > 1) multiply_each_in_columns<(N > 4 ? N / 2 : 1), ManyRegisters>(all);
}

// ---- dense squares of 4, 8 and 16: all lengths are constants

/// A register as the result of a function, without the ABI of a vector.
template <class V> struct one_register {
  V value;
};
/// For registers with rows of four elements: element K of each row, four times.
template <int K, class V>
PLACEMENT_ALWAYS_INLINE inline one_register<V> spread_element(V const& v) {
  if constexpr (sizeof(V) / sizeof(v[0]) == 16)
    return {__builtin_shufflevector(v, v, K, K, K, K, 4 + K, 4 + K, 4 + K, 4 + K, 8 + K, 8 + K,
                                    8 + K, 8 + K, 12 + K, 12 + K, 12 + K, 12 + K)};
  else return {__builtin_shufflevector(v, v, K, K, K, K, 4 + K, 4 + K, 4 + K, 4 + K)};
}
/// Row K of the register, repeated.
template <int K, class V> PLACEMENT_ALWAYS_INLINE inline one_register<V> repeat_row(V const& v) {
  constexpr int I = 4 * K;
  if constexpr (sizeof(V) / sizeof(v[0]) == 16)
    return {__builtin_shufflevector(v, v, I, I + 1, I + 2, I + 3, I, I + 1, I + 2, I + 3, I, I + 1,
                                    I + 2, I + 3, I, I + 1, I + 2, I + 3)};
  else return {__builtin_shufflevector(v, v, I, I + 1, I + 2, I + 3, I, I + 1, I + 2, I + 3)};
}

/// A 4 x 4 product in registers of L elements, several rows in each.
template <int L, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_fours_in_registers(T* out, T const* a, T const* b) {
  constexpr int rows = L / 4, count = 4 / rows;
  lane_array<T, L, count> x, y, sums{};
  each<count>([&](auto r) PLACEMENT_ALWAYS_INLINE {
    x[r] = load_lanes<L>(a + r * L);
    y[r] = load_lanes<L>(b + r * L);
  });
  each<4>([&](auto k) PLACEMENT_ALWAYS_INLINE {
    auto const row = repeat_row<k % rows>(y[k / rows]).value;
    each<count>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      sums[r] += spread_element<decltype(k)::value>(x[r]).value * row;
    });
  });
  each<count>([&](auto r) PLACEMENT_ALWAYS_INLINE { store_lanes<L>(out + r * L, sums[r]); });
}
/// With 8 columns, registers of 8 elements are used. Registers of 16 would need shuffles first, and
/// Zen 4 splits their instructions in two.
template <int N, int MaxLanes, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_squares_of(product_batch<T> const& all) {
  all.each_product([](matrix_product<T> const& p) PLACEMENT_ALWAYS_INLINE {
    constexpr int L = N < MaxLanes ? N : MaxLanes;
    if constexpr (N == 4 && MaxLanes > 4) multiply_fours_in_registers<MaxLanes>(p.out, p.a, p.b);
    else
      multiply_tiles<L, 1, N == 4 ? 4 : 8>(matrix_product<T>{p.out, N, N, N, p.a, N, 1, p.b, N, 1});
  });
}
/// The same for other extents, in registers longer than a row. Loads and stores beyond a row reach
/// the next row, which is written later. The last product is computed in a buffer with one more
/// row.
/// Not a lambda: -Wshadow would compare its names with those of a program.
template <int N, int L, class T> struct padded_square {
  index_t& left;  ///< products left, this one included; all but the last may read beyond themselves

  PLACEMENT_ALWAYS_INLINE void operator()(matrix_product<T> const& p) const {
    constexpr std::size_t size = std::size_t{N} * N;
    if (--left > 0) return multiply(p.out, p.a, p.b);
    T right[size + N]{}, result[size + N];
    std::memcpy(right, p.b, size * sizeof(T));
    multiply(result, p.a, right);
    std::memcpy(p.out, result, size * sizeof(T));
  }

 private:
  PLACEMENT_ALWAYS_INLINE static inline void multiply(T* out, T const* a, T const* b) {
    constexpr int vectors = (N + L - 1) / L;
    multiply_tile<L, vectors, N>(matrix_product<T>{out, N, N, N, a, N, 1, b, N, 1}, 0, 0);
  }
};
/// Returns false if the product needs too many registers.
template <int N, int Bytes, bool ManyRegisters, class T>
PLACEMENT_ALWAYS_INLINE inline bool multiply_padded_squares_of(product_batch<T> const& all) {
  constexpr int max = lanes_in<T, Bytes>, fits = N > 8 ? 16 : N > 4 ? 8 : N > 2 ? 4 : 2;
  constexpr int L = fits < max ? fits : max, vectors = (N + L - 1) / L;
  if constexpr (N * vectors > (ManyRegisters ? 24 : 12)) return false;
  else {
    index_t left = all.b_next == N * N ? all.count : 1;
    all.each_product(padded_square<N, L, T>{left});
  }
  return true;
}
/// Returns false for other extents.
template <int Bytes, bool ManyRegisters, class T>
PLACEMENT_ALWAYS_INLINE inline bool multiply_padded_squares(product_batch<T> const& all) {
  switch (all.first.columns) {
    case 2: return multiply_padded_squares_of<2, Bytes, ManyRegisters>(all);
    case 3: return multiply_padded_squares_of<3, Bytes, ManyRegisters>(all);
    case 5: return multiply_padded_squares_of<5, Bytes, ManyRegisters>(all);
    case 6: return multiply_padded_squares_of<6, Bytes, ManyRegisters>(all);
    case 7: return multiply_padded_squares_of<7, Bytes, ManyRegisters>(all);
    case 9: return multiply_padded_squares_of<9, Bytes, ManyRegisters>(all);
    case 10: return multiply_padded_squares_of<10, Bytes, ManyRegisters>(all);
    case 11: return multiply_padded_squares_of<11, Bytes, ManyRegisters>(all);
    case 12: return multiply_padded_squares_of<12, Bytes, ManyRegisters>(all);
    default: return false;
  }
}
/// Returns false for other products.
template <int Bytes, bool ManyRegisters, class T>
PLACEMENT_ALWAYS_INLINE inline bool multiply_squares(product_batch<T> const& all) {
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
    return multiply_padded_squares<Bytes, ManyRegisters>(all);
  }
  return false;
}

/// Multiplies without scratch memory, by the same loops for all extents.
template <int Bytes, bool ManyRegisters, class T>
PLACEMENT_ALWAYS_INLINE inline void gemm_small_tiles(product_batch<T> const& all) {
  constexpr int N = lanes_in<summed<T>, Bytes>;
  if (all.first.columns >= 2 * N && all.first.b_step == 1)
    return multiply_each_in_rows<N, 2, ManyRegisters>(all);
  multiply_each_in_columns<N, ManyRegisters>(all);
}
/// Multiplies without scratch memory. Cost: best below some 64 x 64 elements.
template <int Bytes, bool ManyRegisters = PLACEMENT_MANY_VECTORS, class T>
PLACEMENT_ALWAYS_INLINE inline void gemm_small(product_batch<T> const& all) {
  if (!multiply_squares<Bytes, ManyRegisters>(all)) gemm_small_tiles<Bytes, ManyRegisters>(all);
}

/// A small product with constant extents. If its strides are constants, too, nothing is decided at
/// run time.
template <int Bytes, int M, int N, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_static(matrix_product<T> const& p) {
  constexpr int max = lanes_in<summed<T>, Bytes>;
  constexpr int L = N >= max ? max : N >= 8 ? 8 : N >= 4 ? 4 : N >= 2 ? 2 : 1;
  constexpr int rows = M < 8 ? M : 8;
  if constexpr (std::is_floating_point_v<T> && M == 4 && N == 4 && max > 4)
    if (p.depth == 4 && p.a_row == 4 && p.a_step == 1 && p.b_row == 4 && p.b_step == 1)
      return multiply_fours_in_registers<max>(p.out, p.a, p.b);
  if (p.b_step == 1) multiply_tiles<L, 1, rows>(p);
  else multiply_tiles<1, 1, rows>(p);
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
