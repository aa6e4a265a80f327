#pragma once
/// The GPU kernel that scans contiguous fibers in one pass.

#include <placement/gpu/block.hpp>
#include <placement/gpu/sent_value.hpp>
#include <placement/gpu/vector_width.hpp>
#include <placement/kernels/vec.hpp>

namespace placement { inline namespace v0_1 {

/// Scans contiguous fibers in one pass, a tile per block. A block sends the total of its tile to
/// other blocks and adds those of the tiles before it. As many tiles as a block has threads are a
/// group, and as many groups are a section. The last block of a group sends the group's total, the
/// last one of a section the sum of all tiles so far. So a thread receives one value of each kind.
/// Blocks number themselves as they start, so each waits only for blocks that run. A tile is loaded
/// again for the results, from the first cache: then registers hold only sums, and more blocks run.
/// The order of additions depends on the length only.
/// Source: Merrill, Garland: Single-pass parallel prefix scan with decoupled look-back (2016).
template <class Rule, class R, class T, class Sum> struct scan_by_blocks {
  static constexpr int width = vector_width<R, dense_leaf<T>>;
  static constexpr int items_per_thread = width < 16 ? 16 : width;
  static constexpr int vectors = items_per_thread / width;  ///< of adjacent elements
  static constexpr index_t tile = index_t{block_threads} * items_per_thread;
  struct memory {
    Sum of_warps[block_threads / warp_threads];
    Sum before_section;
    index_t number;
  };
  static constexpr std::size_t shared_bytes = sizeof(memory);
  struct local {
    Sum s;                           ///< the total of the tile, then the sum of the tiles before it
    Sum total, in_group;             ///< of the tile, of those before it in the group
    Sum part[std::size_t{vectors}];  ///< the sum of a vector, then of the tile before it
  };
  /// What blocks send to each other. A fiber of one tile needs none.
  struct messages {
    sent_value<Sum>*total = nullptr, *of_group = nullptr, *through_section = nullptr;
    std::uint32_t* ticket = nullptr;  ///< the number of blocks that run
  };

  R* out;  ///< may be `in`
  T const* in;
  index_t length, tiles;  ///< of a fiber
  bool vectorized;
  messages between;

  /// The number of groups of tiles, or of sections of groups.
  PLACEMENT_HD static constexpr index_t groups_of(index_t n) {
    return (n + block_threads - 1) / block_threads;
  }

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    memory& m = *static_cast<memory*>(block.shared());
    index_t number = block.number();
    if (tiles > 1) {
      block.each([&](int thread, local&) {
        if (thread == 0) m.number = block.take_ticket(between.ticket);
      });
      number = m.number;
    }
    index_t const fiber = number / tiles, of_fiber = number % tiles;
    T const* const from = in + fiber * length;
    R* const to = out + fiber * length;
    block.each_without_barrier(
        [&](int thread, local& l) { sum_vectors(from, of_fiber, thread, l); });
    block.template scan<vectors>(start<Sum>(), [](Sum a, Sum b) { return Rule::join(a, b); });
    if (tiles > 1) add_tiles_before(block, m, fiber, of_fiber);
    block.each_without_barrier([&](int thread, local& l) {
      store(from, to, of_fiber, thread, tiles > 1 ? l.s : start<Sum>(), l);
    });
  }

 private:
  template <class X> PLACEMENT_HD static constexpr X start() { return Rule::template start<X>(); }
  template <class X> PLACEMENT_HD static constexpr Sum join(Sum sum, X x) {
    return Rule::join(sum, static_cast<Sum>(x));
  }
  /// The place in the tile of a thread's vector.
  PLACEMENT_HD static constexpr index_t place(int thread, int vector) {
    return index_t{
        ((thread / warp_threads * vectors + vector) * warp_threads + thread % warp_threads) *
        width};
  }
  PLACEMENT_HD access_of<T, width> load(T const* from, index_t first) const {
    auto x = repeated<width>(start<T>());
    if (vectorized) {
      if (first < length) x = load_vec<width>(from + first);
    } else {
      PLACEMENT_UNROLL
      for (int j = 0; j < width; ++j)
        if (first + j < length) x.v[j] = from[first + j];
    }
    return x;
  }
  PLACEMENT_HD void sum_vectors(T const* from, index_t number, int thread, local& l) const {
    PLACEMENT_UNROLL
    for (int k = 0; k < vectors; ++k) {
      auto const x = load(from, number * tile + place(thread, k));
      Sum sum = static_cast<Sum>(x.v[0]);
      PLACEMENT_UNROLL
      for (int j = 1; j < width; ++j) sum = join(sum, x.v[j]);
      l.part[k] = sum;
    }
  }
  PLACEMENT_HD void store(T const* from, R* to, index_t number, int thread, Sum before,
                          local const& l) const {
    PLACEMENT_UNROLL
    for (int k = 0; k < vectors; ++k) {
      index_t const first = number * tile + place(thread, k);
      auto const x = load(from, first);
      Sum sum = join(before, l.part[k]);
      access_of<R, width> y;
      PLACEMENT_UNROLL
      for (int j = 0; j < width; ++j) {
        sum = join(sum, x.v[j]);
        y.v[j] = static_cast<R>(sum);
      }
      if (vectorized) {
        index_t at = first;  // opaque: nvcc stored one by one
        PLACEMENT_PTX("mov.u64 %0, %1;", "=l"(at), "l"(first));
        if (first < length) store_vec(to + at, y);
      } else {
        PLACEMENT_UNROLL
        for (int j = 0; j < width; ++j)
          if (first + j < length) to[first + j] = y.v[j];
      }
    }
  }
  /// Sets s of each thread to the sum of the first n of some values, as they are sent.
  template <class Block>
  PLACEMENT_DEVICE static void add_up(Block& block, sent_value<Sum> const* values, index_t n) {
    block.each_without_barrier([&](int thread, local& l) {
      l.s = thread < n ? block.receive(values + thread) : start<Sum>();
    });
    block.combine(block_threads, [](Sum a, Sum b) { return Rule::join(a, b); });
  }
  /// Sets s of each thread from the total of the tile to the sum of the fiber's tiles before it.
  template <class Block>
  PLACEMENT_DEVICE void add_tiles_before(Block& block, memory& m, index_t fiber,
                                         index_t tile_of_fiber) const {
    constexpr index_t last = block_threads - 1;
    index_t const groups = groups_of(tiles), group = tile_of_fiber / block_threads;
    index_t const section = group / block_threads, in_group = tile_of_fiber % block_threads,
                  in_section = group % block_threads;
    auto* const totals = between.total + fiber * tiles + tile_of_fiber;
    auto* const of_groups = between.of_group + fiber * groups + group;
    auto* const sections = between.through_section + fiber * groups_of(groups) + section;
    block.each_without_barrier([&](int thread, local& l) {
      l.total = l.s;
      if (thread == 0) block.send(totals, l.total);
    });
    add_up(block, totals - in_group, in_group);
    block.each_without_barrier([&](int thread, local& l) {
      l.in_group = l.s;
      if (thread == 0 && in_group == last) block.send(of_groups, Rule::join(l.s, l.total));
    });
    if (group == 0) return;
    add_up(block, of_groups - in_section, in_section);
    if (section > 0)
      block.each([&](int thread, local&) {
        if (thread == 0) m.before_section = block.receive(sections - 1);
      });
    block.each_without_barrier([&](int thread, local& l) {
      if (section > 0) l.s = Rule::join(m.before_section, l.s);
      l.s = Rule::join(l.s, l.in_group);
      if (thread == 0 && in_group == last && in_section == last)
        block.send(sections, Rule::join(l.s, l.total));
    });
  }
};

}}  // namespace placement::v0_1
