#include "report.hpp"

#include <placement/cpu/processor.hpp>
#include <placement/device/environment.hpp>
#include <placement/src/device/notices.ipp>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace {

namespace pl = placement;

/// "13.0" for 13000; empty for 0.
std::string cuda_version(int number) {
  if (number == 0) return {};
  return std::to_string(number / 1000) + '.' + std::to_string(number % 1000 / 10);
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) + '.' +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__) + '.' +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

std::string level_text(pl::detail::cpu_level level) {
  constexpr char const* names[] = {"baseline", "x86-64-v3", "x86-64-v4"};
  return names[static_cast<int>(level)];
}

/// The level of x86-64 for which this program is compiled.
std::string compiled_level() {
  constexpr char const* names[] = {"not x86-64", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  return names[PLACEMENT_X86_LEVEL];
}

std::string sanitizers() {
  std::string all;
  [[maybe_unused]] auto const add = [&all](char const* name) {
    all += (all.empty() ? "" : ", ") + std::string(name);
  };
#if defined(__SANITIZE_ADDRESS__)
  add("address");
#endif
#if defined(__SANITIZE_THREAD__)
  add("thread");
#endif
#if defined(__has_feature)
#  if __has_feature(address_sanitizer)
  add("address");
#  endif
#  if __has_feature(thread_sanitizer)
  add("thread");
#  endif
#  if __has_feature(undefined_behavior_sanitizer)
  add("undefined");
#  endif
#endif
  return all.empty() ? "none" : all;
}

/// "defined" or "not defined", for macros that a target defines.
constexpr char const* presence(bool defined) { return defined ? "defined" : "not defined"; }

#if defined(__OPTIMIZE__)
constexpr bool is_optimized = true;
#else
constexpr bool is_optimized = false;
#endif
#if defined(NDEBUG)
constexpr bool has_ndebug = true;
#else
constexpr bool has_ndebug = false;
#endif
#if defined(__FAST_MATH__)
constexpr bool has_fast_math = true;
#else
constexpr bool has_fast_math = false;
#endif
#if defined(PLACEMENT_COMPILED)
constexpr bool is_compiled = true;
#else
constexpr bool is_compiled = false;
#endif
#if defined(PLACEMENT_GRADIENTS)
constexpr bool has_gradients = true;
#else
constexpr bool has_gradients = false;
#endif
#if defined(PLACEMENT_WITHOUT_OP_LOG)
constexpr bool is_without_op_log = true;
#else
constexpr bool is_without_op_log = false;
#endif

std::vector<build_setting> build_settings() {
  auto const yes = [](bool on) { return std::string(on ? "yes" : "no"); };
  return {
      {"C++", std::to_string(__cplusplus / 100)},
      {"optimized", yes(is_optimized)},
      {"NDEBUG", presence(has_ndebug)},
      {"-ffast-math", yes(has_fast_math)},
      {"sanitizers", sanitizers()},
      {"compiled for", compiled_level()},
      {"level of this processor", level_text(pl::detail::cpu_level_of_machine())},
      {"level in use", level_text(pl::detail::cpu_level_in_use())},
      {"PLACEMENT_VECTOR_BYTES", std::to_string(PLACEMENT_VECTOR_BYTES)},
      {"PLACEMENT_HAS_LEVELS", yes(PLACEMENT_HAS_LEVELS)},
      {"PLACEMENT_HAS_PACKS", yes(PLACEMENT_HAS_PACKS)},
      {"PLACEMENT_COMPILED", presence(is_compiled)},
      {"PLACEMENT_GRADIENTS", presence(has_gradients)},
      {"PLACEMENT_WITHOUT_OP_LOG", presence(is_without_op_log)},
  };
}

/// Before the library reads its variables.
void read_variables(info_report& report) {
  for (std::size_t i = 0; i != pl::variable_count; ++i) {
    std::string const name{pl::name_of(static_cast<pl::variable>(i))};
    if (char const* const value = std::getenv(name.c_str()))
      report.known_variables.push_back({name, value, {}});
  }
  auto const is_known = [&report](std::string_view name) {
    for (set_variable const& v : report.known_variables)
      if (v.name == name) return true;
    return false;
  };
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view const text = *entry;
    std::size_t const equals = text.find('=');
    std::string_view const name = text.substr(0, equals);
    std::string_view const meant = pl::detail::meant_variable(name);
    if (is_known(name) || (meant.empty() && !name.starts_with("PLACEMENT_"))) continue;
    std::string_view const value =
        equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
    report.unknown_variables.push_back({std::string(name), std::string(value), std::string(meant)});
  }
  // A program that is run to look at a machine must not replace the trace of another one.
  ::unsetenv("PLACEMENT_TRACE");
  try {
    pl::environment_variables();
  } catch (pl::invalid_argument const& e) { report.environment_error = e.what(); }
}

device_report report_of(pl::logical_device const& d) {
  device_report report;
  report.name = to_string(d.id);
  report.physical = d.part_of.name();
  report.memory_limit = d.memory_limit;
  try {
    pl::hardware const about = pl::properties(d.id);
    report.hardware = about.name;
    report.simulated = d.owner->simulated();
    report.machine_index = about.machine_index;
    report.pci_bus_id = about.pci_bus_id;
    report.uuid = about.uuid;
    if (d.id.is_gpu()) report.capability = to_string(pl::capability(d.id));
    pl::memory_info const memory = pl::memory_info_of(d.id);
    report.memory_total = memory.total;
    report.memory_free = memory.free;
  } catch (std::exception const& e) { report.error = e.what(); }
  report.checks = check_device(d.id);
  return report;
}

}  // namespace

bool device_report::computes() const noexcept {
  bool all = error.empty() && !checks.empty();
  for (op_check const& check : checks) all = all && check.passed();
  return all;
}

bool info_report::every_device_computes() const noexcept {
  bool all = devices_error.empty() && !devices.empty();
  for (device_report const& d : devices) all = all && d.computes();
  return all;
}

std::string placement_version() {
  return std::to_string(PLACEMENT_VERSION_MAJOR) + '.' + std::to_string(PLACEMENT_VERSION_MINOR) +
         '.' + std::to_string(PLACEMENT_VERSION_PATCH);
}

info_report make_report() {
  info_report report;
  report.version = placement_version();
  report.compiler = compiler_name();
  read_variables(report);
  // The report contains what the library would log.
  pl::set_log_sink([](std::string_view, void*) {});
  report.settings = build_settings();
  report.built_with_cuda = pl::is_built_with_cuda();
  try {
    report.cuda_runtime = cuda_version(pl::cuda_runtime_version());
    report.cuda_driver = cuda_version(pl::cuda_driver_version());
    report.why_no_gpu = pl::why_no_gpu();
    for (pl::logical_device const& d : pl::list_logical_devices())
      report.devices.push_back(report_of(d));
  } catch (std::exception const& e) { report.devices_error = e.what(); }
  return report;
}
