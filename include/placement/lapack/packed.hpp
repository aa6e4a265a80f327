#pragma once
/// Ops with several results: a custom op computes all of them into one row of elements for each
/// matrix, and functions take them apart.

#include <placement/expr/memory.hpp>
#include <placement/lapack/matrices.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/slice.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Elements first to last of each row, as tensors of shape x. K: the kernels of the caller's file,
/// at: its line.
template <class K, class T, class P, class X>
tensor<T, X> unpacked(tensor<T, P> const& packed, index_t first, index_t last, X const& x,
                      site at) {
  return reshape(slice(packed, ellipsis, range{first, last}), x, at);
}
/// The same as real numbers: those that a complex row holds are its real parts.
template <class K, class T, class P, class X>
tensor<lapack_real<T>, X> unpacked_reals(tensor<T, P> const& packed, index_t first, index_t last,
                                         X const& x, site at) {
  if constexpr (is_complex<T>)
    return reshape(real(slice(packed, ellipsis, range{first, last}), at), x, at);
  else return unpacked<K>(packed, first, last, x, at);
}

/// Memory for n real numbers that a row of T receives: the row itself, or memory to copy from.
template <class T> class packed_reals {
 public:
  packed_reals(T* row, index_t n) : row_(row), n_(n), memory_(is_complex<T> ? n : 0) {}

  lapack_real<T>* data() const {
    if constexpr (is_complex<T>) return memory_.data();
    else return row_;
  }
  /// Call it when they are computed.
  void store() const {
    if constexpr (is_complex<T>)
      for (index_t i = 0; i != n_; ++i) row_[i] = memory_.data()[i];
  }

 private:
  T* row_;
  index_t n_;
  host_scratch<lapack_real<T>> memory_;
};

/// An identity matrix of n rows.
template <class T> void write_identity(index_t n, T* to) {
  for (index_t i = 0; i != n; ++i)
    for (index_t j = 0; j != n; ++j) to[i * n + j] = static_cast<T>(i == j ? 1 : 0);
}

}}}  // namespace placement::v0_1::detail
