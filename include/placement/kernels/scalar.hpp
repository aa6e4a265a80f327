#pragma once
/// A number as an operand of an op.

#include <placement/config.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 {

/// A number of the program. Has the same value at each index, in the contiguous, the strided and
/// the vector form.
template <class T> struct scalar {
  using value_type = T;
  T v;
  PLACEMENT_HD constexpr T operator()(std::ptrdiff_t) const noexcept { return v; }
  template <class C> PLACEMENT_HD constexpr scalar row(C const&) const noexcept { return *this; }
  template <int> PLACEMENT_HD constexpr scalar vec(std::ptrdiff_t) const noexcept { return *this; }
};

}}  // namespace placement::v0_1
