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
  constexpr std::size_t rank = X::rank, count = layouts_in<F>, last = collapsed<rank>::slots - 1;
  using by_number = numbered<F, rank>;
  using body = fold_rows<Op, T, R, one_row<by_number>, After>;
  using state = typename body::state;
  constexpr int width = chunk_width<char, by_number>;
  layout<rank> all[count + 1], at[count + 1];
  put_layouts(f, all);
  auto const whole = collapse(in_value(x), all, count);
  index_t const n = whole.count();
  auto const piece_of = [&](index_t const(&start)[last + 1], index_t const(&extent)[last + 1]) {
    for (std::size_t k = 0; k != count; ++k) at[k] = whole.slotted(all[k], start);
    layout<rank> const* from = at;
    return one_row<by_number>{{with_layouts(f, from), {extent, whole.first}}};
  };
  auto const shape_of = [&](one_row<by_number> const& p, index_t total, index_t row) {
    bool const in_chunks = rows_in_chunks<width>(p.f.f, row);
    int const v = in_chunks ? width : 1;
    return split_rows(shape_along(1, total, v, in_chunks), v);
  };
  index_t const most = most_of(grid);
  if (n <= most) {
    index_t const start[last + 1]{};
    auto const p = piece_of(start, whole.extent);
    fold_all_rows<Op, T>(grid, op, out, p, after, shape_of(p, n, whole.extent[last]), 0);
    return;
  }
  index_t many = 0, used = 0;
  for (pieces<last + 1> p(whole.extent, most); p; p.next()) ++many;
  auto const room = grid.room(static_cast<std::size_t>(many * enough_blocks) * sizeof(state));
  auto* const partial = static_cast<state*>(room.data());
  for (pieces<last + 1> p(whole.extent, most); p; p.next()) {
    auto const row = piece_of(p.start, p.extent);
    auto const s = shape_of(row, p.count(), p.extent[last]);
    grid(body{op, out, partial + used, row, after, s, 0, p.first, n}, s.blocks());
    used += s.splits;
  }
  merge_states<Op, T>(grid, op, out, partial, after, 1, used, 0, n);
}

/// How the lines of a shape along one dimension are walked, piece by piece: all that does not
/// depend on what is folded. The dimension becomes the last, behind those that stay in order.
template <std::size_t R> class walk_lines {
 public:
  constexpr walk_lines(dextents<R> x, std::size_t axis, layout<R>* all, std::size_t count,
                       index_t most)
      : all_(all),
        count_(count),
        whole_(collapse(moved(x, axis, all, count), all, count, 1)),
        rows_(rows_of(whole_)),
        piece_(rows_.extent, most) {}

  constexpr explicit operator bool() const { return static_cast<bool>(piece_); }
  constexpr void next() { piece_.next(); }
  constexpr index_t length() const { return whole_.extent[R - 1]; }
  constexpr index_t rows() const { return piece_.count(); }
  constexpr index_t first_row() const { return piece_.first; }
  /// The numbers of the piece's rows, its layouts written to `at`.
  constexpr numbering<R> place(layout<R>* at) const {
    for (std::size_t k = 0; k != count_; ++k) at[k] = whole_.slotted(all_[k], piece_.start);
    return {piece_.extent, whole_.first};
  }

 private:
  static constexpr dextents<R> moved(dextents<R> x, [[maybe_unused]] std::size_t axis,
                                     [[maybe_unused]] layout<R>* all,
                                     [[maybe_unused]] std::size_t count) {
    if constexpr (R > 1) {  // g++ warns of a loop that it does not see to be empty
      for (std::size_t d = axis; d + 1 < R; ++d) {
        std::swap(x.n[d], x.n[d + 1]);
        for (std::size_t k = 0; k != count; ++k) std::swap(all[k].stride[d], all[k].stride[d + 1]);
      }
    }
    return x;
  }
  static constexpr collapsed<R> rows_of(collapsed<R> c) {
    c.extent[R - 1] = 1;
    return c;
  }

  layout<R> const* all_;
  std::size_t count_;
  collapsed<R> whole_, rows_;
  pieces<R> piece_;
};

/// Along dimension `axis` of shape x: one result for each of the other coordinates, in order.
template <class Op, class T, class Grid, class R, class X, class F, class After>
void fold_axis_of(Grid const& grid, Op const& op, R* out, X const& x, std::size_t axis, F const& f,
                  After const& after) {
  constexpr std::size_t rank = X::rank, count = layouts_in<F>;
  constexpr int width = chunk_width<char, F>;
  bool const across = axis + 1 != rank;
  layout<rank> all[count + 1], at[count + 1];
  put_layouts(f, all);
  for (walk_lines<rank> w(in_value(x), axis, all, count, most_of(grid)); w; w.next()) {
    auto const rows = w.place(at);
    layout<rank> const* from = at;
    F const g = with_layouts(f, from);
    bool const in_chunks = !across && rows_in_chunks<width>(g, w.length());
    int const v = in_chunks ? width : 1;
    auto const s = across ? shape_across(w.rows(), w.length())
                          : shape_along(w.rows(), w.length(), v, in_chunks);
    fold_all_rows<Op, T>(grid, op, out, many_rows<F, rank>{g, rows}, after, split_rows(s, v),
                         w.first_row());
  }
}

}  // namespace placement::inline v0_1::detail
