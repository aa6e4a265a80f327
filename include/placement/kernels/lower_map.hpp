#pragma once
/// An element-wise region on a GPU: which body, how many blocks.
///
/// A grid runs a body: grid(body, blocks). On a device that is one launch, in tests a loop.

#include <placement/kernels/turned_tile.hpp>

#include <type_traits>

namespace placement::inline v0_1::detail {

template <class Grid, class To, class F>
void launch_tiles(Grid const& grid, To const& to, index_t n, F const& f, bool in_chunks) {
  if (n == 0) return;
  map_tiles<To, F> const b{to, n, in_chunks, f};
  grid(b, b.blocks());
}

/// out[i] = f(i). Cost: one launch, whatever n.
template <class Grid, class R, class F>
void map_flat(Grid const& grid, R* out, index_t n, F const& f) {
  constexpr int width = chunk_width<R, F>;
  launch_tiles(grid, dense_result<R>{out}, n, f, is_aligned<width>(out) && aligned_for<width>(f));
}

/// Where a kernel of rows writes: at the positions of a layout.
template <class R, std::size_t Rank> struct strided_result {
  using element = R;
  R* p;
  layout<Rank> where;
  template <int V, class F>
  PLACEMENT_HD void store(F const& f, index_t i, vec<R, V> const& x) const {
    auto const c = f.shape.element(static_cast<std::uint32_t>(i));
    R* const to = p + where.row(c) + c.at[coordinates<Rank>::slots - 1] * where.step();
    if constexpr (V == 1) {
      *to = x.v[0];
    } else {
      if (where.step() == 1) return store_vec(to, x);
      PLACEMENT_UNROLL
      for (int j = 0; j < V; ++j) to[j * where.step()] = x.v[j];
    }
  }
};

/// The first slot along which an operand lies that is not read side by side, if both sides fill a
/// tile well; else none, which is the last slot.
template <std::size_t R, class F>
constexpr std::size_t turned_slot(collapsed<R> const& c, F const& f) {
  constexpr std::size_t last = collapsed<R>::slots - 1;
  std::size_t found = last;
  if (c.extent[last] < tile_side / 2) return last;
  static_cast<void>(all_layouts(f, [&](layout<R> const& l) {
    if (l.stride[last] == 0 || l.stride[last] == 1) return true;
    for (std::size_t s = c.first; s < last; ++s)
      if (l.stride[s] == 1 && c.extent[s] >= tile_side / 2) found = s;
    return found == last;
  }));
  return found;
}

/// Two dimensions of a layout swapped.
template <std::size_t R> constexpr layout<R> swapped(layout<R> l, std::size_t a, std::size_t b) {
  std::swap(l.stride[a], l.stride[b]);
  return l;
}

/// A region whose slot `turned` is to be one side of the tiles.
template <class Grid, class R, class F, std::size_t Rank>
void launch_turned(Grid const& grid, R* out, layout<Rank> const& where, collapsed<Rank> c,
                   F const& f, std::size_t turned) {
  constexpr std::size_t last = Rank - 1, side = Rank - 2;
  std::swap(c.extent[side], c.extent[turned]);
  index_t const rows = c.extent[side], columns = c.extent[last];
  c.extent[side] = c.extent[last] = 1;
  auto const tiles = [](index_t n) { return (n + tile_side - 1) / tile_side; };
  auto const divisor = [&](index_t n) {
    return fast_divisor(static_cast<std::uint32_t>(tiles(n)));
  };
  auto const g = relaid(f, [&](auto const& l) { return swapped(l, side, turned); });
  grid(
      map_turned_tiles<R, std::remove_const_t<decltype(g)>, Rank>{
          out, swapped(where, side, turned), rows, columns, divisor(columns), divisor(rows),
          numbering<Rank>(c.extent, c.first), g},
      tiles(columns) * tiles(rows) * c.count());
}

/// The dimension along which a result lies side by side, else the last.
template <class X> constexpr std::size_t dense_dimension(layout<X::rank> const& l, X const& x) {
  constexpr std::size_t last = X::rank - 1;
  if (l.stride[last] == 1 || x.at(last) == 1) return last;
  for (std::size_t d = 0; d != last; ++d)
    if (l.stride[d] == 1 && x.at(d) > 1) return d;
  return last;
}

/// The same as map_rows, the dimensions in the order in which threads follow them. MayTurn: may an
/// operand lie the other way?
template <bool MayTurn = true, class Grid, class R, class X, class F>
void map_slots(Grid const& grid, R* out, layout<X::rank> const& where, X const& x, F const& f) {
  constexpr std::size_t last = collapsed<X::rank>::slots - 1;
  auto const whole = collapse(x, f, where);
  for_each_piece(whole.extent, most_in_piece, [&](auto& start, auto& extent, index_t) {
    auto piece = whole;
    for (std::size_t s = 0; s <= last; ++s) piece.extent[s] = extent[s];
    auto const to = whole.slotted(where, start);
    auto const g = relaid(f, [&](auto const& l) { return whole.slotted(l, start); });
    if constexpr (MayTurn && X::rank >= 2 && operands_in_memory<F> != 0) {
      if (std::size_t const turned = turned_slot(piece, g); turned != last)
        return launch_turned(grid, out, to, piece, g, turned);
    }
    using numbered_region = numbered<std::remove_const_t<decltype(g)>, X::rank>;
    constexpr int width = chunk_width<R, numbered_region>;
    bool const in_chunks = rows_in_chunks<width>(g, piece.extent[last]) &&
                           aligned_for<width>(lane<dense_leaf<R>, X::rank>{{out}, to});
    launch_tiles(grid, strided_result<R, X::rank>{out, to}, piece.count(),
                 numbered_region{g, numbering<X::rank>(piece.extent, piece.first)}, in_chunks);
  });
}

/// The element of `out` at each position of a layout, from f in rows.
/// Cost: one launch for every 2^31 elements.
template <class Grid, class R, class X, class F>
void map_rows(Grid const& grid, R* out, layout<X::rank> const& where, X const& x, F const& f) {
  if constexpr (X::rank >= 2) {  // threads follow the result: what lies that way comes last
    if (std::size_t const d = dense_dimension(where, x); d + 1 != X::rank) {
      dextents<X::rank> turned;
      for (std::size_t k = 0; k != X::rank; ++k) turned.n[k] = x.at(k);
      std::swap(turned.n[d], turned.n[X::rank - 1]);
      return map_slots(grid, out, swapped(where, d, X::rank - 1), turned,
                       relaid(f, [&](auto const& l) { return swapped(l, d, X::rank - 1); }));
    }
  }
  map_slots(grid, out, where, x, f);
}
}  // namespace placement::inline v0_1::detail
