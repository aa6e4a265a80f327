#pragma once
/// A memory history as areas to draw: for each device, who held how much in each column of a
/// diagram. Not part of placement.hpp.

#include <placement/interop/memory_history.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// What one call site held of a device, or what several did that held less. Units: bytes.
struct memory_holder {
  std::uint32_t series = 0;
  std::size_t most = 0;         ///< its own maximum
  std::size_t at_peak = 0;      ///< when the device held most
  std::size_t allocations = 0;  ///< including those of before
};

/// A failed request, in a column.
struct lane_failure {
  std::size_t column = 0, size = 0;
  std::uint32_t series = 0;
};

/// The diagram of one device. Units: bytes.
struct memory_lane {
  device where{};
  std::size_t peak = 0, most_reserved = 0;
  std::vector<memory_holder> holders;  ///< by at_peak, then by most
  std::size_t shown = 0;               ///< the first holders, which have areas of their own
  /// For each column the bytes of the shown holders, then those of all others. The state is that
  /// of the column in which the device held most.
  std::vector<std::vector<std::size_t>> columns;
  std::vector<std::size_t> reserved;  ///< the maximum of each column
  std::vector<lane_failure> failures;
};

/// Makes the lane of one device in three passes over the events.
class lane_maker {
 public:
  static constexpr std::size_t max_shown = 9;

  lane_maker(memory_history const& h, device d, std::size_t columns)
      : history_(h), columns_(columns) {
    lane_.where = d;
    find_peak();
    list_holders();
    fill_columns();
  }

  memory_lane take() { return std::move(lane_); }

 private:
  template <class F> void for_each_sample(F f) const {
    for (memory_sample const& s : history_.samples)
      if (history_.series[s.series].where == lane_.where) f(s);
  }
  std::size_t column_of(std::int64_t time) const {
    if (history_.end <= 0 || time <= 0) return 0;
    auto const share = static_cast<double>(time) / static_cast<double>(history_.end);
    return std::min(columns_ - 1, static_cast<std::size_t>(share * static_cast<double>(columns_)));
  }
  /// The bytes that change hands. A free without its allocation, which was dropped, changes
  /// nothing.
  static bool apply(memory_sample const& s, std::size_t& held) {
    if (s.action == memory_action::allocate) held += s.size;
    else if (s.action == memory_action::free && held >= s.size) held -= s.size;
    else return false;
    return true;
  }

  void find_peak() {
    std::vector<memory_holder> all(history_.series.size());
    std::vector<std::size_t> held(all.size());
    std::size_t total = 0;
    for_each_sample([&](memory_sample const& s) {
      std::size_t& mine = held[s.series];
      std::size_t const before = mine;
      if (!apply(s, mine)) return;
      total = total - before + mine;
      if (s.action == memory_action::allocate) ++all[s.series].allocations;
      all[s.series].most = std::max(all[s.series].most, mine);
      if (total <= lane_.peak) return;
      lane_.peak = total;
      peak_sample_ = &s;
    });
    for (std::size_t i = 0; i != all.size(); ++i) all[i].series = static_cast<std::uint32_t>(i);
    lane_.holders = std::move(all);
  }

  void list_holders() {
    std::vector<std::size_t> held(history_.series.size());
    bool passed = peak_sample_ == nullptr;
    for_each_sample([&](memory_sample const& s) {
      if (passed) return;
      apply(s, held[s.series]);
      passed = &s == peak_sample_;
    });
    for (memory_holder& h : lane_.holders) h.at_peak = held[h.series];
    std::erase_if(lane_.holders, [](memory_holder const& h) { return h.allocations == 0; });
    auto const holds_more = [](memory_holder const& a, memory_holder const& b) {
      if (a.at_peak != b.at_peak) return a.at_peak > b.at_peak;
      return a.most != b.most ? a.most > b.most : a.series < b.series;
    };
    std::sort(lane_.holders.begin(), lane_.holders.end(), holds_more);
    lane_.shown = std::min(max_shown, lane_.holders.size());
  }

  void fill_columns() {
    std::vector<std::size_t> area(history_.series.size(), lane_.shown), held(area.size());
    for (std::size_t i = 0; i != lane_.shown; ++i) area[lane_.holders[i].series] = i;
    std::vector<std::size_t> now(lane_.shown + 1);
    std::size_t column = 0, total = 0, most = 0, reserved = 0;
    lane_.columns.assign(columns_, now);
    lane_.reserved.assign(columns_, 0);
    auto const move_to = [&](std::size_t to) {
      while (column != to) {
        ++column;
        lane_.columns[column] = now;
        lane_.reserved[column] = reserved;
        most = total;
      }
    };
    for_each_sample([&](memory_sample const& s) {
      move_to(column_of(s.time));
      if (s.action == memory_action::fail) lane_.failures.push_back({column, s.size, s.series});
      if (s.action == memory_action::reserve) reserved += s.size;
      if (s.action == memory_action::release) reserved -= std::min(reserved, s.size);
      lane_.reserved[column] = std::max(lane_.reserved[column], reserved);
      lane_.most_reserved = std::max(lane_.most_reserved, reserved);
      std::size_t const before = held[s.series];
      if (!apply(s, held[s.series])) return;
      now[area[s.series]] = now[area[s.series]] - before + held[s.series];
      total = total - before + held[s.series];
      if (total < most) return;
      most = total;
      lane_.columns[column] = now;
    });
    move_to(columns_ - 1);
  }

  memory_history const& history_;
  std::size_t columns_;
  memory_sample const* peak_sample_ = nullptr;
  memory_lane lane_;
};

/// The lanes of all devices with events: CPUs, then GPUs, by number.
inline std::vector<memory_lane> memory_lanes_of(memory_history const& h, std::size_t columns) {
  std::vector<device> devices;
  for (memory_series const& s : h.series)
    if (std::find(devices.begin(), devices.end(), s.where) == devices.end())
      devices.push_back(s.where);
  std::sort(devices.begin(), devices.end(), [](device a, device b) {
    return a.type != b.type ? a.type < b.type : a.index < b.index;
  });
  std::vector<memory_lane> lanes;
  lanes.reserve(devices.size());
  for (device const d : devices) lanes.push_back(lane_maker(h, d, columns).take());
  return lanes;
}

}}}  // namespace placement::v0_1::detail
