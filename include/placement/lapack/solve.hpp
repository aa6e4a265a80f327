#pragma once

#include <placement/lapack/matrices.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/matmul.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/squeeze.hpp>
#include <placement/ops/transpose.hpp>

#include <algorithm>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_rows(any_shape const& a,
                                                                    any_shape const& b) {
  throw shape_error("placement: solve of shapes " + text_of(a) + " and " + text_of(b) +
                    ": the right side must have as many rows as the matrix. Check the shapes.");
}
/// to, n x k in column-major order, becomes a copy of row-major elements.
template <class T> void copy_to_columns(T const* from, index_t n, index_t k, T* to) {
  for (index_t i = 0; i != n; ++i)
    for (index_t j = 0; j != k; ++j) to[j * n + i] = from[i * k + j];
}
template <class T> void copy_to_rows(T const* from, index_t n, index_t k, T* to) {
  for (index_t i = 0; i != n; ++i)
    for (index_t j = 0; j != k; ++j) to[i * k + j] = from[j * n + i];
}
/// What the pullback of solve reads.
struct reads_matrix_and_result : reads_operand<0> {
  static constexpr bool result = true;
};
/// The number among the matrices of shape x of matrix `number` of a batch to which x broadcasts.
template <class Y, class X> index_t broadcast_matrix(Y const& batch, X const& x, index_t number) {
  index_t at = 0, step = 1;
  for (std::size_t d = Y::rank - 2; d-- > 0;) {
    index_t const i = number % batch.at(d), n = padded_extent<Y::rank>(x, d);
    number /= batch.at(d);
    if (n != 1) at += i * step;
    step *= n;
  }
  return at;
}
}  // namespace detail

/// x of matmul(a, x) = b for each square matrix a, by LU factors: numpy.linalg.solve. Batches are
/// broadcast as by matmul.
/// Shape: (..., n, n), (..., n, k) -> (..., n, k).
/// Type: float, double, and complex numbers of them, the same on both sides.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).
/// Cost: 2/3 n^3 + 2 n^2 k multiplications and additions for a matrix.
/// Throws: shape_error for wrong shapes; linear_algebra_error for a singular matrix; the tensor
/// that is assigned to stays as it was.
struct solve_op {
  static constexpr std::string_view name = "MatrixSolve";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;
  /// The gradient of a broadcast batch is summed to the operand's shape.
  static constexpr bool sums_gradient = true;

  template <class A, class B> static constexpr auto result(A const& a, B const& b) {
    detail::check_square("solve", a, "Use lstsq(a, b) for other matrices.");
    detail::check_fits("solve", b);
    static_assert(detail::inner_extents_agree<A, B>(),
                  "placement: solve takes a right side with as many rows as the matrix. Check the "
                  "shapes.");
    if (detail::columns_in(a) != detail::rows_in(b)) detail::throw_other_rows(a, b);
    return matmul_op::result(a, b);
  }
  template <class T, class Y, class A, class B>
  void operator()(dense_view<T, Y> out, dense_view<T const, A> a, dense_view<T const, B> b) const {
    index_t const n = detail::rows_in(out.shape), k = detail::columns_in(out.shape);
    if (out.size() == 0) return;
    auto const factors = detail::lapack_memory<T>(n * n), sides = detail::lapack_memory<T>(n * k);
    auto const pivots = detail::lapack_memory<lapack_int>(n);
    index_t const count = detail::matrices_in(out.shape);
    for (index_t i = 0, factored = -1; i != count; ++i) {
      index_t const matrix = detail::broadcast_matrix(out.shape, a.shape, i);
      if (matrix != factored) {
        std::copy_n(a.data + matrix * n * n, n * n, factors.data());
        if (detail::factor_lu(n, factors.data(), pivots.data()) != 0)
          detail::throw_for_values("solve", a.shape, detail::is_singular, matrix,
                                   detail::matrices_in(a.shape));
        factored = matrix;
      }
      index_t const side = detail::broadcast_matrix(out.shape, b.shape, i);
      detail::copy_to_columns(b.data + side * n * k, n, k, sides.data());
      detail::solve_transposed(n, k, factors.data(), pivots.data(), sides.data());
      detail::copy_to_rows(sides.data(), n, k, out.data + i * n * k);
    }
  }

  /// The same on a GPU.
  template <class T, class Y, class A, class B>
  void run_by_library(logical_device const& on, dense_view<T, Y> out, dense_view<T const, A> a,
                      dense_view<T const, B> b) const {
    if (out.size() == 0) return;
    index_t const count = detail::matrices_in(out.shape);
    detail::host_scratch<index_t> const numbers(2 * count);
    index_t *const matrix_of = numbers.data(), *const side_of = matrix_of + count;
    for (index_t i = 0; i != count; ++i) {
      matrix_of[i] = detail::broadcast_matrix(out.shape, a.shape, i);
      side_of[i] = detail::broadcast_matrix(out.shape, b.shape, i);
    }
    index_t const failed = gpu_library::engine().solve(
        on, detail::batch_of_matrices(a),
        {detail::columns_in(out.shape), count, b.data, matrix_of, side_of}, out.data);
    detail::check_all_exist(failed, "solve", a.shape, detail::is_singular);
  }

  /// Source: Giles (2008), see inverse_op.
  using pullback_reads = detail::reads_matrix_and_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const& a, auto const&) {
    if constexpr (I == 0) return negative(matmul(solve(transpose(a), g), transpose(y)));
    else return solve(transpose(a), g);
  }
};
template <operand A, operand B> requires(!detail::is_vector<B>)
auto solve(A&& a, B&& b, site at = site::here()) -> node<solve_op, A, B> {
  static_assert(detail::check_matrix<A>());
  static_assert(detail::check_matrix<B>());
  detail::check_factors<A, B>();
  return {{}, at, std::forward<A>(a), std::forward<B>(b)};
}
/// With a vector b: it is one right side of all matrices.
/// Shape: (..., n, n), (n) -> (..., n).
template <operand A, operand B, class K = kernels_here> requires detail::is_vector<B>
auto solve(A&& a, B&& b, site at = site::here()) {
  return squeeze(solve(std::forward<A>(a), expand_dims(std::forward<B>(b), axis<-1>, at), at),
                 axis<-1>, at);
}

}}  // namespace placement::v0_1
