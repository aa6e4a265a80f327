#pragma once

#include <placement/cpu/step_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// start, start + step, start + 2 step, ... in row-major order.
/// Shape: as given.  Type: T, any arithmetic but bool; integers wrap.  Kernels: CPU, GPU (pattern
/// fill).
template <class T, class X> struct iota_op {
  static constexpr std::string_view name = "Range";
  using pattern = fill;
  static constexpr bool takes_packs = true;

  [[no_unique_address]] X shape;
  T start, step;

  constexpr X result() const { return shape; }
  PLACEMENT_HD constexpr T operator()(index_t i) const noexcept {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(as_unsigned(start) +
                            static_cast<decltype(as_unsigned(start))>(i) * as_unsigned(step));
    else return static_cast<T>(widened(start) + static_cast<computed_in<T>>(i) * widened(step));
  }
  /// Of several elements, by their numbers.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> operator()(
      simd::pack<index_t, N> const& i) const noexcept {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)  // SSE2 has no product of 64 bits
      if (step == T{1}) return simd::convert<T>(i) + simd::pack<T, N>(start);
    return of<N>(simd::convert<computed_in<T>>(i));
  }
  /// The elements first, first + 1 ...
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> consecutive(index_t first) const noexcept {
    if constexpr (std::is_integral_v<T>) {  // no product of 64 bits for each element
      simd::pack<T, N> const by(step), from((*this)(first));
      return from + simd::iota_as<T, N>(0) * by;
    } else {
      return of<N>(simd::iota_as<computed_in<T>, N>(first));
    }
  }

  void generator_loop(T* to, index_t first, index_t n) const requires detail::has_step_loops<T>
  {
    detail::write_steps(*this, to, first, n, start, step);
  }

 private:
  using wide = computed_in<T>;
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> of(simd::pack<wide, N> const& i) const noexcept {
    simd::pack<wide, N> const from = widened(simd::pack<T, N>(start));
    simd::pack<wide, N> const by = widened(simd::pack<T, N>(step));
    return simd::pack<T, N>(from + i * by);
  }
};
/// `iota(10, 0.f)`: a vector of n elements.
template <wraps_or_rounds T, class K = kernels_here>
auto iota(index_t n, T start, T step = T{1}, site at = site::here())
    -> expr<iota_op<T, dextents<1>>, K> {
  dextents<1> const shape{{n}};
  detail::checked_count(shape, sizeof(T), iota_op<T, dextents<1>>::name, at);
  return {{shape, start, step}, at};
}
/// `iota(shape(2, 3), 0.f)`: the same in a shape, row by row.
/// Throws: shape_error for a negative extent, or more bytes than can be addressed.
template <wraps_or_rounds T, index_t... N, class K = kernels_here>
auto iota(extents<N...> shape, T start, T step = T{1}, site at = site::here())
    -> expr<iota_op<T, extents<N...>>, K> {
  detail::checked_count(shape, sizeof(T), iota_op<T, extents<N...>>::name, at);
  return {{shape, start, step}, at};
}

}}  // namespace placement::v0_1
