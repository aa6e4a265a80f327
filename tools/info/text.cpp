#include "report.hpp"

#include <placement/runtime/escape.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

/// Two columns: a name, and a text behind it.
std::string row(std::string_view name, std::string_view text) {
  std::string line = "  " + std::string(name);
  std::size_t const column = 29;
  line.append(line.size() + 1 < column ? column - line.size() : 1, ' ');
  return line.append(text) + '\n';
}

std::string mib(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

std::string milliseconds(double t) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f ms", t);
  return text;
}

std::string memory_text(device_report const& d) {
  std::string text = mib(d.memory_free) + " free of " + mib(d.memory_total);
  if (d.memory_limit != 0) text += ", limit " + mib(d.memory_limit);
  return text;
}

std::string text_of(device_report const& d) {
  std::string text = "  " + d.name + ": " + (d.hardware.empty() ? "unknown" : d.hardware);
  text += d.simulated ? ", simulated\n" : "\n";
  if (!d.error.empty()) text += row("  error", d.error);
  if (d.machine_index >= 0) text += row("  number in the machine", std::to_string(d.machine_index));
  if (!d.pci_bus_id.empty()) text += row("  PCI bus id", d.pci_bus_id);
  if (!d.uuid.empty()) text += row("  UUID", d.uuid);
  if (!d.capability.empty()) text += row("  compute capability", d.capability);
  text += row("  memory", memory_text(d));
  for (op_check const& check : d.checks)
    text += row("  " + check.op, check.passed() ? "right, " + milliseconds(check.milliseconds)
                                                : "WRONG: " + check.error);
  return text;
}

std::string cuda_text(info_report const& report) {
  std::string text = row("built with CUDA", report.built_with_cuda ? "yes" : "no");
  text += row("runtime", report.cuda_runtime.empty() ? "none" : report.cuda_runtime);
  text += row("driver", report.cuda_driver.empty() ? "none" : "up to CUDA " + report.cuda_driver);
  if (!report.why_no_gpu.empty()) text += row("why there is no GPU", report.why_no_gpu);
  return text;
}

std::string environment_text(info_report const& report) {
  using placement::detail::quote;
  std::string text;
  for (set_variable const& v : report.known_variables) text += row(v.name, quote(v.value));
  for (set_variable const& v : report.unknown_variables)
    text += row(v.name, quote(v.value) + " is not known and has no effect" +
                            (v.meant.empty() ? "" : "; did you mean " + v.meant + '?'));
  if (text.empty()) text = "  no variable of the library is set\n";
  if (!report.environment_error.empty())
    text += "  None is in effect. " + report.environment_error + '\n';
  return text;
}

}  // namespace

std::string to_text(info_report const& report) {
  std::string text =
      "placement " + report.version + "\n\nbuild\n" + row("compiler", report.compiler);
  for (build_setting const& s : report.settings) text += row(s.name, s.value);
  text += "\nCUDA\n" + cuda_text(report) + "\nenvironment\n" + environment_text(report);
  text += "\ndevices\n";
  for (device_report const& d : report.devices) text += text_of(d);
  if (!report.devices_error.empty()) text += "  error: " + report.devices_error + '\n';
  return text + (report.every_device_computes() ? "\nEvery device computes.\n"
                                                : "\nNot every device computes.\n");
}
