#pragma once
/// The layout of elements under another shape, found as in NumPy's reshape without a copy.

#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// A layout, if the strides allow one.
template <std::size_t R> struct layout_if_any {
  layout<R> where;
  bool exists = true;
};

/// The layout of the elements of shape x at layout l, in row-major order, as shape `to` of equal
/// size. Groups of dimensions with equal products are matched from the first dimension on. Within a
/// group of x, each stride must be the next stride times the next extent.
template <class X, class To>
constexpr layout_if_any<To::rank> reshaped_layout(layout<X::rank> const& l, X const& x,
                                                  To const& to) {
  layout_if_any<To::rank> made{row_major(to)};
  made.where.base = l.base;
  if (to.count() == 0) return made;

  std::size_t from = 0;  // dimensions of x with more than one element
  index_t extent[X::rank + 1]{}, stride[X::rank + 1]{};
  for (std::size_t d = 0; d != X::rank; ++d) {
    if (x.at(d) == 1) continue;
    extent[from] = x.at(d);
    stride[from++] = l.stride[d];
  }
  std::size_t d = 0;
  for (std::size_t first = 0; first != from;) {
    std::size_t last = first, end = d;
    index_t in_x = extent[first], in_to = to.at(end);
    while (in_x != in_to)
      if (in_x < in_to) in_x *= extent[++last];
      else in_to *= to.at(++end);
    for (std::size_t i = first; i != last; ++i)
      if (stride[i] != stride[i + 1] * extent[i + 1]) return {made.where, false};
    index_t step = stride[last];
    for (std::size_t i = end + 1; i-- != d; step *= to.at(i)) made.where.stride[i] = step;
    first = last + 1;
    d = end + 1;
  }
  return made;
}

}}}  // namespace placement::v0_1::detail
