// For compute-sanitizer. With PLACEMENT_TEST_BLOCKS_APART each block is a separate CUDA allocation,
// so that an access beyond its end is detected. In an arena the next block begins there.
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
