#pragma once
/// Definitions of parallel/mirrored_strategy.hpp.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/place/location.hpp>
#include <placement/place/log.hpp>
#include <placement/place/log_words.hpp>
#include <placement/place/scope_stack.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

PLACEMENT_INLINE std::uint32_t next_strategy() noexcept {
  static std::atomic<std::uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}
PLACEMENT_INLINE void log_strategy(std::vector<device> const& devices) {
  auto const how = placement::detail::settings_here();
  if (how.level() != log_level::all) return;
  std::string list;
  if (how.format() == log_format::native) {
    for (device const d : devices) list += (list.empty() ? "" : ", ") + to_string(d);
    return placement::detail::log_notice("placement: mirrored_strategy on " + list);
  }
  for (device const d : devices)
    list += (list.empty() ? "'" : ", '") + placement::detail::full_name(d) + "'";
  placement::detail::log_notice("INFO:tensorflow:Using MirroredStrategy with devices (" + list +
                                (devices.size() == 1 ? ",)" : ")"));
}
PLACEMENT_INLINE void throw_outside_scope(std::string const& name, site at) {
  throw invalid_argument("placement: variable '" + name +
                         "' was made outside of strategy.scope(), so it is not mirrored. Make the "
                         "model while `auto const in_scope = strategy.scope();` lives." +
                         placement::detail::location_text("mirrored_strategy::replicate", at));
}

}}}}  // namespace placement::v0_1::parallel::detail
