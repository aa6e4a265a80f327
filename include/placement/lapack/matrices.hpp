#pragma once
/// What ops of linear algebra have in common: shapes of matrices and their batches, and errors.

#include <placement/expr/operand.hpp>
#include <placement/kernels/linear_algebra_engine.hpp>
#include <placement/lapack/routines.hpp>
#include <placement/ops/complex.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <cmath>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// A matrix whose elements allow no result: it is singular, it is not positive definite, or LAPACK
/// did not converge. NumPy's LinAlgError. A wrong shape is a shape_error that is not of this type.
struct linear_algebra_error : shape_error {
  using shape_error::shape_error;
};

/// An option of qr and svd: the factors without rows and columns that only complete a basis.
struct reduced_factors_t {};
/// An option of qr and svd: the factors of full size.
struct complete_factors_t {};
inline constexpr reduced_factors_t reduced_factors{};
inline constexpr complete_factors_t complete_factors{};
template <class F> concept factor_size =
    std::same_as<F, reduced_factors_t> || std::same_as<F, complete_factors_t>;

namespace detail {

/// Asserts that X is a matrix, or a batch of them, of elements that LAPACK takes.
template <class X> constexpr bool check_matrix() {
  static_assert(
      lapack_number<typename bare<X>::value_type>,
      "placement: LAPACK computes with float, double and complex numbers. Write cast<double>(x).");
  static_assert(
      bare<X>::extents_type::rank >= 2,
      "placement: this op takes a matrix, or a batch of matrices in the last two dimensions. Use reshape on a vector.");
  return lapack_number<typename bare<X>::value_type> && bare<X>::extents_type::rank >= 2;
}

template <class X> constexpr index_t rows_in(X const& x) {
  if constexpr (X::rank < 2) return 0;
  else return x.at(X::rank - 2);
}
template <class X> constexpr index_t columns_in(X const& x) {
  if constexpr (X::rank < 2) return 0;
  else return x.at(X::rank - 1);
}
/// The same in the type, or dyn.
template <class X> constexpr index_t static_rows() {
  if constexpr (X::rank < 2) return dyn;
  else return X::static_extent(X::rank - 2);
}
template <class X> constexpr index_t static_columns() {
  if constexpr (X::rank < 2) return dyn;
  else return X::static_extent(X::rank - 1);
}
constexpr index_t static_smaller(index_t m, index_t n) {
  return m == dyn || n == dyn ? dyn : m < n ? m : n;
}
/// The number of elements of static extents, or dyn.
constexpr index_t static_product(index_t m, index_t n) {
  return m == dyn || n == dyn ? dyn : m * n;
}
constexpr index_t static_sum(index_t m, index_t n) { return m == dyn || n == dyn ? dyn : m + n; }

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_not_square(std::string_view op,
                                                                    any_shape const& x,
                                                                    std::string_view remedy) {
  throw shape_error("placement: " + std::string(op) + " of shape " + text_of(x) +
                    ": the last two extents must be equal, as the matrix is square. " +
                    std::string(remedy));
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_too_large(std::string_view op,
                                                                   any_shape const& x) {
  throw shape_error("placement: " + std::string(op) + " of shape " + text_of(x) +
                    ": LAPACK counts in 32 bits. Use matrices with fewer rows and columns.");
}
/// Throws: shape_error if an extent does not fit LAPACK's integers.
template <class X> constexpr void check_fits(std::string_view op, X const& x) {
  constexpr index_t most = std::numeric_limits<lapack_int>::max();
  if (rows_in(x) > most || columns_in(x) > most) throw_too_large(op, x);
}
/// Throws: shape_error for a matrix that is not square; a compile error if static extents show it.
template <class X>
constexpr void check_square(std::string_view op, X const& x, std::string_view remedy) {
  static_assert(
      static_rows<X>() == dyn || static_columns<X>() == dyn ||
          static_rows<X>() == static_columns<X>(),
      "placement: this op takes square matrices. Use lstsq, qr or svd on others, or check the shapes.");
  if (rows_in(x) != columns_in(x)) throw_not_square(op, x, remedy);
  check_fits(op, x);
}

/// The shape of x with `last...` in place of its last two extents.
/// StaticLast: their values in the type, or dyn.
template <index_t... StaticLast, class X, class... N>
constexpr auto with_last(X const& x, N... last) {
  static_assert(sizeof...(StaticLast) == sizeof...(N));
  // d + 1 <= batch: d < 0 would be a warning of nvcc's.
  constexpr std::size_t batch = X::rank < 2 ? 0 : X::rank - 2;
  index_t const values[] = {last..., 0};
  return make_shape<batch + sizeof...(N)>(
      [](std::size_t d) {
        constexpr index_t all[] = {StaticLast..., 0};
        return d + 1 <= batch ? X::static_extent(d) : all[d - batch];
      },
      [&](std::size_t d) { return d + 1 <= batch ? x.at(d) : values[d - batch]; });
}
/// The number of matrices in a shape.
template <class X> constexpr index_t matrices_in(X const& x) {
  index_t n = 1;
  for (std::size_t d = 0; d + 2 < X::rank; ++d) n *= x.at(d);
  return n;
}

/// The same matrices for an engine of GPUs.
template <class T, class X> matrix_batch batch_of_matrices(dense_view<T const, X> const& x) {
  return {matrix_element_of<T>, rows_in(x.shape), columns_in(x.shape), matrices_in(x.shape),
          x.data};
}

/// " Matrix 3 of 5." for a batch.
inline std::string matrix_text(index_t number, index_t count) {
  if (count == 1) return {};
  return " It is matrix " + std::to_string(number) + " of " + std::to_string(count) +
         ", counted from 0.";
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_for_values(std::string_view op,
                                                                    any_shape const& x,
                                                                    std::string_view what,
                                                                    index_t number, index_t count) {
  throw linear_algebra_error("placement: " + std::string(op) + " of shape " + text_of(x) + ": " +
                             std::string(what) + matrix_text(number, count));
}
/// Throws: linear_algebra_error if an engine found no result for a matrix.
template <class X>
void check_all_exist(index_t number, std::string_view op, X const& x, std::string_view what) {
  if (number != linear_algebra_engine::all_exist)
    throw_for_values(op, x, what, number, matrices_in(x));
}
/// Whether n elements are finite. Ops that iterate check theirs: LAPACK may return numbers for a
/// matrix with NaN.
template <class T> bool are_finite(T const* x, index_t n) {
  for (index_t i = 0; i != n; ++i) {
    if constexpr (is_complex<T>) {
      if (!std::isfinite(x[i].real()) || !std::isfinite(x[i].imag())) return false;
    } else {
      if (!std::isfinite(x[i])) return false;
    }
  }
  return true;
}
/// The same of the elements on and below the diagonal of an n x n matrix.
template <class T> bool triangle_is_finite(T const* x, index_t n) {
  for (index_t i = 0; i != n; ++i)
    if (!are_finite(x + i * n, i + 1)) return false;
  return true;
}
inline constexpr std::string_view is_singular =
    "the matrix is singular. Use lstsq, or add a small multiple of the identity.";
inline constexpr std::string_view is_not_definite =
    "the matrix is not positive definite. Add a small multiple of the identity, or use eigh.";
inline constexpr std::string_view did_not_converge =
    "LAPACK did not converge. Check the elements for NaN and infinities.";

}  // namespace detail
}}  // namespace placement::v0_1
