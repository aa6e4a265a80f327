#pragma once

#include <placement/math/rsqrt.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// The square root of x, which is 0 or has normal squares of its last places: correctly rounded. A
/// loop of std::sqrt is no vector loop, as it may set errno. So of a number it is x / sqrt(x), and
/// a step of Newton's method. The exact square then shows whether the last place changes by one.
template <one_number V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V root_of_normal(V x) noexcept {
  using T = element_of<V>;
  using U = bits_of<V>;
  constexpr T last = format<V>::digits == 23 ? T(0x1p-23f) : T(0x1p-52);
  auto const rest = [x](V root) PLACEMENT_ALWAYS_INLINE {
    V const high = upper(root), low = root - high;
    return ((x - high * high) - 2 * high * low) - low * low;
  };
  V const inverse = rsqrt_of_normal(x), first = x * inverse;
  V const root = first + rest(first) * (T(0.5) * inverse), error = rest(root);
  V const unit = last * from_bits<V>(to_bits(root) & ~((U{1} << format<V>::digits) - 1));
  V const more = from_bits<V>(to_bits(unit) & negative(unit * root - magnitude(error)));
  return root + with_sign(more, sign_of(error));
}
/// By the instruction.
template <class V> requires(!one_number<V>)
PLACEMENT_ALWAYS_INLINE inline V root_of_normal(V x) noexcept {
  return sqrt(x);
}

}}}  // namespace placement::v0_1::math
