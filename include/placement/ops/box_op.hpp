#pragma once
/// The base of ops that copy boxes of their operand: pad, tile, repeat and roll. Each element is
/// written once, by copies of rows on the CPU and by strided launches on a GPU.

#include <placement/cpu/box_copy.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

namespace no_adl {
/// Op: calls f.copy and f.fill for each box in each_box(out, in, f).
template <class Op> struct box_op {
  using pattern = custom;
  using gpu_lowering = lowered::boxes;
  template <class> static constexpr bool has_gpu_kernel = true;

  template <class T, class Y, class X>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> in) const noexcept {
    static_cast<Op const&>(*this).each_box(out, in, cpu_boxes{});
  }
};
}  // namespace no_adl
using no_adl::box_op;

/// a + b and a * b of extents; the largest number where they overflow, which no tensor has.
constexpr index_t added_extents(index_t a, index_t b) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  return a > most - b ? most : a + b;
}
constexpr index_t multiplied_extents(index_t a, index_t b) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

/// The static extent of a multiplied by b; dyn if one is.
constexpr index_t multiplied_static(index_t a, index_t b) {
  return a == dyn || b == dyn ? dyn : multiplied_extents(a, b);
}

/// The extents of a shape as values.
template <class X> constexpr dextents<X::rank> values_of(X const& x) {
  dextents<X::rank> y{};
  if constexpr (X::rank != 0)
    for (std::size_t d = 0; d != X::rank; ++d) y.n[d] = x.at(d);
  return y;
}

/// Throws: shape_error for a result that is too large, of elements of any type: of 8 bytes.
template <class Y> constexpr Y addressable(Y const& y) {
  static_cast<void>(checked_count(y, 8));
  return y;
}

}}}  // namespace placement::v0_1::detail
