#pragma once
/// What the loops of src/cpu/sum_elements.ipp add up, an element or a register at a time.

#include <placement/config.hpp>
#include <placement/cpu/lanes.hpp>

#include <cmath>
#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Elements in memory.
template <class T> struct summed_elements {
  T const* p;

  PLACEMENT_ALWAYS_INLINE T operator()(index_t i) const { return p[i]; }
  template <int N> PLACEMENT_ALWAYS_INLINE void load(lanes<T, N>& x, index_t i) const {
    std::memcpy(&x, p + i, sizeof x);
  }
};
/// Products of elements in memory. Rounds: where a compiler could fuse them with the sums.
template <class T, bool Rounds> struct summed_products {
  T const* left;
  T const* right;

  PLACEMENT_ALWAYS_INLINE T operator()(index_t i) const {
    T x = left[i] * right[i];
    if constexpr (Rounds) PLACEMENT_ROUNDED_WIDE(x);
    return x;
  }
  template <int N> PLACEMENT_ALWAYS_INLINE void load(lanes<T, N>& x, index_t i) const {
    lanes<T, N> y;
    std::memcpy(&x, left + i, sizeof x);
    std::memcpy(&y, right + i, sizeof y);
    x *= y;
    PLACEMENT_ROUNDED_WIDE(x);
  }
};
/// Squares of elements in memory.
template <class T> struct summed_squares {
  T const* p;

  PLACEMENT_ALWAYS_INLINE T operator()(index_t i) const {
    T x = p[i] * p[i];
    PLACEMENT_ROUNDED_WIDE(x);
    return x;
  }
  template <int N> PLACEMENT_ALWAYS_INLINE void load(lanes<T, N>& x, index_t i) const {
    std::memcpy(&x, p + i, sizeof x);
    x *= x;
    PLACEMENT_ROUNDED_WIDE(x);
  }
};
/// Magnitudes of elements in memory.
template <class T> struct summed_magnitudes {
  T const* p;

  PLACEMENT_ALWAYS_INLINE T operator()(index_t i) const { return std::fabs(p[i]); }
  template <int N> PLACEMENT_ALWAYS_INLINE void load(lanes<T, N>& x, index_t i) const {
    lanes<bits_of_lane<T>, N> bits;
    std::memcpy(&bits, p + i, sizeof bits);
    bits &= ~bits_of_lane<T>{} >> 1;  // all but the sign's
    std::memcpy(&x, &bits, sizeof x);
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
