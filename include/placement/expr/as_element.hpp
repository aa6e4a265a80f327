#pragma once
/// The conversion of a number in an expression to the element type of the tensor beside it.

#include <placement/error.hpp>
#include <placement/kernels/element.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void number_does_not_fit(std::string const& n,
                                                                       std::string_view type) {
  throw invalid_argument("placement: the number " + n + " does not fit the element type " +
                         std::string(type) +
                         " of the tensor beside it. Write cast<T>(x) to compute in a wider type.");
}

/// The number as an element of type T. Throws: invalid_argument for an integer out of T's range.
template <class T, class N> constexpr T as_element(N n) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<N> && !std::is_same_v<T, bool> &&
                !std::is_same_v<N, bool>) {
    if (!std::in_range<T>(n)) number_does_not_fit(std::to_string(n), element_name<T>());
  }
  if constexpr (is_complex<T>) return complex_math<T>::from(n);
  else return static_cast<T>(n);
}

}}}  // namespace placement::v0_1::detail
