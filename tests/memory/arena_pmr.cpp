// std::pmr in both directions: containers on the library's pool, and an arena on another resource.
#include <placement/device/query.hpp>
#include <placement/interop/pmr.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

/// Counts allocated bytes, checks the arguments of each deallocation, and fails on request.
class counting_upstream final : public std::pmr::memory_resource {
 public:
  std::size_t open = 0, taken = 0;
  int left = 0;  ///< the k-th following allocation fails; 0 = none
  std::size_t capacity = ~std::size_t{0};

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if ((left != 0 && --left == 0) || bytes > capacity) throw std::bad_alloc();
    void* const p = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    sizes_[p] = bytes;
    open += bytes;
    ++taken;
    return p;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    CHECK(sizes_[p] == bytes);
    sizes_.erase(p);
    open -= bytes;
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
    return this == &other;
  }

  std::map<void*, std::size_t> sizes_;
};

bool aligned(void const* p, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

}  // namespace

TEST_CASE("containers allocate from the CPU's pool, and its figures include them") {
  std::size_t const before = memory_stats_of(cpu0).in_use;
  pool_resource host;
  {
    std::pmr::vector<float> v(10'000, 1.5f, &host);
    std::pmr::map<int, std::pmr::string> names(&host);
    names[1] = "a name that is too long to be kept inside of the string itself";
    CHECK(memory_stats_of(cpu0).in_use >= before + 40'000);
    CHECK(v[9'999] == 1.5f);
  }
  CHECK(memory_stats_of(cpu0).in_use == before);
}

TEST_CASE("containers use a simulated GPU's pool up to its limit") {
  set_logical_device_limits({gpu0}, {mib});
  pool_resource gpu(gpu0);
  std::pmr::vector<std::byte> v(900 * kib, &gpu);
  CHECK(memory_stats_of(gpu0).in_use == 900 * kib);
  CHECK_THROWS_AS(v.resize(1000 * kib), out_of_memory);
  CHECK(v.size() == 900 * kib);
}

TEST_CASE("resources of one pool are equal") {
  pool_resource const a, b, other(gpu0);
  CHECK(a.is_equal(b));
  CHECK_FALSE(a.is_equal(other));
  CHECK_FALSE(a.is_equal(*std::pmr::new_delete_resource()));
  CHECK_THROWS_AS(pool_resource(device{kind::gpu, 7}), placement_error);
}

TEST_CASE("memory resources support any alignment, and deallocation returns all bytes") {
  counting_upstream upstream;
  pool_resource host;
  arena_resource arena(&upstream);
  std::size_t const before = memory_stats_of(cpu0).in_use;
  for (std::pmr::memory_resource* r : {static_cast<std::pmr::memory_resource*>(&host),
                                       static_cast<std::pmr::memory_resource*>(&arena)}) {
    for (std::size_t alignment = 1; alignment <= 64 * kib; alignment *= 2) {
      void* const p = r->allocate(1000, alignment);
      CHECK(aligned(p, alignment));
      static_cast<std::byte*>(p)[999] = std::byte{1};
      r->deallocate(p, 1000, alignment);
    }
  }
  CHECK(memory_stats_of(cpu0).in_use == before);
  CHECK(arena.stats().in_use == 0);
  std::size_t volatile more_than_there_is =
      ~std::size_t{0} - 100;  // volatile: avoids a g++ warning about the size
  CHECK_THROWS_AS(arena.allocate(more_than_there_is, 4 * kib), std::bad_alloc);
}

TEST_CASE("an arena allocates chunks of doubling size from its upstream, and deallocates them") {
  counting_upstream upstream;
  {
    arena_resource arena(&upstream, {.start = 64_KiB});
    CHECK(upstream.open == 0);
    void* const a = arena.allocate(40 * kib);
    CHECK(upstream.open == 64 * kib);
    void* const b = arena.allocate(40 * kib);
    CHECK(upstream.open == 128 * kib);
    void* const c = arena.allocate(mib);
    CHECK(upstream.open == mib + 128 * kib);
    CHECK(arena.stats().in_use == mib + 80 * kib);
    CHECK(arena.stats().reserved == upstream.open);
    CHECK(arena.stats().allocations == 3);
    arena.deallocate(b, 40 * kib);
    CHECK(arena.release() == 64 * kib);
    arena.deallocate(a, 40 * kib);
    CHECK(arena.release() == 64 * kib);
    CHECK(upstream.open == mib);
    CHECK(arena.allocate(1) != c);
  }
  CHECK(upstream.open == 0);
}

TEST_CASE("an arena never exceeds its limit") {
  counting_upstream upstream;
  arena_resource arena(&upstream, {.start = 64_KiB, .max = 100_KiB});
  void* const a = arena.allocate(64 * kib);
  CHECK_THROWS_AS(arena.allocate(36 * kib + 1), std::bad_alloc);
  void* const b = arena.allocate(36 * kib);
  CHECK(upstream.open == 100 * kib);
  CHECK_THROWS_AS(arena.allocate(1), std::bad_alloc);
  arena.deallocate(b, 36 * kib);
  arena.deallocate(a, 64 * kib);
  CHECK(arena.stats().in_use == 0);
  CHECK(arena.stats().peak == 100 * kib);
}

TEST_CASE("an upstream without space for a whole chunk is asked for the needed bytes only") {
  counting_upstream upstream;
  upstream.capacity = 10 * kib;
  arena_resource arena(&upstream);
  void* const a = arena.allocate(5 * kib);
  CHECK(upstream.open == 5 * kib);
  CHECK_THROWS_AS(arena.allocate(11 * kib), std::bad_alloc);
  CHECK(arena.stats().reserved == 5 * kib);
  arena.deallocate(a, 5 * kib);
}

TEST_CASE("if any allocation of the upstream fails, an arena is unchanged") {
  for (int k = 1; k != 4; ++k) {
    counting_upstream upstream;
    upstream.capacity = 100 * kib;
    arena_resource arena(&upstream, {.start = 64_KiB});
    void* const a = arena.allocate(60 * kib);
    memory_stats const before = arena.stats();
    upstream.left = k;
    bool failed = false;
    try {
      arena.deallocate(arena.allocate(90 * kib), 90 * kib);
    } catch (std::bad_alloc const&) { failed = true; }
    if (failed) CHECK(arena.stats() == before);
    upstream.left = 0;
    arena.deallocate(arena.allocate(90 * kib), 90 * kib);
    arena.deallocate(a, 60 * kib);
    arena.release();
    CHECK(upstream.open == 0);
  }
}

TEST_CASE("an arena can be the upstream of another arena") {
  counting_upstream upstream;
  {
    arena_resource lower(&upstream);
    arena_resource upper(&lower, {.start = 4_KiB});
    std::pmr::vector<int> v(5'000, 7, &upper);
    CHECK(v[4'999] == 7);
    CHECK(lower.stats().in_use == upper.stats().reserved);
  }
  CHECK(upstream.open == 0);
}

TEST_CASE("an arena equals only itself, and returns its upstream") {
  counting_upstream upstream;
  arena_resource const a(&upstream), b(&upstream), plain;
  CHECK(a.is_equal(a));
  CHECK_FALSE(a.is_equal(b));
  CHECK_FALSE(a.is_equal(upstream));
  CHECK(a.upstream_resource() == &upstream);
  CHECK(plain.upstream_resource() == std::pmr::get_default_resource());
}
