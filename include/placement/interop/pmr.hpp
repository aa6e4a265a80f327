#pragma once
/// The library's memory for standard containers, and the library's arena over any memory resource.
/// Not part of placement.hpp.
///
///     pl::pool_resource host;  // the CPU's pool as a std::pmr resource
///     std::pmr::vector<float> v(&host);
///     pl::arena_resource arena(my_upstream, {.max = 64_MiB});  // over another resource

#include <placement/memory/bytes.hpp>
#include <placement/memory/pools.hpp>
#include <placement/runtime/lock.hpp>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Blocks with an alignment above the arena's 256 bytes. A longer block is allocated, and its
/// address is stored just before the aligned address.
struct over_aligned {
  static std::size_t size(std::size_t bytes, std::size_t alignment) {
    if (alignment <= arena::granule) return bytes;
    if (bytes > ~std::size_t{0} - alignment) throw out_of_memory();
    return bytes + alignment;
  }
  static void* inside(void* block, std::size_t bytes, std::size_t alignment) noexcept {
    if (alignment <= arena::granule) return block;
    void* at = static_cast<std::byte*>(block) + arena::granule;
    std::size_t space = bytes + alignment - arena::granule;
    at = std::align(alignment, bytes, at, space);
    static_cast<void**>(at)[-1] = block;
    return at;
  }
  static void* block(void* at, std::size_t alignment) noexcept {
    return alignment <= arena::granule ? at : static_cast<void**>(at)[-1];
  }
};

}  // namespace detail

/// The pool of the CPU, or of a simulated GPU, for containers. Throws: out_of_memory from allocate.
class pool_resource final : public std::pmr::memory_resource {
 public:
  /// Throws: placement_error for a missing device; invalid_argument for memory that the host cannot
  /// access.
  explicit pool_resource(device d = cpu0) : from_(pool_of(d)) {
    if (d.is_gpu() && !from_.where().owner->simulated())
      throw invalid_argument("placement: " + to_string(d) +
                             " has memory that containers of the host cannot use. Use the CPU's.");
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const block = from_.allocate(detail::over_aligned::size(bytes, alignment), {"std::pmr"});
    return detail::over_aligned::inside(block, bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    from_.deallocate(detail::over_aligned::block(p, alignment),
                     detail::over_aligned::size(bytes, alignment));
  }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
    auto const* const same = dynamic_cast<pool_resource const*>(&other);
    return same != nullptr && &same->from_ == &from_;
  }

  pool& from_;
};

/// How an arena_resource allocates chunks from its upstream.
struct arena_options {
  bytes start = {std::size_t{1} << 20};  ///< the first chunk; later ones double the total
  bytes max = {~std::size_t{0}};         ///< all chunks together
};

/// An arena over chunks of another resource. release() returns chunks without blocks to the
/// upstream. The destructor returns all chunks, also those with blocks in use. Thread: safe.
/// Cost: as pool, plus a search in each chunk.
class arena_resource final : public std::pmr::memory_resource {
 public:
  explicit arena_resource(std::pmr::memory_resource* upstream = std::pmr::get_default_resource(),
                          arena_options options = {})
      : upstream_(upstream), options_(options) {}
  ~arena_resource() override {
    for (chunk const& c : chunks_) deallocate_chunk(c);
  }
  arena_resource(arena_resource const&) = delete;
  arena_resource& operator=(arena_resource const&) = delete;

  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

  /// Returns chunks without blocks to the upstream; the result is the number of bytes.
  std::size_t release() noexcept {
    lock_guard const guard(lock_);
    std::size_t const before = reserved_;
    std::size_t kept_chunks = 0;
    for (chunk& c : chunks_) {
      if (c.suballocator->in_use() == 0) deallocate_chunk(c);
      else std::swap(chunks_[kept_chunks++], c);
    }
    chunks_.resize(kept_chunks);
    return before - reserved_;
  }

  memory_stats stats() const noexcept {
    lock_guard const guard(lock_);
    memory_stats s;
    s.reserved = reserved_;
    s.limit = options_.max.value;
    s.peak = peak_;
    for (chunk const& c : chunks_) {
      s.in_use += c.suballocator->in_use();
      s.allocations += c.suballocator->blocks_in_use();
      if (c.suballocator->longest_gap() > s.largest_free)
        s.largest_free = c.suballocator->longest_gap();
    }
    std::size_t const free = s.reserved - s.in_use;
    if (free != 0)
      s.fragmentation = 1 - static_cast<double>(s.largest_free) / static_cast<double>(free);
    return s;
  }

 private:
  struct chunk {
    std::byte* base = nullptr;
    std::size_t size = 0;
    std::unique_ptr<detail::arena> suballocator = {};

    bool holds(void const* p) const noexcept {
      auto const* const at = static_cast<std::byte const*>(p);
      return at >= base && at < base + size;
    }
    /// The block that begins at an address of this chunk (constant time), or else the part that has
    /// the address.
    detail::memory_part part_at(std::byte const* p) const noexcept {
      auto const at = static_cast<std::size_t>(p - base);
      if (detail::block_id const id = suballocator->find_at(at); id != detail::no_block)
        return {.begin = p, .size = suballocator->size(id)};
      detail::memory_part found;
      suballocator->for_each([&](auto, detail::block const& b) {
        if (at - b.offset < b.size)
          found = {.begin = base + b.offset, .size = b.size, .is_free = b.free()};
      });
      return found;
    }
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override try {
    std::size_t const need = detail::arena::rounded(detail::over_aligned::size(bytes, alignment));
    if (need == 0) throw std::bad_alloc();
    lock_guard const guard(lock_);
    chunk& c = chunk_for(need);
    void* const block =
        c.base + c.suballocator->offset(c.suballocator->allocate(c.suballocator->find(need), need));
    in_use_ += need;
    if (in_use_ > peak_) peak_ = in_use_;
    return detail::over_aligned::inside(block, bytes, alignment);
  } catch (...) { detail::rethrow_as_error(); }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    if (p == nullptr) return;
    auto* const block = static_cast<std::byte*>(detail::over_aligned::block(p, alignment));
    std::size_t const size = detail::arena::rounded(detail::over_aligned::size(bytes, alignment));
    detail::memory_part part;
    {
      lock_guard const guard(lock_);
      for (chunk& c : chunks_) {
        if (!c.holds(block)) continue;
        part = c.part_at(block);
        if (part.is_free || part.begin != block || part.size != size) break;
        c.suballocator->deallocate(static_cast<std::size_t>(block - c.base));
        in_use_ -= size;
        return;
      }
    }
    detail::handle_wrong_free(detail::described({.address = p, .size = bytes}, part));
  }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
    return this == &other;
  }

  /// The latest chunk with a gap of `need` bytes, or a new chunk.
  chunk& chunk_for(std::size_t need) {
    for (std::size_t i = chunks_.size(); i != 0; --i)
      if (chunks_[i - 1].suballocator->find(need) != detail::no_block) return chunks_[i - 1];
    chunks_.reserve(chunks_.size() + 1);
    chunk added;
    added.suballocator = std::make_unique<detail::arena>();
    added.suballocator->prepare();
    std::size_t wanted = chunks_.empty() ? detail::arena::rounded(options_.start.value) : reserved_;
    std::size_t const left = options_.max.value - reserved_;
    if (wanted > left) wanted = left / detail::arena::granule * detail::arena::granule;
    if (wanted < need) wanted = need;
    if (wanted > left) throw std::bad_alloc();
    allocate_chunk(added, wanted, need);
    chunks_.push_back(std::move(added));
    return chunks_.back();
  }
  /// Allocates `wanted` bytes from the upstream, or just `need` if the upstream has no more.
  void allocate_chunk(chunk& c, std::size_t wanted, std::size_t need) {
    try {
      c.base = static_cast<std::byte*>(upstream_->allocate(wanted, detail::arena::granule));
      c.size = wanted;
    } catch (std::bad_alloc const&) {
      if (wanted == need) throw;
      c.base = static_cast<std::byte*>(upstream_->allocate(need, detail::arena::granule));
      c.size = need;
    }
    c.suballocator->extend(c.size);
    reserved_ += c.size;
  }
  void deallocate_chunk(chunk const& c) noexcept {
    upstream_->deallocate(c.base, c.size, detail::arena::granule);
    reserved_ -= c.size;
  }

  std::pmr::memory_resource* upstream_;
  arena_options options_;
  std::vector<chunk> chunks_;
  std::size_t reserved_ = 0, in_use_ = 0, peak_ = 0;
  mutable lock lock_;
};

}}  // namespace placement::v0_1
