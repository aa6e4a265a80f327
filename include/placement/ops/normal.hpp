#pragma once

#include <placement/cpu/random_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/simd_philox.hpp>
#include <placement/math/random_values.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/set_seed.hpp>
#include <placement/runtime/escape.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void no_deviation(std::string const& stddev) {
  throw invalid_argument(
      "placement: there is no normal distribution with a standard deviation of " + stddev +
      ". Give one that is zero or more.");
}

}  // namespace detail

/// Random numbers from the normal distribution with this mean and standard deviation. At most 6.7
/// standard deviations from the mean; of double 8.6.
/// Shape: as given.  Type: floating point; 16-bit types are computed in float.
/// Kernels: CPU, GPU (pattern fill); bit-equal on every device.
/// Source: Box, Muller: A Note on the Generation of Random Normal Deviates (1958).
template <class T, class X> struct normal_op {
  static constexpr std::string_view name = "RandomStandardNormal";
  using pattern = fill;
  static constexpr bool takes_packs = true, fills_packs = true;
  static constexpr int cost_per_element = 16;

  [[no_unique_address]] X shape;
  T mean, stddev;
  random_stream from;

  constexpr X result() const { return shape; }
  PLACEMENT_HD T operator()(index_t i) const noexcept {
    return static_cast<T>(one_of_pair<number>(from.template pair<number>(i)));
  }
  /// Of several elements, by their numbers.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> operator()(
      simd::pack<index_t, N> const& i) const noexcept {
    return simd::convert<T>(
        one_of_pair<simd::pack<number, N>>(simd::random_words_of_pair<number>(from, i)));
  }
  /// Of N elements from `first` on.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> consecutive(index_t first) const noexcept {
    auto const both = [this]<class U, int M, class R>(
                          simd::basic_pack<U, M, R> const& words,
                          simd::basic_pack<U, M, R> const& more) PLACEMENT_ALWAYS_INLINE {
      using V = simd::pack<number, M>;
      V const radius = math::normal_radius<V>(words);
      auto const turn = math::sine_and_cosine_of_turn<V>(more);
      return pair_of<V>{this->scaled(V(radius * turn.cosine)), this->scaled(V(radius * turn.sine))};
    };
    return simd::convert<T>(simd::of_random_pairs<number, N>(from, first, both));
  }
  void generator_loop(T* to, index_t first, index_t n) const requires detail::has_random_loops<T>
  {
    detail::random_loops<T>::normal(to, {from, first, n}, mean, stddev);
  }

 private:
  using number = computed_in<T>;
  template <class V> struct pair_of {
    V first, second;
  };

  template <class V, class Words>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V one_of_pair(Words const& words) const noexcept {
    auto const turn = math::sine_and_cosine_of_turn<V>(
        math::bits_of<V>(words.second - math::quarter_turn<V>(words.is_odd)));
    return scaled(V(math::normal_radius<V>(words.first) * turn.cosine));
  }
  template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V scaled(V const& z) const noexcept {
    using U = math::unfused<V>;
    return (U(simd::widened_to<V>(stddev)) * U(z) + U(simd::widened_to<V>(mean))).value;
  }
};
/// `normal<float>(shape(2, 3))`: mean 0, standard deviation 1.
/// Throws: invalid_argument for a negative standard deviation; shape_error.
template <real_number T, index_t... N, class K = kernels_here>
auto normal(extents<N...> shape, T mean = T{0}, T stddev = T{1}, site at = site::here())
    -> expr<normal_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), normal_op<T, extents<N...>>::name, at);
  if (!(stddev >= T{})) detail::no_deviation(detail::text_of_number(widened(stddev)));
  return {{shape, mean, stddev, detail::next_random_stream()}, at};
}

}}  // namespace placement::v0_1
