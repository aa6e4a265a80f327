#pragma once
/// Fibers of dense elements: the elements along one dimension, a constant step apart.

#include <placement/shape/extents.hpp>

#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// The products of the extents before and after a dimension. `after` is the step between neighbours
/// along the dimension.
struct sides {
  index_t before = 1, after = 1;
};
template <class X> constexpr sides sides_of(X const& x, std::size_t dimension) {
  sides s;
  for (std::size_t d = 0; d != X::rank; ++d) {
    if (d < dimension) s.before *= x.at(d);
    if (d > dimension) s.after *= x.at(d);
  }
  return s;
}

/// Calls f(first, step) for each fiber along a dimension of shape x. The fiber's elements are
/// first, first + step, ...
template <class X, class F> constexpr void for_each_fiber(X const& x, std::size_t dimension, F f) {
  auto const [before, after] = sides_of(x, dimension);
  index_t const n = x.at(dimension);
  if (n == 0) return;
  for (index_t i = 0; i != before; ++i)
    for (index_t j = 0; j != after; ++j) f(i * n * after + j, after);
}

/// Makes a shape of rank R from two functions of the dimension: the static extent (or dyn), and the
/// run-time extent.
template <std::size_t R, class StaticExtent, class Value>
constexpr auto make_shape(StaticExtent, Value const& value) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    extents<StaticExtent{}(D)...> x{};
    if constexpr (!decltype(x)::is_static) ((x.n[D] = value(D)), ...);
    return x;
  }(std::make_index_sequence<R>{});
}

}}}  // namespace placement::v0_1::detail
