#pragma once
/// Counts of integers, and of numbers in bins. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>

#include <cmath>
#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_negative_count(std::string const& value,
                                                                        site at) {
  throw invalid_argument("placement: bincount of " + value + ". It counts integers from 0 on." +
                         location_text("Bincount", at));
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_bad_bins(index_t bins, double low,
                                                                  double high, site at) {
  throw invalid_argument("placement: histogram with " + std::to_string(bins) + " bins from " +
                         std::to_string(low) + " to " + std::to_string(high) +
                         ". Give one bin or more, and finite bounds in order." +
                         location_text("Histogram", at));
}
}  // namespace detail

/// How often each integer from 0 on occurs.
/// Shape: (...) -> (largest + 1), at least min_length. The extent depends on the values, so this
/// computes at once and returns a tensor, which is placed like the op Const.  Type: integers ->
/// int64.
/// Throws: invalid_argument for a negative integer; out_of_memory for a large one.
/// Cost: two passes on the host; from a GPU a counted copy.
template <operand X, class K = kernels_here>
tensor<std::int64_t, dextents<1>> bincount(X const& x, index_t min_length = 0,
                                           site at = site::here()) {
  detail::check_indices<X>();
  auto const h = detail::host_operand(x, "Bincount", at);
  index_t length = min_length < 0 ? 0 : min_length;
  for (auto const v : h) {
    if (!std::in_range<index_t>(v) || v < 0 ||
        static_cast<index_t>(v) == std::numeric_limits<index_t>::max())
      detail::throw_negative_count(std::to_string(v), at);
    if (static_cast<index_t>(v) >= length) length = static_cast<index_t>(v) + 1;
  }
  detail::checked_count(dextents<1>{{length}}, sizeof(std::int64_t), "Bincount", at);
  detail::host_scratch<std::int64_t> const counts(length + 1);
  for (index_t i = 0; i != length; ++i) counts.data()[i] = 0;
  for (auto const v : h) ++counts.data()[v];
  return detail::host_result<K>(static_cast<std::int64_t const*>(counts.data()), length, at);
}

/// How many elements are in each bin, and the bounds of the bins: edges(i) <= x < edges(i + 1), and
/// the last bin has its upper bound, too.
struct histogram_result {
  tensor<std::int64_t, dextents<1>> counts;
  tensor<double, dextents<1>> edges;
};

/// The elements in `bins` bins of equal width from low to high. Elements outside, and NaN, are not
/// counted.
/// Shape: (...) -> counts (bins), edges (bins + 1). Computes at once, as unique does.
/// Type: any but bool; bins are computed in double.
/// Throws: invalid_argument for no bins, and bounds that are not finite or not in order.
/// Cost: one pass on the host; from a GPU a counted copy.
template <operand X, class K = kernels_here>
histogram_result histogram(X const& x, index_t bins, double low, double high,
                           site at = site::here()) {
  if (bins < 1 || !(low <= high) || !std::isfinite(high - low))
    detail::throw_bad_bins(bins, low, high, at);
  if (low == high) low -= 0.5, high += 0.5;
  auto const h = detail::host_operand(x, "Histogram", at);
  detail::checked_count(dextents<1>{{bins}}, sizeof(double), "Histogram", at);
  detail::host_scratch<double> const edges(bins + 1);
  detail::host_scratch<std::int64_t> const counts(bins);
  double* const edge = edges.data();
  double const width = (high - low) / static_cast<double>(bins);
  for (index_t i = 0; i != bins; ++i) {
    edge[i] = low + static_cast<double>(i) * width;
    counts.data()[i] = 0;
  }
  edge[bins] = high;
  double const scale = static_cast<double>(bins) / (high - low);
  for (auto const v : h) {
    auto const value = static_cast<double>(v);
    if (!(value >= low && value <= high)) continue;
    auto i = static_cast<index_t>((value - low) * scale);
    if (i >= bins) i = bins - 1;
    if (value < edge[i]) --i;  // rounding may be off by one bin
    else if (i + 1 != bins && value >= edge[i + 1]) ++i;
    ++counts.data()[i];
  }
  return {detail::host_result<K>(static_cast<std::int64_t const*>(counts.data()), bins, at),
          detail::host_result<K>(static_cast<double const*>(edge), bins + 1, at)};
}
/// The same from the smallest to the largest element; 0 to 1 for none.
/// Throws: also for elements that are NaN or infinite.
template <operand X, class K = kernels_here>
histogram_result histogram(X const& x, index_t bins = 10, site at = site::here()) {
  auto const h = detail::host_operand(x, "Histogram", at);
  double low = 0, high = 1;
  bool first = true;
  for (auto const v : h) {
    auto const value = static_cast<double>(v);
    if (!std::isfinite(value)) detail::throw_bad_bins(bins, value, value, at);
    if (first || value < low) low = value;
    if (first || value > high) high = value;
    first = false;
  }
  using elements = tensor<typename X::value_type, typename X::extents_type>;
  if constexpr (lazy<X>) return histogram<elements, K>(evaluate(x, at), bins, low, high, at);
  else return histogram<X, K>(x, bins, low, high, at);
}

}}  // namespace placement::v0_1
