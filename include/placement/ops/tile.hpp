#pragma once

#include <placement/ops/repeat.hpp>
#include <placement/shape/axes.hpp>

namespace placement { inline namespace v0_1 {

/// Copies of the whole operand beside each other: reps[d] of them along dimension d.
/// Shape: the extents multiplied; the shorter of x's shape and reps is preceded by 1.
/// Type: any.  Kernels: CPU, GPU (pattern custom).
/// Cost: each element is written once; on a GPU log2(reps[d]) launches for each dimension.
/// Throws: shape_error for a negative number, or too many elements.
template <class Reps> struct tile_op : detail::box_op<tile_op<Reps>> {
  static constexpr std::string_view name = "Tile";

  [[no_unique_address]] Reps reps;

  constexpr explicit tile_op(Reps n) : reps(n) {}

  template <class X> constexpr auto result(X const& x) const {
    constexpr std::size_t R = detail::joined_rank<X, Reps>;
    for (std::size_t d = 0; d != Reps::rank; ++d)
      if (reps.at(d) < 0) detail::negative_times("tile", reps.at(d), d + R - Reps::rank);
    return detail::addressable(detail::make_shape<R>(
        [](std::size_t d) {
          return detail::multiplied_static(detail::padded_static_extent<X, R>(d),
                                           detail::padded_static_extent<Reps, R>(d));
        },
        [&](std::size_t d) {
          return detail::multiplied_extents(detail::padded_extent<R>(x, d),
                                            detail::padded_extent<R>(reps, d));
        }));
  }
  template <class T, class Y, class X, class Boxes>
  void each_box(dense_view<T, Y> const& out, dense_view<T const, X> const& in,
                Boxes const& f) const {
    constexpr std::size_t R = Y::rank;
    if (out.size() == 0) return;
    auto const where = row_major(out.shape);
    dextents<R> done{};  // the extents that are written
    for (std::size_t d = 0; d != R; ++d) done.n[d] = detail::padded_extent<R>(in.shape, d);
    std::size_t const first = first_copies(out, in.data, where, done, f);
    if (first != R) done.n[first] = out.shape.at(first);
    for (std::size_t d = first; d-- > 0;) {
      // Doubles what is written until the dimension is full.
      for (index_t full = out.shape.at(d), now = done.n[d]; now != full; now = done.n[d]) {
        dextents<R> part = done;
        part.n[d] = now < full - now ? now : full - now;
        auto next = where;
        next.base += now * where.stride[d];
        f.copy(out.data, next, static_cast<T const*>(out.data), where, part);
        done.n[d] += part.n[d];
      }
    }
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    constexpr std::size_t R = bare<decltype(g)>::rank;
    static_assert(2 * R <= max_rank, "placement: the derivative of tile takes rank 4 at most.");
    dextents<2 * R> apart{};
    run_time_axes<R> copies{};
    for (std::size_t d = 0; d != R; ++d) {
      apart.n[2 * d] = detail::padded_extent<R>(reps, d);
      apart.n[2 * d + 1] = detail::padded_extent<R>(x.shape(), d);
      copies.value[d] = static_cast<int>(2 * d);
    }
    return reshape(sum(reshape(g, apart), copies), x.shape());
  }

 private:
  /// Writes all copies along the innermost dimension that is tiled, which it returns. Each row is
  /// read once for all of its copies. x: the extents of the operand.
  template <class T, class Y, class Boxes>
  static std::size_t first_copies(dense_view<T, Y> const& out, T const* in,
                                  layout<Y::rank> const& where, dextents<Y::rank> const& x,
                                  Boxes const& f) {
    constexpr std::size_t R = Y::rank;
    std::size_t a = R - 1;
    while (a != 0 && out.shape.at(a) == x.n[a]) --a;
    if constexpr (R == max_rank) {  // no rank is left for the copies
      f.copy(out.data, where, in, row_major(x), x);
      return R;
    } else {
      auto const from = row_major(x);
      layout<R + 1> to, source;
      dextents<R + 1> all{};
      for (std::size_t d = 0; d != R + 1; ++d) {
        std::size_t const of = d <= a ? d : d - 1;
        bool const copies = d == a;
        to.stride[d] = copies ? x.n[a] * where.stride[a] : where.stride[of];
        source.stride[d] = copies ? 0 : from.stride[of];
        all.n[d] = copies ? out.shape.at(a) / x.n[a] : x.n[of];
      }
      f.copy(out.data, to, in, source, all);
      return a;
    }
  }
};
/// `tile(x, shape(2, 3))`, `tile(x, extents<2, 3>{})`: the second keeps static extents.
template <operand X, index_t... N> requires(sizeof...(N) > 0)
auto tile(X&& x, extents<N...> reps, site at = site::here()) -> node<tile_op<extents<N...>>, X> {
  return {tile_op<extents<N...>>{reps}, at, std::forward<X>(x)};
}
/// `tile(x, 2)`: copies along the last dimension.
template <operand X>
auto tile(X&& x, index_t reps, site at = site::here()) -> node<tile_op<dextents<1>>, X> {
  return {tile_op<dextents<1>>{shape(reps)}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
