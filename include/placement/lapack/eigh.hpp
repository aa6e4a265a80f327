#pragma once

#include <placement/lapack/packed.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 {

/// What eigh returns.
template <class T, class W, class V> struct eigh_result {
  tensor<detail::lapack_real<T>, W> eigenvalues;  ///< in ascending order
  tensor<T, V> eigenvectors;                      ///< orthonormal columns, in the same order
};

/// The eigenvalues and the eigenvectors of each matrix, one after the other in a row.
struct eigh_op {
  static constexpr std::string_view name = "SelfAdjointEigV2";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;

  template <class X> static constexpr auto result(X const& x) {
    detail::check_square("eigh", x, "Check the shape.");
    constexpr index_t rows = detail::static_rows<X>();
    index_t const n = detail::rows_in(x);
    return detail::with_last<detail::static_sum(rows, detail::static_product(rows, rows))>(
        x, n + n * n);
  }
  template <class T, class Y, class X>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> in) const {
    index_t const n = detail::rows_in(in.shape), count = detail::matrices_in(in.shape);
    if (out.size() == 0) return;
    auto const memory = detail::lapack_memory<T>(n * n);
    for (index_t i = 0; i != count; ++i) {
      T *const row = out.data + i * (n + n * n), *const a = memory.data();
      std::copy_n(in.data + i * n * n, n * n, a);
      detail::packed_reals<T> const values(row, n);
      if (!detail::triangle_is_finite(a, n) || detail::eigenvalues('V', n, a, values.data()) != 0)
        detail::throw_for_values("eigh", in.shape, detail::did_not_converge, i, count);
      values.store();
      // LAPACK reads a as its transpose, whose eigenvectors are the conjugates.
      for (index_t r = 0; r != n; ++r)
        for (index_t c = 0; c != n; ++c) row[n + r * n + c] = conjugate(a[c * n + r]);
    }
  }

  /// The same on a GPU.
  template <class T, class Y, class X>
  void run_by_library(logical_device const& on, dense_view<T, Y> out,
                      dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    index_t const failed = gpu_library::engine().eigh(on, detail::batch_of_matrices(in), out.data);
    detail::check_all_exist(failed, "eigh", in.shape, detail::did_not_converge);
  }

 private:
  template <class T> static T conjugate(T x) {
    if constexpr (is_complex<T>) return detail::complex_math<T>::conj(x);
    else return x;
  }
};

/// The eigenvalues and eigenvectors of each symmetric or Hermitian matrix: numpy.linalg.eigh.
/// Elements above the diagonal are not read. Computes at once: one custom op, and a copy of each
/// result.
/// Shape: (..., n, n) -> (..., n), (..., n, n).
/// Type: float, double, and complex numbers of them; eigenvalues are real.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).
/// Throws: shape_error unless matrices are square; linear_algebra_error if LAPACK does not
/// converge.
template <operand X, class K = kernels_here> auto eigh(X&& x, site at = site::here()) {
  if constexpr (detail::check_matrix<X>()) {
    using T = typename bare<X>::value_type;
    auto const shape = x.shape();
    using S = bare<decltype(shape)>;
    constexpr index_t rows = detail::static_rows<S>();
    index_t const n = detail::rows_in(shape);
    tensor const packed = node<eigh_op, X>{{}, at, std::forward<X>(x)};
    auto const w = detail::with_last<rows>(shape, n);
    return eigh_result<T, bare<decltype(w)>, S>{
        detail::unpacked_reals<K>(packed, 0, n, w, at),
        detail::unpacked<K>(packed, n, n + n * n, shape, at)};
  }
}

/// The eigenvalues of each symmetric or Hermitian matrix, in ascending order:
/// numpy.linalg.eigvalsh. Elements above the diagonal are not read.
/// Shape: (..., n, n) -> (..., n).
/// Type: float, double, and complex numbers of them, to real numbers.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).
/// Throws: shape_error unless matrices are square; linear_algebra_error if LAPACK does not
/// converge.
template <class R> struct eigvalsh_op {
  static constexpr std::string_view name = "Eigvalsh";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;
  using value_type = R;

  template <class X> static constexpr auto result(X const& x) {
    detail::check_square("eigvalsh", x, "Check the shape.");
    return detail::with_last<detail::static_rows<X>()>(x, detail::rows_in(x));
  }
  template <class T, class Y, class X>
  void operator()(dense_view<R, Y> out, dense_view<T const, X> in) const {
    index_t const n = detail::rows_in(in.shape), count = detail::matrices_in(in.shape);
    if (out.size() == 0) return;
    auto const memory = detail::lapack_memory<T>(n * n);
    for (index_t i = 0; i != count; ++i) {
      std::copy_n(in.data + i * n * n, n * n, memory.data());
      if (!detail::triangle_is_finite(memory.data(), n) ||
          detail::eigenvalues('N', n, memory.data(), out.data + i * n) != 0)
        detail::throw_for_values("eigvalsh", in.shape, detail::did_not_converge, i, count);
    }
  }
  /// The same on a GPU.
  template <class T, class Y, class X>
  void run_by_library(logical_device const& on, dense_view<R, Y> out,
                      dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    index_t const failed =
        gpu_library::engine().eigvalsh(on, detail::batch_of_matrices(in), out.data);
    detail::check_all_exist(failed, "eigvalsh", in.shape, detail::did_not_converge);
  }
};
template <operand X> requires(detail::lapack_number<typename bare<X>::value_type>)
auto eigvalsh(X&& x, site at = site::here())
    -> node<eigvalsh_op<detail::lapack_real<typename bare<X>::value_type>>, X> {
  static_assert(detail::check_matrix<X>());
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
