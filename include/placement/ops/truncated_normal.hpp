#pragma once

#include <placement/ops/normal.hpp>
#include <placement/runtime/escape.hpp>

namespace placement { inline namespace v0_1 {

/// Random numbers from the normal distribution, those further than two standard deviations from the
/// mean left out.
/// Shape: as given.  Type: floating point; 16-bit types are computed in float.
/// Kernels: CPU, GPU (pattern fill); bit-equal on every device.
template <class T, class X> struct truncated_normal_op {
  static constexpr std::string_view name = "TruncatedNormal";
  using pattern = fill;
  static constexpr bool takes_packs = true, fills_packs = true;
  static constexpr int cost_per_element = 16;

  [[no_unique_address]] X shape;
  T mean, stddev;
  random_stream from;

  constexpr X result() const { return shape; }
  PLACEMENT_HD T operator()(index_t i) const noexcept {
    return static_cast<T>(value<number>(from.template word<number>(i)));
  }
  /// Of several elements, by their numbers.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> operator()(
      simd::pack<index_t, N> const& i) const noexcept {
    return simd::convert<T>(value<simd::pack<number, N>>(simd::random_word<number>(from, i)));
  }
  /// Of N elements from `first` on.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> consecutive(index_t first) const noexcept {
    auto const of =
        [this]<class U, int M, class R>(simd::basic_pack<U, M, R> const& words)
            PLACEMENT_ALWAYS_INLINE { return this->template value<simd::pack<number, M>>(words); };
    return simd::convert<T>(simd::of_random_words<number, N>(from, first, of));
  }
  void generator_loop(T* to, index_t first, index_t n) const requires detail::has_random_loops<T>
  {
    detail::random_loops<T>::truncated_normal(to, {from, first, n}, mean, stddev);
  }

 private:
  using number = computed_in<T>;

  template <class V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V value(math::bits_of<V> const& word) const noexcept {
    using U = math::unfused<V>;
    return (U(simd::widened_to<V>(stddev)) * U(math::truncated_normal_value<V>(word)) +
            U(simd::widened_to<V>(mean)))
        .value;
  }
};
/// `truncated_normal<float>(shape(784, 10), 0.f, 0.1f)`: no element is further than 0.2 from 0.
/// Throws: invalid_argument for a negative standard deviation; shape_error.
template <real_number T, index_t... N, class K = kernels_here>
auto truncated_normal(extents<N...> shape, T mean = T{0}, T stddev = T{1}, site at = site::here())
    -> expr<truncated_normal_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), truncated_normal_op<T, extents<N...>>::name, at);
  if (!(stddev >= T{})) detail::no_deviation(detail::text_of_number(widened(stddev)));
  return {{shape, mean, stddev, detail::next_random_stream()}, at};
}

}}  // namespace placement::v0_1
