#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/float16.hpp>
#include <placement/ops/set_seed.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void no_deviation(std::string const& stddev) {
  throw invalid_argument(
      "placement: there is no normal distribution with a standard deviation of " + stddev +
      ". Give one that is zero or more.");
}

/// A standard normal number from one block, in double for every element type. |z| < 8.6.
/// Source: Box, Muller: A Note on the Generation of Random Normal Deviates (1958).
PLACEMENT_HD inline double standard_normal(philox_block const& b) noexcept {
  double const u = unit(b.word[0], b.word[1]) + 0x1p-53, turn = unit(b.word[2], b.word[3]);
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * turn);
}

}  // namespace detail

/// Random numbers from the normal distribution with this mean and standard deviation.
/// Shape: as given.  Type: floating point, computed in double.
/// Kernels: CPU, GPU (pattern fill); the same on every device but for the last bits of its log and
/// cos.
template <class T, class X> struct normal_op {
  static constexpr std::string_view name = "RandomStandardNormal";
  using pattern = fill;
  static constexpr int cost_per_element = 16;

  [[no_unique_address]] X shape;
  T mean, stddev;
  random_stream from;

  constexpr X result() const { return shape; }
  PLACEMENT_HD T operator()(index_t i) const noexcept {
    return static_cast<T>(static_cast<double>(mean) +
                          static_cast<double>(stddev) * detail::standard_normal(from.block(i)));
  }
};
/// `normal<float>(shape(2, 3))`: mean 0, standard deviation 1.
/// Throws: invalid_argument for a negative standard deviation; shape_error.
template <real_number T, index_t... N, class K = kernels_here>
auto normal(extents<N...> shape, T mean = T{0}, T stddev = T{1}, site at = site::here())
    -> expr<normal_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), normal_op<T, extents<N...>>::name, at);
  if (!(stddev >= T{})) detail::no_deviation(std::to_string(widened(stddev)));
  return {{shape, mean, stddev, detail::next_random_stream()}, at};
}

}}  // namespace placement::v0_1
