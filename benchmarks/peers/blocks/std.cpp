// The heap of the C library, and the pool of std::pmr.

#include "rows.hpp"

#include <memory_resource>
#include <new>

static std::pmr::unsynchronized_pool_resource pool;
static constexpr std::align_val_t alignment{64};

static bench::row const rows[] = {
    bench::block_row(
        "allocate_from_heap", "std",
        [](std::size_t bytes) { return ::operator new(bytes, alignment); },
        [](void* p, std::size_t) { ::operator delete(p, alignment); }),
    bench::block_row(
        "allocate_from_pool", "std", [](std::size_t bytes) { return pool.allocate(bytes, 64); },
        [](void* p, std::size_t bytes) { pool.deallocate(p, bytes, 64); })};
