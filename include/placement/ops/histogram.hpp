#pragma once
/// Counts of integers, and of numbers in bins. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>
#include <placement/ops/select_on_gpu.hpp>
#include <placement/runtime/escape.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

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
                         text_of_number(low) + " to " + text_of_number(high) +
                         ". Give one bin or more, and finite bounds in order." +
                         location_text("Histogram", at));
}

namespace no_adl {
/// How often each integer from 0 to length - 1 occurs, where no other occurs.
struct bincount_op {
  static constexpr std::string_view name = "Bincount";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = registered_selects;
  using value_type = std::int64_t;

  index_t length;

  template <class X> dextents<1> result(X const&) const { return {{length}}; }
  template <class T, class X>
  void operator()(dense_view<std::int64_t, dextents<1>> out, dense_view<T const, X> in) const {
    for (index_t i = 0; i != length; ++i) out[i] = 0;
    for (index_t i = 0; i != in.size(); ++i) ++out.data[in[i]];
  }
  template <class T, class X>
  void run_by_library(logical_device const& on, dense_view<std::int64_t, dextents<1>> out,
                      dense_view<T const, X> in) const {
    if (length != 0)
      gpu_library::engine().bincount(on, name, elements_on_gpu(in.data, in.size()), length,
                                     out.data);
  }
};

/// How many elements are in each bin of equal width from low to high.
struct histogram_op {
  static constexpr std::string_view name = "Histogram";
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = registered_selects;
  using value_type = std::int64_t;
  using bounds = dense_view<double const, dextents<1>>;

  double low, high;

  template <class X> dextents<1> result(X const&, dextents<1> const& edges) const {
    return {{edges.at(0) - 1}};
  }
  template <class T, class X>
  void operator()(dense_view<std::int64_t, dextents<1>> out, dense_view<T const, X> in,
                  bounds edges) const {
    equal_bins const bins{low, high, out.size(), edges.data};
    double const scale = bins.scale();
    for (index_t i = 0; i != out.size(); ++i) out[i] = 0;
    for (index_t i = 0; i != in.size(); ++i)
      if (auto const value = static_cast<double>(in[i]); bins.has(value))
        ++out[bins.number_of(value, scale)];
  }
  template <class T, class X>
  void run_by_library(logical_device const& on, dense_view<std::int64_t, dextents<1>> out,
                      dense_view<T const, X> in, bounds edges) const {
    equal_bins const bins{low, high, out.size(), edges.data};
    gpu_library::engine().histogram(on, name, elements_on_gpu(in.data, in.size()), bins, out.data);
  }
};
}  // namespace no_adl
using no_adl::bincount_op;
using no_adl::histogram_op;

/// The largest of some integers on a GPU, as the engine gives it; 0 for none.
template <class T, class X> std::uint64_t largest_there(tensor<T, X> const& x) {
  if (x.size() == 0) return 0;
  logical_device const* const on = select_device(x.where());
  if (on == nullptr) return select_engine::not_countable;
  return registered_selects::engine().largest_of(*on, bincount_op::name, elements_there(x));
}

/// The range of elements that are all finite. Throws: invalid_argument for others.
template <class T, class X>
number_range finite_range(tensor<T, X> const& x, index_t bins, site at) {
  if (x.size() == 0) return {0, 1};
  if (logical_device const* const on = select_device(x.where())) {
    number_range const r =
        registered_selects::engine().range_of(*on, "Histogram", elements_there(x));
    if (std::isfinite(r.low) && std::isfinite(r.high)) return {r.low + 0, r.high + 0};
  }  // else the host finds the first of the others
  auto const h = x.read(at);
  number_range r{static_cast<double>(h[0]), static_cast<double>(h[0])};
  for (auto const v : h) {
    auto const value = static_cast<double>(v);
    if (!std::isfinite(value)) throw_bad_bins(bins, value, value, at);
    if (value < r.low) r.low = value;
    if (value > r.high) r.high = value;
  }
  return {r.low + 0, r.high + 0};  // 0, not -0
}
}  // namespace detail

/// How often each integer from 0 on occurs.
/// Shape: (...) -> (largest + 1), at least min_length. The extent depends on the values, so this
/// computes at once and returns a tensor, which is placed like the op Const.  Type: integers ->
/// int64.
/// Kernels: at once, on the host; GPU by CUB. A hardware GPU computes where x is, if the op is
/// placed there.
/// Throws: invalid_argument for a negative integer; out_of_memory for a large one.
/// Cost: two passes on the host; from a GPU a counted copy. By CUB that copy is 8 bytes, for which
/// the host waits.
template <operand X, class K = kernels_here>
tensor<std::int64_t, dextents<1>> bincount(X const& x, index_t min_length = 0,
                                           site at = site::here()) {
  detail::check_indices<X>();
  using counts_of = dense_view<std::int64_t, dextents<1>>;
  auto const value = detail::value_of(x, "Bincount", at);
  index_t length = min_length < 0 ? 0 : min_length;
  using node = expr<detail::bincount_op, K, bare<decltype(value)>>;
  if (detail::is_selected_on<node>(value.where(), {{length}}, at)) {
    std::uint64_t const largest = detail::largest_there(value);
    if (largest != select_engine::not_countable) {  // else the host finds the first such integer
      if (value.size() != 0) length = std::max(length, static_cast<index_t>(largest) + 1);
      detail::checked_count(dextents<1>{{length}}, sizeof(std::int64_t), "Bincount", at);
      return detail::selected(node{{length}, at, value}, at);
    }
  }
  auto const h = value.read(at);
  for (auto const v : h) {
    if (!std::in_range<index_t>(v) || v < 0 ||
        static_cast<index_t>(v) == std::numeric_limits<index_t>::max())
      detail::throw_negative_count(std::to_string(v), at);
    if (static_cast<index_t>(v) >= length) length = static_cast<index_t>(v) + 1;
  }
  detail::checked_count(dextents<1>{{length}}, sizeof(std::int64_t), "Bincount", at);
  detail::host_scratch<std::int64_t> const counts(length + 1);
  detail::bincount_op{length}(
      counts_of{counts.data(), {{length}}},
      dense_view<typename X::value_type const, typename X::extents_type>{h.data(), h.shape()});
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
/// Kernels: at once, on the host; GPU by CUB. A hardware GPU counts where x is, if the op is placed
/// there. The edges are placed like the op Const.
/// Throws: invalid_argument for no bins, and bounds that are not finite or not in order.
/// Cost: one pass on the host; from a GPU a counted copy. By CUB nothing is copied to the host.
template <operand X, class K = kernels_here>
histogram_result histogram(X const& x, index_t bins, double low, double high,
                           site at = site::here()) {
  if (bins < 1 || !(low <= high) || !std::isfinite(high - low))
    detail::throw_bad_bins(bins, low, high, at);
  if (low == high) low -= 0.5, high += 0.5;
  auto const value = detail::value_of(x, "Histogram", at);
  detail::checked_count(dextents<1>{{bins}}, sizeof(double), "Histogram", at);
  detail::host_scratch<double> const bounds(bins + 1);
  double* const edge = bounds.data();
  double const width = (high - low) / static_cast<double>(bins);
  for (index_t i = 0; i != bins; ++i) edge[i] = low + static_cast<double>(i) * width;
  edge[bins] = high;
  using vector = tensor<double, dextents<1>>;
  using node = expr<detail::histogram_op, K, bare<decltype(value)>, vector>;
  if (detail::is_selected_on<node>(value.where(), {{bins}}, at)) {
    vector const edges = detail::host_result<K>(static_cast<double const*>(edge), bins + 1, at);
    auto const there = detail::moved_for_node(edges, value.where(), at);
    return {detail::selected(node{{low, high}, at, value, there}, at), edges};
  }
  auto const h = value.read(at);
  detail::host_scratch<std::int64_t> const counts(bins);
  detail::histogram_op{low, high}(
      dense_view<std::int64_t, dextents<1>>{counts.data(), {{bins}}},
      dense_view<typename X::value_type const, typename X::extents_type>{h.data(), h.shape()},
      detail::histogram_op::bounds{edge, {{bins + 1}}});
  return {detail::host_result<K>(static_cast<std::int64_t const*>(counts.data()), bins, at),
          detail::host_result<K>(static_cast<double const*>(edge), bins + 1, at)};
}
/// The same from the smallest to the largest element; 0 to 1 for none.
/// Throws: also for elements that are NaN or infinite.
/// Cost: two passes. By CUB a counted copy of 16 bytes, for which the host waits.
template <operand X, class K = kernels_here>
histogram_result histogram(X const& x, index_t bins = 10, site at = site::here()) {
  auto const value = detail::value_of(x, "Histogram", at);
  number_range const r = detail::finite_range(value, bins, at);
  return histogram<bare<decltype(value)>, K>(value, bins, r.low, r.high, at);
}

}}  // namespace placement::v0_1
