#pragma once
/// The addition to an element in memory, of any type.

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Adds x to an element. Integers wrap; the sum of two bools is true if one of them is.
template <class T> void add_element(T& to, T x) {
  if constexpr (std::is_same_v<T, bool>) to = to || x;
  else if constexpr (std::is_integral_v<T>)
    to = static_cast<T>(static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(x));
  else to = static_cast<T>(to + x);
}

}}}  // namespace placement::v0_1::detail
