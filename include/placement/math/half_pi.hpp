#pragma once

namespace placement { inline namespace v0_1 { namespace math {

/// pi / 2 in two parts.
template <class T> struct half_pi;
template <> struct half_pi<float> {
  static constexpr float high = 0x1.921fb6p+0f, low = -0x1.777a5cp-25f;
};
template <> struct half_pi<double> {
  static constexpr double high = 0x1.921fb54442d18p+0, low = 0x1.1a62633145c07p-54;
};

}}}  // namespace placement::v0_1::math
