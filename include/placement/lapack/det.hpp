#pragma once

#include <placement/lapack/inverse.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/multiply.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 {

/// The determinant of each square matrix, by LU factors: numpy.linalg.det. It is 1 for a matrix
/// without rows, and 0 for a singular one.
/// Shape: (..., n, n) -> (...).  Type: float, double, and complex numbers of them.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).  Cost: 2/3 n^3 multiplications and additions.
/// Throws: shape_error unless matrices are square.
struct det_op {
  static constexpr std::string_view name = "MatrixDeterminant";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;

  template <class X> static constexpr auto result(X const& x) {
    detail::check_square("det", x, "Check the shape.");
    return detail::with_last<>(x);
  }
  template <class T, class Y, class X>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> in) const {
    index_t const n = detail::rows_in(in.shape);
    auto const matrix = detail::lapack_memory<T>(n * n);
    auto const pivots = detail::lapack_memory<lapack_int>(n);
    for (index_t i = 0; i != out.size(); ++i) {
      std::copy_n(in.data + i * n * n, n * n, matrix.data());
      if (n != 0) static_cast<void>(detail::factor_lu(n, matrix.data(), pivots.data()));
      T product{1};
      for (index_t d = 0; d != n; ++d) {
        product *= matrix.data()[d * n + d];
        if (pivots.data()[d] != d + 1) product = -product;  // two rows were exchanged
      }
      out[i] = product;
    }
  }

  /// The same on a GPU.
  template <class T, class Y, class X>
  void run_by_library(logical_device const& on, dense_view<T, Y> out,
                      dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    gpu_library::engine().det(on, detail::batch_of_matrices(in), out.data);
  }

  /// The gradient of a singular matrix is a linear_algebra_error.
  /// Source: Giles (2008), see inverse_op.
  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const& x) {
    return multiply(expand_dims(expand_dims(multiply(g, y), axis<-1>), axis<-1>),
                    transpose(inverse(x)));
  }
};
template <operand X> auto det(X&& x, site at = site::here()) -> node<det_op, X> {
  static_assert(detail::check_matrix<X>());
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
