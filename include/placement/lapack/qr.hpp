#pragma once

#include <placement/lapack/packed.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 {

/// What qr returns.
template <class T, class Q, class R> struct qr_result {
  tensor<T, Q> q;  ///< orthonormal columns
  tensor<T, R> r;  ///< an upper triangle
};

/// Q and R of each matrix, one after the other in a row.
template <factor_size F> struct qr_op {
  static constexpr std::string_view name = "Qr";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;

  /// The columns of Q, which are as many as the rows of R.
  static constexpr index_t inner(index_t m, index_t n) {
    return std::same_as<F, complete_factors_t> ? m : std::min(m, n);
  }
  static constexpr index_t static_inner(index_t m, index_t n) {
    return std::same_as<F, complete_factors_t> ? m : detail::static_smaller(m, n);
  }

  template <class X> static constexpr auto result(X const& x) {
    detail::check_fits("qr", x);
    index_t const m = detail::rows_in(x), n = detail::columns_in(x), k = inner(m, n);
    constexpr index_t rows = detail::static_rows<X>(), columns = detail::static_columns<X>();
    constexpr index_t between = static_inner(rows, columns);
    return detail::with_last<detail::static_sum(detail::static_product(rows, between),
                                                detail::static_product(between, columns))>(
        x, m * k + k * n);
  }
  template <class T, class Y, class X>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> in) const {
    index_t const m = detail::rows_in(in.shape), n = detail::columns_in(in.shape), k = inner(m, n);
    if (out.size() == 0) return;
    auto const memory = detail::lapack_memory<T>(m * n),
               scales = detail::lapack_memory<T>(std::min(m, n));
    for (index_t i = 0; i != detail::matrices_in(in.shape); ++i) {
      std::copy_n(in.data + i * m * n, m * n, memory.data());
      factor(m, n, k, memory.data(), scales.data(), out.data + i * (m * k + k * n));
    }
  }

  /// The same on a GPU.
  template <class T, class Y, class X>
  void run_by_library(logical_device const& on, dense_view<T, Y> out,
                      dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    gpu_library::engine().qr(on, detail::batch_of_matrices(in),
                             inner(detail::rows_in(in.shape), detail::columns_in(in.shape)),
                             out.data);
  }

 private:
  /// LAPACK reads a as its transpose, n x m, whose factors L and Q are the transposes of R and Q.
  template <class T> static void factor(index_t m, index_t n, index_t k, T* a, T* scales, T* q) {
    index_t const reflections = std::min(m, n);
    detail::factor_lq(n, m, a, scales);
    T* const r = q + m * k;
    for (index_t i = 0; i != k; ++i)
      for (index_t j = 0; j != n; ++j)
        r[i * n + j] = i < reflections && j >= i ? a[i * n + j] : T{};
    for (index_t i = 0; i != m; ++i)
      for (index_t j = 0; j != k; ++j) q[i * k + j] = j < reflections ? a[i * n + j] : T{};
    detail::make_q(k, m, reflections, q, scales);
  }
};

/// The factors of each matrix, with x = matmul(q, r): numpy.linalg.qr. `qr(x)` is NumPy's mode
/// 'reduced', and `qr(x, complete_factors)` its mode 'complete'. Computes at once: one custom op,
/// and a copy of each factor.
/// Shape: (..., m, n) -> (..., m, k), (..., k, n); k is min(m, n), or m if complete.
/// Type: float, double, and complex numbers of them.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).  Cost: 2 m n k multiplications and additions for
/// R, and as many for Q.
template <operand X, factor_size F = reduced_factors_t, class K = kernels_here>
auto qr(X&& x, F = {}, site at = site::here()) {
  if constexpr (detail::check_matrix<X>()) {
    using T = typename bare<X>::value_type;
    auto const shape = x.shape();
    using S = bare<decltype(shape)>;
    constexpr index_t rows = detail::static_rows<S>(), columns = detail::static_columns<S>();
    constexpr index_t between = qr_op<F>::static_inner(rows, columns);
    index_t const m = detail::rows_in(shape), n = detail::columns_in(shape);
    index_t const k = qr_op<F>::inner(m, n);
    auto const q = detail::with_last<rows, between>(shape, m, k);
    auto const r = detail::with_last<between, columns>(shape, k, n);
    tensor const packed = node<qr_op<F>, X>{{}, at, std::forward<X>(x)};
    return qr_result<T, bare<decltype(q)>, bare<decltype(r)>>{
        detail::unpacked<K>(packed, 0, m * k, q, at),
        detail::unpacked<K>(packed, m * k, m * k + k * n, r, at)};
  }
}

}}  // namespace placement::v0_1
