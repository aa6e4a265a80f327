#pragma once
/// The element-wise kernel of GPUs: the work of one thread of a block.

#include <placement/gpu/block.hpp>
#include <placement/gpu/vector_width.hpp>

namespace placement { inline namespace v0_1 {

/// Stores the results of a contiguous kernel: element i is at p + i.
template <class R> struct dense_result {
  using element = R;
  R* p;
  template <int V, class F>
  PLACEMENT_HD void store(F const&, index_t i, access_of<R, V> const& x) const {
    store_vec(p + i, x);
  }
};

/// Element i of the result is f(i), for 0 <= i < n. A thread computes one vector, and the vectors
/// of a block are adjacent: more loads in flight per thread were slower, see
/// docs/performance_tables.md.
/// In whole tiles of aligned memory, each access has 16 bytes. The remainder is computed element by
/// element, where a thread beyond the end recomputes the last element and stores nothing.
template <class To, class F> struct map_tiles {
  using local = detail::no_local;
  using element = typename To::element;
  static constexpr std::size_t shared_bytes = 0;
  static constexpr int width = vector_width<element, F>;
  static constexpr index_t tile = index_t{block_threads} * width;

  To to;
  index_t n;
  bool vectorized;
  F f;

  /// The number of blocks.
  constexpr index_t blocks() const { return n / tile + (n % tile != 0 ? 1 : 0); }

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each_without_barrier([&](int thread, local&) { at(block.number(), thread); });
  }
  PLACEMENT_HD void at(index_t block, int thread) const {
    index_t const first = block * tile;
    if (vectorized && n - first >= tile) whole(first + thread * width);
    else rest(first, thread);
  }

 private:
  PLACEMENT_HD void whole(index_t i) const {
    auto const loaded = f.template vec<width>(i);
    access_of<element, width> results;
    PLACEMENT_UNROLL
    for (int j = 0; j < width; ++j) results.v[j] = loaded(j);
    to.template store<width>(f, i, results);
  }
  PLACEMENT_HD void rest(index_t first, int thread) const {
    constexpr int side = width < 4 ? width : 4;  // loads in flight
    PLACEMENT_ROLLED
    for (int from = 0; from < width; from += side) {
      access_of<element, 1> results[static_cast<std::size_t>(side)];
      PLACEMENT_UNROLL
      for (int k = 0; k < side; ++k) {
        index_t const i = first + (from + k) * block_threads + thread;
        results[k].v[0] = f(i < n ? i : n - 1);
      }
      PLACEMENT_UNROLL
      for (int k = 0; k < side; ++k) {
        index_t const i = first + (from + k) * block_threads + thread;
        if (i < n) to.template store<1>(f, i, results[k]);
      }
    }
  }
};

namespace detail {
/// Writes f to the n elements of `to`. A grid runs a kernel: grid(kernel, blocks). On a device that
/// is one launch, in tests a loop.
template <class Grid, class To, class F>
void launch_tiles(Grid const& grid, To const& to, index_t n, F const& f, bool vectorized) {
  if (n == 0) return;
  map_tiles<To, F> const b{to, n, vectorized, f};
  grid(b, b.blocks());
}
}  // namespace detail

}}  // namespace placement::v0_1
