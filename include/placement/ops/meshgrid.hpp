#pragma once

#include <placement/ops/broadcast_to.hpp>
#include <placement/ops/reshape.hpp>

#include <tuple>

namespace placement { inline namespace v0_1 {

/// The order of meshgrid's dimensions. xy: the first vector runs along dimension 1 and the second
/// along dimension 0, as in images. ij: vector d runs along dimension d.
enum class indexing { xy, ij };

namespace detail {

/// The dimension along which vector `v` of `count` runs.
template <indexing Order> constexpr std::size_t grid_dimension(std::size_t v, std::size_t count) {
  return Order == indexing::xy && count > 1 && v < 2 ? 1 - v : v;
}

/// Shapes of a grid: `grid` of all vectors, `row` of vector V with 1 in all other dimensions.
template <indexing Order, class... X> struct grid_shapes {
  static constexpr std::size_t rank = sizeof...(X);
  static constexpr index_t in_type(std::size_t d) {
    constexpr index_t all[] = {X::static_extent(0)...};
    return all[grid_dimension<Order>(d, rank)];
  }
  static constexpr auto grid(X const&... x) {
    index_t const all[] = {x.at(0)...};
    return make_shape<rank>([](std::size_t d) { return in_type(d); },
                            [&](std::size_t d) { return all[grid_dimension<Order>(d, rank)]; });
  }
  template <std::size_t V, class Grid> static constexpr auto row(Grid const& g) {
    return make_shape<rank>(
        [](std::size_t d) { return d == grid_dimension<Order>(V, rank) ? in_type(d) : 1; },
        [&](std::size_t d) { return d == grid_dimension<Order>(V, rank) ? g.at(d) : 1; });
  }
};

}  // namespace detail

/// Coordinates of a grid: `auto [x, y] = meshgrid(xs, ys)`, `meshgrid<indexing::ij>(xs, ys, zs)`.
/// Element d of the tuple is vector d, repeated along the other dimensions.
/// Shape: (m), (n) -> (n, m), or (m, n) for ij.  Type: any.  Kernels: CPU, GPU (pattern view_op).
/// Cost: nothing; read only, as broadcast_to.
/// Throws: shape_error for more elements than can be addressed.
template <indexing Order = indexing::xy, operand... X, class K = kernels_here>
requires(sizeof...(X) > 0)
auto meshgrid(X&&... x) {
  static_assert(((bare<X>::rank == 1) && ...),
                "placement: meshgrid takes vectors. Write flatten(x).");
  if constexpr (((bare<X>::rank == 1) && ...)) {
    using shapes = detail::grid_shapes<Order, typename bare<X>::extents_type...>;
    auto const grid = shapes::grid(x.shape()...);
    return [&]<std::size_t... V>(std::index_sequence<V...>) {
      return std::tuple{
          broadcast_to(reshape(std::forward<X>(x), shapes::template row<V>(grid)), grid)...};
    }(std::index_sequence_for<X...>{});
  }
}

}}  // namespace placement::v0_1
