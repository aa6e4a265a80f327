// gpus: 0
// The heap blocks that a thread keeps for its next tensors.
#include <support/failing_heap.hpp>

#include <placement/placement.hpp>
#include <placement/src/all.ipp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

using namespace placement;
using detail::buffer;
using detail::buffer_ref;

namespace {

constexpr std::size_t kib = 1024, limit = kib * kib;

/// Blocks are kept in this file's tests, unless a tool checks each allocation.
bool keeps_blocks() {
  if (PLACEMENT_HEAP_IS_INSTRUMENTED != 0) return false;
  detail::small_block_limit.set(limit);
  return true;
}
buffer_ref made(std::size_t bytes) { return buffer_ref(buffer::make(cpu0, bytes)); }
std::size_t kept() { return detail::small_blocks_of_thread.total; }

/// The address of the elements of a new buffer, which is deallocated.
void const* address_of_next(std::size_t bytes) { return made(bytes)->data(); }

}  // namespace

TEST_CASE("a tensor gets the block of the last one of its size") {
  if (!keeps_blocks()) SKIP("AddressSanitizer sees each allocation");
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, 4 * kib, 200 * kib}) {
    INFO(bytes);
    void const* const at = address_of_next(bytes);
    CHECK(kept() >= bytes);
    std::size_t const before = kept();
    buffer_ref const again = made(bytes), other = made(bytes);
    CHECK(again->data() == at);
    CHECK(other->data() != at);
    CHECK(kept() < before);
  }
}

TEST_CASE("elements of a kept block are aligned as those of a new one") {
  if (!keeps_blocks()) SKIP("AddressSanitizer sees each allocation");
  for (std::size_t bytes : {std::size_t{8}, 4 * kib, 5 * kib, 100 * kib})
    for (int i = 0; i != 3; ++i) {
      auto const at = reinterpret_cast<std::uintptr_t>(address_of_next(bytes));
      CHECK(at % (bytes < buffer::page ? buffer::alignment : buffer::spread) == 0);
    }
}

TEST_CASE("a thread keeps no more bytes than the limit, and no large block") {
  if (!keeps_blocks()) SKIP("AddressSanitizer sees each allocation");
  std::vector<buffer_ref> all;
  for (int i = 0; i != 100; ++i) all.push_back(made(50 * kib));
  all.clear();
  CHECK(kept() <= limit);
  CHECK(kept() > limit / 2);
  detail::release_small_blocks();
  CHECK(kept() == 0);
  address_of_next(2000 * kib);  // from the pool
  CHECK(kept() < kib);
  detail::small_block_limit.set(0);
  address_of_next(10);
  CHECK(kept() == 0);
}

TEST_CASE("many sizes keep no more bytes than the limit, and all are deallocated") {
  if (!keeps_blocks()) SKIP("AddressSanitizer sees each allocation");
  detail::release_small_blocks();
  long const before = failing_heap::alive;
  for (int round = 0; round != 3; ++round)
    for (std::size_t bytes = 0; bytes < 128 * kib; bytes += 192) {
      address_of_next(bytes);
      REQUIRE(kept() <= limit);
    }
  detail::release_small_blocks();
  CHECK(kept() == 0);
  CHECK(failing_heap::alive == before);
}

TEST_CASE("a thread that ends deallocates its blocks, and those of tensors that live longer") {
  if (!keeps_blocks()) SKIP("AddressSanitizer sees each allocation");
  buffer_ref const elsewhere = made(64);
  long const before = failing_heap::alive;
  buffer_ref from_here = made(300);
  std::thread([&] {
    thread_local buffer_ref longest;  // destroyed last
    longest = buffer_ref();
    address_of_next(64);
    from_here = buffer_ref();  // a block of another thread
    longest = made(64);
    CHECK(kept() > 0);
  }).join();
  CHECK(failing_heap::alive == before);
}

TEST_CASE("a full heap gets the kept blocks back before an allocation fails") {
  if (!keeps_blocks()) SKIP("AddressSanitizer sees each allocation");
  address_of_next(64);
  REQUIRE(kept() > 0);
  failing_heap::fail(1);
  buffer_ref const x = made(10 * kib);
  CHECK(failing_heap::has_failed());
  CHECK(kept() == 0);
  detail::release_small_blocks();
  failing_heap::fail(1);
  CHECK_THROWS_AS(made(20 * kib), out_of_memory);
}
