#pragma once
/// How a value is joined with the element at its index.

#include <placement/config.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

namespace no_adl {
/// Adds to an element; integers wrap.
struct joined_sum {
  template <class T> PLACEMENT_HD static void join(T& to, T x) {
    if constexpr (std::is_same_v<T, bool>) to = to || x;
    else if constexpr (std::is_integral_v<T>)
      to = static_cast<T>(static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(x));
    else to = static_cast<T>(to + x);
  }
};
}  // namespace no_adl
using no_adl::joined_sum;

}}}  // namespace placement::v0_1::detail
