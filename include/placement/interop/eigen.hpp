#pragma once
/// Tensors and matrices of Eigen on the same memory, without a copy. Needs Eigen 3.3 or later: link
/// Eigen3::Eigen. placement.hpp does not include this header.
///
///     Eigen::MatrixXf m(3, 4);
///     pl::tensor x = pl::from_eigen(m) * 2.f;  // reads the memory of m
///     float n = pl::eigen_map(x).norm();       // reads the memory of x

#include <placement/expr/memory.hpp>
#include <placement/ops/transpose.hpp>

#include <Eigen/Core>

#include <string>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

constexpr index_t extent_of_eigen(int n) { return n == Eigen::Dynamic ? dyn : n; }
constexpr int eigen_extent(index_t n) { return n == dyn ? Eigen::Dynamic : static_cast<int>(n); }

/// The shape m x n, with the extents that Eigen has in a type.
template <int Rows, int Columns> auto eigen_shape(Eigen::Index m, Eigen::Index n) {
  extents<extent_of_eigen(Rows), extent_of_eigen(Columns)> x{};
  if constexpr (!decltype(x)::is_static) {
    x.n[0] = m;
    x.n[1] = n;
  }
  return x;
}

template <class X> struct eigen_extents {
  static_assert(X::rank == 1 || X::rank == 2,
                "placement: matrices of Eigen are tensors of rank 1 or 2. Write reshape(x).");
  static constexpr int rows = eigen_extent(X::static_extent(0));
  static constexpr int columns = X::rank == 1 ? 1 : eigen_extent(X::static_extent(X::rank - 1));
  /// Eigen has row vectors in row-major order only, and column vectors in the other.
  static constexpr int order = columns == 1 ? Eigen::ColMajor : Eigen::RowMajor;
};
template <class T, class X>
using eigen_matrix =
    Eigen::Matrix<T, eigen_extents<X>::rows, eigen_extents<X>::columns, eigen_extents<X>::order>;

template <class X> constexpr Eigen::Index eigen_columns(X const& x) {
  if constexpr (X::rank == 1) return 1;
  else return x.at(1);
}
/// Throws: placement_error for a tensor on a GPU.
inline void check_on_cpu(device where, site at) {
  if (where.is_gpu())
    throw placement_error("placement: eigen_map of a tensor on " + to_string(where) +
                          ": Eigen reads host memory. Write copy_to(cpu0, x)." +
                          location_text({}, at));
}

}  // namespace detail

/// A matrix or vector of Eigen as an operand on its own memory, without a copy. In row-major order,
/// and for a vector, it is a tensor, through which one may write. In column-major order, which is
/// Eigen's default, it is the transpose of such a tensor, for reading.
/// Shape: (rows, columns) with the extents of Eigen's type; a vector has one of them 1.
/// The matrix must live as long as the operand, and keep its size.
template <class T, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
auto from_eigen(Eigen::Matrix<T, Rows, Columns, Options, MaxRows, MaxColumns>& m,
                site at = site::here()) {
  constexpr bool rows_first = (Options & Eigen::RowMajor) != 0 || Columns == 1;
  if constexpr (rows_first)
    return borrow(m.data(), detail::eigen_shape<Rows, Columns>(m.rows(), m.cols()), cpu0, at);
  else
    return transpose(
        borrow(m.data(), detail::eigen_shape<Columns, Rows>(m.cols(), m.rows()), cpu0, at), at);
}

/// A tensor of rank 1 or 2 as a map of Eigen on its memory, without a copy; a vector is a column.
/// It is valid until the tensor ends or is assigned to. Elements of other owners are copied first,
/// as by data(). Throws: placement_error for a tensor on a GPU.
template <class T, class X>
Eigen::Map<detail::eigen_matrix<T, X>> eigen_map(tensor<T, X>& x, site at = site::here()) {
  detail::check_on_cpu(x.where(), at);
  return {x.data(), x.shape().at(0), detail::eigen_columns(x.shape())};
}
/// The same for reading.
template <class T, class X>
Eigen::Map<detail::eigen_matrix<T, X> const> eigen_map(tensor<T, X> const& x,
                                                       site at = site::here()) {
  detail::check_on_cpu(x.where(), at);
  return {x.data(), x.shape().at(0), detail::eigen_columns(x.shape())};
}
/// A map of a tensor that ends with the expression would refer to freed memory.
template <class T, class X> void eigen_map(tensor<T, X>&&) = delete;

}}  // namespace placement::v0_1
