#pragma once
/// A number among the operands of an op.

#include <placement/config.hpp>

#include <cstddef>

namespace placement::inline v0_1 {

/// A number in the program: the same at every index, in a flat region, in rows and
/// in chunks.
template <class T> struct scalar {
  using value_type = T;
  T v;
  PLACEMENT_HD constexpr T operator()(std::ptrdiff_t) const noexcept { return v; }
  template <class C> PLACEMENT_HD constexpr scalar row(C const&) const noexcept { return *this; }
  template <int> PLACEMENT_HD constexpr scalar vec(std::ptrdiff_t) const noexcept { return *this; }
};

}  // namespace placement::inline v0_1
