#pragma once
/// Slices that are repeated different numbers of times. placement.hpp does not include this header.

#include <placement/ops/flatten.hpp>
#include <placement/ops/gather.hpp>
#include <placement/ops/host_operand.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_counts(std::string const& what,
                                                                      index_t extent, site at) {
  throw shape_error("placement: repeat_each with " + what + " for an axis of extent " +
                    std::to_string(extent) + ". Give one count of zero or more for each slice." +
                    location_text("Repeat", at));
}
/// The sum of the counts; the greatest number if it is larger. Throws: shape_error.
template <class T, class X>
index_t total_count(host_view<T, X> const& counts, index_t extent, site at) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  std::uint64_t bits = 0, sum = 0;  // of all counts, for which a branch is not needed
  for (T const n : counts) {
    bits |= static_cast<std::uint64_t>(n);
    sum += static_cast<std::uint64_t>(n);
  }
  constexpr std::uint64_t small = std::uint64_t{1} << 31;
  if (bits < small && static_cast<std::uint64_t>(extent) < small) [[likely]]
    return static_cast<index_t>(sum);
  index_t total = 0;
  for (T const n : counts) {
    if (!std::in_range<index_t>(n) || n < 0)
      throw_wrong_counts("a count of " + std::to_string(n), extent, at);
    auto const more = static_cast<index_t>(n);
    total = total > most - more ? most : total + more;
  }
  return total;
}
/// Where each slice of the result comes from. Throws: shape_error.
template <class K, class T, class X>
tensor<std::int64_t, dextents<1>> repeated_from(host_view<T, X> const& counts, index_t extent,
                                                site at) {
  if (static_cast<index_t>(counts.size()) != extent)
    throw_wrong_counts(std::to_string(counts.size()) + " counts", extent, at);
  index_t const total = total_count(counts, extent, at);
  checked_count(dextents<1>{{total}}, sizeof(std::int64_t), "Repeat", at);
  auto from = host_room<std::int64_t>(total, at);
  std::int64_t* to = from.data();
  std::int64_t* const end = to + total;
  constexpr index_t at_once = 4;  // stored without a branch, as counts are mostly small
  T const* const count = counts.data();
  index_t i = 0;
  for (; i != extent && end - to >= at_once; ++i) {
    auto const n = static_cast<index_t>(count[i]);
    for (index_t k = 0; k != at_once; ++k) to[k] = i;
    for (index_t k = at_once; k < n; ++k) to[k] = i;
    to += n;
  }
  for (; i != extent; ++i)
    for (auto n = static_cast<index_t>(count[i]); n != 0; --n) *to++ = i;
  return host_result<K>(std::move(from), dextents<1>{{total}}, at);
}
}  // namespace detail

/// Each slice of an axis as often as its count says: `repeat_each(x, tensor{2, 0, 1}, 0)`, NumPy's
/// `repeat(x, [2, 0, 1], axis=0)`. The counts are read at once, as the extent depends on them; the
/// slices are gathered when the expression is evaluated.
/// Shape: the axis replaced by the sum of the counts.  Type: any; any integer for the counts.
/// Throws: shape_error for a negative count, and for another number of counts.
/// Kernels: those of gather.  Cost: that of gather; from a GPU a counted copy of the counts.
template <operand X, operand C, axis_like A, class K = kernels_here>
auto repeat_each(X&& x, C const& counts, A along, site at = site::here()) {
  detail::check_indices<C>();
  static_assert(C::rank == 1, "placement: the counts of repeat_each are a vector.");
  std::size_t const d = detail::dimension_of<bare<X>::rank>(detail::as_axis(along));
  return gather(
      std::forward<X>(x),
      detail::repeated_from<K>(detail::host_operand(counts, "Repeat", at), x.shape().at(d), at),
      along, at);
}
/// The elements in row-major order, as a vector.
template <operand X, operand C, class K = kernels_here>
auto repeat_each(X&& x, C const& counts, site at = site::here()) {
  return repeat_each(flatten(std::forward<X>(x), at), counts, axis<0>, at);
}

}}  // namespace placement::v0_1
