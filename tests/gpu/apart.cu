// For compute-sanitizer: with PLACEMENT_TEST_BLOCKS_APART each block of memory is an allocation of
// CUDA's own, so that a step beyond its end is seen. In an arena the next block begins there.
#include <placement/placement.hpp>

#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include <cstdlib>

using namespace placement;

namespace {

struct blocks_apart : Catch::EventListenerBase {
  using Catch::EventListenerBase::EventListenerBase;

  void testRunStarting(Catch::TestRunInfo const&) override {
    if (std::getenv("PLACEMENT_TEST_BLOCKS_APART") == nullptr) return;
    try {
      static runtime const& all = *new runtime(memory::stream_ordered{});
      static_cast<void>(all);
    } catch (error const&) {  // without a GPU there is nothing to allocate
    }
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(blocks_apart)
