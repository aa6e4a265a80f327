#pragma once
/// The different elements. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>
#include <placement/ops/radix_sort.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

/// The different elements, and how often each occurs.
template <class T> struct unique_elements {
  tensor<T, dextents<1>> values;
  tensor<std::int64_t, dextents<1>> counts;
};

namespace detail {
/// The different elements in order, in host memory, and where each begins among all in order.
template <class T> class sorted_unique {
 public:
  sorted_unique(T const* x, index_t n) : values_(n + 1), first_(n + 1) {
    using key = sort_key<T>;
    host_scratch<typename key::type> const keys(2 * n + 1);
    for (index_t i = 0; i != n; ++i) keys.data()[i] = key::of(x[i]);
    auto const* const sorted = radix_sort(keys.data(), keys.data() + n, n);
    for (index_t i = 0; i != n; ++i) {  // without a branch that the elements mispredict
      T const value = key::element(sorted[i]);
      bool const is_new = i == 0 || sorted[i] != sorted[i - 1];
      bool const is_zero = count_ != 0 && value == values_.data()[count_ - 1];  // 0 after -0
      values_.data()[count_] = value;  // the next different element replaces a repeated one
      first_.data()[count_] = i;
      count_ += is_new && !is_zero ? 1 : 0;
    }
    first_.data()[count_] = n;
  }
  index_t count() const { return count_; }
  T const* values() const { return values_.data(); }
  std::int64_t const* first() const { return first_.data(); }

 private:
  host_scratch<T> values_;
  host_scratch<std::int64_t> first_;
  index_t count_ = 0;
};
template <class T, class X> sorted_unique<T> unique_of(host_view<T, X> const& h) {
  return {h.data(), static_cast<index_t>(h.size())};
}
}  // namespace detail

/// The different elements in ascending order. Of several NaN there is one, the last; -0 is 0.
/// Shape: (...) -> (count). The count depends on the values, so this computes at once and returns a
/// tensor, which is placed like the op Const.  Type: any.
/// Cost: a radix sort on the host, one pass for each byte of an element; from a GPU a counted copy.
template <operand X, class K = kernels_here>
tensor<typename X::value_type, dextents<1>> unique(X const& x, site at = site::here()) {
  auto const found = detail::unique_of(detail::host_values(x, "Unique", at));
  return detail::host_result<K>(found.values(), found.count(), at);
}
/// The same, and how often each occurs.
template <operand X, class K = kernels_here>
unique_elements<typename X::value_type> unique_counts(X const& x, site at = site::here()) {
  auto const found = detail::unique_of(detail::host_values(x, "Unique", at));
  detail::host_scratch<std::int64_t> const counts(found.count() + 1);
  for (index_t i = 0; i != found.count(); ++i)
    counts.data()[i] = found.first()[i + 1] - found.first()[i];
  return {
      detail::host_result<K>(found.values(), found.count(), at),
      detail::host_result<K>(static_cast<std::int64_t const*>(counts.data()), found.count(), at)};
}

}}  // namespace placement::v0_1
