#pragma once
/// The memory of all devices as text, with a bar for each region. Not part of placement.hpp.
///
///     std::cout << pl::memory_report();

#include <placement/memory/pools.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Example: "1.5 MiB": one decimal, rounded down. Sizes below 1 KiB are in bytes.
inline std::string readable(std::size_t size) {
  constexpr std::string_view units[] = {" KiB", " MiB", " GiB", " TiB"};
  if (size < 1024) return std::to_string(size) + " B";
  int unit = 0;
  while (unit != 3 && size >> (10 * (unit + 2)) != 0) ++unit;
  std::size_t const tenths = (size >> (10 * unit)) * 10 >> 10;
  std::string const text = std::to_string(tenths / 10);
  return text + '.' + std::to_string(tenths % 10) + std::string(units[unit]);
}

inline constexpr std::size_t bar_columns = 60;

/// One column for each 60th of the limit: # in use, + partly, . free, - not reserved.
inline std::string bar(pool const& p, std::size_t limit) {
  std::string text(bar_columns, '-');
  std::size_t const width = (limit + bar_columns - 1) / bar_columns;
  p.for_each_part([&](std::size_t offset, std::size_t size, bool free) {
    std::size_t const last = (offset + size - 1) / width;
    for (std::size_t i = offset / width; i <= last; ++i) {
      char const now = free ? '.' : '#';
      text[i] = text[i] == '-' || text[i] == now ? now : '+';
    }
  });
  return "[" + text + "]";
}

inline std::string report_of(pool const& p) try {
  memory_stats const s = p.stats();
  std::string text =
      to_string(p.where().id) + " (" + policy_text(p.where()) + "): in use " + readable(s.in_use) +
      " in " + std::to_string(s.allocations) + (s.allocations == 1 ? " block" : " blocks") +
      ", peak " + readable(s.peak) + ", reserved " + readable(s.reserved) + ", limit " +
      readable(s.limit) + ", largest free " + readable(s.largest_free) + ", fragmentation " +
      std::to_string(static_cast<int>(s.fragmentation * 100)) + " %" +
      (s.queued == 0 ? std::string() : ", " + readable(s.queued) + " of the host queued") + "\n" +
      bar(p, s.limit) + "\n";
  if (p.where().id.is_cpu()) text += "  tensors below 1 MiB are the heap's, and not counted\n";
  for (call_site_usage const& h : p.usage_by_call_site())
    text += "  " + readable(h.size) + " in " + std::to_string(h.blocks) +
            (h.blocks == 1 ? " block: " : " blocks: ") + to_string(h.caller) + "\n";
  return text;
} catch (...) { rethrow_as_error(); }

}  // namespace detail

/// The statistics, a bar and the call sites of a logical device. Throws: placement_error if there
/// is no such device.
inline std::string memory_report(device d) { return detail::report_of(pool_of(d)); }
/// The same for each device with a pool.
inline std::string memory_report() try {
  std::string text;
  detail::all_pools().for_each([&](pool& p) { text += detail::report_of(p); });
  return text;
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
