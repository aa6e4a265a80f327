#pragma once
/// A tensor's elements on one device, shared by counted owners and written by a single one.

#include <placement/device/device.hpp>
#include <placement/memory/pools.hpp>
#include <placement/memory/transfer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace placement::inline v0_1::detail {

/// Header of the elements. On the CPU they follow in the same block, so that a tensor is one
/// allocation; the header's own alignment keeps them aligned. Large ones come from the CPU's pool,
/// which has large pages and keeps them.
class alignas(64) buffer {
 public:
  static constexpr std::size_t alignment = 64;
  /// From this size on the heap pays for a page at a time, again for each tensor.
  static constexpr std::size_t large =
      PLACEMENT_HEAP_IS_WATCHED != 0 ? ~std::size_t{0} : std::size_t{1} << 20;

  /// Throws: out_of_memory; then nothing was taken.
  static buffer* make(device where, std::size_t size, holder const& who = {}) {
    if (where.is_gpu()) return beside(where, size, obtain(where, size, who));
    if (size >= large)
      if (void* const data = from_host_pool(where, size, who)) return beside(where, size, data);
    buffer* const made =
        size > ~std::size_t{0} / 2 ? nullptr : placed(where, size, nullptr, owned_by::block);
    if (made == nullptr) refuse_host(size);
    return made;
  }

  /// Somebody else's memory, which stays theirs.
  static buffer* borrow(device where, void* data, std::size_t size) {
    buffer* const made = placed(where, size, data, owned_by::caller);
    if (made == nullptr) refuse_host(sizeof(buffer));
    return made;
  }

  void* data() const noexcept { return data_; }
  device where() const noexcept { return where_; }
  std::size_t size() const noexcept { return size_; }
  bool borrowed() const noexcept { return kept_ == owned_by::caller; }

  int owners() const noexcept { return owners_.load(std::memory_order_acquire); }
  void add_owner() noexcept { change_owners(1, std::memory_order_relaxed); }
  void drop_owner() noexcept {
    if (change_owners(-1, std::memory_order_acq_rel) == 1) destroy();
  }

  buffer(buffer const&) = delete;
  buffer& operator=(buffer const&) = delete;

 private:
  enum class owned_by : unsigned char { block, pool, caller };

  /// What the heap aligns to without being asked.
  static constexpr std::size_t given_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  buffer(device where, std::size_t size, void* data, owned_by kept, void* block) noexcept
      : where_(where), kept_(kept), size_(size), data_(data), block_(block) {}
  ~buffer() = default;

  /// A header for these elements, or with room for them behind it where there are none yet; nullptr
  /// where the heap has no memory. Aligned by hand: the heap's aligned call takes 30 to 60 ns more.
  static buffer* placed(device where, std::size_t size, void* data, owned_by kept) noexcept {
    std::size_t const behind = data == nullptr ? size : 0;
    void* const block =
        ::operator new(sizeof(buffer) + behind + (alignment - given_alignment), std::nothrow);
    if (block == nullptr) return nullptr;
    std::size_t const skipped = (~reinterpret_cast<std::uintptr_t>(block) + 1) % alignment;
    std::byte* const at = static_cast<std::byte*>(block) + skipped;
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): deleted when its last owner goes
    return new (at) buffer(where, size, data == nullptr ? at + sizeof(buffer) : data, kept, block);
  }
  /// A header for a block of the pool.
  static buffer* beside(device where, std::size_t size, void* data) {
    buffer* const made = placed(where, size, data, owned_by::pool);
    if (made == nullptr) {
      give_back(where, data, size);
      refuse_host(sizeof(buffer));
    }
    return made;
  }
  /// nullptr where the pool has no room, or no addresses: the heap may have. A tensor alone does
  /// not fix the devices.
  static void* from_host_pool(device where, std::size_t size, holder const& who) {
    if (!is_initialized()) return nullptr;
    try {
      return obtain(where, size, who);
    } catch (out_of_memory const&) { return nullptr; }
  }

  /// Adds to the owners and gives what they were. A process with one thread needs no locked
  /// instruction for it.
  int change_owners(int by, std::memory_order order) noexcept {
    if (!PLACEMENT_SINGLE_THREADED) return owners_.fetch_add(by, order);
    int const before = owners_.load(std::memory_order_relaxed);
    owners_.store(before + by, std::memory_order_relaxed);
    return before;
  }

  void destroy() noexcept {
    if (kept_ == owned_by::pool) give_back(where_, data_, size_);
    void* const block = block_;
    this->~buffer();
    ::operator delete(block);
  }

  [[noreturn, gnu::cold, gnu::noinline]] static void refuse_host(std::size_t size) {
    throw out_of_memory("placement: out of memory on the host: asked for " + std::to_string(size) +
                        " B. Free tensors or use smaller batches.");
  }

  std::atomic<int> owners_{1};
  device where_;
  owned_by kept_;
  std::size_t size_;
  void* data_;
  void* block_;  ///< what the heap gave; it begins before the header
};
static_assert(sizeof(buffer) == buffer::alignment);

/// One owner of a buffer, or of none.
class buffer_ref {
 public:
  buffer_ref() = default;
  explicit buffer_ref(buffer* owned) noexcept : b_(owned) {}
  buffer_ref(buffer_ref const& o) noexcept : b_(o.b_) {
    if (b_ != nullptr) b_->add_owner();
  }
  buffer_ref(buffer_ref&& o) noexcept : b_(std::exchange(o.b_, nullptr)) {}
  buffer_ref& operator=(buffer_ref o) noexcept {
    std::swap(b_, o.b_);
    return *this;
  }
  ~buffer_ref() {
    if (b_ != nullptr) b_->drop_owner();
  }

  buffer* operator->() const noexcept { return b_; }
  buffer* get() const noexcept { return b_; }
  explicit operator bool() const noexcept { return b_ != nullptr; }

 private:
  buffer* b_ = nullptr;
};

/// A copy of a buffer on another device (or the same), made for this line.
/// Throws: out_of_memory.
inline buffer_ref copied_to(device where, buffer const& from, char const* file = nullptr,
                            unsigned line = 0) {
  buffer_ref b{buffer::make(where, from.size(), {"Copy", file, line})};
  move_bytes(b->data(), where, from.data(), from.where(), from.size());
  return b;
}

}  // namespace placement::inline v0_1::detail
