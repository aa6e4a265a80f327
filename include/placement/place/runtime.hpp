#pragma once
/// The configuration of a process as one object, at the beginning of main.

#include <placement/device/configuration.hpp>
#include <placement/error.hpp>
#include <placement/memory/blocks.hpp>
#include <placement/memory/policy.hpp>
#include <placement/place/settings.hpp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// Visible GPUs as a list of indexes: `visible_gpus{"1,2"}`.
struct visible_gpus {
  std::string_view indexes;
};

/// Settings of the process, given once, before the first op:
///
///     pl::runtime rt{pl::memory::growth{} | pl::memory::limit{512_MiB}, pl::soft_placement{},
///                    pl::log_placement{}};
///
/// The settings are applied in order. A memory policy applies to every visible GPU, or to the GPU
/// of on_gpu. Accepts: memory policies, simulated_gpus, visible_gpus, soft_placement,
/// hard_placement, log_placement, log_level, log_format, transfers, tensor_float_32.
/// Throws: invalid_argument for a configuration that is invalid here, or too late.
class runtime {
 public:
  template <class... S> explicit runtime(S const&... settings) try {
    static_assert(memory::detail::each_once<S...>(),
                  "placement: two memory policies for one GPU. Join them with |.");
    (apply(settings), ...);
  } catch (...) { detail::rethrow_as_error(); }
  runtime(runtime const&) = delete;
  runtime& operator=(runtime const&) = delete;

 private:
  static void apply(soft_placement s) { set_soft_device_placement(s.on); }
  static void apply(hard_placement) { set_soft_device_placement(false); }
  static void apply(log_placement s) { set_log_device_placement(s.on); }
  static void apply(log_level s) { set_log_level(s); }
  static void apply(log_format s) { set_log_format(s); }
  static void apply(transfers s) { set_transfer_policy(s); }
  static void apply(tensor_float_32 s) { set_tensor_float_32_execution(s.on); }
  static void apply(simulated_gpus const& s) { set_simulated_gpus(s); }
  static void apply(visible_gpus v) { set_visible_device_list(v.indexes); }

  template <memory::policies P> static void apply(P const& p) {
    memory::detail::as_list<P> all;
    all.apply(p);
    bool first = true;
    for (physical_device const d : visible_devices("GPU")) {
      apply_to(d, all, first);
      first = false;
    }
  }
  template <int Number, class P> static void apply(memory::for_gpu<Number, P> const& one) {
    auto const gpus = visible_devices("GPU");
    if (gpus.empty()) return;  // the program runs on the CPU
    if (Number >= static_cast<int>(gpus.size()))
      throw invalid_argument("placement: on_gpu<" + std::to_string(Number) +
                             "> is about a GPU that is not visible; there are " +
                             std::to_string(gpus.size()) + " visible GPUs, counted from 0.");
    apply_to(gpus[Number], one.what, true);
  }

  template <class... P>
  static void apply_to(physical_device d, memory::combined<P...> const& all, bool may_split) {
    auto one = [&]<class Q>(Q q) {
      if constexpr (std::is_same_v<Q, memory::growth>) grow(d, all.grows);
      else if constexpr (std::is_same_v<Q, memory::whole>) set_memory_growth(d, false);
      else if constexpr (std::is_same_v<Q, memory::stream_ordered>)
        set_memory_stream_ordered(d, true);
      else if constexpr (std::is_same_v<Q, memory::limit>)
        set_logical_device_limits(d, {all.max.value});
      else if constexpr (std::is_same_v<Q, memory::trim_and_retry>) set_trim_and_retry(true);
      else if constexpr (memory::splits<Q> != 0) {
        if (may_split) split(d, q);
      } else set_memory_fraction(d, all.share);
    };
    (one(P{}), ...);
  }
  static void grow(physical_device d, memory::growth g) {
    set_memory_growth(d, true);
    set_memory_growth_steps(d, {g.start.value, g.factor});
  }
  template <bytes... Parts>
  static void split(physical_device d, memory::virtual_devices<Parts...>) {
    set_logical_device_limits(d, {Parts.value...});
  }
};

}}  // namespace placement::v0_1
