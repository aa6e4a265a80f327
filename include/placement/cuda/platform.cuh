#pragma once
/// NVIDIA's GPUs as a platform. Uses the driver API alone: no CUDA runtime and no kernels.

#include <placement/config.hpp>
#include <placement/cuda/address_range.cuh>
#include <placement/cuda/cuda_device.cuh>
#include <placement/cuda/driver.cuh>
#include <placement/cuda/enumeration.cuh>
#include <placement/cuda/event_pool.cuh>
#include <placement/cuda/work_queue.cuh>
#include <placement/device/platform.hpp>
#include <placement/memory/region.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/fork.ipp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stdlib.h>

namespace placement { inline namespace v0_1 { namespace cuda {

/// The GPUs that CUDA shows to this process. The first query enumerates them; a GPU's context is
/// created at its first use. A use leaves that GPU current on the calling thread.
/// Thread: safe.
class cuda_platform final : public platform {
 public:
  /// The driver must outlive the platform.
  explicit cuda_platform(driver const& api) : api_(api) {}

  /// Adds architectures that the program has code for: 900 is 9.0. Has an effect only before the
  /// GPUs are enumerated.
  void add_architectures(std::initializer_list<int> more) {
    lock_guard const guard(guard_);
    architectures_.insert(architectures_.end(), more.begin(), more.end());
  }

  kind type() const noexcept override { return kind::gpu; }
  bool simulated() const noexcept override { return false; }
  int count() noexcept override {
    try {
      return static_cast<int>(looked_for().gpus.size());
    } catch (...) { return 0; }  // the host has no memory for the list
  }
  std::string why_none() override { return looked_for().why_none; }
  hardware describe(int ordinal) override { return at(ordinal).device.about(); }
  memory_info memory(int ordinal) noexcept override {
    one_gpu& g = at(ordinal);
    memory_info now{};
    if (g.device.try_call(api_.memory_info, &now.free, &now.total)) return now;
    std::size_t const total = g.device.about().memory_bytes;
    return {total, total};  // a later allocation then throws with the reason
  }
  software_versions versions() noexcept override { return {CUDA_VERSION, api_.newest_version()}; }

  void* reserve(int ordinal, std::size_t bytes) override {
    one_gpu& g = at(ordinal);
    lock_guard const guard(g.guard);
    g.ranges.reserve(g.ranges.size() + 1);
    g.ranges.push_back(std::make_unique<address_range>(g.device, bytes, page_bytes(g)));
    return pointer(g.ranges.back()->base());
  }
  void commit(int ordinal, void* base, std::size_t offset, std::size_t bytes) override {
    one_gpu& g = at(ordinal);
    lock_guard const guard(g.guard);
    range_at(g, base)->commit(offset, bytes, g.readers);
  }
  void decommit(int ordinal, void* base, std::size_t offset, std::size_t bytes) noexcept override {
    one_gpu& g = at(ordinal);
    lock_guard const guard(g.guard);
    range_at(g, base)->decommit(offset, bytes);
  }
  void release(int ordinal, void* base, std::size_t) noexcept override {
    one_gpu& g = at(ordinal);
    lock_guard const guard(g.guard);
    auto& range = range_at(g, base);
    std::swap(range, g.ranges.back());
    g.ranges.pop_back();
  }
  void retire(queue, void*, std::size_t) noexcept override {}

  queue open_queue(int ordinal) override {
    one_gpu& g = at(ordinal);
    lock_guard const guard(g.guard);
    g.queues.reserve(g.queues.size() + 1);
    g.queues.push_back(std::make_unique<work_queue>(g.device, g.events));
    return {ordinal, g.queues.back().get()};
  }
  /// The work_queue stays alive, because other queues may still ask for its state.
  void close_queue(queue q) noexcept override { queue_of(q).close(); }
  void copy(queue q, endpoint to, endpoint from, std::size_t bytes) override;
  event record(queue q) override { return {queue_of(q).record()}; }
  void wait(queue q, event e) override {
    queue_of(q).wait(static_cast<event_pool::one*>(e.handle));
  }
  void synchronise(queue q) override { queue_of(q).synchronise(); }

  /// Uses CUDA's stream-ordered allocator, as cudaMallocAsync does. Freed memory stays with it
  /// until trim_allocator().
  void* allocate(queue q, std::size_t bytes) override {
    if (!at(q.ordinal).pool_keeps_memory.load(std::memory_order_acquire)) [[unlikely]]
      keep_pool_memory(at(q.ordinal));
    return pointer(queue_of(q).allocate(bytes));
  }
  void deallocate(queue q, void* block, std::size_t) noexcept override {
    try {
      queue_of(q).deallocate(address(block));
    } catch (...) {  // the device is lost, and its memory with it
    }
  }
  void trim_allocator(int ordinal) noexcept override {
    CUmemoryPool pool{};
    cuda_device& d = at(ordinal).device;
    if (d.try_call(api_.default_pool, &pool, d.handle()))
      d.try_call(api_.trim_pool, pool, std::size_t{0});
  }

  timeline_point current_point(queue q) noexcept override { return queue_of(q).current_point(); }
  void fetch(queue q, timeline_point complete, void* to, endpoint from,
             std::size_t bytes) override {
    if (bytes == 0) return;
    work_queue& work = queue_of(q);
    work.copy_out(to, address(from.address), bytes, is_pinned(work.device(), to), complete);
  }
  void launched(queue q, std::string_view op) override { queue_of(q).launched(op); }

  void begin_recording(queue q) override { queue_of(q).begin_recording(); }
  recording end_recording(queue q) override { return {queue_of(q).end_recording().release()}; }
  void replay(queue q, recording r) override {
    queue_of(q).replay(*static_cast<recorded_work*>(r.handle));
  }
  void drop(recording r) noexcept override { delete static_cast<recorded_work*>(r.handle); }

  /// The work_queue behind a queue handle of this platform.
  static work_queue& queue_of(queue q) noexcept { return *static_cast<work_queue*>(q.handle); }
  /// The device with this ordinal. Throws: std::bad_alloc at the first query.
  cuda_device& device(int ordinal) { return at(ordinal).device; }

 private:
  struct one_gpu {
    one_gpu(driver const& api, found_device found)
        : device(api, std::move(found)), events(device) {}

    cuda_device device;
    event_pool events;
    lock guard;
    std::size_t page = 0;                                ///< bytes; 0 = not queried yet
    std::vector<std::unique_ptr<address_range>> ranges;  ///< guarded
    std::vector<std::unique_ptr<work_queue>> queues;     ///< guarded
    std::vector<CUdevice> readers;  ///< guarded; devices with direct access to its memory
    std::atomic<std::uint64_t> checked_readers{0};  ///< a bit set, by ordinal
    std::atomic<bool> pool_keeps_memory{false};     ///< set once, at its first allocation
  };
  struct all_gpus {
    std::vector<std::unique_ptr<one_gpu>> gpus;
    std::string why_none;
  };

  all_gpus& looked_for() {
    all_gpus* const known = all_.load(std::memory_order_acquire);
    return known != nullptr ? *known : look_for();
  }
  all_gpus& look_for();
  one_gpu& at(int ordinal) { return *looked_for().gpus[static_cast<std::size_t>(ordinal)]; }

  /// The range reserved at this address, which must exist.
  static std::unique_ptr<address_range>& range_at(one_gpu& g, void* base) noexcept {
    std::size_t i = 0;
    while (pointer(g.ranges[i]->base()) != base) ++i;
    return g.ranges[i];
  }
  static std::size_t page_bytes(one_gpu& g);
  void open_peer(int reader, int owner);
  void keep_pool_memory(one_gpu& g) noexcept;
  bool is_pinned(cuda_device& device, void const* host) const;

  static void* pointer(CUdeviceptr p) noexcept { return reinterpret_cast<void*>(p); }
  static CUdeviceptr address(void const* p) noexcept { return reinterpret_cast<CUdeviceptr>(p); }

  driver const& api_;
  std::vector<int> architectures_;
  std::atomic<all_gpus*> all_{nullptr};  ///< never destroyed: tensors may outlive main
  lock guard_;
};

[[gnu::cold, gnu::noinline]] inline cuda_platform::all_gpus& cuda_platform::look_for() {
  lock_guard const guard(guard_);
  if (all_gpus* const known = all_.load(std::memory_order_acquire)) return *known;
  char const* const text = ::getenv("CUDA_VISIBLE_DEVICES");  // the driver reads the same variable
  auto const visible = text == nullptr ? std::nullopt : std::optional<std::string>(text);
  findings found = enumerate(api_, visible, architectures_);
  if (!found.devices.empty()) placement::detail::install_fork_handlers();
  auto all = std::make_unique<all_gpus>();
  all->why_none = std::move(found.why_none);
  for (found_device& d : found.devices)
    all->gpus.push_back(std::make_unique<one_gpu>(api_, std::move(d)));
  all_.store(all.get(), std::memory_order_release);
  return *all.release();
}

/// The size of the pages that the device maps: the 2 MiB chunk by which the library commits and
/// decommits. Throws: placement_error if the device's granularity does not divide a chunk.
inline std::size_t cuda_platform::page_bytes(one_gpu& g) {
  if (g.page != 0) return g.page;
  CUmemAllocationProp const properties = memory_properties(g.device);
  std::size_t page = 0;
  g.device.call(g.device.api().granularity, &page, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  constexpr std::size_t chunk = placement::detail::region::chunk;
  if (page == 0 || chunk % page != 0)
    throw placement_error("placement: the memory of " + g.device.name() + " comes in pages of " +
                          std::to_string(page) + " bytes, which do not divide " +
                          std::to_string(chunk) + ". Use another GPU, or the CPU.");
  return g.page = chunk;
}

/// Gives the reader direct access to the owner's memory if the hardware can. Queried once per pair.
inline void cuda_platform::open_peer(int reader, int owner) {
  one_gpu& g = at(owner);
  std::uint64_t const bit = std::uint64_t{1} << (static_cast<unsigned>(reader) % 64);
  if ((g.checked_readers.load(std::memory_order_acquire) & bit) != 0) return;
  lock_guard const guard(g.guard);
  if ((g.checked_readers.load(std::memory_order_acquire) & bit) != 0) return;
  cuda_device& reads = device(reader);
  int can = 0;
  reads.call(api_.can_access_peer, &can, reads.handle(), g.device.handle());
  if (can != 0) {
    g.readers.push_back(reads.handle());
    for (auto const& range : g.ranges) range->open_to_reader(reads.handle());
  }
  g.checked_readers.fetch_or(bit, std::memory_order_release);
}

/// By default the pool returns its free memory to the driver at each synchronisation. If that
/// cannot be changed, allocations are slower. The pool is the default one of the device, so the
/// threshold also holds for `cudaMallocAsync` of the program.
inline void cuda_platform::keep_pool_memory(one_gpu& g) noexcept {
  CUmemoryPool pool{};
  std::uint64_t all = ~std::uint64_t{0};
  if (g.device.try_call(api_.default_pool, &pool, g.device.handle()))
    g.device.try_call(api_.set_pool_attribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                      static_cast<void*>(&all));
  g.pool_keeps_memory.store(true, std::memory_order_release);
}

/// Whether host memory is pinned, so that the GPU accesses it directly. The call for one attribute
/// fails for other memory, which tools report as an error of the program.
inline bool cuda_platform::is_pinned(cuda_device& d, void const* host) const {
  d.make_current();
  unsigned where = 0;
  CUpointer_attribute type = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void* values[] = {&where};
  CUresult const code = api_.pointer_attributes(1u, &type, values, address(host));
  return code == CUDA_SUCCESS && where == CU_MEMORYTYPE_HOST;
}

inline void cuda_platform::copy(queue q, endpoint to, endpoint from, std::size_t bytes) {
  if (bytes == 0) return;
  work_queue& work = queue_of(q);
  if (from.ordinal == endpoint::host)
    return work.copy_in(address(to.address), from.address, bytes,
                        is_pinned(work.device(), from.address));
  if (to.ordinal == endpoint::host) return fetch(q, 0, to.address, from, bytes);
  if (to.ordinal == from.ordinal)
    return work.enqueue(api_.copy_inside, address(to.address), address(from.address), bytes);
  cuda_device &target = device(to.ordinal), &source = device(from.ordinal);
  target.make_current();
  source.make_current();
  open_peer(q.ordinal, to.ordinal == q.ordinal ? from.ordinal : to.ordinal);
  work.enqueue(api_.copy_between, address(to.address), target.context(), address(from.address),
               source.context(), bytes);
}

}}}  // namespace placement::v0_1::cuda
