// gpus: 2
// Headers of tensors come from an allocator that reuses the last freed block first.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <new>
#include <string>
#include <utility>

using namespace placement;

namespace {

/// Blocks for nothrow new, as tensor headers use it. The last freed block is allocated next.
constexpr std::size_t block_bytes = 4096, blocks = 64;
alignas(block_bytes) unsigned char block_memory[blocks][block_bytes];
std::size_t handed_out = 0;
void* last_released = nullptr;

bool is_of_blocks(void* p) { return p >= block_memory && p < block_memory + blocks; }

}  // namespace

void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  if (size > block_bytes) return nullptr;
  if (last_released != nullptr) return std::exchange(last_released, nullptr);
  return handed_out == blocks ? nullptr : block_memory[handed_out++];
}
void* operator new(std::size_t size) {
  if (void* const p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
  if (is_of_blocks(p)) last_released = p;
  else std::free(p);
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }

TEST_CASE("two parts of an expression that are computed on another device are two operands") {
  with_device const scope("/gpu:1");
  tensor const x{1.f, 2.f, 3.f};
  tensor const y =
      on("/gpu:0", x + x) + on("/gpu:0", x * x) + on("/cpu:0", x + 10.f) + on("/cpu:0", x * 20.f);
  CHECK(to_string(y) == "[34 60 88]");
  CHECK(handed_out > 0);
  CHECK(handed_out < blocks);
}
