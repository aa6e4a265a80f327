#pragma once
/// A reduction on a GPU: how its rows are shared among threads, and what merges their parts.
///
/// A grid also lends memory that is in use until its next launches are done: grid.room(bytes).

#include <placement/kernels/fold_rows.hpp>

#include <type_traits>
#include <utility>

namespace placement::inline v0_1::detail {

/// out[first_row + o] = the merged states of row o, finished as of n elements.
template <class Op, class T, class Grid, class R, class State, class After>
void merge_states(Grid const& grid, Op const& op, R* out, State const* partial, After const& after,
                  index_t rows, index_t splits, index_t first_row, index_t n) {
  using second = fold_rows<merging<Op, T>, State, R, state_rows<State>, After>;
  auto const s = shape_along(rows, splits, 1, false);
  grid(second{{op}, out, nullptr, {partial, splits}, after, s, first_row, 0, n}, s.blocks());
}

/// One element of the result for each of s.rows rows. Cost: one launch; two where rows are split.
template <class Op, class T, class Grid, class R, class Rows, class After>
void fold_all_rows(Grid const& grid, Op const& op, R* out, Rows const& source, After const& after,
                   fold_shape const& s, index_t first_row) {
  using body = fold_rows<Op, T, R, Rows, After>;
  using state = typename body::state;
  if (s.rows == 0) return;
  if (s.splits == 1) {
    grid(body{op, out, nullptr, source, after, s, first_row, 0, s.length}, s.blocks());
    return;
  }
  auto const room = grid.room(static_cast<std::size_t>(s.rows * s.splits) * sizeof(state));
  auto* const partial = static_cast<state*>(room.data());
  grid(body{op, out, partial, source, after, s, first_row, 0, s.length}, s.blocks());
  merge_states<Op, T>(grid, op, out, partial, after, s.rows, s.splits, first_row, s.length);
}

/// All n elements of f to out[0].
template <class Op, class T, class Grid, class R, class F, class After>
void fold_flat(Grid const& grid, Op const& op, R* out, index_t n, F const& f, After const& after) {
  constexpr int width = chunk_width<char, F>;
  bool const in_chunks = aligned_for<width>(f);
  int const v = in_chunks ? width : 1;
  fold_all_rows<Op, T>(grid, op, out, one_row<F>{f}, after,
                       split_rows(shape_along(1, n, v, in_chunks), v), 0);
}

/// All elements of shape x in rows to out[0].
template <class Op, class T, class Grid, class R, class X, class F, class After>
void fold_in_rows(Grid const& grid, Op const& op, R* out, X const& x, F const& f,
                  After const& after) {
  using state = typename Op::template state<T>;
  constexpr std::size_t last = collapsed<X::rank>::slots - 1;
  auto const whole = collapse(x, f);
  auto const piece_of = [&](auto& start, auto& extent) {
    auto c = whole;
    for (std::size_t s = 0; s <= last; ++s) c.extent[s] = extent[s];
    auto const g = relaid(f, [&](auto const& l) { return whole.slotted(l, start); });
    return std::pair{numbered<std::remove_const_t<decltype(g)>, X::rank>{
                         g, numbering<X::rank>(c.extent, c.first)},
                     c.count()};
  };
  index_t const n = whole.count();
  using piece = decltype(piece_of(whole.extent, whole.extent).first);
  constexpr int width = chunk_width<char, piece>;
  auto const shape_of = [&](piece const& p, index_t count, index_t row) {
    bool const in_chunks = rows_in_chunks<width>(p.f, row);
    int const v = in_chunks ? width : 1;
    return split_rows(shape_along(1, count, v, in_chunks), v);
  };
  if (n <= most_in_piece) {
    index_t const zero[last + 1]{};
    auto const [p, count] = piece_of(zero, whole.extent);
    fold_all_rows<Op, T>(grid, op, out, one_row<piece>{p}, after,
                         shape_of(p, count, whole.extent[last]), 0);
    return;
  }
  using body = fold_rows<Op, T, R, one_row<piece>, After>;
  index_t pieces = 0;
  for_each_piece(whole.extent, most_in_piece, [&](auto&, auto&, index_t) { ++pieces; });
  auto const room = grid.room(static_cast<std::size_t>(pieces * enough_blocks) * sizeof(state));
  auto* const partial = static_cast<state*>(room.data());
  index_t used = 0;
  for_each_piece(whole.extent, most_in_piece, [&](auto& start, auto& extent, index_t first) {
    auto const [p, count] = piece_of(start, extent);
    auto const s = shape_of(p, count, extent[last]);
    grid(body{op, out, partial + used, {p}, after, s, 0, first, n}, s.blocks());
    used += s.splits;
  });
  merge_states<Op, T>(grid, op, out, partial, after, 1, used, 0, n);
}

/// A layout with one dimension moved to the end, behind those that stay in order.
template <std::size_t R> constexpr layout<R> with_last(layout<R> const& l, std::size_t axis) {
  layout<R> to = l;
  for (std::size_t d = axis; d + 1 < R; ++d) to.stride[d] = l.stride[d + 1];
  to.stride[R - 1] = l.stride[axis];
  return to;
}

/// Along dimension `axis` of shape x: one result for each of the other coordinates, in order.
template <class Op, class T, class Grid, class R, class X, class F, class After>
void fold_axis_of(Grid const& grid, Op const& op, R* out, X const& x, std::size_t axis, F const& f,
                  After const& after) {
  constexpr std::size_t last = X::rank - 1;
  dextents<X::rank> moved;
  for (std::size_t d = 0; d != last; ++d) moved.n[d] = x.at(d < axis ? d : d + 1);
  moved.n[last] = x.at(axis);
  auto const turned = relaid(f, [&](auto const& l) { return with_last(l, axis); });
  auto const whole = collapse<1>(moved, turned);
  index_t rows[last + 1];  // the rows' shape, and 1
  for (std::size_t s = 0; s != last; ++s) rows[s] = whole.extent[s];
  rows[last] = 1;
  bool const across = axis != last;
  for_each_piece(rows, most_in_piece, [&](auto& start, auto& extent, index_t first) {
    auto const g = relaid(turned, [&](auto const& l) { return whole.slotted(l, start); });
    using lines = std::remove_const_t<decltype(g)>;
    constexpr int width = chunk_width<char, lines>;
    bool const in_chunks = !across && rows_in_chunks<width>(g, whole.extent[last]);
    int const v = in_chunks ? width : 1;
    index_t count = 1;
    for (index_t e : extent) count *= e;
    auto const s = across ? shape_across(count, whole.extent[last])
                          : shape_along(count, whole.extent[last], v, in_chunks);
    fold_all_rows<Op, T>(grid, op, out, many_rows<lines, X::rank>{g, {extent, whole.first}}, after,
                         split_rows(s, v), first);
  });
}

}  // namespace placement::inline v0_1::detail
