#pragma once

#include <placement/lapack/packed.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 {

/// What svd returns.
template <class T, class U, class S, class V> struct svd_result {
  tensor<T, U> u;                       ///< orthonormal columns
  tensor<detail::lapack_real<T>, S> s;  ///< the singular values, the largest first
  tensor<T, V> vh;                      ///< orthonormal rows
};

/// u, s and vh of each matrix, one after the other in a row.
template <factor_size F> struct svd_op {
  static constexpr std::string_view name = "Svd";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;

  /// The columns of u for a matrix with m rows, and the rows of vh for one with m columns.
  static constexpr index_t vectors(index_t m, index_t n) {
    return std::same_as<F, complete_factors_t> ? m : std::min(m, n);
  }
  static constexpr index_t static_vectors(index_t m, index_t n) {
    return std::same_as<F, complete_factors_t> ? m : detail::static_smaller(m, n);
  }

  template <class X> static constexpr auto result(X const& x) {
    detail::check_fits("svd", x);
    index_t const m = detail::rows_in(x), n = detail::columns_in(x);
    constexpr index_t rows = detail::static_rows<X>(), columns = detail::static_columns<X>();
    constexpr index_t of_u = detail::static_product(rows, static_vectors(rows, columns));
    constexpr index_t of_v = detail::static_product(static_vectors(columns, rows), columns);
    return detail::with_last<detail::static_sum(detail::static_sum(of_u, of_v),
                                                detail::static_smaller(rows, columns))>(
        x, m * vectors(m, n) + std::min(m, n) + vectors(n, m) * n);
  }
  template <class T, class Y, class X>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> in) const {
    index_t const m = detail::rows_in(in.shape), n = detail::columns_in(in.shape);
    index_t const k = std::min(m, n), of_u = m * vectors(m, n), of_v = vectors(n, m) * n;
    if (out.size() == 0) return;
    auto const memory = detail::lapack_memory<T>(m * n);
    index_t const count = detail::matrices_in(in.shape);
    for (index_t i = 0; i != count; ++i) {
      T *const u = out.data + i * (of_u + k + of_v), *const v = u + of_u + k;
      if (k == 0) {
        if (of_u != 0) detail::write_identity(m, u);
        if (of_v != 0) detail::write_identity(n, v);
        continue;
      }
      std::copy_n(in.data + i * m * n, m * n, memory.data());
      detail::packed_reals<T> const s(u + of_u, k);
      // LAPACK reads a as its transpose, n x m, and writes vh and u in row-major order.
      constexpr char job = std::same_as<F, complete_factors_t> ? 'A' : 'S';
      if (!detail::are_finite(memory.data(), m * n) ||
          detail::singular_values(job, n, m, memory.data(), s.data(), v, u) != 0)
        detail::throw_for_values("svd", in.shape, detail::did_not_converge, i, count);
      s.store();
    }
  }
  /// The same on a GPU.
  template <class T, class Y, class X>
  void run_by_library(logical_device const& on, dense_view<T, Y> out,
                      dense_view<T const, X> in) const {
    index_t const m = detail::rows_in(in.shape), n = detail::columns_in(in.shape);
    if (out.size() == 0) return;
    index_t const failed = gpu_library::engine().svd(on, detail::batch_of_matrices(in),
                                                     vectors(m, n), vectors(n, m), out.data);
    detail::check_all_exist(failed, "svd", in.shape, detail::did_not_converge);
  }
};

/// The factors of each matrix, with x = matmul(u * s, vh) if reduced: numpy.linalg.svd. `svd(x)`
/// gives square u and vh, as NumPy's default does, and `svd(x, reduced_factors)` is
/// full_matrices=False. Computes at once: one custom op, and a copy of each factor.
/// Shape: (..., m, n) -> (..., m, m), (..., k), (..., n, n), where k is min(m, n); if reduced
/// (..., m, k), (..., k), (..., k, n).
/// Type: float, double, and complex numbers of them; s is real.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).
/// Throws: linear_algebra_error if LAPACK does not converge.
template <operand X, factor_size F = complete_factors_t, class K = kernels_here>
auto svd(X&& x, F = {}, site at = site::here()) {
  if constexpr (detail::check_matrix<X>()) {
    using T = typename bare<X>::value_type;
    using op = svd_op<F>;
    auto const shape = x.shape();
    using S = bare<decltype(shape)>;
    constexpr index_t rows = detail::static_rows<S>(), columns = detail::static_columns<S>();
    index_t const m = detail::rows_in(shape), n = detail::columns_in(shape), k = std::min(m, n);
    index_t const of_u = m * op::vectors(m, n), of_v = op::vectors(n, m) * n;
    auto const u =
        detail::with_last<rows, op::static_vectors(rows, columns)>(shape, m, op::vectors(m, n));
    auto const s = detail::with_last<detail::static_smaller(rows, columns)>(shape, k);
    auto const v =
        detail::with_last<op::static_vectors(columns, rows), columns>(shape, op::vectors(n, m), n);
    tensor const packed = node<op, X>{{}, at, std::forward<X>(x)};
    return svd_result<T, bare<decltype(u)>, bare<decltype(s)>, bare<decltype(v)>>{
        detail::unpacked<K>(packed, 0, of_u, u, at),
        detail::unpacked_reals<K>(packed, of_u, of_u + k, s, at),
        detail::unpacked<K>(packed, of_u + k, of_u + k + of_v, v, at)};
  }
}

/// The singular values of each matrix, the largest first: numpy.linalg.svdvals.
/// Shape: (..., m, n) -> (..., min(m, n)).
/// Type: float, double, and complex numbers of them, to real numbers.
/// Kernels: CPU; GPU by cuSOLVER (pattern custom).
/// Throws: linear_algebra_error if LAPACK does not converge.
template <class R> struct svdvals_op {
  static constexpr std::string_view name = "SvdVals";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_linear_algebra;
  using value_type = R;

  template <class X> static constexpr auto result(X const& x) {
    detail::check_fits("svdvals", x);
    return detail::with_last<detail::static_smaller(detail::static_rows<X>(),
                                                    detail::static_columns<X>())>(
        x, std::min(detail::rows_in(x), detail::columns_in(x)));
  }
  template <class T, class Y, class X>
  void operator()(dense_view<R, Y> out, dense_view<T const, X> in) const {
    index_t const m = detail::rows_in(in.shape), n = detail::columns_in(in.shape);
    if (out.size() == 0) return;
    auto const memory = detail::lapack_memory<T>(m * n);
    index_t const count = detail::matrices_in(in.shape);
    T unused{};
    for (index_t i = 0; i != count; ++i) {
      std::copy_n(in.data + i * m * n, m * n, memory.data());
      R* const s = out.data + i * std::min(m, n);
      if (!detail::are_finite(memory.data(), m * n) ||
          detail::singular_values('N', n, m, memory.data(), s, &unused, &unused) != 0)
        detail::throw_for_values("svdvals", in.shape, detail::did_not_converge, i, count);
    }
  }
  /// The same on a GPU.
  template <class T, class Y, class X>
  void run_by_library(logical_device const& on, dense_view<R, Y> out,
                      dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    index_t const failed =
        gpu_library::engine().svdvals(on, detail::batch_of_matrices(in), out.data);
    detail::check_all_exist(failed, "svdvals", in.shape, detail::did_not_converge);
  }
};
template <operand X> requires(detail::lapack_number<typename bare<X>::value_type>)
auto svdvals(X&& x, site at = site::here())
    -> node<svdvals_op<detail::lapack_real<typename bare<X>::value_type>>, X> {
  static_assert(detail::check_matrix<X>());
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
