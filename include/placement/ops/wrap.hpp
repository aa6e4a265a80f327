#pragma once
/// Integer arithmetic with stated results: signed overflow wraps, as it does in NumPy and
/// TensorFlow.

#include <placement/config.hpp>
#include <placement/math/float16.hpp>
#include <placement/version.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 {

/// Numbers that are computed with; bool is not one of them.
template <class T> concept wraps_or_rounds = any_number<T> && !std::is_same_v<T, bool>;

/// An integer as an unsigned one at least as wide as unsigned int, where overflow is defined.
template <class T> PLACEMENT_HD constexpr auto as_unsigned(T x) noexcept {
  return static_cast<std::common_type_t<std::make_unsigned_t<T>, unsigned>>(x);
}

}}  // namespace placement::v0_1
