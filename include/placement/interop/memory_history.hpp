#pragma once
/// The memory events of a program over time, as data. Not part of placement.hpp.

#include <placement/device/device.hpp>
#include <placement/memory/call_site.hpp>
#include <placement/memory/memory_observer.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// An op and source line that holds memory of a device.
struct memory_series {
  device where{};
  call_site caller{};
};

/// One memory event. Units: nanoseconds since the start, bytes.
struct memory_sample {
  std::int64_t time = 0;
  std::size_t size = 0;
  std::uint32_t series = 0;  ///< an index into memory_history::series
  memory_action action{};
};

/// All events of a stretch of time. Those at time 0 are what was held before.
struct memory_history {
  std::vector<memory_series> series;
  std::vector<memory_sample> samples;  ///< by time
  std::int64_t end = 0;                ///< Nanoseconds.
  std::size_t dropped = 0;             ///< Events that were not recorded.
};

namespace detail {

/// Appends events to a history. Thread: not safe.
class memory_history_builder {
 public:
  explicit memory_history_builder(std::size_t max_samples) : max_(max_samples) {}

  /// Counts an event as dropped if there are too many, or no memory for it.
  void add(std::int64_t time, memory_event const& e) noexcept try {
    if (history_.samples.size() == max_) {
      ++history_.dropped;
      return;
    }
    history_.samples.push_back({time, e.size, number_of({e.where, e.caller}), e.action});
  } catch (...) { ++history_.dropped; }

  /// The history up to `end`. Leaves an empty one.
  memory_history take(std::int64_t end) {
    history_.end = end;
    numbers_.clear();
    return std::exchange(history_, {});
  }

 private:
  /// A series in an order: texts are compared, as equal literals may have several addresses.
  struct key {
    kind type;
    int index;
    std::string_view tag, file, name;
    unsigned line;

    friend auto operator<=>(key const&, key const&) = default;
  };

  std::uint32_t number_of(memory_series const& s) {
    call_site const& c = s.caller;
    key const k{s.where.type, s.where.index, c.tag, c.file == nullptr ? "" : c.file,
                c.name,       c.line};
    auto const found = numbers_.find(k);
    if (found != numbers_.end()) return found->second;
    history_.series.push_back(s);
    auto const number = static_cast<std::uint32_t>(history_.series.size() - 1);
    numbers_.emplace(k, number);
    return number;
  }

  std::size_t max_;
  memory_history history_;
  std::map<key, std::uint32_t> numbers_;
};

}  // namespace detail

}}  // namespace placement::v0_1
