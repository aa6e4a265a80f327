#pragma once
/// Arithmetic without fused multiply-add, whatever the compiler, its flags and the device.

#include <placement/math/bits.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// a * b, rounded before it is used. Packs have the same function in kernels/simd_math.hpp.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD inline T rounded_product(T a, T b) noexcept {
  T y = a * b;
  if constexpr (!PLACEMENT_ON_DEVICE) PLACEMENT_ROUNDED(y);
  else if constexpr (floats<T>) PLACEMENT_PTX("mul.rn.f32 %0, %1, %2;", "=f"(y), "f"(a), "f"(b));
  else PLACEMENT_PTX("mul.rn.f64 %0, %1, %2;", "=d"(y), "d"(a), "d"(b));
  return y;
}

/// A number or a pack whose products are rounded. The formulas of math/ with it have the same bits
/// on every device.
template <class V> struct unfused {
  V value;

  unfused() = default;
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD unfused(V x) noexcept : value(x) {}
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD unfused(int x) noexcept
      : value(static_cast<element_of<V>>(x)) {}
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD unfused(element_of<V> x) noexcept requires(!one_number<V>)
      : value(x) {}

  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD friend unfused operator+(unfused a, unfused b) noexcept {
    return a.value + b.value;
  }
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD friend unfused operator-(unfused a, unfused b) noexcept {
    return a.value - b.value;
  }
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD friend unfused operator*(unfused a, unfused b) noexcept {
    return rounded_product(a.value, b.value);
  }
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD friend unfused operator/(unfused a, unfused b) noexcept {
    return a.value / b.value;
  }
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD friend unfused multiply_add(unfused a, unfused b,
                                                                   unfused c) noexcept {
    return a * b + c;
  }
};
template <class V> struct format<unfused<V>> : format<V> {};

}}}  // namespace placement::v0_1::math
