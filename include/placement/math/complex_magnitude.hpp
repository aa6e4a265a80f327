#pragma once

#include <placement/math/bits.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// The distance of (x, y) from 0: infinite beside an infinity, also for NaN. Double holds the
/// squares of floats; two steps of third order give the root to 2^-41. Source: Newton's method,
/// from a guess by the bits.
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr float complex_magnitude(float x, float y) noexcept {
  double const re = convert<double>(x), im = convert<double>(y), square = re * re + im * im;
  double inverse = from_bits<double>(0x5fe6eb50c7b537a9u - (to_bits(square) >> 1));
  for (int step = 0; step != 2; ++step) {
    double const error = 1 - square * inverse * inverse;
    inverse += inverse * error * (0.5 + 0.375 * error);
  }
  auto const root = static_cast<float>(square * inverse);
  constexpr float infinity = __builtin_inff();
  auto const is_infinite = [](float a) PLACEMENT_ALWAYS_INLINE {
    return ~below(magnitude(a), infinity) & ~above(magnitude(a), infinity);
  };
  return select(is_infinite(x) | is_infinite(y), infinity, root);
}

}}}  // namespace placement::v0_1::math
