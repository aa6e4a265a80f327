#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/simd_next.hpp>
#include <placement/ops/packs.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// The next number of this type after x in the direction of y, element by element.
/// Shape: broadcast.  Type: floating point, the same on both sides.
/// Kernels: CPU only, as TensorFlow's; in a GPU scope it falls back and says so.
struct next_after_op {
  static constexpr std::string_view name = "NextAfter";
  using pattern = map;
  using kernels = cpu_only;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T>
  static void array_loop(T* to, T const* x, T const* y, index_t n) {
    detail::element_loops<T>::next_after(to, x, y, n);
  }
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, T y, index_t n) {
    detail::element_loops<T>::next_after(to, x, y, n);
  }
  template <real_or_pack V> PLACEMENT_ALWAYS_INLINE V operator()(V x, V y) const noexcept {
    if constexpr (simd::is_pack<V>) return simd::next_number(x, y);
    else if constexpr (number_of_16_bits<V>) return detail::next_number(x, y);
    else return std::nextafter(x, y);
  }
};
template <class A, class B> requires operands<A, B>
auto next_after(A&& a, B&& b, site at = site::here()) -> binary<next_after_op, A, B> {
  return make_binary(next_after_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

}}  // namespace placement::v0_1
