#pragma once
/// A tensor's elements on one device: shared by reference-counted owners, written by a single
/// owner.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/device/registry.hpp>
#include <placement/error.hpp>
#include <placement/memory/blocks.hpp>
#include <placement/memory/recorder.hpp>
#include <placement/memory/small_blocks.hpp>
#include <placement/memory/transfer.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// Throws the error for a full host heap, with the statistics of the CPU's pool if there is one.
[[noreturn, gnu::cold]] void throw_host_out_of_memory(std::size_t size,
                                                      call_site const& caller = {});

/// Whether this process ever used external memory. Before that no two buffers overlap.
PLACEMENT_PROCESS_STATE inline constinit shared_word<bool> external_memory_exists{false};

/// The timeline point of a GPU's queue at which the last write to external memory of that GPU is
/// complete. External memory may be in several buffers, and a write through one is unknown to the
/// others.
timeline_point last_external_write(device where);
void record_external_write(device where, timeline_point complete);

/// Whether two address ranges have bytes in common.
inline bool ranges_overlap(void const* a, std::size_t a_size, void const* b,
                           std::size_t b_size) noexcept {
  auto const x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x < y + b_size && y < x + a_size;
}

struct task_parts;

/// The owner of external memory, and the function that notifies the owner after the last use.
struct external_owner {
  void (*done)(void* state, device where) noexcept;
  void* state;
};

/// The header of the elements. On the CPU header and elements are in one heap block, so a tensor is
/// one allocation. The header's alignment keeps the elements aligned. Large elements come from the
/// CPU's pool, which has large pages and keeps them for reuse.
class alignas(64) buffer {
 public:
  static constexpr std::size_t alignment = 64;
  /// Elements of `page` bytes or more begin at a multiple of `spread`, because of 4K aliasing. A
  /// load may stall on an earlier store with the same 12 low address bits. Heap blocks often begin
  /// a small number of cache lines apart, modulo 4096; this alignment prevents that.
  static constexpr std::size_t page = 4096,
                               spread = PLACEMENT_HEAP_IS_INSTRUMENTED != 0 ? alignment : 1024;
  /// From this size on the heap maps new pages for each tensor, with a page fault for each page.
  static constexpr std::size_t large =
      PLACEMENT_HEAP_IS_INSTRUMENTED != 0 ? ~std::size_t{0} : std::size_t{1} << 20;

  /// Makes a buffer; one of size 0 is a header only. Throws: out_of_memory; then nothing was
  /// allocated.
  static buffer* make(device where, std::size_t size, call_site const& caller = {});

  /// Makes a buffer of external memory, which is not deallocated.
  static buffer* wrap_external(device where, void* data, std::size_t size);

  /// The same, and notifies the owner after the last use. Strong guarantee. Throws: out_of_memory.
  static buffer* adopt_external(device where, void* data, std::size_t size,
                                external_owner const& owner);

  /// Makes a header for elements of tasks, which `where` names, and takes over their parts. Throws:
  /// out_of_memory.
  static buffer* of_tasks(device where, std::size_t size, task_parts* parts);
  bool is_of_tasks() const noexcept { return ownership_ == owned_by::tasks; }
  /// The parts of elements of tasks.
  task_parts& parts() const noexcept;

  void* data() const noexcept { return data_; }
  /// A buffer for bytes [offset, offset + size) of `whole`, which it keeps. It has its own timeline
  /// point and readers. The caller orders its work with other uses of the same bytes, and calls
  /// written() on `whole` after the part was written. Throws: out_of_memory.
  static buffer* part_of(buffer& whole, std::size_t offset, std::size_t size);

  device where() const noexcept { return where_; }
  std::size_t size() const noexcept { return size_; }
  /// Whether the memory is external.
  bool is_external() const noexcept { return ownership_ >= owned_by::caller; }

  /// Whether another buffer shares bytes with this one. The library's own memory is in one buffer
  /// only; external memory may be in several.
  bool overlaps(buffer const& other) const noexcept {
    return this != &other && (is_external() || other.is_external()) && where_ == other.where_ &&
           ranges_overlap(data_, size_, other.data_, other.size_);
  }

  /// The timeline point of the device's queue at which the elements are complete.
  timeline_point complete() const {
    if (where_.is_cpu()) return 0;
    timeline_point const elsewhere = last_external_write(where_);
    return elsewhere > complete_ ? elsewhere : complete_;
  }
  /// Call after work that writes the elements was enqueued.
  void written() {
    if (where_.is_cpu()) return;
    complete_ = timeline_point_of(where_);
    if (is_external()) [[unlikely]]
      record_external_write(where_, complete_);
    if (recorder_here != nullptr) [[unlikely]]
      recorder_here->note(*this);
  }
  /// Call after work that reads the elements was enqueued on another GPU.
  void read_by(device reader) const;
  /// Whether work of other queues may still read the elements.
  bool is_read_elsewhere() const noexcept { return readers_.peek() != 0; }
  /// Call before work that overwrites the elements: makes the queue wait until other queues have
  /// read them.
  void await_readers() const {
    if (is_read_elsewhere() || (is_external() && where_.is_gpu())) [[unlikely]]
      await_other_queues();
  }

  int owners() const noexcept { return owners_.load(); }
  /// Whether the buffer can be written in place. It must be `bytes` of the library's own memory on
  /// `where`, not read by other queues. It must have one owner besides `going` owners that are
  /// about to be dropped.
  bool is_free_to_write(device where, std::size_t bytes, int going) const noexcept {
    return where_ == where && size_ == bytes && !is_external() && !is_read_elsewhere() &&
           owners() == 1 + going;
  }
  /// Whether external memory of `bytes` on `where` can be written in place, for all its owners.
  bool is_rewritten(device where, std::size_t bytes) const noexcept {
    return where_ == where && size_ == bytes && is_external() && !is_read_elsewhere();
  }
  [[gnu::noinline]] void add_owner() noexcept { change_owners(1); }
  [[gnu::noinline]] void drop_owner() noexcept {
    if (owners() == 1 || change_owners(-1) == 1) last_owner_left();
  }
  /// Registers a recording that uses the elements. They outlive their last owner until
  /// leave_recording().
  void enter_recording() noexcept { ++recordings_; }
  void leave_recording() noexcept {
    if (--recordings_ == 0 && owners() == 0) destroy();
  }

  buffer(buffer const&) = delete;
  buffer& operator=(buffer const&) = delete;

 private:
  /// From `caller` on: external.
  enum class owned_by : unsigned char { block, pool, whole, tasks, caller, other };

  /// The heap's alignment without a request for more.
  static constexpr std::size_t default_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  buffer(device where, std::size_t size, void* data, owned_by ownership, void* block) noexcept
      : where_(where), ownership_(ownership), size_(size), data_(data), block_(block) {}
  ~buffer() = default;

  /// The alignment of elements behind the header, by their size in bytes.
  static constexpr std::size_t step_of(std::size_t behind) noexcept {
    return behind < page ? alignment : spread;
  }
  /// The size of the heap's block. Similar sizes share blocks, unless a tool checks their ends.
  static constexpr std::size_t block_bytes(std::size_t behind) noexcept {
    std::size_t const unit = PLACEMENT_HEAP_IS_INSTRUMENTED != 0 ? 1 : alignment;
    return sizeof(buffer) + (behind + unit - 1) / unit * unit +
           (step_of(behind) - default_alignment);
  }
  /// The bytes behind this header.
  std::size_t behind() const noexcept {
    return ownership_ == owned_by::block   ? size_
           : ownership_ == owned_by::whole ? sizeof(buffer*)
           : ownership_ == owned_by::tasks ? sizeof(task_parts*)
           : ownership_ == owned_by::other ? sizeof(external_owner)
                                           : 0;
  }

  /// A header for `data`, or for owned_by::block with `size` bytes behind it. nullptr if the heap
  /// has no memory. Aligned by hand: the heap's aligned call takes 30 to 60 ns longer.
  static buffer* placed(device where, std::size_t size, void* data, owned_by ownership,
                        std::size_t more = 0) noexcept;
  /// A header for a block of the pool.
  static buffer* beside(device where, std::size_t size, void* data, call_site const& caller);
  /// nullptr if the pool has no memory or no addresses; the caller then tries the heap. Before the
  /// devices are fixed it returns nullptr, as a tensor alone does not fix them.
  static void* from_host_pool(device where, std::size_t size, call_site const& caller);

  /// Adds to the number of owners and returns the number before. A process with one thread needs no
  /// locked instruction.
  int change_owners(int by) noexcept {
    if (!PLACEMENT_SINGLE_THREADED) return owners_.add(by);
    int const before = owners_.peek();
    owners_.set(before + by);
    return before;
  }

  /// The buffer that a part belongs to.
  buffer*& whole() const noexcept;

  /// Whether a recording uses the elements. While this thread records, work on them may just have
  /// been recorded, so the recorder notes the buffer.
  bool is_recorded() noexcept;

  void destroy() noexcept;

  [[gnu::cold]] void await_other_queues() const;
  /// The only owner needs no locked instruction, as nobody else can add one.
  void last_owner_left() noexcept;

  shared_word<int> owners_{1};
  device where_;
  owned_by ownership_;
  int recordings_ = 0;
  std::size_t size_;
  void* data_;
  timeline_point complete_ = 0;
  mutable shared_word<std::uint64_t> readers_{0};  ///< one bit per other GPU
  void* block_;  ///< the heap's block; may begin before the header
};
static_assert(sizeof(buffer) == buffer::alignment);

/// A counted reference to a buffer, or to none.
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
  PLACEMENT_ALWAYS_INLINE ~buffer_ref() {
    if (b_ != nullptr) b_->drop_owner();
  }

  buffer* operator->() const noexcept { return b_; }
  buffer* get() const noexcept { return b_; }
  explicit operator bool() const noexcept { return b_ != nullptr; }

 private:
  buffer* b_ = nullptr;
};

}}}  // namespace placement::v0_1::detail
