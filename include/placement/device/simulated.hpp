#pragma once
/// GPUs made of host memory. Programs for several GPUs run and can be tested on a machine without
/// any.
///
/// Each simulated GPU has its own memory with a limit. Unwritten and freed memory reads as 0xFF
/// bytes, which are NaN as floating point. Kernels are the CPU's loops. A thread per queue runs
/// them in order, so the work of several queues overlaps.

#include <placement/config.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/simulated_gpus.hpp>
#include <placement/device/simulated_queue.hpp>
#include <placement/error.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/runtime/virtual_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// "0000:01:00.0" for 0, then one bus number more for each GPU.
inline std::string simulated_pci_bus_id(int ordinal) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto const bus = static_cast<unsigned>(ordinal + 1) & 255u;
  return std::string("0000:") + digits[bus >> 4] + digits[bus & 15] + ":00.0";
}

/// "GPU-51000000-0000-0000-0000-000000000002" for 2.
inline std::string simulated_uuid(int ordinal) {
  std::string const number = std::to_string(ordinal);
  return "GPU-51000000-0000-0000-0000-" + std::string(12 - number.size(), '0') + number;
}

/// The pages of an address range that have memory behind them.
class simulated_range {
 public:
  simulated_range(void* base, std::size_t bytes)
      : base_(base), backed_(page_span(0, bytes).last, false) {}

  void* base() const noexcept { return base_; }

  std::size_t backed_bytes(page_span pages) const noexcept {
    std::size_t bytes = 0;
    for (std::size_t page = pages.first; page != pages.last; ++page)
      if (backed_[page]) bytes += page_bytes();
    return bytes;
  }
  std::size_t backed_bytes() const noexcept {
    return backed_bytes(page_span(0, backed_.size() * page_bytes()));
  }

  void mark_backed(page_span pages) noexcept {
    for (std::size_t page = pages.first; page != pages.last; ++page) backed_[page] = true;
  }
  void mark_unbacked(page_span pages) noexcept {
    for (std::size_t page = pages.first; page != pages.last; ++page) backed_[page] = false;
  }

 private:
  void* base_;
  std::vector<bool> backed_;
};

}  // namespace detail

/// The platform of simulated GPUs. Thread: safe, except that one thread at a time gives work to a
/// recording queue.
class simulated_platform final : public platform {
 public:
  explicit simulated_platform(simulated_gpus settings)
      : settings_(std::move(settings)),
        devices_(settings_.count > 0 ? static_cast<std::size_t>(settings_.count) : 0) {}

  simulated_gpus const& settings() const noexcept { return settings_; }

  kind type() const noexcept override { return kind::gpu; }
  bool simulated() const noexcept override { return true; }
  int count() noexcept override { return static_cast<int>(devices_.size()); }

  hardware describe(int ordinal) override {
    std::string const what = settings_.name.empty() ? "" : " (" + settings_.name + ")";
    return {"Simulated GPU" + what,
            detail::simulated_pci_bus_id(ordinal),
            detail::simulated_uuid(ordinal),
            settings_.capability_major,
            settings_.capability_minor,
            ordinal,
            -1,
            settings_.memory_bytes};
  }

  memory_info memory(int ordinal) noexcept override {
    lock_guard guard(lock_);
    return {free_bytes(ordinal), settings_.memory_bytes};
  }

  void* reserve(int ordinal, std::size_t bytes) override {
    lock_guard guard(lock_);
    auto& ranges = at(ordinal).ranges;
    ranges.reserve(ranges.size() + 1);
    void* const base = detail::reserve_pages(name_of(ordinal), bytes);
    try {
      ranges.emplace_back(base, bytes);
    } catch (...) {
      detail::release_pages(base, bytes);
      throw;
    }
    return base;
  }

  void commit(int ordinal, void* base, std::size_t offset, std::size_t bytes) override {
    lock_guard guard(lock_);
    one_device& device = at(ordinal);
    auto& range = range_at(device, base);
    detail::page_span const pages(offset, bytes);
    std::size_t const more = pages.bytes() - range.backed_bytes(pages);
    if (more > free_bytes(ordinal))
      throw out_of_memory("Out of memory on " + name_of(ordinal) + ": asked for " +
                          std::to_string(more) + " bytes; " + std::to_string(free_bytes(ordinal)) +
                          " of " + std::to_string(settings_.memory_bytes) + " are free");
    if (!detail::commit_pages(base, pages)) detail::throw_no_host_memory(name_of(ordinal), more);
    range.mark_backed(pages);
    device.backed_bytes += more;
  }

  /// Poisons memory at its first use, so that unused memory stays untouched.
  void first_use(int, void* base, std::size_t offset, std::size_t bytes) noexcept override {
    std::memset(static_cast<std::byte*>(base) + offset, 0xFF, bytes);
  }

  void decommit(int ordinal, void* base, std::size_t offset, std::size_t bytes) noexcept override {
    lock_guard guard(lock_);
    one_device& device = at(ordinal);
    auto& range = range_at(device, base);
    detail::page_span const pages(offset, bytes);
    device.backed_bytes -= range.backed_bytes(pages);
    detail::decommit_pages(base, pages);
    range.mark_unbacked(pages);
  }

  void release(int ordinal, void* base, std::size_t bytes) noexcept override {
    lock_guard guard(lock_);
    one_device& device = at(ordinal);
    auto& range = range_at(device, base);
    device.backed_bytes -= range.backed_bytes();
    detail::release_pages(base, bytes);
    std::swap(range, device.ranges.back());
    device.ranges.pop_back();
  }

  void retire(queue q, void* address, std::size_t bytes) noexcept override {
    if (bytes == 0) return;
    detail::simulated_queue& in = at(q);
    if (in.records != nullptr) return;  // a replay may write it again
    if (in.by.count() >= max_queued_to_poison) return;
    host_work* const work =
        in.idle() ? nullptr : new (std::nothrow) detail::simulated_poison(address, bytes);
    if (work != nullptr) return in.by.append(work);  // the caller holds the pool's lock
    in.by.wait_for_point(in.by.last_point());
    std::memset(address, 0xFF, bytes);
  }

  queue open_queue(int ordinal) override {
    lock_guard guard(lock_);
    queues_.reserve(queues_.size() + 1);
    queues_.push_back(new detail::simulated_queue({settings_.queue_length, settings_.queue_bytes}));
    return {ordinal, queues_.back()};
  }
  void close_queue(queue q) noexcept override { at(q).by.stop(); }
  void copy(queue q, endpoint to, endpoint from, std::size_t bytes) override {
    if (bytes == 0) return;
    detail::simulated_queue& in = at(q);
    bool const from_host = from.ordinal == endpoint::host;
    if (should_run_inline(q, bytes)) {
      std::memmove(to.address, from.address, bytes);
    } else if (from_host && (is_staged(bytes) || in.records != nullptr)) {
      in.enqueue(detail::simulated_copy::staged(to.address, from.address, bytes),
                 detail::queued_kind::copy);
    } else {
      in.enqueue(new detail::simulated_copy(to.address, from.address, bytes),
                 detail::queued_kind::copy);
      if (from_host) in.by.wait_for_point(in.by.last_point());
    }
  }
  event record(queue q) override { return record_at(q, at(q).by.last_point()); }
  event record_at(queue q, timeline_point point) override { return {new passed{&at(q).by, point}}; }
  void wait(queue q, event e) override {
    auto* const handle = static_cast<passed*>(e.handle);
    passed const awaited = *handle;
    delete handle;
    if (awaited.by->has_done(awaited.point)) return;
    auto* const work = new detail::simulated_wait(*awaited.by, awaited.point);
    work->tracer = detail::take_tracer(detail::queued_kind::wait);
    at(q).append(work);  // callers may hold a lock
  }
  void synchronise(queue q) override { at(q).by.wait_for_point(at(q).by.last_point()); }

  /// Reserves a range for each block.
  void* allocate(queue q, std::size_t bytes) override {
    void* const base = reserve(q.ordinal, bytes);
    try {
      commit(q.ordinal, base, 0, bytes);
    } catch (...) {
      release(q.ordinal, base, bytes);
      throw;
    }
    first_use(q.ordinal, base, 0, bytes);
    return base;
  }
  void deallocate(queue q, void* address, std::size_t bytes) noexcept override {
    at(q).by.wait_for_point(at(q).by.last_point());
    release(q.ordinal, address, bytes);
  }

  std::size_t queued_bytes(queue q) noexcept override { return at(q).by.bytes(); }
  timeline_point current_point(queue q) noexcept override { return at(q).by.last_point(); }
  void fetch(queue q, timeline_point complete, void* to, endpoint from,
             std::size_t bytes) override {
    at(q).by.wait_for_point(complete);
    detail::begin_traced_work_now();
    if (bytes != 0) std::memcpy(to, from.address, bytes);
  }

  void begin_recording(queue q) override { at(q).records = new detail::simulated_recording; }
  recording end_recording(queue q) override { return {std::exchange(at(q).records, nullptr)}; }
  void replay(queue q, recording r) override {
    at(q).enqueue(
        new detail::simulated_replay(*static_cast<detail::simulated_recording*>(r.handle)));
  }
  void drop(recording r) noexcept override {
    delete static_cast<detail::simulated_recording*>(r.handle);
  }

  bool should_run_inline(queue q, std::size_t cost) noexcept override {
    return cost < settings_.run_inline_below && at(q).idle();
  }
  void run(queue q, host_work* work) override { at(q).enqueue(work, detail::queued_kind::kernel); }

  ~simulated_platform() {
    for (detail::simulated_queue* q : queues_) delete q;
  }

 private:
  struct one_device {
    std::size_t backed_bytes = 0;
    std::vector<detail::simulated_range> ranges;
  };
  /// How far a queue has got.
  struct passed {
    detail::worker const* by;
    timeline_point point;
  };
  /// Larger copies from the host are waited for, not staged.
  static constexpr std::size_t max_staged_bytes = std::size_t{8} << 20;
  /// Freeing memory never waits for space in the queue. A program that only frees, while the GPU is
  /// busy, would fill the queue without limit. Beyond this count, freed memory is not poisoned.
  static constexpr std::size_t max_queued_to_poison = std::size_t{1} << 16;

  bool is_staged(std::size_t bytes) const noexcept {
    return bytes <= max_staged_bytes && bytes <= settings_.queue_bytes;
  }

  static detail::simulated_queue& at(queue q) noexcept {
    return *static_cast<detail::simulated_queue*>(q.handle);
  }
  static std::string name_of(int ordinal) { return "simulated GPU " + std::to_string(ordinal); }
  one_device& at(int ordinal) noexcept { return devices_[static_cast<std::size_t>(ordinal)]; }

  /// The range that was reserved at this address. Callers pass no other addresses.
  static detail::simulated_range& range_at(one_device& device, void* base) noexcept {
    std::size_t i = 0;
    while (device.ranges[i].base() != base) ++i;
    return device.ranges[i];
  }

  std::size_t free_bytes(int ordinal) noexcept {
    auto const& each = settings_.held_bytes_of;
    auto const index = static_cast<std::size_t>(ordinal);
    std::size_t const held = index < each.size() ? each[index] : settings_.held_bytes;
    std::size_t const used = at(ordinal).backed_bytes;
    std::size_t const total = settings_.memory_bytes;
    return held >= total || used >= total - held ? 0 : total - held - used;
  }

  simulated_gpus settings_;
  std::vector<one_device> devices_;
  std::vector<detail::simulated_queue*> queues_;  ///< never shrinks: events refer to them
  lock lock_;
};

}}  // namespace placement::v0_1
