// `device_spec`: the requested device of a scope in 32 bits.
#include <placement/device/device_spec.hpp>
#include <placement/device/names.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace placement;

namespace {

device_spec parse_device_spec(std::string_view text) { return device_spec::of(parse_name(text)); }

}  // namespace

TEST_CASE("a device_spec prints as a user would write it") {
  CHECK(to_string(device_spec()).empty());
  CHECK(to_string(parse_device_spec("/")).empty());
  CHECK(to_string(parse_device_spec("/gpu:2")) == "/GPU:2");
  CHECK(to_string(device_spec(cpu0)) == "/CPU:0");
  CHECK(to_string(parse_device_spec("/device:GPU")) == "/GPU:*");
  CHECK(to_string(parse_device_spec("/job:localhost/gpu:2")) == "/job:localhost/device:GPU:2");
  CHECK(to_string(parse_device_spec("/job:worker/task:1/gpu:0")) ==
        "/job:worker/task:1/device:GPU:0");
  CHECK(to_string(parse_device_spec("/device:XLA_GPU:0")) == "/device:XLA_GPU:0");
}

TEST_CASE("a device_spec is local if it names a CPU or GPU of this process, or no device") {
  for (auto text : {"", "/gpu:0", "/cpu:*", "/job:localhost/replica:0/task:0/gpu:1", "/task:0"}) {
    INFO(text);
    CHECK(parse_device_spec(text).is_local());
  }
  for (auto text : {"/job:worker", "/replica:1", "/task:1", "/job:worker/gpu:0", "/device:TPU:0",
                    "/device:XLA_CPU", "/gpu:2147483647"}) {
    INFO(text);
    CHECK_FALSE(parse_device_spec(text).is_local());
    CHECK(parse_device_spec(text).has_value());
    CHECK_FALSE(parse_device_spec(text).local_device().has_value());
  }
}

TEST_CASE("the name of a device_spec is the name that it was made from") {
  for (auto text : {"", "/gpu:0", "/device:CPU", "/job:localhost/task:0", "/gpu:16777213",
                    "/gpu:16777214", "/gpu:16777215", "/gpu:2147483647", "/job:worker/task:7",
                    "/job:localhost/replica:0/task:0/device:GPU:1", "/device:XLA_GPU:3"}) {
    INFO(text);
    CHECK(parse_device_spec(text).name() == parse_name(text));
    CHECK(device_spec::from_bits(parse_device_spec(text).bits()) == parse_device_spec(text));
    CHECK((parse_device_spec(text).bits() >> 29 & 3u) == 0);
  }
}

TEST_CASE("the texts of an interned name outlive the text it was made from") {
  device_spec w;
  {
    std::string text =
        "/job:a_job_name_that_is_not_stored_inside_a_string/device:Some_other_type:1";
    w = parse_device_spec(text);
    text.assign(text.size(), 'x');
  }
  CHECK(to_string(w) ==
        "/job:a_job_name_that_is_not_stored_inside_a_string/device:Some_other_type:1");
}

TEST_CASE("equal names give equal device_specs") {
  CHECK(parse_device_spec("/job:w/gpu:1") == parse_device_spec("/device:gpu:1/job:w"));
  CHECK(parse_device_spec("/job:w/gpu:1") != parse_device_spec("/job:w/gpu:2"));
  CHECK(parse_device_spec("/job:w") != parse_device_spec("/job:v"));
  CHECK(device_spec(device{kind::gpu, 16777215}) == parse_device_spec("/gpu:16777215"));
}

TEST_CASE("device_specs nest as their names do") {
  std::vector<std::string> const names = {"",
                                          "/gpu:1",
                                          "/device:GPU",
                                          "/cpu:3",
                                          "/job:localhost",
                                          "/job:localhost/replica:0/task:0/gpu:2",
                                          "/job:worker",
                                          "/job:worker/task:2/gpu:0",
                                          "/replica:4",
                                          "/device:XLA_GPU:1",
                                          "/gpu:2000000000"};
  for (auto const& outer : names)
    for (auto const& inner : names) {
      INFO(outer << " around " << inner);
      CHECK(nest(parse_device_spec(outer), parse_device_spec(inner)).name() ==
            nest(parse_name(outer), parse_name(inner)));
    }
}

TEST_CASE("a device_name that no text parses to is an error") {
  auto const wrong = [](device_name const& name) {
    CHECK_THROWS_AS(device_spec::of(name), invalid_argument);
  };
  wrong({"a/b", -1, -1, "", -1});
  wrong({"w", -2, -1, "", -1});
  wrong({"w", -1, -2, "", -1});
  wrong({"", -1, -1, "GPU", -2});
  wrong({"", -1, -1, "", 3});
  wrong({"", -1, -1, "my-dev", 3});
  CHECK_THROWS_AS(device_spec(device{kind::gpu, -2}), invalid_argument);
  std::string message;
  try {
    (void)device_spec::of({"a/b", -1, 2, "GPU", 1});
  } catch (invalid_argument const& e) { message = e.what(); }
  CHECK(message ==
        "No device can have job 'a/b', replica -1, task 2, type 'GPU', index 1. A name such as "
        "/job:worker/task:1/device:GPU:0 can be parsed.");
}

TEST_CASE("a merged name of parsable length is accepted and a longer one is an error") {
  std::string const job = "/job:" + std::string(3000, 'j'), type(2000, 't');
  std::string const device = "/device:" + type + ":1";
  device_spec const outer = parse_device_spec(job), inner = parse_device_spec(device);
  CHECK_THROWS_AS(nest(outer, inner), invalid_argument);
  std::string const short_device = "/device:" + std::string(1000, 't') + ":1";
  std::string const merged = to_string(nest(outer, parse_device_spec(short_device)));
  CHECK(merged == job + short_device);
  CHECK(to_string(parse_device_spec(merged)) == merged);
}

TEST_CASE("an absolute name hides outer names, and inner names are merged with it") {
  device_spec const none = device_spec::no_preference();
  for (auto text : {"", "/gpu:1", "/job:worker/gpu:1", "/device:XLA_GPU"}) {
    device_spec const w = parse_device_spec(text);
    INFO(text);
    CHECK(nest(w, none) == none);
    CHECK(nest(none, w).is_absolute());
    CHECK(nest(none, w).relative() == w);
    CHECK(nest(nest(none, w), parse_device_spec("/task:0")).relative() ==
          nest(w, parse_device_spec("/task:0")));
    CHECK(nest(none, w).is_of_another_task() == w.is_of_another_task());
    CHECK(nest(none, w).name() == w.name());
  }
}

TEST_CASE("device_spec::of recognises a device type in any case") {
  CHECK(device_spec::of({"", -1, -1, "gpu", 1}) == device_spec(device{kind::gpu, 1}));
}

TEST_CASE("threads that intern the same names get the same device_specs") {
  constexpr int threads = 8, names = 500;
  std::vector<std::vector<device_spec>> made(threads);
  {
    std::vector<std::thread> running;
    for (int t = 0; t != threads; ++t)
      running.emplace_back([&made, t] {
        for (int i = 0; i != names; ++i)
          made[static_cast<std::size_t>(t)].push_back(
              parse_device_spec("/job:together/task:" + std::to_string(i)));
      });
    for (auto& each : running) each.join();
  }
  for (auto const& list : made) CHECK(list == made.front());
  for (int i = 0; i != names; ++i)
    CHECK(made.front()[static_cast<std::size_t>(i)].name().task == i);
}

TEST_CASE("the table of names is bounded, and known names still work when it is full") {
  std::string message;
  device_spec const first = parse_device_spec("/job:full/task:0");
  try {
    for (int i = 0; i != 20000; ++i) (void)parse_device_spec("/job:full/task:" + std::to_string(i));
  } catch (invalid_argument const& e) { message = e.what(); }
  CHECK(message ==
        "Too many different device names: this process has used 16384 that are not its own CPUs "
        "and GPUs");
  CHECK(parse_device_spec("/job:full/task:0") == first);
  CHECK(parse_device_spec("/gpu:1") == device_spec(device{kind::gpu, 1}));
}
