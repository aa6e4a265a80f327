#include "report.hpp"

#include <placement/place/trace_json.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

std::string string_of(std::string_view text) { return placement::detail::json_string(text); }
/// null for an empty text.
std::string string_or_null(std::string_view text) {
  return text.empty() ? "null" : string_of(text);
}
std::string bool_of(bool b) { return b ? "true" : "false"; }
/// In decimal notation, in any locale.
std::string milliseconds(double t) {
  auto const microseconds = static_cast<long long>(t * 1000);
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03lld", microseconds / 1000, microseconds % 1000);
  return text;
}

/// A list, one item on each line.
template <class List, class Item>
std::string list_of(List const& list, std::string const& indent, Item item) {
  std::string text = "[";
  for (auto const& x : list) {
    text += &x == list.data() ? "\n" : ",\n";
    text += indent + "  " + item(x);
  }
  return text + (list.empty() ? "]" : "\n" + indent + "]");
}

std::string check_of(op_check const& c) {
  return "{\"op\": " + string_of(c.op) + ", \"passed\": " + bool_of(c.passed()) +
         ", \"milliseconds\": " + milliseconds(c.milliseconds) +
         ", \"error\": " + string_or_null(c.error) + '}';
}

std::string device_of(device_report const& d) {
  std::string text = "{\"name\": " + string_of(d.name) + ", \"hardware\": " + string_of(d.hardware);
  text += ", \"simulated\": " + bool_of(d.simulated) + ", \"physical\": " + string_of(d.physical);
  text += ", \"machine_index\": " +
          (d.machine_index < 0 ? std::string("null") : std::to_string(d.machine_index));
  text += ", \"pci_bus_id\": " + string_or_null(d.pci_bus_id);
  text += ", \"uuid\": " + string_or_null(d.uuid);
  text += ", \"compute_capability\": " + string_or_null(d.capability);
  text += ",\n     \"memory_total_bytes\": " + std::to_string(d.memory_total);
  text += ", \"memory_free_bytes\": " + std::to_string(d.memory_free);
  text += ", \"memory_limit_bytes\": " +
          (d.memory_limit == 0 ? std::string("null") : std::to_string(d.memory_limit));
  text += ", \"error\": " + string_or_null(d.error);
  text += ",\n     \"computes\": " + bool_of(d.computes());
  return text + ", \"checks\": " + list_of(d.checks, "     ", check_of) + '}';
}

std::string variable_of(set_variable const& v) {
  return "{\"name\": " + string_of(v.name) + ", \"value\": " + string_of(v.value) + '}';
}
std::string unknown_variable_of(set_variable const& v) {
  return "{\"name\": " + string_of(v.name) + ", \"value\": " + string_of(v.value) +
         ", \"meant\": " + string_or_null(v.meant) + '}';
}

/// The members of the object "build", whose values are texts.
std::string build_of(info_report const& report) {
  std::string text = "{\n    \"compiler\": " + string_of(report.compiler);
  for (build_setting const& s : report.settings)
    text += ",\n    " + string_of(s.name) + ": " + string_of(s.value);
  return text + "\n  }";
}

}  // namespace

std::string to_json(info_report const& report) {
  std::string text = "{\n  \"placement\": " + string_of(report.version);
  text += ",\n  \"build\": " + build_of(report);
  text += ",\n  \"cuda\": {\"built_in\": " + bool_of(report.built_with_cuda);
  text += ", \"runtime\": " + string_or_null(report.cuda_runtime);
  text += ", \"driver\": " + string_or_null(report.cuda_driver);
  text += ", \"why_no_gpu\": " + string_or_null(report.why_no_gpu) + '}';
  text += ",\n  \"environment\": " + list_of(report.known_variables, "  ", variable_of);
  text +=
      ",\n  \"unknown_variables\": " + list_of(report.unknown_variables, "  ", unknown_variable_of);
  text += ",\n  \"environment_error\": " + string_or_null(report.environment_error);
  text += ",\n  \"devices\": " + list_of(report.devices, "  ", device_of);
  text += ",\n  \"devices_error\": " + string_or_null(report.devices_error);
  return text + ",\n  \"computes\": " + bool_of(report.every_device_computes()) + "\n}\n";
}
