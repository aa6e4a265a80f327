#pragma once

#include <placement/ops/normal.hpp>

namespace placement { inline namespace v0_1 {

/// Random numbers from the normal distribution, those further than two standard deviations from the
/// mean drawn again.
/// Shape: as given.  Type: floating point, computed in double.
/// Kernels: CPU, GPU (pattern fill); the same on every device but for the last bits of its log and
/// cos.
template <class T, class X> struct truncated_normal_op {
  static constexpr std::string_view name = "TruncatedNormal";
  using pattern = fill;
  static constexpr int cost_per_element = 16;

  [[no_unique_address]] X shape;
  T mean, stddev;
  random_stream from;

  constexpr X result() const { return shape; }
  PLACEMENT_HD T operator()(index_t i) const noexcept {
    double z = detail::standard_normal(from.block(i));
    for (std::uint32_t attempt = 1; z < -2 || z > 2; ++attempt)
      z = detail::standard_normal(from.block(i, attempt));
    return static_cast<T>(static_cast<double>(mean) + static_cast<double>(stddev) * z);
  }
};
/// `truncated_normal<float>(shape(784, 10), 0.f, 0.1f)`: no element is further than 0.2 from 0.
/// Throws: invalid_argument for a negative standard deviation; shape_error.
template <real_number T, index_t... N, class K = kernels_here>
auto truncated_normal(extents<N...> shape, T mean = T{0}, T stddev = T{1}, site at = site::here())
    -> expr<truncated_normal_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), truncated_normal_op<T, extents<N...>>::name, at);
  if (!(stddev >= T{})) detail::no_deviation(std::to_string(widened(stddev)));
  return {{shape, mean, stddev, detail::next_random_stream()}, at};
}

}}  // namespace placement::v0_1
