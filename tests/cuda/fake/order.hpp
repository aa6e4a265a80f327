#pragma once
/// The order of work on streams, by vector clocks, and a check that accesses to the same memory are
/// ordered. A task follows earlier work of its stream and the events that the stream waits for. It
/// also follows what the host had waited for before it gave the task.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace fake_driver {

/// The number of tasks of each stream that are done, by the number of the stream.
using vector_clock = std::map<std::size_t, std::size_t>;

inline void join(vector_clock& to, vector_clock const& from) {
  for (auto const& [stream, done] : from) to[stream] = std::max(to[stream], done);
}

/// A task, and what is done before it begins.
struct ordered_task {
  std::size_t stream, position;
  vector_clock before;
};
inline bool happens_before(ordered_task const& a, ordered_task const& b) {
  auto const it = b.before.find(a.stream);
  return it != b.before.end() && it->second >= a.position;
}

/// The last accesses to memory, and the conflicts among them.
class access_order {
 public:
  using task_handle = std::shared_ptr<ordered_task const>;
  static constexpr std::uint64_t granule = 4;  ///< bytes that are followed together

  /// Returns the task that accesses the same memory without an order; null if there is none.
  task_handle see(task_handle const& t, std::uint64_t address, std::size_t bytes, bool write) {
    task_handle other;
    for (std::uint64_t g = address / granule; g * granule < address + bytes; ++g)
      if (task_handle const one = enter(t, of_[g], write)) other = one;
    return other;
  }
  /// Returns a task that accesses freed memory, and that nothing orders before the free. Forgets
  /// all accesses to it: later ones are to other memory at the same address.
  task_handle free(task_handle const& t, std::uint64_t address, std::size_t bytes) {
    task_handle other;
    std::erase_if(of_, [&](auto const& entry) {
      auto const& [g, all] = entry;
      if (g < address / granule || g * granule >= address + bytes) return false;
      if (is_unordered(all.writer, t)) other = all.writer;
      for (task_handle const& reader : all.readers)
        if (is_unordered(reader, t)) other = reader;
      return true;
    });
    return other;
  }

 private:
  struct accesses {
    task_handle writer;
    std::vector<task_handle> readers;  ///< since that write
  };
  static bool is_unordered(task_handle const& a, task_handle const& b) {
    return a != nullptr && a != b && !happens_before(*a, *b) && !happens_before(*b, *a);
  }
  static task_handle enter(task_handle const& t, accesses& all, bool write) {
    task_handle other = is_unordered(all.writer, t) ? all.writer : nullptr;
    if (!write) {
      if (all.readers.empty() || all.readers.back() != t) all.readers.push_back(t);
      return other;
    }
    for (task_handle const& reader : all.readers)
      if (is_unordered(reader, t)) other = reader;
    // Work may run in another order than it was given in: the later task stays.
    if (all.writer == nullptr || !happens_before(*t, *all.writer)) all.writer = t;
    std::erase_if(all.readers, [&](task_handle const& r) { return happens_before(*r, *t); });
    return other;
  }

  std::unordered_map<std::uint64_t, accesses> of_;
};

}  // namespace fake_driver
