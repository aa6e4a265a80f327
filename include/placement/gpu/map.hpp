#pragma once
/// Chooses the kernel and the number of blocks of a fused element-wise expression on a GPU.
///
/// A grid runs a kernel: grid(kernel, blocks). On a device that is one launch, in tests a loop.

#include <placement/gpu/transpose.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// out[i] = f(i) for 0 <= i < n. Cost: one launch for any n.
template <class Grid, class R, class F>
void map_contiguous(Grid const& grid, R* out, index_t n, F const& f) {
  constexpr int width = vector_width<R, F>;
  launch_tiles(grid, dense_result<R>{out}, n, f, is_aligned<width>(out) && aligned_for<width>(f));
}

/// Stores the results of a strided kernel at the positions of a layout.
template <class R, std::size_t Rank> struct strided_result {
  using element = R;
  R* p;
  layout<Rank> where;
  template <int V, class F>
  PLACEMENT_HD void store(F const& f, index_t i, access_of<R, V> const& x) const {
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

/// A layout with two dimensions swapped.
template <std::size_t R> constexpr layout<R> swapped(layout<R> l, std::size_t a, std::size_t b) {
  std::swap(l.stride[a], l.stride[b]);
  return l;
}

/// Iterates over the pieces of a strided expression, independent of what it computes. The first
/// layout is the result's.
template <std::size_t R> class walk {
 public:
  static constexpr std::size_t last = collapsed<R>::slots - 1;

  /// Reorders the layouts so that the dimension along which the result is contiguous comes last.
  /// Neighbouring threads then write neighbouring elements.
  constexpr walk(dextents<R> x, layout<R>* all, std::size_t count, index_t max)
      : all_(all),
        count_(count),
        whole_(collapse(follow_result(x, all, count), all, count)),
        piece_(whole_.extent, max) {}

  constexpr explicit operator bool() const { return static_cast<bool>(piece_); }
  constexpr void next() { piece_.next(); }
  constexpr index_t count() const { return piece_.count(); }
  /// The index of the piece's first element.
  constexpr index_t first() const { return piece_.first; }
  /// The piece's shape; writes its layouts to `at`.
  constexpr collapsed<R> place(layout<R>* at) const {
    for (std::size_t k = 0; k != count_; ++k) at[k] = whole_.slotted(all_[k], piece_.start);
    collapsed<R> c = whole_;
    for (std::size_t s = 0; s <= last; ++s) c.extent[s] = piece_.extent[s];
    return c;
  }
  /// The first slot along which an operand is contiguous that is not so along the last slot. Both
  /// slots must fill a tile well; otherwise returns the last slot, for no transposition. Of short
  /// rows of the result, a block reads whole sectors in any case. bytes: of an operand's element.
  static constexpr std::size_t transposed(collapsed<R> const& c, layout<R> const* at,
                                          std::size_t count, std::size_t bytes) {
    constexpr index_t least_rows = 32, low = 48, short_row = 512;
    index_t const row = c.extent[last] * static_cast<index_t>(bytes);
    for (std::size_t k = 1; k < count; ++k) {
      if (at[k].stride[last] == 0 || at[k].stride[last] == 1) continue;
      for (std::size_t s = c.first; s < last; ++s)
        if (at[k].stride[s] == 1 && c.extent[s] >= least_rows &&
            row >= (c.extent[s] < low ? 2 * short_row : short_row))
          return s;
    }
    return last;
  }

 private:
  static constexpr dextents<R> follow_result(dextents<R> x, layout<R>* all, std::size_t count) {
    if constexpr (R >= 2) {
      if (all[0].stride[last] == 1 || x.n[last] == 1) return x;
      std::size_t d = 0;
      while (d != last && (all[0].stride[d] != 1 || x.n[d] == 1)) ++d;
      std::swap(x.n[d], x.n[last]);
      for (std::size_t k = 0; k != count; ++k) all[k] = swapped(all[k], d, last);
    }
    return x;
  }

  layout<R> const* all_;
  std::size_t count_;
  collapsed<R> whole_;
  pieces<collapsed<R>::slots> piece_;
};

/// Launches an expression in tiles, with slot `transposed` as one of their sides.
template <class Grid, class R, class F, std::size_t Rank>
void launch_transposed(Grid const& grid, R* out, layout<Rank> const& where, collapsed<Rank> c,
                       F const& f, std::size_t transposed) {
  constexpr std::size_t last = Rank - 1, side = Rank - 2;
  std::swap(c.extent[side], c.extent[transposed]);
  index_t const rows = c.extent[side], columns = c.extent[last];
  c.extent[side] = c.extent[last] = 1;
  constexpr tile_shape tile = tile_of<F>;
  index_t const down = (rows + tile.height - 1) / tile.height,
                across = (columns + tile.width - 1) / tile.width;
  auto const divisor = [](index_t n) { return fast_divisor(static_cast<std::uint32_t>(n)); };
  layout<Rank> all[layouts_in<F>];
  put_layouts(f, all);
  for (layout<Rank>& l : all) l = swapped(l, side, transposed);
  layout<Rank> const* from = all;
  grid(map_transposed_tiles<R, F, Rank>{out, swapped(where, side, transposed), rows, columns,
                                        divisor(across), divisor(down),
                                        numbering<Rank>(c.extent, c.first), with_layouts(f, from)},
       across * down * c.count());
}

/// Writes `out` at each position of a layout from the strided expression f. `MayTranspose`: whether
/// operands may be transposed. Cost: one launch per 2^31 elements.
template <bool MayTranspose = true, class Grid, class R, class X, class F, class Where>
void map_strided(Grid const& grid, R* out, Where const& where, X const& x, F const& f) {
  constexpr std::size_t rank = X::rank, count = 1 + layouts_in<F>;
  constexpr bool dense = std::is_same_v<Where, untransposed_layout<rank>>;
  using by_number = numbered<F, rank, dense>;
  constexpr int width = vector_width<R, by_number>;
  layout<rank> all[count]{where}, at[count];
  put_layouts(f, all + 1);
  for (walk<rank> w(in_value(x), all, count, max_piece_of(grid)); w; w.next()) {
    collapsed<rank> const piece = w.place(at);
    layout<rank> const* from = at + 1;
    F const g = with_layouts(f, from);
    if constexpr (MayTranspose && !dense && rank >= 2 && operands_in_memory<F> != 0) {
      if (std::size_t const transposed = w.transposed(piece, at, count, bytes_of_operands<F>.most);
          transposed != w.last) {
        launch_transposed(grid, out, at[0], piece, g, transposed);
        continue;
      }
    }
    bool const vectorized = rows_vectorizable<width>(g, piece.extent[w.last]);
    by_number const all_of_it{g, numbering<rank>(piece.extent, piece.first)};
    if constexpr (dense) {
      R* const to = out + w.first();
      launch_tiles(grid, dense_result<R>{to}, w.count(), all_of_it,
                   vectorized && is_aligned<width>(to));
    } else {
      launch_tiles(
          grid, strided_result<R, rank>{out, at[0]}, w.count(), all_of_it,
          vectorized && aligned_for<width>(strided_load<dense_leaf<R>, rank>{{out}, at[0]}));
    }
  }
}

/// Writes rows densely to `out`, one piece at a time. rows(start): the expression from `start` on.
template <class Grid, class T, std::size_t R, class Rows>
void map_numbered(Grid const& grid, T* out, index_t const (&extents)[R], bool vectorized,
                  Rows const& rows) {
  for (pieces<R> p(extents, max_piece_of(grid)); p; p.next()) {
    auto const f = rows(p.start);
    launch_tiles(grid, dense_result<T>{out + p.first}, p.count(),
                 numbered<std::remove_const_t<decltype(f)>, R>{f, {p.extent, 0}}, vectorized);
  }
}

}}}  // namespace placement::v0_1::detail
