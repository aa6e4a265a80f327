#pragma once
/// Settings that may change at any time: soft or hard placement, log level and form, the policy for
/// operands on other devices. Each is per process; a device scope may override it on its thread.

#include <placement/config.hpp>
#include <placement/place/request_source.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 {

/// The log level; each level includes those before it.
enum class log_level : unsigned char { off, fallback, copies, all };
/// The form of log lines: the library's own, or as TensorFlow 2, TensorFlow 1 and its graph variant
/// print them.
enum class log_format : unsigned char { native, tf2, tf1, tf1_graph };
/// The policy for an operand that is on another device than its kernel.
enum class transfers : unsigned char { silent, warn, refuse };

/// A setting for `runtime` or a scope. Soft placement: a missing kernel or device is not an error,
/// the op runs elsewhere.
struct soft_placement {
  bool on = true;
};
/// The opposite of soft_placement.
struct hard_placement {};
/// The unit of a budget: operands that are copied to the device of their kernel.
struct copies {};
/// A budget for a scope or an evaluation: `at_most<copies, 2>{}`. A copy beyond it is an error. The
/// innermost budget counts.
template <class What, std::size_t N> struct at_most {
  static_assert(std::is_same_v<What, copies>,
                "placement: at_most counts copies. Write at_most<copies, 2>{}.");
  static_assert(N < 255, "placement: a budget is below 255 copies. Leave it out to allow more.");
};
/// No operand may be copied to another device. Does not compile if the types show that a copy is
/// necessary.
inline constexpr at_most<copies, 0> no_copies{};
/// Every kernel must run on its requested device, or without a request on GPU:0 if there is one.
struct no_fallback_t {};
inline constexpr no_fallback_t no_fallback{};

/// Lets GPU matrix products of float round their operands to TF32, with 10 bits of fraction. Tensor
/// cores multiply TF32 many times faster. Off by default: products are then exact to float's
/// rounding.
struct tensor_float_32 {
  bool on = true;
};

/// Logs every op, as `tf.debugging.set_log_device_placement(True)` does.
struct log_placement {
  bool on = true;
};

namespace detail {

/// All settings in one word, so that a hot path loads them once. Bits: soft 0, level 1-2, format
/// 3-4, transfers 5-6, read 7, no fallback 8, TF32 9, observed 10, traced 12, maximum of copies + 1
/// in 16-23. Bit 11 is not a setting: the mask of a change has it if the change opens a name scope.
class settings_word {
 public:
  constexpr settings_word() = default;
  constexpr explicit settings_word(std::uint32_t bits) : bits_(bits) {}

  constexpr bool soft() const { return bits_ & 1u; }
  constexpr log_level level() const { return static_cast<log_level>(bits_ >> 1 & 3u); }
  constexpr log_format format() const { return static_cast<log_format>(bits_ >> 3 & 3u); }
  constexpr placement::transfers moves() const {
    return static_cast<placement::transfers>(bits_ >> 5 & 3u);
  }
  constexpr bool may_fall_back() const { return (bits_ >> 8 & 1u) == 0; }
  constexpr bool rounds_to_tf32() const { return (bits_ >> 9 & 1u) != 0; }
  /// Whether an op observer is set, or a trace records. Scopes do not change these bits.
  constexpr bool is_observed() const { return (bits_ & (observed | traced)) != 0; }
  constexpr bool has_observer() const { return (bits_ & observed) != 0; }
  /// Whether each op is reported, to the observer or to the log.
  constexpr bool reports_ops() const { return is_observed() || level() == log_level::all; }
  /// Whether placement is soft and no op is reported. Two tests, not three.
  constexpr bool is_soft_and_quiet() const {
    return (bits_ & (1u | observed | traced)) == 1u && level() != log_level::all;
  }
  /// Whether placement is soft and no trace records. One test.
  constexpr bool is_soft_and_untraced() const { return (bits_ & (1u | traced)) == 1u; }
  /// Whether each copy is reported, to the observer or to the log.
  constexpr bool reports_copies() const { return is_observed() || level() >= log_level::copies; }
  /// The budget of copies plus 1; 0: no budget.
  constexpr std::uint32_t copies_below() const { return bits_ >> 16 & 255u; }
  constexpr placement::policy policy() const { return {soft(), may_fall_back()}; }
  constexpr std::uint32_t bits() const { return bits_; }

  static constexpr std::uint32_t was_read = 1u << 7;
  static constexpr std::uint32_t observed = 1u << 10;
  static constexpr std::uint32_t name_scope = 1u << 11;
  static constexpr std::uint32_t traced = 1u << 12;

 private:
  std::uint32_t bits_ = 0;
};

/// A set of settings and their values: `value` is valid for the bits of `mask`.
struct settings_change {
  std::uint32_t mask = 0, value = 0;

  constexpr settings_change() = default;
  constexpr settings_change(std::uint32_t m, std::uint32_t v) : mask(m), value(v) {}
  constexpr settings_change(soft_placement s) : mask(1u), value(s.on ? 1u : 0u) {}
  constexpr settings_change(hard_placement) : mask(1u) {}
  constexpr settings_change(log_level l)
      : mask(3u << 1), value(static_cast<std::uint32_t>(l) << 1) {}
  constexpr settings_change(log_placement l)
      : settings_change(l.on ? log_level::all : log_level::fallback) {}
  constexpr settings_change(log_format f)
      : mask(3u << 3), value(static_cast<std::uint32_t>(f) << 3) {}
  constexpr settings_change(placement::transfers t)
      : mask(3u << 5), value(static_cast<std::uint32_t>(t) << 5) {}

  constexpr settings_change(tensor_float_32 t) : mask(1u << 9), value(t.on ? 1u << 9 : 0u) {}
  constexpr settings_change(no_fallback_t) : mask(1u << 8), value(1u << 8) {}
  template <std::size_t N>
  constexpr settings_change(at_most<placement::copies, N>)
      : mask(255u << 16), value(static_cast<std::uint32_t>(N + 1) << 16) {}

  constexpr bool has_budget() const { return (mask >> 16 & 255u) != 0; }
  /// This change followed by `later`, which overrides it.
  constexpr settings_change then(settings_change later) const {
    return {mask | later.mask, (value & ~later.mask) | later.value};
  }
  constexpr std::uint32_t applied_to(std::uint32_t bits) const { return (bits & ~mask) | value; }
};

PLACEMENT_PROCESS_STATE inline constinit shared_word<std::uint32_t> process_settings{0};

/// Reads the environment's settings at the first use, unless a setter came first.
/// Throws: invalid_argument.
[[gnu::cold]] std::uint32_t read_settings();

inline settings_word settings_of_process() {
  std::uint32_t bits = process_settings.peek();
  if (bits == 0) [[unlikely]]
    bits = read_settings();
  return settings_word{bits};
}

}  // namespace detail

/// Sets soft placement for the process; a scope may override it. May change at any time.
void set_soft_device_placement(bool on);
/// Logs every op (true) or only fallbacks (false).
void set_log_device_placement(bool on);
/// Sets the log level.
void set_log_level(log_level l);
/// Sets the form of log lines.
void set_log_format(log_format f);
/// Sets the policy for operands that are on another device than their kernel.
void set_transfer_policy(transfers t);
/// Sets whether GPU matrix products of float may round to TF32; TensorFlow's
/// enable_tensor_float_32_execution.
void set_tensor_float_32_execution(bool on);

}}  // namespace placement::v0_1
