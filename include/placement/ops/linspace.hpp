#pragma once

#include <placement/cpu/step_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

/// Numbers at equal distances: element i is start + i * step, and the last one is `last`.
/// Shape: as given.  Type: T, floating point, computed in double.  Kernels: CPU, GPU (pattern
/// fill).
template <class T, class X> struct linspace_op {
  static constexpr std::string_view name = "LinSpace";
  using pattern = fill;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 4;

  [[no_unique_address]] X shape;
  double start, step, last;
  index_t index_of_last;  ///< -1 if stop is not an element

  constexpr X result() const { return shape; }
  PLACEMENT_HD constexpr T operator()(index_t i) const noexcept {
    return static_cast<T>(i == index_of_last ? last : start + static_cast<double>(i) * step);
  }
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> operator()(
      simd::pack<index_t, N> const& i) const noexcept {
    simd::pack<double, N> const number = simd::convert<double>(i);
    return simd::convert<T>(with_last<N>(number, of<N>(number)));
  }
  /// The elements first, first + 1 ...
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<T, N> consecutive(index_t first) const noexcept {
    simd::pack<double, N> const number = simd::iota_as<double, N>(first);
    simd::pack<double, N> const x = of<N>(number);
    bool const has_last = static_cast<std::uint64_t>(index_of_last - first) < N;
    if (has_last) [[unlikely]]
      return simd::convert<T>(with_last<N>(number, x));
    return simd::convert<T>(x);
  }

  void generator_loop(T* to, index_t first, index_t n) const requires detail::has_step_loops<T>
  {
    detail::write_steps(*this, to, first, n, start, step);
    if (index_of_last >= first && index_of_last - first < n)
      to[index_of_last - first] = static_cast<T>(last);
  }

 private:
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<double, N> of(simd::pack<double, N> const& i) const noexcept {
    return simd::pack<double, N>(start) + i * simd::pack<double, N>(step);
  }
  /// x, with `last` where i is its number.
  template <int N>
  PLACEMENT_ALWAYS_INLINE simd::pack<double, N> with_last(
      simd::pack<double, N> const& i, simd::pack<double, N> const& x) const noexcept {
    using wide = simd::pack<double, N>;
    return simd::select(i == wide(static_cast<double>(index_of_last)), wide(last), x);
  }
};

namespace detail {
template <class T, class X>
constexpr linspace_op<T, X> linspace_of(T start, T stop, X shape, bool closed) {
  index_t const n = shape.at(0), steps = closed ? n - 1 : n;
  double const from = static_cast<double>(start), to = static_cast<double>(stop);
  bool const ends = closed && n > 1;
  return {shape, from, steps > 0 ? (to - from) / static_cast<double>(steps) : 0., to,
          ends ? n - 1 : -1};
}
}  // namespace detail

/// Whether linspace ends with `stop`, or one step before it.
enum class interval { closed, half_open };

/// `linspace(0.f, 1.f, 5)`: n numbers from start to stop.
/// Throws: shape_error for a negative n, or more bytes than can be addressed.
template <real_number T, class K = kernels_here>
auto linspace(T start, std::type_identity_t<T> stop, index_t n = 50, interval of = interval::closed,
              site at = site::here()) -> expr<linspace_op<T, dextents<1>>, K> {
  dextents<1> const shape{{n}};
  detail::checked_count(shape, sizeof(T), linspace_op<T, dextents<1>>::name, at);
  return {detail::linspace_of(start, stop, shape, of == interval::closed), at};
}
/// `linspace(0.f, 1.f, extents<5>{})`: the same with the number in the type.
template <real_number T, index_t N, class K = kernels_here>
auto linspace(T start, std::type_identity_t<T> stop, extents<N> shape,
              interval of = interval::closed, site at = site::here())
    -> expr<linspace_op<T, extents<N>>, K> {
  detail::checked_count(shape, sizeof(T), linspace_op<T, extents<N>>::name, at);
  return {detail::linspace_of(start, stop, shape, of == interval::closed), at};
}

}}  // namespace placement::v0_1
