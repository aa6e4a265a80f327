#pragma once
/// Kernels around calls of a library for Fourier transforms: they gather fibers as dense rows, and
/// write transformed rows where the result has its fibers.

#include <placement/gpu/matrices.hpp>
#include <placement/kernels/transform_engine.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Rows of `needed` elements from fibers of x; elements that a fiber lacks are 0. To T from T, or
/// from its parts.
template <class T, class From> struct gather_fibers {
  From const* x;
  T* to;
  index_t needed, in, after;
  index_t real_at = -1;  ///< an element besides the first whose imaginary part is not read

  PLACEMENT_HD void operator()(index_t at) const {
    index_t const fiber = at / needed, i = at % needed;
    T value{};
    if (i < in) value = converted(x[(fiber / after * in + i) * after + fiber % after]);
    if (real_at >= 0 && (i == 0 || i == real_at)) value = without_imaginary(value);
    to[at] = value;
  }

 private:
  static PLACEMENT_HD T converted(From x) {
    if constexpr (std::is_same_v<T, From>) return x;
    else return parts_of<T>::from(x);
  }
  static PLACEMENT_HD T without_imaginary(T x) {
    if constexpr (std::is_same_v<T, typename parts_of<T>::real>) return x;
    else return parts_of<T>::from(x.re);
  }
};

/// Fibers of the result from rows of `width` elements, times a factor. Elements behind a row are
/// the conjugates of those at its other end.
template <class T> struct scatter_fibers {
  T const* rows;
  T* to;
  index_t width, out, after;
  typename parts_of<T>::real scale;
  bool conjugates;

  PLACEMENT_HD void operator()(index_t at) const {
    index_t const before = at / (out * after), i = at / after % out, a = at % after;
    T const* const row = rows + (before * after + a) * width;
    bool const is_mirrored = i >= width;
    T const x = is_mirrored ? row[out - i] : row[i];
    to[at] = parts_of<T>::scaled(is_mirrored != conjugates ? parts_of<T>::conjugate(x) : x, scale);
  }
};

}}}  // namespace placement::v0_1::detail
