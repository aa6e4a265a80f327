#pragma once
/// Checks that a device computes: three ops on small arrays, against values from plain loops.

#include <placement/placement.hpp>

#include <string>
#include <vector>

/// The result of one op on one device.
struct op_check {
  std::string op;           ///< "element-wise", "reduction" or "product"
  std::string error;        ///< what went wrong; empty if the values are right
  double milliseconds = 0;  ///< from the copy of the operands to that of the result

  bool passed() const noexcept { return error.empty(); }
};

/// Computes on the device, under hard placement, and compares each element. The arrays hold small
/// integers, so that every order of additions gives the same floats. An exception of the library
/// becomes the error of its op. Cost: 1 MiB of the device, and some milliseconds after its start.
std::vector<op_check> check_device(placement::device d);
