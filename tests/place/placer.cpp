// The placement rules at run time: the table and laws of tests/compile/placer.cpp, and requests
// that exist only at run time.
#include <support/placer_table.hpp>

#include <placement/device/name.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;

TEST_CASE("each row of the table gives its decision") {
  for (auto const& r : placer_table::rows) {
    INFO("tests/support/placer_table.hpp:" << r.line);
    CHECK(placer_table::decided(r) == r.expected);
  }
}

TEST_CASE("the laws hold for every combination") {
  int combinations = 0;
  placer_table::each_combination([&](auto const& r) {
    ++combinations;
    INFO("asked " << to_string(r.requested) << " by " << static_cast<int>(r.requested_by)
                  << ", declared " << r.gpu.declared << ", launchable " << r.gpu.launchable
                  << ", cpus " << r.on.cpus << ", gpus " << r.on.gpus << ", real " << r.on.real
                  << ", soft " << r.under.soft);
    CHECK(placer_table::broken_law(r) == 0);
  });
  CHECK(combinations == 8 * 4 * 3 * 5 * 2);
}

TEST_CASE("the source of a request changes the reason and nothing else") {
  placer_table::each_combination([&](auto const& r) {
    if (!placer_table::asks(r)) return;
    for (request_source other :
         {request_source::thread, request_source::scope, request_source::pin}) {
      auto twin = r;
      twin.requested_by = other;
      decision d = placer_table::decided(twin);
      if (!d.fell_back) d.why = r.expected.why;
      CHECK(d == r.expected);
    }
  });
}

TEST_CASE("a device of another task is rejected, also under soft placement") {
  for (char const* name : {"/job:worker/task:1/gpu:0", "/task:1/device:GPU:0", "/job:worker",
                           "/replica:1/cpu:0", "/job:worker/device:TPU:0"}) {
    device_spec const w = device_spec::of(parse_name(name));
    INFO(name);
    for (policy const p : {policy{true}, policy{false}})
      for (kernels_for const gpu : {kernels_for{true, true}, kernels_for{false, false}})
        for (request_source const requested_by :
             {request_source::thread, request_source::scope, request_source::pin})
          CHECK(place({w, requested_by, gpu}, {.gpus = 2}, p) ==
                decision{device{}, reason::no_such_task, true, true});
  }
}

TEST_CASE("a device of another type does not exist in this process") {
  for (char const* name : {"/device:TPU:0", "/gpu:2000000000", "/task:0/device:XLA_GPU"}) {
    device_spec const w = device_spec::of(parse_name(name));
    INFO(name);
    CHECK(place({w, request_source::scope, {true, true}}, {.gpus = 2}, {}) ==
          decision{gpu0, reason::no_such_device, true, false});
    CHECK(place({w, request_source::scope, {false, false}}, {.gpus = 2}, {}).device == cpu0);
    CHECK(place({w, request_source::scope, {true, true}}, {.gpus = 2}, {false}).refused);
  }
}

TEST_CASE("the full name of this task, and a name without a device, request local devices") {
  auto placed = [](char const* name) {
    return place({device_spec::of(parse_name(name)), request_source::scope, {true, true}},
                 {.gpus = 2}, {false});
  };
  CHECK(placed("/job:localhost/replica:0/task:0/device:GPU:1") ==
        decision{{kind::gpu, 1}, reason::scope});
  CHECK(placed("/job:localhost") == decision{gpu0, reason::gpu_first});
  CHECK(placed("/") == decision{gpu0, reason::gpu_first});
}
