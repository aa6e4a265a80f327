#pragma once
/// What placement-info found out about this build and this machine.

#include "device_check.hpp"

#include <placement/placement.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// A device that the program can name, and what it computed.
struct device_report {
  std::string name;      ///< "/GPU:0"
  std::string hardware;  ///< "NVIDIA H100 80GB HBM3"
  std::string physical;  ///< "/physical_device:GPU:0"
  bool simulated = false;
  int machine_index = -1;  ///< the machine's number of the device; -1 = not known
  std::string pci_bus_id, uuid;
  std::string capability;                         ///< "9.0"; empty for a CPU
  std::size_t memory_total = 0, memory_free = 0;  ///< bytes
  std::size_t memory_limit = 0;                   ///< bytes; 0 = no limit
  std::string error;  ///< why nothing is known about the device; empty = none
  std::vector<op_check> checks;

  bool computes() const noexcept;
};

/// A setting of this build that changes what the library does.
struct build_setting {
  std::string name, value;
};

/// An environment variable.
struct set_variable {
  std::string name, value;
  std::string meant;  ///< for an unknown variable: the one that it looks like; may be empty
};

/// All that placement-info prints.
struct info_report {
  std::string version, compiler;
  std::vector<build_setting> settings;
  bool built_with_cuda = false;
  std::string cuda_runtime, cuda_driver;  ///< "13.0"; empty = none
  std::string why_no_gpu;                 ///< a sentence; empty if there is a GPU
  std::vector<set_variable> known_variables, unknown_variables;
  std::string environment_error;  ///< about a malformed variable; empty = none
  std::string devices_error;      ///< why the devices cannot be used at all; empty = none
  std::vector<device_report> devices;

  /// Whether there are devices, and each computes.
  bool every_device_computes() const noexcept;
};

/// The text "0.1.0".
std::string placement_version();

/// Looks at this process and runs the checks. Fixes the configuration.
info_report make_report();

/// The report for people, and for programs.
std::string to_text(info_report const& report);
std::string to_json(info_report const& report);
