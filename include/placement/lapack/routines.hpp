#pragma once
/// LAPACK's routines for each element type, on matrices in column-major order. LAPACK reads a
/// row-major matrix as its transpose; the ops choose routines so that it need not be copied.

#include <placement/math/complex.hpp>
#include <placement/ops/sort.hpp>

#include <lapacke.h>

#include <algorithm>
#include <complex>
#include <limits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The routines by their names without the letter of the element type.
template <class T> struct lapack;
template <> struct lapack<float> {
  using real = float;
  static constexpr auto getrf = &LAPACKE_sgetrf_work;
  static constexpr auto getrs = &LAPACKE_sgetrs_work;
  static constexpr auto getri = &LAPACKE_sgetri_work;
  static constexpr auto potrf = &LAPACKE_spotrf_work;
  static constexpr auto trtrs = &LAPACKE_strtrs_work;
  static constexpr auto gelqf = &LAPACKE_sgelqf_work;
  static constexpr auto unglq = &LAPACKE_sorglq_work;
  static constexpr auto gesdd = &LAPACKE_sgesdd_work;
  static constexpr auto heevd = &LAPACKE_ssyevd_work;
  static constexpr auto gelsd = &LAPACKE_sgelsd_work;
};
template <> struct lapack<double> {
  using real = double;
  static constexpr auto getrf = &LAPACKE_dgetrf_work;
  static constexpr auto getrs = &LAPACKE_dgetrs_work;
  static constexpr auto getri = &LAPACKE_dgetri_work;
  static constexpr auto potrf = &LAPACKE_dpotrf_work;
  static constexpr auto trtrs = &LAPACKE_dtrtrs_work;
  static constexpr auto gelqf = &LAPACKE_dgelqf_work;
  static constexpr auto unglq = &LAPACKE_dorglq_work;
  static constexpr auto gesdd = &LAPACKE_dgesdd_work;
  static constexpr auto heevd = &LAPACKE_dsyevd_work;
  static constexpr auto gelsd = &LAPACKE_dgelsd_work;
};
template <> struct lapack<std::complex<float>> {
  using real = float;
  static constexpr auto getrf = &LAPACKE_cgetrf_work;
  static constexpr auto getrs = &LAPACKE_cgetrs_work;
  static constexpr auto getri = &LAPACKE_cgetri_work;
  static constexpr auto potrf = &LAPACKE_cpotrf_work;
  static constexpr auto gelqf = &LAPACKE_cgelqf_work;
  static constexpr auto unglq = &LAPACKE_cunglq_work;
  static constexpr auto gesdd = &LAPACKE_cgesdd_work;
  static constexpr auto heevd = &LAPACKE_cheevd_work;
  static constexpr auto gelsd = &LAPACKE_cgelsd_work;
};
template <> struct lapack<std::complex<double>> {
  using real = double;
  static constexpr auto getrf = &LAPACKE_zgetrf_work;
  static constexpr auto getrs = &LAPACKE_zgetrs_work;
  static constexpr auto getri = &LAPACKE_zgetri_work;
  static constexpr auto potrf = &LAPACKE_zpotrf_work;
  static constexpr auto gelqf = &LAPACKE_zgelqf_work;
  static constexpr auto unglq = &LAPACKE_zunglq_work;
  static constexpr auto gesdd = &LAPACKE_zgesdd_work;
  static constexpr auto heevd = &LAPACKE_zheevd_work;
  static constexpr auto gelsd = &LAPACKE_zgelsd_work;
};

template <class T> using lapack_real = typename lapack<T>::real;
/// Float, double, and complex numbers of them.
template <class T> concept lapack_number = requires { typename lapack<T>::real; };

/// A pointer to elements, as LAPACKE's pointer to C's complex numbers.
template <class T> struct elements_for_lapack {
  T* at;
  template <class U> operator U*() const {
    static_assert(sizeof(U) == sizeof(T));
    return reinterpret_cast<U*>(at);
  }
};
template <class T> elements_for_lapack<T> for_lapack(T* at) { return {at}; }

inline lapack_int lapack_size(index_t n) { return static_cast<lapack_int>(n); }
/// A leading dimension: LAPACK wants at least 1.
inline lapack_int leading(index_t n) { return lapack_size(std::max<index_t>(n, 1)); }

/// Host memory for n elements, at least one.
template <class T> host_scratch<T> lapack_memory(index_t n) {
  return host_scratch<T>(std::max<index_t>(n, 1));
}

/// Calls `call(work, elements)` twice: with -1 elements to ask for the size of the workspace, and
/// with that workspace. Returns LAPACK's info.
template <class T, class Call> lapack_int with_workspace(Call const& call) {
  T size{};
  lapack_int const info = call(&size, lapack_int{-1});
  if (info != 0) return info;
  auto const elements = static_cast<index_t>(std::real(size));
  auto const work = lapack_memory<T>(elements);
  return call(work.data(), leading(elements));
}

/// a, n x n, becomes its factors L and U with row exchanges.
template <class T> lapack_int factor_lu(index_t n, T* a, lapack_int* pivots) {
  return lapack<T>::getrf(LAPACK_COL_MAJOR, lapack_size(n), lapack_size(n), for_lapack(a),
                          leading(n), pivots);
}
/// b, n x k, becomes the solution of transpose(a) x = b, where factor_lu gave the factors of a.
template <class T>
lapack_int solve_transposed(index_t n, index_t k, T const* lu, lapack_int const* pivots, T* b) {
  return lapack<T>::getrs(LAPACK_COL_MAJOR, 'T', lapack_size(n), lapack_size(k), for_lapack(lu),
                          leading(n), pivots, for_lapack(b), leading(n));
}
/// The factors of factor_lu become the inverse.
template <class T> lapack_int invert_lu(index_t n, T* lu, lapack_int const* pivots) {
  return with_workspace<T>([&](T* work, lapack_int size) {
    return lapack<T>::getri(LAPACK_COL_MAJOR, lapack_size(n), for_lapack(lu), leading(n), pivots,
                            for_lapack(work), size);
  });
}
/// The upper triangle of a, n x n, becomes U of a = conj(transpose(U)) U.
template <class T> lapack_int factor_cholesky(index_t n, T* a) {
  return lapack<T>::potrf(LAPACK_COL_MAJOR, 'U', lapack_size(n), for_lapack(a), leading(n));
}
/// b, n x k, becomes the solution of u x = b for an upper triangle u.
template <class T> lapack_int solve_upper(index_t n, index_t k, T const* u, T* b) {
  return lapack<T>::trtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', lapack_size(n), lapack_size(k), u,
                          leading(n), b, leading(n));
}
/// a, rows x columns, becomes L below and on its diagonal, and reflections above it.
template <class T> lapack_int factor_lq(index_t rows, index_t columns, T* a, T* scales) {
  return with_workspace<T>([&](T* work, lapack_int size) {
    return lapack<T>::gelqf(LAPACK_COL_MAJOR, lapack_size(rows), lapack_size(columns),
                            for_lapack(a), leading(rows), for_lapack(scales), for_lapack(work),
                            size);
  });
}
/// The reflections of factor_lq, in a with `rows` rows, become Q.
template <class T>
lapack_int make_q(index_t rows, index_t columns, index_t reflections, T* a, T const* scales) {
  return with_workspace<T>([&](T* work, lapack_int size) {
    return lapack<T>::unglq(LAPACK_COL_MAJOR, lapack_size(rows), lapack_size(columns),
                            lapack_size(reflections), for_lapack(a), leading(rows),
                            for_lapack(scales), for_lapack(work), size);
  });
}

/// The singular values of a, m x n, which is overwritten. `job`: 'A' all vectors, 'S' min(m, n) of
/// them, 'N' none. u has m rows; vt has n rows for 'A', else min(m, n).
template <class T>
lapack_int singular_values(char job, index_t m, index_t n, T* a, lapack_real<T>* s, T* u, T* vt) {
  index_t const small = std::min(m, n), large = std::max(m, n);
  auto const ints = lapack_memory<lapack_int>(8 * small);
  lapack_int const rows_of_vt = leading(job == 'A' ? n : small);
  return with_workspace<T>([&](T* work, lapack_int size) {
    if constexpr (is_complex<T>) {
      auto const reals =
          lapack_memory<lapack_real<T>>(small * std::max(5 * small + 7, 2 * large + 2 * small + 1));
      return lapack<T>::gesdd(LAPACK_COL_MAJOR, job, lapack_size(m), lapack_size(n), for_lapack(a),
                              leading(m), s, for_lapack(u), leading(m), for_lapack(vt), rows_of_vt,
                              for_lapack(work), size, reals.data(), ints.data());
    } else {
      return lapack<T>::gesdd(LAPACK_COL_MAJOR, job, lapack_size(m), lapack_size(n), a, leading(m),
                              s, u, leading(m), vt, rows_of_vt, work, size, ints.data());
    }
  });
}
/// The eigenvalues, in ascending order, of a Hermitian matrix whose upper triangle is in a.
/// `job`: 'V' for eigenvectors, which become the columns of a; else 'N'.
template <class T> lapack_int eigenvalues(char job, index_t n, T* a, lapack_real<T>* values) {
  bool const has_vectors = job == 'V';
  index_t const integer_count = has_vectors ? 3 + 5 * n : 1;
  auto const ints = lapack_memory<lapack_int>(integer_count);
  return with_workspace<T>([&](T* work, lapack_int size) {
    if constexpr (is_complex<T>) {
      index_t const real_count = has_vectors ? 1 + 5 * n + 2 * n * n : std::max<index_t>(n, 1);
      auto const reals = lapack_memory<lapack_real<T>>(real_count);
      return lapack<T>::heevd(LAPACK_COL_MAJOR, job, 'U', lapack_size(n), for_lapack(a), leading(n),
                              values, for_lapack(work), size, reals.data(), lapack_size(real_count),
                              ints.data(), lapack_size(integer_count));
    } else {
      return lapack<T>::heevd(LAPACK_COL_MAJOR, job, 'U', lapack_size(n), a, leading(n), values,
                              work, size, ints.data(), lapack_size(integer_count));
    }
  });
}
/// b, max(m, n) x k, becomes the solution of least squares and of least norm for a, m x n, which is
/// overwritten. Singular values of at most `rcond` times the largest count as 0.
template <class T>
lapack_int least_squares(index_t m, index_t n, index_t k, T* a, T* b, lapack_real<T>* s,
                         lapack_real<T> rcond, lapack_int* rank) {
  using real = lapack_real<T>;
  lapack_int const rows_of_b = leading(std::max(m, n));
  real reals_size{};
  lapack_int integers_size{};
  auto const call = [&](T* work, lapack_int size, real* reals, lapack_int* ints) {
    if constexpr (is_complex<T>)
      return lapack<T>::gelsd(LAPACK_COL_MAJOR, lapack_size(m), lapack_size(n), lapack_size(k),
                              for_lapack(a), leading(m), for_lapack(b), rows_of_b, s, rcond, rank,
                              for_lapack(work), size, reals, ints);
    else
      return lapack<T>::gelsd(LAPACK_COL_MAJOR, lapack_size(m), lapack_size(n), lapack_size(k), a,
                              leading(m), b, rows_of_b, s, rcond, rank, work, size, ints);
  };
  return with_workspace<T>([&](T* work, lapack_int size) {
    if (size == -1) return call(work, size, &reals_size, &integers_size);
    auto const reals = lapack_memory<real>(static_cast<index_t>(reals_size));
    auto const ints = lapack_memory<lapack_int>(integers_size);
    return call(work, size, reals.data(), ints.data());
  });
}

}}}  // namespace placement::v0_1::detail
