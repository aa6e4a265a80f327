#pragma once
/// Reductions on a GPU: how threads share rows, and how partial results are combined.
///
/// A grid also provides scratch memory that is valid until its next launches are done:
/// `grid.allocate_scratch(bytes)`.

#include <placement/gpu/reduce.hpp>
#include <placement/shape/axis.hpp>

#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// out[first_row + o] = the combined partial states of row o, finalized for n elements.
template <class Op, class T, class Grid, class R, class State, class Epilogue>
void combine_states(Grid const& grid, Op const& op, R* out, State const* partial,
                    Epilogue const& epilogue, index_t rows, index_t splits, index_t first_row,
                    index_t n) {
  using second = reduce_kernel<combining<Op, T>, State, R, partial_rows<State>, Epilogue>;
  auto const s = shape_along(rows, splits, 1, false);
  grid(second{{op}, out, nullptr, {partial, splits}, epilogue, s, first_row, 0, n}, s.blocks());
}

/// One element of the result for each of s.rows rows. Cost: one launch; two if rows are split.
template <class Op, class T, class Grid, class R, class Rows, class Epilogue>
void launch_reduction(Grid const& grid, Op const& op, R* out, Rows const& source,
                      Epilogue const& epilogue, reduce_shape const& s, index_t first_row) {
  using gpu_reduce = reduce_kernel<Op, T, R, Rows, Epilogue>;
  using state = typename gpu_reduce::state;
  if (s.rows == 0) return;
  if (s.splits == 1) {
    grid(gpu_reduce{op, out, nullptr, source, epilogue, s, first_row, 0, s.length}, s.blocks());
    return;
  }
  auto const scratch =
      grid.allocate_scratch(static_cast<std::size_t>(s.rows * s.splits) * sizeof(state));
  auto* const partial = static_cast<state*>(scratch.data());
  grid(gpu_reduce{op, out, partial, source, epilogue, s, first_row, 0, s.length}, s.blocks());
  combine_states<Op, T>(grid, op, out, partial, epilogue, s.rows, s.splits, first_row, s.length);
}

/// Reduces all n elements of f to out[0].
template <class Op, class T, class Grid, class R, class F, class Epilogue>
void reduce_contiguous(Grid const& grid, Op const& op, R* out, index_t n, F const& f,
                       Epilogue const& epilogue) {
  constexpr int width = vector_width<char, F>;
  bool const vectorized = aligned_for<width>(f);
  int const v = vectorized ? width : 1;
  launch_reduction<Op, T>(grid, op, out, one_row<F>{f}, epilogue,
                          split_rows(shape_along(1, n, v, vectorized), v), 0);
}

/// Reduces all elements of a strided expression of shape x to out[0].
template <class Op, class T, class Grid, class R, class X, class F, class Epilogue>
void reduce_strided(Grid const& grid, Op const& op, R* out, X const& x, F const& f,
                    Epilogue const& epilogue) {
  constexpr std::size_t rank = X::rank, count = layouts_in<F>, last = collapsed<rank>::slots - 1;
  using by_number = numbered<F, rank>;
  using gpu_reduce = reduce_kernel<Op, T, R, one_row<by_number>, Epilogue>;
  using state = typename gpu_reduce::state;
  constexpr int width = vector_width<char, by_number>;
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
    bool const vectorized = rows_vectorizable<width>(p.f.f, row);
    int const v = vectorized ? width : 1;
    return split_rows(shape_along(1, total, v, vectorized), v);
  };
  index_t const max = max_piece_of(grid);
  if (n <= max) {
    index_t const start[last + 1]{};
    auto const p = piece_of(start, whole.extent);
    launch_reduction<Op, T>(grid, op, out, p, epilogue, shape_of(p, n, whole.extent[last]), 0);
    return;
  }
  index_t piece_count = 0, used = 0;
  for (pieces<last + 1> p(whole.extent, max); p; p.next()) ++piece_count;
  auto const scratch =
      grid.allocate_scratch(static_cast<std::size_t>(piece_count * enough_blocks) * sizeof(state));
  auto* const partial = static_cast<state*>(scratch.data());
  for (pieces<last + 1> p(whole.extent, max); p; p.next()) {
    auto const row = piece_of(p.start, p.extent);
    auto const s = shape_of(row, p.count(), p.extent[last]);
    grid(gpu_reduce{op, out, partial + used, row, epilogue, s, 0, p.first, n}, s.blocks());
    used += s.splits;
  }
  combine_states<Op, T>(grid, op, out, partial, epilogue, 1, used, 0, n);
}

/// Iterates over the fibers of a shape along one dimension in pieces, independent of the reduction.
/// That dimension becomes the last; the others stay in order.
template <std::size_t R> class walk_fibers {
 public:
  constexpr walk_fibers(dextents<R> x, std::size_t axis, layout<R>* all, std::size_t count,
                        index_t max)
      : all_(all),
        count_(count),
        whole_(collapse(moved(x, axis, all, count), all, count, 1)),
        rows_(rows_of(whole_)),
        piece_(rows_.extent, max) {}

  constexpr explicit operator bool() const { return static_cast<bool>(piece_); }
  constexpr void next() { piece_.next(); }
  constexpr index_t length() const { return whole_.extent[R - 1]; }
  constexpr index_t rows() const { return piece_.count(); }
  constexpr index_t first_row() const { return piece_.first; }
  /// The numbering of the piece's rows; writes its layouts to `at`.
  constexpr numbering<R> place(layout<R>* at) const {
    for (std::size_t k = 0; k != count_; ++k) at[k] = whole_.slotted(all_[k], piece_.start);
    return {piece_.extent, whole_.first};
  }

 private:
  static constexpr dextents<R> moved(dextents<R> x, [[maybe_unused]] std::size_t axis,
                                     [[maybe_unused]] layout<R>* all,
                                     [[maybe_unused]] std::size_t count) {
    if constexpr (R > 1) {  // g++ warns of a loop that it cannot prove empty
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

/// Reduces the fibers along dimension `axis` of shape x.
template <class Op, class T, class Grid, class R, class X, class F, class Epilogue>
void reduce_fibers(Grid const& grid, Op const& op, R* out, X const& x, std::size_t axis, F const& f,
                   Epilogue const& epilogue) {
  constexpr std::size_t rank = X::rank, count = layouts_in<F>;
  constexpr int width = vector_width<char, F>;
  bool const across = axis + 1 != rank;
  layout<rank> all[count + 1], at[count + 1];
  put_layouts(f, all);
  for (walk_fibers<rank> w(in_value(x), axis, all, count, max_piece_of(grid)); w; w.next()) {
    auto const rows = w.place(at);
    layout<rank> const* from = at;
    F const g = with_layouts(f, from);
    bool const vectorized = !across && rows_vectorizable<width>(g, w.length());
    int const v = vectorized ? width : 1;
    auto const s = across ? shape_across(w.rows(), w.length())
                          : shape_along(w.rows(), w.length(), v, vectorized);
    launch_reduction<Op, T>(grid, op, out, numbered_rows<F, rank>{g, rows}, epilogue,
                            split_rows(s, v), w.first_row());
  }
}

/// Op without its axis: reductions along several axes then share their kernels. An op with other
/// members stays as it is.
template <class Op> struct without_axis {
  using type = Op;
};
template <template <class, class...> class Op, class Axis, class... R>
requires std::is_empty_v<Op<over_all, R...>>
struct without_axis<Op<along<Axis>, R...>> {
  using type = Op<over_all, R...>;
};

/// Reduces along dimension `axis` of shape x: one result for each of the other coordinates, in
/// order.
template <class Op, class T, class Grid, class R, class X, class F, class Epilogue>
void reduce_axis(Grid const& grid, [[maybe_unused]] Op const& op, R* out, X const& x,
                 std::size_t axis, F const& f, Epilogue const& epilogue) {
  using shared = typename without_axis<Op>::type;
  if constexpr (std::is_same_v<Op, shared>)
    reduce_fibers<Op, T>(grid, op, out, x, axis, f, epilogue);
  else reduce_fibers<shared, T>(grid, shared{}, out, x, axis, f, epilogue);
}

}}}  // namespace placement::v0_1::detail
