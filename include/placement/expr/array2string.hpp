#pragma once

#include <placement/expr/array_text.hpp>
#include <placement/expr/evaluate.hpp>

namespace placement { inline namespace v0_1 {

/// NumPy's array2string: the array as NumPy's str() gives it, byte for byte. Columns are aligned,
/// numbers of a large range have exponents, long rows are wrapped, and large arrays are summarised.
/// `array2string(x, {.precision = 3})`. An expression is computed immediately.
/// Throws: exceptions of the ops.  Cost: one copy to the host if the array is on a GPU; the text is
/// made of the elements that are shown.
template <operand X, class K = kernels_here>
std::string array2string(X const& x, print_options const& options = {}) {
  using T = typename X::value_type;
  if constexpr (is_reference<X>) {
    return array2string(x.target(), options);
  } else if constexpr (lazy<X>) {
    return array2string(tensor<T, typename X::extents_type>(x, site{}), options);
  } else {
    auto const elements = x.read();
    return detail::array_text({elements.data(), detail::printed_type_of<T>(), x.shape()}, options);
  }
}

}}  // namespace placement::v0_1
