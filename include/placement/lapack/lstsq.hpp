#pragma once

#include <placement/lapack/packed.hpp>
#include <placement/lapack/solve.hpp>

#include <algorithm>
#include <limits>

namespace placement { inline namespace v0_1 {

/// What lstsq returns.
template <class T, class X> struct lstsq_result {
  using real = detail::lapack_real<T>;
  tensor<T, X> x;                       ///< the solution of least norm
  tensor<real, dextents<1>> residuals;  ///< squared lengths of b - matmul(a, x), or no element
  index_t rank;                         ///< of the matrix
  tensor<real, dextents<1>> s;          ///< its singular values, the largest first
};

/// x, the residuals, the singular values and the rank, one after the other.
struct lstsq_op {
  static constexpr std::string_view name = "MatrixSolveLs";
  using pattern = custom;
  using kernels = cpu_only;

  double rcond;

  template <class A, class B> static constexpr dextents<1> result(A const& a, B const& b) {
    static_assert(A::rank == 2 && B::rank == 2,
                  "placement: lstsq takes one matrix, and a vector or a matrix as right side.");
    static_assert(
        detail::static_rows<A>() == dyn || detail::static_rows<B>() == dyn ||
            detail::static_rows<A>() == detail::static_rows<B>(),
        "placement: lstsq takes a right side with as many rows as the matrix. Check the shapes.");
    detail::check_fits("lstsq", a);
    detail::check_fits("lstsq", b);
    index_t const m = a.at(0), n = a.at(1), k = b.at(1);
    if (m != b.at(0)) throw_other_lengths(a, b);
    return {{n * k + k + std::min(m, n) + 1}};
  }
  template <class T, class Y, class A, class B>
  void operator()(dense_view<T, Y> out, dense_view<T const, A> a, dense_view<T const, B> b) const {
    index_t const m = a.shape.at(0), n = a.shape.at(1), k = b.shape.at(1);
    index_t const large = std::max(m, n), small = std::min(m, n);
    auto const matrix = detail::lapack_memory<T>(m * n),
               sides = detail::lapack_memory<T>(large * k);
    detail::copy_to_columns(a.data, m, n, matrix.data());
    std::fill_n(sides.data(), large * k, T{});
    for (index_t j = 0; j != k; ++j)
      for (index_t i = 0; i != m; ++i) sides.data()[j * large + i] = b[i * k + j];
    detail::packed_reals<T> const s(out.data + n * k + k, small);
    lapack_int rank = 0;
    if (small != 0) {
      auto const limit = static_cast<detail::lapack_real<T>>(rcond);
      if (!detail::are_finite(matrix.data(), m * n) || !detail::are_finite(b.data, m * k) ||
          detail::least_squares(m, n, k, matrix.data(), sides.data(), s.data(), limit, &rank) != 0)
        detail::throw_for_values("lstsq", a.shape, detail::did_not_converge, 0, 1);
      s.store();
    }
    write(out.data, m, n, k, sides.data());
    out[out.size() - 1] = static_cast<detail::lapack_real<T>>(rank);
  }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] static void throw_other_lengths(
      detail::any_shape const& a, detail::any_shape const& b) {
    throw shape_error("placement: lstsq of shapes " + detail::text_of(a) + " and " +
                      detail::text_of(b) +
                      ": the right side must have as many rows as the matrix. Check the shapes.");
  }
  /// x and the residuals: LAPACK leaves their parts in the rows behind x.
  template <class T> static void write(T* x, index_t m, index_t n, index_t k, T const* sides) {
    index_t const large = std::max(m, n);
    for (index_t j = 0; j != k; ++j) {
      T const* const column = sides + j * large;
      for (index_t i = 0; i != n; ++i) x[i * k + j] = m == 0 ? T{} : column[i];
      double squares = 0;
      for (index_t i = n; i < m; ++i) squares += static_cast<double>(std::norm(column[i]));
      x[n * k + j] = static_cast<detail::lapack_real<T>>(squares);
    }
  }
};

/// x with the least squared length of b - matmul(a, x), and of those x the shortest:
/// numpy.linalg.lstsq. Residuals are given if the rank is n and m > n, else there are none.
/// `lstsq(a, b, rcond)`: singular values of at most rcond times the largest count as 0; without it,
/// of the precision times max(m, n). Computes at once: one custom op, and a copy of each result.
/// Shape: (m, n), (m, k) -> (n, k), (k) or (0), and (min(m, n)); (m, n), (m) -> (n), (1) or (0).
/// Type: float, double, and complex numbers of them, the same on both sides; residuals and singular
/// values are real.
/// Kernels: CPU only (pattern custom).
/// Throws: shape_error for wrong shapes; linear_algebra_error if LAPACK does not converge.
template <operand A, operand B, class K = kernels_here>
auto lstsq(A&& a, B&& b, double rcond, site at = site::here()) {
  if constexpr (detail::check_matrix<A>()) {
    detail::check_factors<A, B>();
    using T = typename bare<A>::value_type;
    index_t const m = a.shape().at(0), n = a.shape().at(1), small = std::min(m, n);
    auto const parts = [&](auto const& packed, index_t k, auto const& shape) {
      index_t const behind = n * k + k;
      auto const rank = static_cast<index_t>(item(
          detail::unpacked_reals<K>(packed, behind + small, behind + small + 1, extents<>{}, at)));
      index_t const given = rank == n && m > n ? k : 0;
      return lstsq_result<T, bare<decltype(shape)>>{
          detail::unpacked<K>(packed, 0, n * k, shape, at),
          detail::unpacked_reals<K>(packed, n * k, n * k + given, dextents<1>{{given}}, at), rank,
          detail::unpacked_reals<K>(packed, behind, behind + small, dextents<1>{{small}}, at)};
    };
    if constexpr (detail::is_vector<B>) {
      auto column = expand_dims(std::forward<B>(b), axis<-1>, at);
      tensor const packed =
          node<lstsq_op, A, decltype(column)>{{rcond}, at, std::forward<A>(a), std::move(column)};
      return parts(packed, 1, dextents<1>{{n}});
    } else {
      index_t const k = b.shape().at(1);
      tensor const packed =
          node<lstsq_op, A, B>{{rcond}, at, std::forward<A>(a), std::forward<B>(b)};
      return parts(packed, k, dextents<2>{{n, k}});
    }
  }
}
template <operand A, operand B, class K = kernels_here>
auto lstsq(A&& a, B&& b, site at = site::here()) {
  if constexpr (detail::check_matrix<A>()) {
    using real = detail::lapack_real<typename bare<A>::value_type>;
    auto const large = static_cast<double>(std::max(a.shape().at(0), a.shape().at(1)));
    return lstsq<A, B, K>(std::forward<A>(a), std::forward<B>(b),
                          static_cast<double>(std::numeric_limits<real>::epsilon()) * large, at);
  }
}

}}  // namespace placement::v0_1
