#pragma once
/// All elements of an expression or a tensor as a std::vector.

#include <placement/expr/evaluate.hpp>

#include <vector>

namespace placement { inline namespace v0_1 {

/// The elements in row-major order: `std::vector<float> v = to_vector(a)`. An expression is
/// computed immediately, where it is placed.
/// Cost: one copy; from a GPU another, which is counted.  Throws: out_of_memory; exceptions of the
/// ops.
template <operand E>
auto to_vector(E&& e, site at = site::here()) -> std::vector<typename bare<E>::value_type> try {
  using T = typename bare<E>::value_type;
  detail::gradient_pause const no_gradient;  // the result is host memory
  auto const elements = [&] {
    if constexpr (is_reference<bare<E>>) return detail::target_now(e, "to_vector", at).read(at);
    else if constexpr (stored<bare<E>>) return std::forward<E>(e).read(at);
    else return tensor<T, typename bare<E>::extents_type>(std::forward<E>(e), at).read(at);
  }();
  return std::vector<T>(elements.begin(), elements.end());
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
