#pragma once
/// What stops a kernel, and PTX that the emulator does not execute.

#include <stdexcept>
#include <string>

namespace ptx {

/// The error of a kernel that ran. Its message names the kernel, block, thread and PTX line.
struct fault : std::runtime_error {
  enum class kind { address, misaligned, race, uninitialized, synchronization, trap, assertion };

  fault(kind of, std::string const& text) : std::runtime_error(text), what_kind(of) {}
  kind what_kind;
};

/// An instruction, operand or directive of PTX that the emulator does not know.
struct unknown_ptx : std::runtime_error {
  explicit unknown_ptx(std::string const& what)
      : std::runtime_error("the emulated GPU does not know " + what) {}
};

}  // namespace ptx
