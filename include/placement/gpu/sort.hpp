#pragma once
/// Sorts along one dimension on a GPU. A block sorts a tile in shared memory; a group of its
/// threads sorts one short fiber. The tiles of a long fiber are merged in pairs, with one launch
/// per doubling. Stable. A registered library may sort long rows instead.
///
/// Source: Green, Odeh, Birk: Merge Path (2014).

#include <placement/gpu/sort_items.hpp>
#include <placement/kernels/sort_engine.hpp>
#include <placement/shape/strided_view.hpp>

namespace placement { inline namespace v0_1 {

/// Sorts fibers of at most sort_tile elements, or tiles of longer ones.
template <class Kind> struct sort_tiles {
  using item = typename Kind::item;
  using local = detail::some_items<item>;
  static constexpr int items_per_thread = detail::sorted_by_thread;
  static constexpr std::size_t shared_bytes = detail::sort_tile * sizeof(item);

  detail::sorted_to<Kind> to;
  detail::fibers_of<typename Kind::element const> in;
  index_t fibers, tiles;  ///< tiles: per fiber
  int group_size;         ///< threads that share a fiber or a tile of it: a power of 2

  constexpr index_t blocks() const {
    int const of_block = block_threads / group_size;
    return (fibers + of_block - 1) / of_block * tiles;
  }
  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    item* const all = static_cast<item*>(block.shared());
    block.each([&](int thread, local&) { load(block.number(), thread, all); });
    block.each([&](int thread, local& mine) { sort_some(block.number(), thread, all, mine); });
    for (int width = items_per_thread; width < group_size * items_per_thread; width *= 2) {
      block.each([&](int thread, local& mine) { merge(block.number(), thread, width, all, mine); });
      block.each([&](int thread, local& mine) { keep(block.number(), thread, all, mine); });
    }
    block.each_without_barrier([&](int thread, local&) { store(block.number(), thread, all); });
  }

 private:
  PLACEMENT_HD constexpr int of_fiber() const { return group_size * items_per_thread; }
  PLACEMENT_HD index_t fiber_of(index_t block, int l) const {
    return block / tiles * (block_threads / group_size) + l;
  }
  PLACEMENT_HD index_t start_of(index_t block) const { return block % tiles * of_fiber(); }
  /// The number of elements that the block sorts of its l-th fiber.
  PLACEMENT_HD int count_of(index_t block, int l) const {
    if (fiber_of(block, l) >= fibers) return 0;
    index_t const rest = in.length - start_of(block);
    return rest < of_fiber() ? static_cast<int>(rest) : of_fiber();
  }
  /// Calls f(l, i) for each element i of fiber l that this thread loads and stores. Neighbouring
  /// threads access neighbouring memory.
  template <class F> PLACEMENT_HD void for_mine(index_t block, int thread, F const& f) const {
    int const of_block = block_threads / group_size;
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      int const e = k * block_threads + thread;
      int const l = in.after == 1 ? e / of_fiber() : e % of_block;
      int const i = in.after == 1 ? e % of_fiber() : e / of_block;
      if (i < count_of(block, l)) f(l, i);
    }
  }
  PLACEMENT_HD void load(index_t block, int thread, item* all) const {
    for_mine(block, thread, [&](int l, int i) {
      index_t const at = start_of(block) + i;
      all[l * of_fiber() + i] = Kind::made(in.at(fiber_of(block, l), at), at);
    });
  }
  PLACEMENT_HD void store(index_t block, int thread, item const* all) const {
    for_mine(block, thread, [&](int l, int i) {
      to.put(fiber_of(block, l), start_of(block) + i, all[l * of_fiber() + i]);
    });
  }
  /// The number of items that this thread sorts; may exceed items_per_thread or be negative.
  PLACEMENT_HD int mine_of(index_t block, int thread) const {
    return count_of(block, thread / group_size) - thread % group_size * items_per_thread;
  }
  PLACEMENT_HD void sort_some(index_t block, int thread, item* all, local& mine) const {
    int const count = mine_of(block, thread);
    item* const at = all + thread * items_per_thread;
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; ++k)
      if (k < count) mine.x[k] = at[k];
    PLACEMENT_UNROLL
    for (int round = 0; round < items_per_thread; ++round) {  // only neighbours are swapped: stable
      PLACEMENT_UNROLL
      for (int k = round % 2; k + 1 < items_per_thread; k += 2)
        if (k + 1 < count && Kind::before(mine.x[k + 1], mine.x[k])) {
          item const first = mine.x[k + 1];
          mine.x[k + 1] = mine.x[k];
          mine.x[k] = first;
        }
    }
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; ++k)
      if (k < count) at[k] = mine.x[k];
  }
  /// Merges pairs of runs of `width` items: reads the items of the result that this thread holds.
  PLACEMENT_HD void merge(index_t block, int thread, int width, item const* all,
                          local& mine) const {
    int const l = thread / group_size, count = count_of(block, l);
    int const number = thread % group_size * items_per_thread,
              a = number / (2 * width) * (2 * width);
    if (number >= count) return;
    item const* const fiber = all + l * of_fiber();
    int const b = a + width < count ? a + width : count;
    int const end = a + 2 * width < count ? a + 2 * width : count;
    detail::merge_some<Kind>(mine, fiber + a, b - a, fiber + b, end - b, number - a);
  }
  PLACEMENT_HD void keep(index_t block, int thread, item* all, local const& mine) const {
    int const count = mine_of(block, thread);
    PLACEMENT_UNROLL
    for (int k = 0; k < items_per_thread; ++k)
      if (k < count) all[thread * items_per_thread + k] = mine.x[k];
  }
};

/// Merges the sorted runs of fibers in pairs, with one block per tile of the result.
template <class Kind> struct merge_tiles {
  using item = typename Kind::item;
  using local = detail::some_items<item>;
  static constexpr int items_per_thread = detail::sorted_by_thread;
  static constexpr std::size_t items_bytes = detail::sort_tile * sizeof(item);
  static constexpr std::size_t shared_bytes = items_bytes + 2 * sizeof(index_t);

  detail::sorted_to<Kind> to;
  item const* in;  ///< dense fibers
  index_t fibers, tiles;
  index_t width;  ///< of a run, a multiple of a tile

  constexpr index_t blocks() const { return fibers * tiles; }

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    index_t const length = to.out.length, number = block.number() / tiles;
    index_t const first = block.number() % tiles * detail::sort_tile;
    index_t const last = length - first < detail::sort_tile ? length : first + detail::sort_tile;
    index_t const start = first / (2 * width) * (2 * width);
    index_t const middle = length - start < width ? length : start + width;
    index_t const end = length - start < 2 * width ? length : start + 2 * width;
    item const* const a = in + number * length + start;
    item const* const b = in + number * length + middle;
    auto* const all = static_cast<item*>(block.shared());
    auto* const split =
        reinterpret_cast<index_t*>(static_cast<unsigned char*>(block.shared()) + items_bytes);
    block.each([&](int thread, local&) {
      if (thread < 2)
        split[thread] = detail::merged_from_first<Kind>(a, middle - start, b, end - middle,
                                                        (thread == 0 ? first : last) - start);
    });
    index_t const from_a = split[0], in_a = split[1] - from_a;
    index_t const from_b = first - start - from_a, in_b = last - first - in_a;
    block.each([&](int thread, local&) {
      PLACEMENT_UNROLL
      for (int k = 0; k < items_per_thread; ++k) {
        index_t const i = k * block_threads + thread;
        if (i < in_a + in_b) all[i] = i < in_a ? a[from_a + i] : b[from_b + i - in_a];
      }
    });
    block.each([&](int thread, local& mine) {
      detail::merge_some<Kind>(mine, all, in_a, all + in_a, in_b,
                               index_t{thread} * items_per_thread);
    });
    block.each([&](int thread, local& mine) {
      PLACEMENT_UNROLL
      for (int k = 0; k < items_per_thread; ++k)
        if (thread * items_per_thread + k < in_a + in_b)
          all[thread * items_per_thread + k] = mine.x[k];
    });
    block.each_without_barrier([&](int thread, local&) {
      PLACEMENT_UNROLL
      for (int k = 0; k < items_per_thread; ++k) {
        index_t const i = k * block_threads + thread;
        if (i < in_a + in_b) to.put(number, first + i, all[i]);
      }
    });
  }
};

namespace detail {

/// Sorts dense rows by the registered engine. Returns false if there is none, if it does not
/// support the call, or if the grid is none of a device.
template <class Kind, class Grid>
bool sort_by_library(Grid const& grid, typename Kind::result* out, typename Kind::element const* in,
                     index_t rows, index_t length) {
  if constexpr (requires { grid.device(); }) {
    sort_engine* const engine = gpu_sorts.load();
    // the engine sorts rows one after another, and the kernels here all at once: on an H200 they
    // are faster for several rows of up to 2^19 elements
    index_t const least = shortest_gpu_sort.peek();
    if (engine == nullptr || length / (rows == 1 ? 1 : 8) < least) return false;
    return engine->sort(grid.device(), {.op = grid.op(),
                                        .element = sort_element_of<typename Kind::element>(),
                                        .is_descending = Kind::is_descending,
                                        .gives_indices = Kind::gives_indices,
                                        .rows = rows,
                                        .length = length,
                                        .in = in,
                                        .out = out});
  } else {
    return false;
  }
}

/// Sorts along dimension `axis`. Cost: a launch, and one more per doubling of a tile of 2048
/// elements up to the length. Longer fibers need scratch memory for all items once or twice.
template <class Kind, class Grid, class R, class T, class X>
void sort_along(Grid const& grid, dense_view<R, X> const& out, dense_view<T const, X> const& in,
                std::size_t axis) {
  using item = typename Kind::item;
  if (in.size() == 0) return;
  index_t const length = in.shape.at(axis), fibers = in.size() / length;
  index_t const after = sides_of(in.shape, axis).after;
  if (after == 1 && sort_by_library<Kind>(grid, out.data, in.data, fibers, length)) return;
  index_t const tiles = (length + sort_tile - 1) / sort_tile;
  int const group_size = power_of_two_from((length + sorted_by_thread - 1) / sorted_by_thread);
  sorted_to<Kind> const results{{out.data, length, after}, nullptr};
  fibers_of<T const> const from{in.data, length, after};
  if (tiles == 1) {
    sort_tiles<Kind> const gpu_kernel_args{results, from, fibers, 1, group_size};
    return grid(gpu_kernel_args, gpu_kernel_args.blocks());
  }
  int merges = 0;
  while (index_t{1} << merges < tiles) ++merges;
  // Results alternate between two buffers; `out` receives the last ones and may be one of the
  // buffers.
  bool out_holds_items = false;
  if constexpr (std::is_same_v<item, R>) out_holds_items = after == 1;
  auto const items = static_cast<std::size_t>(in.size());
  int const buffers = out_holds_items || merges == 1 ? 1 : 2;
  auto const scratch =
      grid.allocate_scratch(static_cast<std::size_t>(buffers) * items * sizeof(item));
  item* const odd = static_cast<item*>(scratch.data());  // for an odd number of remaining merges
  item* even = buffers == 2 ? odd + items : nullptr;
  if constexpr (std::is_same_v<item, R>) {
    if (out_holds_items) even = out.data;
  }
  auto const place = [&](int still) {
    sorted_to<Kind> to = results;
    if (still != 0) to.kept_items = still % 2 != 0 ? odd : even;
    return to;
  };
  sort_tiles<Kind> const gpu_kernel_args{place(merges), from, fibers, tiles, group_size};
  grid(gpu_kernel_args, gpu_kernel_args.blocks());
  index_t width = sort_tile;
  for (int still = merges; still != 0; --still, width *= 2) {
    merge_tiles<Kind> const merge{place(still - 1), still % 2 != 0 ? odd : even, fibers, tiles,
                                  width};
    grid(merge, merge.blocks());
  }
}

}  // namespace detail
}}  // namespace placement::v0_1
