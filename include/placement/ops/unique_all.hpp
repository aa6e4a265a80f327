#pragma once
/// The different elements with their positions. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>
#include <placement/ops/sort_key.hpp>

namespace placement { inline namespace v0_1 {

/// The different elements of x in ascending order. `inverse` has x's shape: take(values, inverse)
/// is x. Names are those of the Python array API.
template <class T, class X> struct unique_positions {
  tensor<T, dextents<1>> values;
  tensor<std::int64_t, dextents<1>> indices;  ///< row-major number where each occurs first
  tensor<std::int64_t, X> inverse;            ///< number in `values` of each element
  tensor<std::int64_t, dextents<1>> counts;   ///< how often each occurs
};

/// The different elements, where each occurs first, where each element of x is among them, and how
/// often. NaN are one element, and -0 is 0, as by unique.
/// Shape: x's for the inverse, else (count). Computes at once, as unique does.  Type: any.
/// Cost: a radix sort of keys with indices on the host; from a GPU a counted copy.
template <operand X, class K = kernels_here>
unique_positions<typename X::value_type, typename X::extents_type> unique_all(
    X const& x, site at = site::here()) {
  using T = typename X::value_type;
  using key = detail::sort_key<T>;
  auto const elements = detail::host_values(x, "Unique", at);
  auto const n = static_cast<index_t>(elements.size());
  detail::host_scratch<detail::keyed_index> const scratch(2 * n + 1);
  detail::host_scratch<std::int64_t> const numbers(3 * n + 1);
  detail::host_scratch<T> const values(n + 1);
  detail::keyed_index* const items = scratch.data();
  std::int64_t *const inverse = numbers.data(), *const first = inverse + n,
                      *const times = first + n;
  for (index_t i = 0; i != n; ++i) items[i] = {key::of_value(elements.data()[i]), i};
  detail::sort_keyed(items, items + n, n);
  index_t count = 0;
  for (index_t i = 0; i != n; ++i) {
    if (i == 0 || items[i].key != items[i - 1].key) {
      values.data()[count] = key::element(static_cast<typename key::type>(items[i].key));
      first[count] = items[i].index;
      times[count++] = 0;
    }
    ++times[count - 1];
    inverse[items[i].index] = count - 1;
  }
  std::int64_t const *const const_first = first, *const const_times = times;
  return {detail::host_result<K>(static_cast<T const*>(values.data()), count, at),
          detail::host_result<K>(const_first, count, at),
          detail::copied_in<K>(static_cast<std::int64_t const*>(inverse), x.shape(), at),
          detail::host_result<K>(const_times, count, at)};
}

}}  // namespace placement::v0_1
