#pragma once
/// How an element that is written at an index joins the one that is there.

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Replaces an element.
struct scatter_write {
  static constexpr std::string_view name = "Scatter";
  template <class T> static void join(T& to, T x) { to = x; }
};
/// Adds to an element; integers wrap.
struct scatter_add {
  static constexpr std::string_view name = "IndexAdd";
  template <class T> static void join(T& to, T x) {
    if constexpr (std::is_same_v<T, bool>) to = to || x;
    else if constexpr (std::is_integral_v<T>)
      to = static_cast<T>(static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(x));
    else to = static_cast<T>(to + x);
  }
};

}}}  // namespace placement::v0_1::detail
