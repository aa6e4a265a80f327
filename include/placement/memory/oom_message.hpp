#pragma once
/// The message of an out_of_memory error: the request, the memory there is, its largest users, and
/// remedies.

#include <placement/device/logical_device.hpp>
#include <placement/memory/allocation_tracker.hpp>
#include <placement/memory/call_site.hpp>
#include <placement/memory/stats.hpp>
#include <placement/runtime/escape.hpp>
#include <placement/src/device/device.ipp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

PLACEMENT_INLINE std::string to_string(call_site const& h) {
  std::string text(h.tag.empty() && h.file == nullptr ? std::string_view("not said") : h.tag);
  bool const ends_in_op = h.name.ends_with(h.tag) && h.name.size() > h.tag.size() &&
                          h.name[h.name.size() - h.tag.size() - 1] == '/';
  if (!h.name.empty())
    text = ends_in_op ? std::string(h.name) : std::string(h.name) + " (" + text + ")";
  if (h.file == nullptr) return text;
  return text + (text.empty() ? "at " : " at ") + h.file + ":" + std::to_string(h.line);
}

namespace detail {

/// Examples: "growth | limit", "whole", "growth | fraction 0.500000", "stream_ordered".
inline std::string policy_text(logical_device const& d) {
  std::string text = d.stream_ordered ? "stream_ordered" : d.growth ? "growth" : "whole";
  if (d.memory_limit != 0) return text + " | limit";
  if (d.fraction != 0) return text + " | fraction " + text_of_number(d.fraction);
  return text;
}

/// A failed request. `device_message` is set if the device itself had no more memory.
struct failed_request {
  std::size_t size = 0;
  call_site caller{};
  std::string device_message{};
};

inline std::string call_sites_text(std::vector<call_site_usage> const& all) {
  constexpr std::size_t max = 3;
  std::string text;
  for (std::size_t i = 0; i != all.size() && i != max; ++i)
    text += (i == 0 ? " Most is held by " : ", ") + to_string(all[i].caller) + " (" +
            std::to_string(all[i].size) + " B in " + std::to_string(all[i].blocks) +
            (all[i].blocks == 1 ? " block)" : " blocks)");
  return text.empty() ? text : text + ".";
}

/// The memory of a GPU and its users, if the device had no more.
inline std::string device_text(logical_device const& d, memory_stats const& now,
                               failed_request const& r) {
  if (r.device_message.empty()) return {};
  if (d.id.is_cpu()) return " The host said: " + r.device_message + ".";
  memory_info const m = d.owner->memory(d.ordinal);
  std::size_t const taken = m.total > m.free ? m.total - m.free : 0;
  std::size_t const others = taken > now.reserved ? taken - now.reserved : 0;
  return " The GPU has " + std::to_string(m.total) + " B, of which " + std::to_string(m.free) +
         " B are free, " + std::to_string(now.reserved) + " B are reserved here and " +
         std::to_string(others) +
         " B are held by others: other processes, or other logical devices and libraries of this "
         "one. The device said: " +
         r.device_message + ".";
}

inline std::string_view advice(logical_device const& d, failed_request const& r,
                               memory_stats const& now) {
  if (now.limit == 0 && !d.growth)
    return " The policy whole leaves a part of the device to others, and that is more than is "
           "free. Use growth, or set a limit.";
  if (r.size > now.limit)
    return " It is more than the limit. Use smaller batches, or raise the device's memory limit.";
  if (!r.device_message.empty())
    return " Free tensors, call trim() for what other logical devices keep unused, or use smaller "
           "batches.";
  if (now.limit - now.in_use >= r.size)
    return " Enough is free, but in pieces. Free tensors that were made between others, or use "
           "smaller batches.";
  return " Free tensors, use smaller batches, or raise the device's memory limit.";
}

inline std::string oom_message(logical_device const& d, memory_stats const& now,
                               failed_request const& r, std::vector<call_site_usage> const& all) {
  return "placement: out of memory on " + to_string(d.id) + " (" + policy_text(d) +
         "): asked for " + std::to_string(r.size) + " B" +
         (r.caller == call_site{} ? std::string() : " by " + to_string(r.caller)) + "; in use " +
         std::to_string(now.in_use) + " B of a limit of " + std::to_string(now.limit) +
         " B; the largest free block is " + std::to_string(now.largest_free) + " B." +
         device_text(d, now, r) + call_sites_text(all) +
         (d.id.is_cpu() ? " Tensors below 1 MiB are the heap's, and not counted." : "") +
         std::string(advice(d, r, now));
}

}  // namespace detail

}}  // namespace placement::v0_1
