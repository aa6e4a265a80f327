// Splits the hardware GPU of test_generated_on_gpu into two virtual devices, if there is one.
#include <placement/placement.hpp>

#include <support/gpus.hpp>

#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

using namespace placement;
using namespace placement::literals;

namespace {

struct split_gpu : Catch::EventListenerBase {
  using Catch::EventListenerBase::EventListenerBase;

  void testRunStarting(Catch::TestRunInfo const&) override {
    if (gpus_of_test() != 0) return;
    try {
      static runtime const& split = *new runtime(memory::virtual_devices<256_MiB, 256_MiB>{});
      static_cast<void>(split);
    } catch (placement_error const&) {  // no GPU to split: all ops run on the CPU
    }
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(split_gpu)
