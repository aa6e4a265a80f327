#pragma once

#include <placement/expr/evaluate.hpp>

#include <limits>

namespace placement { inline namespace v0_1 {

/// Positions first, first + step, ... before last, along one dimension; negative ones count from
/// the end, as in Python.
/// `range{0, 4}`, `range{.step = -1}`. What lies outside of the dimension is cut off.
struct range {
  static constexpr index_t open =
      std::numeric_limits<index_t>::min();  ///< from the very first, to the very last
  index_t first = open;
  index_t last = open;
  index_t step = 1;
};
/// A whole dimension: `slice(x, everything, range{0, 4})`.
inline constexpr range everything{};

namespace detail {

/// A range in a dimension of n elements: where it starts and how many there are. Throws:
/// shape_error for step 0.
struct positions {
  index_t start = 0, count = 0;
};
constexpr positions resolve_range(range r, index_t n) {
  if (r.step == 0)
    throw shape_error("placement: the step of a range is 0. Use 1, or -1 to go backwards.");
  bool const forward = r.step > 0;
  auto clamp = [&](index_t p, index_t low, index_t high) {
    if (p < 0) p = p < -n ? -1 : p + n;
    return p < low ? low : p > high ? high : p;
  };
  index_t const start = r.first == range::open ? (forward ? 0 : n - 1)
                        : forward              ? clamp(r.first, 0, n)
                                               : clamp(r.first, -1, n - 1);
  index_t const end = r.last == range::open ? (forward ? n : -1)
                      : forward             ? clamp(r.last, 0, n)
                                            : clamp(r.last, -1, n - 1);
  index_t const length = forward ? end - start : start - end;
  index_t const stride = forward                 ? r.step
                         : r.step == range::open ? std::numeric_limits<index_t>::max()
                                                 : -r.step;
  return {start, length <= 0 ? 0 : (length - 1) / stride + 1};
}

}  // namespace detail

/// Part of each dimension: one range per dimension, the rest whole.
/// Shape: the operand's rank.  Type: any.  Kernels: CPU, GPU (pattern view_op).  A view: assignable
/// through view().
template <std::size_t Given> struct slice_op {
  static constexpr std::string_view name = "StridedSlice";
  using pattern = view_op;

  range ranges[Given];

  template <class X> constexpr dextents<X::rank> result(X const& x) const {
    static_assert(
        Given <= X::rank,
        "placement: slice has more ranges than the tensor has dimensions. Give one range per dimension.");
    dextents<X::rank> y;
    for (std::size_t d = 0; d != X::rank; ++d)
      y.n[d] = d < Given ? detail::resolve_range(ranges[d], x.at(d)).count : x.at(d);
    return y;
  }
  template <std::size_t R, class X> constexpr layout<R> moved(layout<R> where, X const& x) const {
    for (std::size_t d = 0; d != Given; ++d) {
      where.base += detail::resolve_range(ranges[d], x.at(d)).start * where.stride[d];
      where.stride[d] *= ranges[d].step;
    }
    return where;
  }
};
template <operand X, std::same_as<range>... R> requires(sizeof...(R) > 0)
auto slice(X&& x, R... ranges) -> node<slice_op<sizeof...(R)>, X> {
  return {{{ranges...}}, {}, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
