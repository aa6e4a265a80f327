#pragma once
/// The number of simulated GPUs in the test's environment.

#include <cstdlib>

inline int gpus_of_test() {
  char const* const text = std::getenv("PLACEMENT_SIMULATED_GPUS");
  return text == nullptr ? 0 : std::atoi(text);
}
