#pragma once
/// With how many simulated GPUs this test was started.

#include <cstdlib>

inline int gpus_of_test() {
  char const* const text = std::getenv("PLACEMENT_SIMULATED_GPUS");
  return text == nullptr ? 0 : std::atoi(text);
}
