#pragma once

#include <placement/lapack/matrices.hpp>
#include <placement/ops/matmul.hpp>
#include <placement/ops/transpose.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 {

/// The gradient of cholesky from its result l, and from matmul(transpose(l), g). It is symmetric.
/// Shape: (..., n, n), unchanged.  Type: float, double.  Kernels: CPU only (pattern custom).
struct cholesky_grad_op {
  static constexpr std::string_view name = "CholeskyGrad";
  using pattern = custom;
  using kernels = cpu_only;

  template <class L, class P> static constexpr L result(L const& l, P const&) { return l; }
  template <class T, class X, class P>
  void operator()(dense_view<T, X> out, dense_view<T const, X> l, dense_view<T const, P> p) const {
    index_t const n = detail::rows_in(out.shape);
    if (out.size() == 0) return;
    auto const memory = detail::lapack_memory<T>(n * n);
    T* const s = memory.data();
    for (index_t m = 0; m != detail::matrices_in(out.shape); ++m) {
      T const *const factor = l.data + m * n * n, *const product = p.data + m * n * n;
      // In column-major order: the lower triangle of the product, with half of its diagonal.
      for (index_t j = 0; j != n; ++j)
        for (index_t i = 0; i != n; ++i)
          s[j * n + i] = i > j ? product[i * n + j] : i == j ? product[i * n + j] / 2 : T{};
      // LAPACK reads l as its transpose: s = transpose(inverse(l)) s inverse(l).
      detail::solve_upper(n, n, factor, s);
      transpose_square(n, s);
      detail::solve_upper(n, n, factor, s);
      for (index_t i = 0; i != n; ++i)
        for (index_t j = 0; j != n; ++j)
          out[m * n * n + i * n + j] = (s[i * n + j] + s[j * n + i]) / 2;
    }
  }

 private:
  template <class T> static void transpose_square(index_t n, T* s) {
    for (index_t i = 0; i != n; ++i)
      for (index_t j = 0; j != i; ++j) std::swap(s[i * n + j], s[j * n + i]);
  }
};

/// The lower triangle l of each positive definite matrix, with x = matmul(l, conj(transpose(l))):
/// numpy.linalg.cholesky. Elements above the diagonal of x are not read.
/// Shape: (..., n, n), unchanged.  Type: float, double, and complex numbers of them.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).  Cost: n^3 / 3 multiplications and additions.
/// Throws: shape_error unless matrices are square; linear_algebra_error if one is not positive
/// definite; the tensor that is assigned to stays as it was.
struct cholesky_op {
  static constexpr std::string_view name = "Cholesky";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;

  template <class X> static constexpr X result(X const& x) {
    detail::check_square("cholesky", x, "Check the shape.");
    return x;
  }
  template <class T, class X>
  void operator()(dense_view<T, X> out, dense_view<T const, X> in) const {
    index_t const n = detail::rows_in(in.shape), count = detail::matrices_in(in.shape);
    if (out.size() == 0) return;
    for (index_t m = 0; m != count; ++m) {
      T* const matrix = out.data + m * n * n;
      std::copy_n(in.data + m * n * n, n * n, matrix);
      // The lower triangle in row-major order is LAPACK's upper one, and so is the factor.
      if (detail::factor_cholesky(n, matrix) != 0)
        detail::throw_for_values("cholesky", in.shape, detail::is_not_definite, m, count);
      for (index_t i = 0; i != n; ++i) std::fill(matrix + i * n + i + 1, matrix + (i + 1) * n, T{});
    }
  }

  /// The same on a GPU.
  template <class T, class X>
  void run_by_library(logical_device const& on, dense_view<T, X> out,
                      dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    index_t const failed =
        gpu_library::engine().cholesky(on, detail::batch_of_matrices(in), out.data);
    detail::check_all_exist(failed, "cholesky", in.shape, detail::is_not_definite);
  }

  /// Source: Giles (2008), see inverse_op.
  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    auto product = matmul(transpose(y), g);
    return expr<cholesky_grad_op, K, typename detail::node_operand<decltype(y)>::type,
                decltype(product)>{{}, {}, y, std::move(product)};
  }
};
template <operand X> auto cholesky(X&& x, site at = site::here()) -> node<cholesky_op, X> {
  static_assert(detail::check_matrix<X>());
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
