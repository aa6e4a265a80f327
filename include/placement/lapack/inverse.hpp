#pragma once

#include <placement/lapack/matrices.hpp>
#include <placement/ops/matmul.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/transpose.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 {

/// The inverse of each square matrix, by LU factors: numpy.linalg.inv. To solve equations,
/// solve(a, b) is faster and more accurate.
/// Shape: (..., n, n), unchanged.  Type: float, double, and complex numbers of them.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).  Cost: 2 n^3 multiplications and additions.
/// Throws: shape_error unless matrices are square; linear_algebra_error for a singular matrix; the
/// tensor that is assigned to stays as it was.
struct inverse_op {
  static constexpr std::string_view name = "MatrixInverse";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;

  template <class X> static constexpr X result(X const& x) {
    detail::check_square("inverse", x, "Use lstsq for other matrices.");
    return x;
  }
  template <class T, class X>
  void operator()(dense_view<T, X> out, dense_view<T const, X> in) const {
    index_t const n = detail::rows_in(in.shape), count = detail::matrices_in(in.shape);
    if (out.size() == 0) return;
    auto const pivots = detail::lapack_memory<lapack_int>(n);
    for (index_t i = 0; i != count; ++i) {
      T* const matrix = out.data + i * n * n;
      std::copy_n(in.data + i * n * n, n * n, matrix);
      // The inverse of the transpose is the transpose of the inverse.
      if (detail::factor_lu(n, matrix, pivots.data()) != 0 ||
          detail::invert_lu(n, matrix, pivots.data()) != 0)
        detail::throw_for_values("inverse", in.shape, detail::is_singular, i, count);
    }
  }

  /// The same on a GPU.
  template <class T, class X>
  void run_by_library(logical_device const& on, dense_view<T, X> out,
                      dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    index_t const failed =
        gpu_library::engine().inverse(on, detail::batch_of_matrices(in), out.data);
    detail::check_all_exist(failed, "inverse", in.shape, detail::is_singular);
  }

  /// Source: Giles, Collected matrix derivative results for forward and reverse mode algorithmic
  /// differentiation (2008).
  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return negative(matmul(matmul(transpose(y), g), transpose(y)));
  }
};
template <operand X> auto inverse(X&& x, site at = site::here()) -> node<inverse_op, X> {
  static_assert(detail::check_matrix<X>());
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
