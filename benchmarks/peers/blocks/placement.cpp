#include <ours.hpp>

#include "rows.hpp"

#include <placement/memory/pools.hpp>
#include <placement/memory/small_blocks.hpp>

namespace pl = placement;

static pl::pool& pool() {
  static pl::pool& of_cpu = pl::pool_of(pl::cpu0);
  return of_cpu;
}

static bench::row const rows[] = {
    bench::block_row(
        "allocate_from_heap", "placement",
        [](std::size_t bytes) { return pl::detail::allocate_heap_block(bytes); },
        [](void* p, std::size_t bytes) { pl::detail::deallocate_heap_block(p, bytes); }),
    bench::block_row(
        "allocate_from_pool", "placement", [](std::size_t bytes) { return pool().allocate(bytes); },
        [](void* p, std::size_t bytes) { pool().deallocate(p, bytes); })};
