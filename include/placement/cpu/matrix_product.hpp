#pragma once
/// The operands of one matrix product in the CPU's loops, and the loops for vectors.

#include <placement/cpu/lanes.hpp>
#include <placement/kernels/simd_register.hpp>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// out = a b for matrices of any strides: a(i, k) is at a + i * a_row + k * a_step.
/// b(k, j) is at b + k * b_row + j * b_step. The rows of out are dense; no extent is 0.
template <class T> struct matrix_product {
  T* out;
  index_t rows, columns, depth;
  T const* a;
  index_t a_row, a_step;
  T const* b;
  index_t b_row, b_step;
};

/// A batch of products of any rank: `dims` batch dimensions with the steps of both operands.
template <class T> struct batch_of_products {
  matrix_product<T> first;
  std::size_t dims;
  index_t const *extent, *a_step, *b_step;

  /// Moves the operands from the first matrix to the one with this number.
  void move_to(index_t matrix, matrix_product<T>& p) const {
    for (std::size_t d = dims; d-- > 0; matrix /= extent[d]) {
      p.a += matrix % extent[d] * a_step[d];
      p.b += matrix % extent[d] * b_step[d];
    }
  }
  index_t all_rows() const {
    index_t n = first.rows;
    for (std::size_t d = 0; d != dims; ++d) n *= extent[d];
    return n;
  }
  /// Whether the batch is one product: a single right side, and left rows at constant distances.
  bool is_one_matrix() const {
    index_t down = first.rows * first.a_row;
    for (std::size_t d = dims; d-- > 0; down *= extent[d])
      if (extent[d] != 1 && (b_step[d] != 0 || a_step[d] != down)) return false;
    return true;
  }
};

/// The next multiple of `to`.
constexpr index_t rounded_up(index_t n, index_t to) { return (n + to - 1) / to * to; }
/// The size of about equal pieces of n, a multiple of `unit`; at most `max` if `unit` divides it.
constexpr index_t even_pieces(index_t n, index_t max, index_t unit) {
  index_t const pieces = (n + max - 1) / max;
  return rounded_up((n + pieces - 1) / pieces, unit);
}

// ---- a matrix and a vector: each element of the matrix is read once, at memory bandwidth

/// Whether the last elements of a row are a register, too.
template <class S, int N>
inline constexpr bool has_masked_rest = N >= 4 && std::is_floating_point_v<S>;

struct depth_range {
  index_t begin, end;
};
/// Adds the products of a range of less than 2 N elements to the sums of Rows rows: a whole
/// register, and one that ends with the last element, whose first lanes are cleared. Requires: the
/// range ends at N or above.
template <int N, int Rows, class T, class Sums>
PLACEMENT_ALWAYS_INLINE inline void add_rest_of_rows(Sums& sums, T const* m, index_t m_row,
                                                     T const* x, depth_range some) {
  using S = summed<T>;
  if (some.end - some.begin >= N) {
    lanes<S, N> const y = load_lanes<N>(x + some.begin);
    each<Rows>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      sums[2 * r] += load_lanes<N>(m + r * m_row + some.begin) * y;
    });
    some.begin += N;
  }
  if (some.begin == some.end) return;
  lanes<S, N> const y = load_lanes<N>(x + some.end - N);
  each<Rows>([&](auto r) PLACEMENT_ALWAYS_INLINE {
    lanes<S, N> product = load_lanes<N>(m + r * m_row + some.end - N) * y;
    keep_bits<S, N>(product, masks_of_last_lanes<S, N>.at + (some.end - some.begin));
    sums[2 * r + 1] += product;
  });
}
/// Halves registers by adding their upper lanes to their lower ones, down to four lanes.
template <class S, int N>
PLACEMENT_ALWAYS_INLINE inline void fold_lanes(lanes<S, 4>& to, lanes<S, N> const& x) {
  if constexpr (N == 4) {
    to = x;
  } else {
    lane_array<S, N / 2, 2> half;
    std::memcpy(&half, &x, sizeof x);
    fold_lanes<S, N / 2>(to, half[0] + half[1]);
  }
}
/// out[r] = the sum of all lanes of the two registers of row r, as sum_of_lanes() adds them.
template <int N, int Rows, class T, class Sums>
PLACEMENT_ALWAYS_INLINE inline void store_sums_of_lanes(T* out, Sums const& sums) {
  using S = summed<T>;
  if constexpr (Rows == 4) {
    using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
    lane_array<S, 4, 4> x;
    each<4>([&](auto r)
                PLACEMENT_ALWAYS_INLINE { fold_lanes<S, N>(x[r], sums[2 * r] + sums[2 * r + 1]); });
    lanes<S, 4> const a =
        PLACEMENT_SHUFFLE(x[0], x[1], 0, 4, 1, 5) + PLACEMENT_SHUFFLE(x[0], x[1], 2, 6, 3, 7);
    lanes<S, 4> const b =
        PLACEMENT_SHUFFLE(x[2], x[3], 0, 4, 1, 5) + PLACEMENT_SHUFFLE(x[2], x[3], 2, 6, 3, 7);
    store_lanes<4>(out, PLACEMENT_SHUFFLE(a, b, 0, 1, 4, 5) + PLACEMENT_SHUFFLE(a, b, 2, 3, 6, 7));
  } else {
    each<Rows>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      out[r] = static_cast<T>(sum_of_lanes<S, N>(sums[2 * r] + sums[2 * r + 1]));
    });
  }
}
/// out[i] = matrix row i times x, for contiguous rows; Rows of them at once.
template <int N, int Rows, class T>
PLACEMENT_ALWAYS_INLINE inline void dot_rows(T* out, T const* m, index_t m_row, T const* x,
                                             index_t depth) {
  using S = summed<T>;
  lane_array<S, N, 2 * Rows> sums{};
  index_t k = 0;
  constexpr index_t both = index_t{2} * N;
  for (; k + both <= depth; k += both) {
    lanes<S, N> const x0 = load_lanes<N>(x + k), x1 = load_lanes<N>(x + k + N);
    each<Rows>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      T const* const row = m + r * m_row + k;
      if constexpr (is_complex<S>) {
        add_product<N>(sums[2 * r], load_lanes<N>(row), x0);
        add_product<N>(sums[2 * r + 1], load_lanes<N>(row + N), x1);
      } else {
        sums[2 * r] += load_lanes<N>(row) * x0;
        sums[2 * r + 1] += load_lanes<N>(row + N) * x1;
      }
    });
  }
  if constexpr (has_masked_rest<S, N>) {
    if (depth >= N) {
      add_rest_of_rows<N, Rows>(sums, m, m_row, x, {k, depth});
      return store_sums_of_lanes<N, Rows>(out, sums);
    }
  }
  each<Rows>([&](auto r) PLACEMENT_ALWAYS_INLINE {
    S sum = sum_of_lanes<S, N>(sums[2 * r] + sums[2 * r + 1]);
    for (index_t l = k; l != depth; ++l)
      add_product<1>(sum, load_lanes<1>(m + r * m_row + l), load_lanes<1>(x + l));
    out[r] = static_cast<T>(sum);
  });
}
template <int Bytes, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_rows_by_vector(T* out, index_t rows, T const* m,
                                                            index_t m_row, T const* x,
                                                            index_t depth) {
  constexpr int N = lanes_in<summed<T>, Bytes>;
  index_t i = 0;
  for (; i + 4 <= rows; i += 4) dot_rows<N, 4>(out + i, m + i * m_row, m_row, x, depth);
  for (; i != rows; ++i) dot_rows<N, 1>(out + i, m + i * m_row, m_row, x, depth);
}

/// sums[j] += x[0] row0[j] + x[1] row1[j] ... for Rows contiguous rows.
template <int N, int Rows, class T>
PLACEMENT_ALWAYS_INLINE inline void add_rows(summed<T>* sums, index_t n, T const* m, index_t m_row,
                                             T const* x, index_t x_step) {
  using S = summed<T>;
  lane_array<S, 1, Rows> factor;
  each<Rows>([&](auto r) PLACEMENT_ALWAYS_INLINE { factor[r] = load_lanes<1>(x + r * x_step); });
  index_t j = 0;
  for (; j + N <= n; j += N) {
    lanes<S, N> sum = load_lanes<N>(sums + j);
    each<Rows>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      add_product<N>(sum, factor[r], load_lanes<N>(m + r * m_row + j));
    });
    store_lanes<N>(sums + j, sum);
  }
  if constexpr (N > 1)
    if (j != n) add_rows<N / 2, Rows>(sums + j, n - j, m + j, m_row, x, x_step);
}
/// out = x m for a vector x and a matrix with contiguous rows.
template <int Bytes, class T>
PLACEMENT_ALWAYS_INLINE inline void multiply_vector_by_rows(T* out, index_t n, T const* m,
                                                            index_t m_row, T const* x,
                                                            index_t x_step, index_t depth) {
  constexpr int N = lanes_in<summed<T>, Bytes>;
  constexpr index_t strip = 1024;  // sums that stay in the L1 cache
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

/// A product with one row or one column. Returns false if there is neither, or if the strides suit
/// other loops as well.
template <int Bytes, class T>
PLACEMENT_ALWAYS_INLINE inline bool multiply_vector(matrix_product<T> const& p) {
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

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
