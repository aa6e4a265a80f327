#pragma once
/// The pool of each logical device, created at first use and closed when the program ends.

#include <placement/memory/blocks.hpp>
#include <placement/memory/pool.hpp>
#include <placement/src/device/fork.ipp>
#include <placement/src/device/registry.ipp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// All pools of the process, those of CPUs first. Never destroyed: tensors may outlive main.
class pool_table {
 public:
  pool_table() : cpus_(this_machine().cpus), all_(size()) {
    late_ = end_of_queues.exchange(queue_end::by_pools) == queue_end::done;
    std::atexit(close_all);
  }

  pool& operator[](logical_device const& d) {
    std::atomic<pool*>& place = all_[static_cast<std::size_t>(d.id.index) +
                                     (d.id.is_gpu() ? static_cast<std::size_t>(cpus_) : 0)];
    pool* const made = place.load(std::memory_order_acquire);
    return made != nullptr ? *made : make(place, d);
  }
  /// Calls f(pool) for each pool that was created.
  template <class F> void for_each(F&& f) const {
    for (auto const& place : all_)
      if (pool* const p = place.load(std::memory_order_acquire)) f(*p);
  }

  static memory_part find(void const* p) noexcept;
  static void lock_all() noexcept;
  static void unlock_all() noexcept;

 private:
  static std::size_t size() {
    machine const all = this_machine();
    return static_cast<std::size_t>(all.cpus) + static_cast<std::size_t>(all.gpus);
  }
  [[gnu::cold, gnu::noinline]] pool& make(std::atomic<pool*>& place, logical_device const& d) try {
    lock_guard const guard(creation_lock_);
    pool* made = place.load(std::memory_order_acquire);
    if (made != nullptr) return *made;
    logical_device& own = *fixed_devices.load(std::memory_order_acquire)->find(d.id);
    made = new pool(own, &own.work);
    if (late_) made->begin_closed();
    place.store(made, std::memory_order_release);
    return *made;
  } catch (...) { rethrow_as_error(); }
  static void close_all() noexcept;

  int cpus_;
  std::vector<std::atomic<pool*>> all_;
  lock creation_lock_;
  bool late_ = false;  ///< the program ends, and unused queues are closed
};

PLACEMENT_PROCESS_STATE inline constinit std::atomic<pool_table*> pools_of_process{nullptr};

[[gnu::cold]] inline pool_table& make_pools();

inline pool_table& all_pools() {
  pool_table* const made = pools_of_process.load(std::memory_order_acquire);
  return made != nullptr ? *made : make_pools();
}

inline pool_table& make_pools() try {
  fixed();
  lock_guard const guard(process_state_lock);
  pool_table* made = pools_of_process.load(std::memory_order_acquire);
  if (made != nullptr) return *made;
  static constexpr fork_handlers handlers{pool_table::lock_all, pool_table::unlock_all};
  made = new pool_table;
  pools_of_process.store(made, std::memory_order_release);
  pool_fork_handlers.store(&handlers, std::memory_order_release);
  find_in_all_pools.store(pool_table::find, std::memory_order_release);
  return *made;
} catch (...) { rethrow_as_error(); }

/// Objects that are destroyed later still deallocate their blocks. The last block of a device
/// releases the device's memory.
inline void pool_table::close_all() noexcept {
  pool_table& table = all_pools();
  lock_guard const guard(table.creation_lock_);
  device_lists const& lists = *fixed_devices.load(std::memory_order_acquire);
  std::size_t i = 0;
  for (auto const* list : {&lists.cpus, &lists.gpus}) {
    for (logical_device const& d : *list) {
      pool* const made = table.all_[i++].load(std::memory_order_acquire);
      if (lost_by_fork(d.id)) continue;
      if (made != nullptr) made->close();
      else if (!table.late_) d.owner->close_queue(d.work);
    }
  }
  table.late_ = true;
}

/// The part of any pool that has this address.
inline memory_part pool_table::find(void const* p) noexcept {
  memory_part found;
  all_pools().for_each([&](pool& each) {
    if (found.begin == nullptr) found = each.part_at(p);
  });
  return found;
}

/// Hold all pools around fork(), so that a child gets no allocator state that another thread was
/// writing.
inline void pool_table::lock_all() noexcept {
  all_pools().creation_lock_.lock_for_fork();
  all_pools().for_each([](pool& p) { p.lock_for_fork(); });
}
inline void pool_table::unlock_all() noexcept {
  all_pools().for_each([](pool& p) { p.after_fork(); });
  all_pools().creation_lock_.after_fork();
}

}  // namespace detail

/// The pool of a logical device. Fixes the configuration. Throws: placement_error if there is no
/// such device.
inline pool& pool_of(device d) { return detail::all_pools()[logical(d)]; }

}}  // namespace placement::v0_1
