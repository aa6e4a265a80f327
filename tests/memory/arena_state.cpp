// The state of an arena: blocks, gaps, and merging of neighbouring gaps.
#include <placement/memory/arena.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <memory>
#include <vector>

using placement::detail::arena;
using placement::detail::block_id;
using placement::detail::no_block;

namespace {

constexpr std::size_t unit = arena::granule;

std::size_t take(arena& a, std::size_t size) {
  block_id const gap = a.find(size);
  REQUIRE(gap != no_block);
  return a.offset(a.allocate(gap, size));
}

}  // namespace

TEST_CASE("sizes are rounded up to 256 bytes, and a size that overflows gives 0") {
  CHECK(arena::rounded(0) == 256);
  CHECK(arena::rounded(1) == 256);
  CHECK(arena::rounded(256) == 256);
  CHECK(arena::rounded(257) == 512);
  CHECK(arena::rounded((std::size_t{1} << 31) + 1) == (std::size_t{1} << 31) + 256);
  CHECK(arena::rounded((std::size_t{1} << 32) + 1) == (std::size_t{1} << 32) + 256);
  CHECK(arena::rounded(~std::size_t{0} - 255) == ~std::size_t{0} - 255);
  CHECK(arena::rounded(~std::size_t{0} - 254) == 0);
  CHECK(arena::rounded(~std::size_t{0}) == 0);
}

TEST_CASE("an arena without capacity has no gap") {
  arena a;
  CHECK(a.find(unit) == no_block);
  CHECK(a.longest_gap() == 0);
  CHECK(a.last_gap() == 0);
  CHECK_FALSE(a.deallocate(0));
  CHECK(a.check_invariants());
}

TEST_CASE("blocks are split exactly, and the rest stays free") {
  arena a;
  a.extend(10 * unit);
  CHECK(take(a, 3 * unit) == 0);
  CHECK(take(a, unit) == 3 * unit);
  CHECK(a.in_use() == 4 * unit);
  CHECK(a.blocks_in_use() == 2);
  CHECK(a.longest_gap() == 6 * unit);
  CHECK(take(a, 6 * unit) == 4 * unit);
  CHECK(a.find(unit) == no_block);
  CHECK(a.longest_gap() == 0);
  CHECK(a.check_invariants());
}

TEST_CASE("a freed block merges with the gaps before it, after it, and both") {
  for (int order = 0; order != 4; ++order) {
    arena a;
    a.extend(3 * unit);
    std::size_t const at[] = {take(a, unit), take(a, unit), take(a, unit)};
    int const first = order / 2 == 0 ? 0 : 2, last = 2 - first, middle = 1;
    int const turns[2][3] = {{first, middle, last}, {first, last, middle}};
    for (int i : turns[order % 2]) {
      REQUIRE(a.deallocate(at[i]));
      REQUIRE(a.check_invariants());
    }
    CHECK(a.longest_gap() == 3 * unit);
    CHECK(a.last_gap() == 3 * unit);
    CHECK(a.in_use() == 0);
    CHECK(take(a, 3 * unit) == 0);
  }
}

TEST_CASE("an allocation uses the smallest size class that fits, and in it the lowest address") {
  arena a;
  a.extend(100 * unit);
  std::size_t const large = take(a, 20 * unit);
  take(a, unit);
  std::size_t const high = take(a, 5 * unit);
  take(a, unit);
  std::size_t const higher = take(a, 5 * unit);
  take(a, unit);
  a.deallocate(large);
  a.deallocate(higher);
  a.deallocate(high);
  CHECK(take(a, 5 * unit) == high);
  CHECK(take(a, 4 * unit) == higher);
  CHECK(take(a, 6 * unit) == large);
}

TEST_CASE("the only gap that fits is found among many of its size class that do not") {
  constexpr std::size_t big = std::size_t{1} << 30;  // its size class spans 2^24 bytes
  arena a;
  a.extend(64 * big + big / 2);
  std::vector<std::size_t> gaps;
  for (std::size_t i = 0; i != 40; ++i) {
    gaps.push_back(take(a, big + (i == 20 ? 2 : 1) * unit));
    take(a, unit);
  }
  while (a.find(big) != no_block) take(a, a.longest_gap());
  for (std::size_t offset : gaps) a.deallocate(offset);
  CHECK(take(a, big + 2 * unit) == gaps[20]);
  CHECK(a.find(big + 2 * unit) == no_block);
}

TEST_CASE("deallocating an address that is no block fails") {
  arena a;
  a.extend(8 * unit);
  std::size_t const at = take(a, 2 * unit);
  CHECK_FALSE(a.deallocate(at + unit));
  CHECK(a.deallocate(at));
  CHECK_FALSE(a.deallocate(at));
  CHECK(a.in_use() == 0);
}

TEST_CASE("capacity is added and dropped at the end") {
  arena a;
  a.extend(4 * unit);
  std::size_t const at = take(a, 3 * unit);
  a.extend(4 * unit);
  CHECK(a.last_gap() == 5 * unit);
  a.shrink(2 * unit);
  CHECK(a.capacity() == 6 * unit);
  CHECK(a.last_gap() == 3 * unit);
  a.shrink(3 * unit);
  CHECK(a.last_gap() == 0);
  CHECK(a.capacity() == 3 * unit);
  CHECK(a.check_invariants());
  a.deallocate(at);
  a.shrink(3 * unit);
  CHECK(a.capacity() == 0);
  CHECK(a.check_invariants());
  a.extend(unit);
  CHECK(take(a, unit) == 0);
}

TEST_CASE("sizes around 2^31, 2^32 and 2^62 are exact to the byte") {
  for (std::size_t size : {std::size_t{1} << 31, std::size_t{1} << 32, std::size_t{1} << 62}) {
    arena a;
    a.extend(2 * size);
    CHECK(take(a, size - unit) == 0);
    CHECK(take(a, size + unit) == size - unit);
    CHECK(a.in_use() == 2 * size);
    CHECK(a.longest_gap() == 0);
    a.deallocate(size - unit);
    CHECK(a.longest_gap() == size + unit);
    CHECK(a.check_invariants());
  }
}
