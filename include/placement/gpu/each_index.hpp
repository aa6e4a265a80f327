#pragma once
/// Calls a function for each index, for kernels that write where they like.

#include <placement/gpu/tile.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// f(i) for 0 <= i < n, one index per thread.
template <class F> struct each_index {
  using local = no_local;
  static constexpr std::size_t shared_bytes = 0;

  index_t n;
  F f;

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each_without_barrier([&](int thread, local&) {
      index_t const i = block.number() * block_threads + thread;
      if (i < n) f(i);
    });
  }
};
/// Cost: one launch; none for n = 0.
template <class Grid, class F> void for_each_index(Grid const& grid, index_t n, F const& f) {
  if (n != 0) grid(each_index<F>{n, f}, (n + block_threads - 1) / block_threads);
}

}}}  // namespace placement::v0_1::detail
