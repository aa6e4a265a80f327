#pragma once

#include <placement/ops/iota.hpp>
#include <placement/runtime/escape.hpp>

#include <cmath>
#include <limits>

namespace placement { inline namespace v0_1 {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void bad_step(std::string const& start,
                                                            std::string const& stop,
                                                            std::string const& step, site at) {
  throw invalid_argument("placement: arange from " + start + " to " + stop + " in steps of " +
                         step +
                         " has no number of elements. Use finite numbers, and a step other "
                         "than 0." +
                         location_text("Range", at));
}

/// The number of integers from start on, below stop; above it for a negative step.
constexpr std::uint64_t steps_between(std::int64_t start, std::int64_t stop, std::int64_t step) {
  bool const up = step > 0;
  if (up ? start >= stop : start <= stop) return 0;
  auto const from = static_cast<std::uint64_t>(start), to = static_cast<std::uint64_t>(stop);
  auto const by = static_cast<std::uint64_t>(step);
  return ((up ? to - from : from - to) - 1) / (up ? by : 0 - by) + 1;
}

/// The length of arange. Throws: invalid_argument for a step of 0, or a length that is not finite.
template <class T> index_t arange_length(T start, T stop, T step, site at) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  auto const text = [](T x) { return text_of_number(widened(x)); };
  if (step == T{0}) bad_step(text(start), text(stop), text(step), at);
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    auto const n = start < stop ? (stop - start - 1) / step + 1 : 0;
    return n > static_cast<std::uint64_t>(most) ? most : static_cast<index_t>(n);
  } else if constexpr (std::is_integral_v<T>) {
    auto const n = steps_between(start, stop, step);
    return n > static_cast<std::uint64_t>(most) ? most : static_cast<index_t>(n);
  } else {
    double const n = std::ceil((static_cast<double>(stop) - static_cast<double>(start)) /
                               static_cast<double>(step));
    if (!(std::abs(n) <= std::numeric_limits<double>::max()))
      bad_step(text(start), text(stop), text(step), at);
    return n <= 0 ? 0 : n >= 0x1p63 ? most : static_cast<index_t>(n);
  }
}

}  // namespace detail

/// start, start + step, ... below stop; above it for a negative step: `arange(2, 10, 3)`.
/// Shape: ceil((stop - start) / step), at least 0.  Type: T, any arithmetic but bool.
/// Kernels: CPU, GPU (pattern fill).
/// Throws: invalid_argument for a step of 0 or numbers that are not finite; shape_error for more
/// bytes than can be addressed.
template <wraps_or_rounds T, class K = kernels_here>
auto arange(T start, std::type_identity_t<T> stop, std::type_identity_t<T> step = T{1},
            site at = site::here()) -> expr<iota_op<T, dextents<1>>, K> {
  return iota<T, K>(detail::arange_length(start, stop, step, at), start, step, at);
}
/// 0, 1, ... below stop: `arange(5)`, `arange(5.f)`.
template <wraps_or_rounds T, class K = kernels_here>
auto arange(T stop, site at = site::here()) -> expr<iota_op<T, dextents<1>>, K> {
  return arange<T, K>(T{0}, stop, T{1}, at);
}

}}  // namespace placement::v0_1
