// Registers the GPUs of test_generated_emulated. EMULATED_GPUS gives their number.
#include <support/hardware_platform.hpp>

#include <cstdlib>

namespace {

[[maybe_unused]] bool const registered = [] {
  char const* const count = std::getenv("EMULATED_GPUS");
  if (count != nullptr) use_hardware_gpus(std::atoi(count));
  return true;
}();

}  // namespace
