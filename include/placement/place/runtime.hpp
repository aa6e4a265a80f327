#pragma once
/// The configuration of a process as one object, written first in main.

#include <placement/device/configuration.hpp>
#include <placement/memory/policy.hpp>
#include <placement/place/settings.hpp>

#include <span>
#include <string_view>

namespace placement::inline v0_1 {

/// Visible GPUs as a list of indexes: `visible_gpus{"1,2"}`.
struct visible_gpus {
  std::string_view indexes;
};

/// Settings of the process, given once, before the first op:
///
///     pl::runtime rt{pl::memory::growth{} | pl::memory::limit{512_MiB}, pl::soft_placement{},
///     pl::log_placement{}};
///
/// Each is applied in order; memory policies go to every visible GPU. Takes: memory policies,
/// simulated_gpus, visible_gpus, soft_placement, hard_placement, log_placement, log_level,
/// log_format, transfers.
/// Throws: invalid_argument for a configuration that makes no sense here, or that comes too late.
class runtime {
 public:
  template <class... S> explicit runtime(S const&... settings) { (apply(settings), ...); }
  runtime(runtime const&) = delete;
  runtime& operator=(runtime const&) = delete;

 private:
  static void apply(detail::settings_change s) { detail::change_settings(s); }
  static void apply(simulated_gpus const& s) { set_simulated_gpus(s); }
  static void apply(visible_gpus v) { set_visible_device_list(v.indexes); }

  template <memory::policy P> static void apply(P const& p) {
    for (physical_device const& d : visible_devices("GPU")) apply_to(d, p);
  }
  template <class... P> static void apply(memory::combined<P...> const& all) {
    for (physical_device const& d : visible_devices("GPU")) {
      auto one = [&]<class Q>(Q) {
        if constexpr (std::is_same_v<Q, memory::fraction>) apply_to(d, all.share);
        else if constexpr (std::is_same_v<Q, memory::limit>) apply_to(d, all.most);
        else apply_to(d, Q{});
      };
      (one(P{}), ...);
    }
  }

  static void apply_to(physical_device const& d, memory::growth) { set_memory_growth(d, true); }
  static void apply_to(physical_device const& d, memory::whole) { set_memory_growth(d, false); }
  static void apply_to(physical_device const&, memory::fraction f) {
    set_memory_fraction(f.of_total);
  }
  static void apply_to(physical_device const& d, memory::limit l) {
    set_logical_device_limits(d, {l.most.value});
  }
  template <bytes... Parts>
  static void apply_to(physical_device const& d, memory::virtual_devices<Parts...>) {
    if (d == visible_devices("GPU").front()) set_logical_device_limits(d, {Parts.value...});
  }
};

}  // namespace placement::inline v0_1
