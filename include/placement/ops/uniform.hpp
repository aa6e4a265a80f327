#pragma once

#include <placement/cpu/random_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/simd_philox.hpp>
#include <placement/math/random_values.hpp>
#include <placement/ops/next_after.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/set_seed.hpp>
#include <placement/runtime/escape.hpp>

#include <cmath>
#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_range(std::string const& low,
                                                            std::string const& high) {
  throw invalid_argument("placement: there is no uniform distribution from " + low + " to " + high +
                         ". Give a low end that is below the high end, both finite.");
}
}  // namespace detail

/// Random numbers, equally likely everywhere in [low, high), from 53 random bits
/// for double, from 24 for others.
/// Shape: as given.  Type: floating point.
/// Kernels: CPU, GPU (pattern fill); bit-equal on every device.
template <class T, class X> struct uniform_op {
  static constexpr std::string_view name = "RandomUniform";
  using pattern = fill;
  static constexpr bool takes_packs = true, fills_packs = true;
  static constexpr int cost_per_element = 8;

  [[no_unique_address]] X shape;
  T low, high, max;  // max: the largest number below high
  random_stream from;

  constexpr X result() const { return shape; }
  PLACEMENT_HD T operator()(index_t i) const noexcept {
    T const x = static_cast<T>(value<number>(from.template word<number>(i)));
    return x > max ? max : x;
  }
  /// Of several elements, by their numbers.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> operator()(
      simd::pack<index_t, N> const& i) const noexcept {
    return below_high(value<simd::pack<number, N>>(simd::random_word<number>(from, i)));
  }
  /// Of N elements from `first` on.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> consecutive(index_t first) const noexcept {
    auto const of =
        [this]<class U, int M, class R>(simd::basic_pack<U, M, R> const& words)
            PLACEMENT_ALWAYS_INLINE { return this->template value<simd::pack<number, M>>(words); };
    return below_high(simd::of_random_words<number, N>(from, first, of));
  }
  void generator_loop(T* to, index_t first, index_t n) const requires detail::has_random_loops<T>
  {
    detail::random_loops<T>::uniform(to, {from, first, n}, low, high - low, max);
  }

 private:
  using number = computed_in<T>;

  template <class V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V value(math::bits_of<V> const& word) const noexcept {
    V const least = simd::widened_to<V>(low), width = simd::widened_to<V>(high) - least;
    return (math::unfused<V>(width) * math::unit_value<V>(word) + least).value;
  }
  template <class V> PLACEMENT_ALWAYS_INLINE auto below_high(V const& x) const noexcept {
    using result = simd::pack<T, V::lanes>;
    auto const y = simd::convert<T>(x);
    return simd::select(y > result(max), result(max), y);
  }
};
/// Random integers, equally likely everywhere in [low, high).
/// Shape: as given.  Type: any integer.  Kernels: CPU, GPU (pattern fill); equal on every device.
template <class T, class X> struct uniform_int_op {
  static constexpr std::string_view name = "RandomUniformInt";
  using pattern = fill;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 16;

  [[no_unique_address]] X shape;
  T low;
  std::uint64_t count;  // of possible values
  random_stream from;

  constexpr X result() const { return shape; }
  PLACEMENT_HD constexpr T operator()(index_t i) const noexcept {
    return static_cast<T>(static_cast<std::uint64_t>(low) + detail::below(count, from.block(i)));
  }
  /// Of several elements, by their numbers.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> operator()(
      simd::pack<index_t, N> const& i) const noexcept {
    auto const blocks = simd::random_blocks(from, simd::bit_cast<std::uint64_t>(i));
    simd::pack<std::uint64_t, N> const least(static_cast<std::uint64_t>(low));
    if constexpr (sizeof(T) == 8)
      if (count >> 32 != 0) return simd::convert<T>(least + simd::below<true>(count, blocks));
    return simd::convert<T>(least + simd::below<false>(count, blocks));
  }
  void generator_loop(T* to, index_t first, index_t n) const {
    using unsigned_type = std::make_unsigned_t<simd::detail::int_for<T>>;
    detail::random_integer_loops<unsigned_type>::uniform(reinterpret_cast<unsigned_type*>(to),
                                                         {from, first, n},
                                                         static_cast<unsigned_type>(low), count);
  }
};

/// `uniform<float>(shape(2, 3))`: random numbers in [0, 1); or in [low, high).
/// Throws: invalid_argument unless low <= high, both and their distance finite; shape_error.
template <real_number T, index_t... N, class K = kernels_here>
auto uniform(extents<N...> shape, T low = T{0}, T high = T{1}, site at = site::here())
    -> expr<uniform_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), uniform_op<T, extents<N...>>::name, at);
  if (!(low <= high) || !std::isfinite(widened(high - low)))
    detail::no_range(detail::text_of_number(widened(low)), detail::text_of_number(widened(high)));
  return {{shape, low, high, next_after_op{}(high, low), detail::next_random_stream()}, at};
}
/// `uniform<int>(shape(2, 3), 1, 7)`: random integers in [low, high).
/// Throws: invalid_argument unless low < high; shape_error.
template <wraps_or_rounds T, index_t... N, class K = kernels_here> requires std::integral<T>
auto uniform(extents<N...> shape, T low, T high, site at = site::here())
    -> expr<uniform_int_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), uniform_int_op<T, extents<N...>>::name, at);
  if (!(low < high)) detail::no_range(std::to_string(low), std::to_string(high));
  return {{shape, low, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low),
           detail::next_random_stream()},
          at};
}

}}  // namespace placement::v0_1
