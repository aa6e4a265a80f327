#pragma once
// The distance of a result from the exact one, in units in the last place of the exact one.

#include <cmath>
#include <limits>

/// Infinite if only one is NaN, if one is infinite and the other differs, or if zeros differ in
/// sign. `Exact` must have more digits than `T`.
template <class T, class Exact> double ulps_apart(T got, Exact exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  T const rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) == std::isnan(got) ? 0 : wrong;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : wrong;
  if (got == 0 && rounded == 0) return std::signbit(got) == std::signbit(rounded) ? 0 : wrong;
  int exponent = 0;
  static_cast<void>(std::frexp(exact, &exponent));
  using limits = std::numeric_limits<T>;
  int const unit =
      (exponent < limits::min_exponent ? limits::min_exponent : exponent) - limits::digits;
  return static_cast<double>(std::fabs(static_cast<Exact>(got) - exact) /
                             std::ldexp(Exact{1}, unit));
}
