#pragma once
/// The element-wise kernel for transposed operands. Tiles of such operands go through shared
/// memory.

#include <placement/gpu/collapse.hpp>
#include <placement/gpu/tile.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The shared memory for the tiles of operands. Operands beyond it are read in place.
inline constexpr std::size_t tile_room = 40960;

/// The rows and columns of a tile. In shared memory its columns are contiguous.
struct tile_shape {
  int height, width;

  /// The step between columns, which spreads a row over all banks.
  PLACEMENT_HD constexpr int pitch() const { return height + 1; }
  constexpr std::size_t bytes(std::size_t element) const {
    return (static_cast<std::size_t>(width * pitch()) * element + 15) / 16 * 16;
  }
};

/// The bytes of an element of all operands in memory together, and of the largest.
struct operand_bytes {
  std::size_t all = 0, most = 0;

  constexpr operand_bytes with(operand_bytes const& o) const {
    return {all + o.all, most > o.most ? most : o.most};
  }
};
template <class F> inline constexpr operand_bytes bytes_of_operands{};
template <class T, std::size_t R>
inline constexpr operand_bytes bytes_of_operands<strided_load<dense_leaf<T>, R>>{sizeof(T),
                                                                                 sizeof(T)};
template <bool Gpu, class Op, class... A>
inline constexpr operand_bytes bytes_of_operands<bound_expr<Gpu, Op, A...>> = [] {
  operand_bytes all;
  ((all = all.with(bytes_of_operands<A>)), ...);
  return all;
}();
/// The tiles of an expression. A large tile has more loads on their way at once; those of all
/// operands fit into tile_room, if small ones do.
template <class F>
inline constexpr tile_shape tile_of = [] {
  constexpr operand_bytes bytes = bytes_of_operands<F>;
  constexpr tile_shape large{64, 64}, middle{32, 64}, small{32, 32};
  if (bytes.most <= 4 && large.bytes(bytes.all) <= tile_room) return large;
  return middle.bytes(bytes.all) <= tile_room ? middle : small;
}();

/// The bytes of the tiles of an expression's operands in memory.
template <class F, tile_shape S> inline constexpr std::size_t tile_bytes = 0;
template <class T, std::size_t R, tile_shape S>
inline constexpr std::size_t tile_bytes<strided_load<dense_leaf<T>, R>, S> = S.bytes(sizeof(T));
template <bool Gpu, class Op, class... A, tile_shape S>
inline constexpr std::size_t tile_bytes<bound_expr<Gpu, Op, A...>, S> =
    (0 + ... + tile_bytes<A, S>);

/// Where the tile of operand I of an op starts, if the first operand's tile starts at At.
template <tile_shape S, std::size_t At, std::size_t I, class... A>
PLACEMENT_HD constexpr std::size_t tile_start() {
  std::size_t const bytes[] = {tile_bytes<A, S>..., 0};
  std::size_t start = At;
  for (std::size_t k = 0; k != I; ++k) start += bytes[k];
  return start;
}

/// Whether this operand is contiguous along the last dimension but one.
template <std::size_t R> PLACEMENT_HD constexpr bool is_transposed(layout<R> const& l) {
  return l.stride[R - 2] == 1 && l.step() != 1 && l.step() != 0;
}
template <tile_shape S, std::size_t At, class Leaf>
inline constexpr bool has_tile = tile_bytes<Leaf, S> != 0 && At + tile_bytes<Leaf, S> <= tile_room;

/// The tile that starts at coordinates c, and its shared memory.
template <std::size_t R> struct tile_place {
  coordinates<R> c;
  unsigned char* shared;
  index_t rows, columns;  ///< of the tile, within the shape
};

/// Loads the transposed operands' elements of a tile into shared memory.
template <tile_shape S, std::size_t At, class T, std::size_t R>
PLACEMENT_HD void fill_tiles(scalar<T> const&, tile_place<R> const&, int) {}
template <tile_shape S, std::size_t At, class Reader, std::size_t R>
PLACEMENT_HD void fill_tiles(strided_load<Reader, R> const& leaf, tile_place<R> const& p,
                             int thread) {
  if constexpr (has_tile<S, At, strided_load<Reader, R>>) {
    using T = typename Reader::element;
    if (!is_transposed(leaf.where)) return;
    T* const tile = reinterpret_cast<T*>(p.shared + At);
    index_t const step = leaf.where.step();
    int const down = thread % S.height, side = thread / S.height;
    T const* const from =
        leaf.read.p + leaf.where.row(p.c) + p.c.at[R - 1] * step + (down < p.rows ? down : 0);
    constexpr int sides = block_threads / S.height, each = S.width / sides;
    T x[static_cast<std::size_t>(each)];
    PLACEMENT_UNROLL
    for (int k = 0; k < each; ++k) {
      index_t const across = side + k * sides;
      x[k] = from[(across < p.columns ? across : 0) * step];
    }
    PLACEMENT_UNROLL
    for (int k = 0; k < each; ++k) tile[(side + k * sides) * S.pitch() + down] = x[k];
  }
}
template <tile_shape S, std::size_t At, bool Gpu, class Op, class... A, std::size_t R>
PLACEMENT_HD void fill_tiles(bound_expr<Gpu, Op, A...> const& f, tile_place<R> const& p,
                             int thread) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (fill_tiles<S, tile_start<S, At, I, A...>()>(f.args.template get<I>(), p, thread), ...);
  }(std::index_sequence_for<A...>{});
}

/// Element (down, across) of the tile, after fill_tiles.
template <tile_shape S, std::size_t At, class T, std::size_t R>
PLACEMENT_HD T in_tile(scalar<T> const& s, tile_place<R> const&, int, int) {
  return s.v;
}
template <tile_shape S, std::size_t At, class Reader, std::size_t R>
PLACEMENT_HD auto in_tile(strided_load<Reader, R> const& leaf, tile_place<R> const& p, int down,
                          int across) {
  index_t const at = leaf.where.row(p.c) + down * leaf.where.stride[R - 2] +
                     (p.c.at[R - 1] + across) * leaf.where.step();
  if constexpr (has_tile<S, At, strided_load<Reader, R>>) {
    using T = typename Reader::element;
    return is_transposed(leaf.where)
               ? reinterpret_cast<T const*>(p.shared + At)[across * S.pitch() + down]
               : leaf.read(at);
  } else {
    return leaf.read(at);
  }
}
template <tile_shape S, std::size_t At, bool Gpu, class Op, class... A, std::size_t R>
PLACEMENT_HD auto in_tile(bound_expr<Gpu, Op, A...> const& f, tile_place<R> const& p, int down,
                          int across) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return f.op(
        in_tile<S, tile_start<S, At, I, A...>()>(f.args.template get<I>(), p, down, across)...);
  }(std::index_sequence_for<A...>{});
}

}  // namespace detail

/// out[c, j] = f.row(c)(j), with one block per tile of the last two dimensions. Rank: at least 2.
template <class R, class F, std::size_t Rank> struct map_transposed_tiles {
  using local = detail::no_local;
  static constexpr detail::tile_shape tile = detail::tile_of<F>;
  static constexpr std::size_t bytes = detail::tile_bytes<F, tile>,
                               shared_bytes = bytes < detail::tile_room ? bytes : detail::tile_room;

  R* out;
  layout<Rank> where;  ///< of the result
  index_t rows, columns;
  fast_divisor across, down;  ///< the number of tiles
  numbering<Rank> batch;      ///< of the dimensions before the last two
  F f;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each([&](int thread, local&) {
      detail::fill_tiles<tile, 0>(f, place(block.number(), block.shared()), thread);
    });
    block.each_without_barrier(
        [&](int thread, local&) { write(place(block.number(), block.shared()), thread); });
  }

 private:
  PLACEMENT_HD detail::tile_place<Rank> place(index_t block, void* shared) const {
    constexpr index_t height = tile.height, width = tile.width;
    auto const number = static_cast<std::uint32_t>(block);
    std::uint32_t const strip = across.quotient(number), plane = down.quotient(strip);
    detail::tile_place<Rank> p{batch.element(plane), static_cast<unsigned char*>(shared), 0, 0};
    p.c.at[Rank - 2] = static_cast<index_t>(strip - plane * down.divisor) * height;
    p.c.at[Rank - 1] = static_cast<index_t>(number - strip * across.divisor) * width;
    p.rows = rows - p.c.at[Rank - 2] < height ? rows - p.c.at[Rank - 2] : height;
    p.columns = columns - p.c.at[Rank - 1] < width ? columns - p.c.at[Rank - 1] : width;
    return p;
  }
  PLACEMENT_HD void write(detail::tile_place<Rank> const& p, int thread) const {
    constexpr int sides = block_threads / tile.width, each = tile.height / sides;
    int const column = thread % tile.width, side = thread / tile.width;
    int const j = column < p.columns ? column : 0;
    R results[static_cast<std::size_t>(each)];
    PLACEMENT_UNROLL
    for (int k = 0; k < each; ++k) {
      int const i = side + k * sides;
      results[k] = detail::in_tile<tile, 0>(f, p, i < p.rows ? i : 0, j);
    }
    R* const to = out + where.row(p.c) + (p.c.at[Rank - 1] + column) * where.step();
    PLACEMENT_UNROLL
    for (int k = 0; k < each; ++k) {
      int const i = side + k * sides;
      if (i < p.rows && column < p.columns) to[i * where.stride[Rank - 2]] = results[k];
    }
  }
};

}}  // namespace placement::v0_1
