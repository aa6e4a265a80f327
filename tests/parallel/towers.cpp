#include <placement/gradient.hpp>

#include <placement/ops/array_equal.hpp>
#include <placement/parallel/mirrored_strategy.hpp>
#include <placement/parallel/towers.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using parallel::tower;
using parallel::tower_error;
using parallel::tower_threads;
using parallel::towers;

namespace {
int const gpus = gpus_of_test();
int const count = gpus == 0 ? 1 : gpus;
device device_of(int i) { return gpus == 0 ? cpu0 : device{kind::gpu, i}; }
}  // namespace

TEST_CASE("Towers are on all GPUs, or on CPU:0 without any") {
  towers const all;
  REQUIRE(all.count() == count);
  for (int i = 0; i != count; ++i) CHECK(all.where(i) == device_of(i));
  CHECK(towers(1).where(0) == device_of(0));
  char const* const type = gpus == 0 ? "CPU" : "GPU";
  CHECK(towers(list_logical_devices(type)).devices() == all.devices());
  CHECK(parallel::mirrored_strategy(list_logical_devices(type)).num_replicas_in_sync() == count);
}

TEST_CASE("Each tower runs in a scope of its device, and results keep their order") {
  for (auto threads : {tower_threads::one, tower_threads::per_tower}) {
    towers const all({.threads = threads});
    auto const results = all.run([](tower const& t) {
      if (tower::current() != &t) throw std::logic_error("another tower is current");
      return tensor(constant(1.f, shape(2, 2)) + static_cast<float>(t.index()));
    });
    REQUIRE(results.size() == static_cast<std::size_t>(count));
    for (int i = 0; i != count; ++i) {
      auto const& x = results[static_cast<std::size_t>(i)];
      CHECK(x.where() == device_of(i));
      CHECK(item(sum(x)) == 4.f * static_cast<float>(i + 1));
    }
    CHECK(tower::current() == nullptr);
  }
}

TEST_CASE("A tower knows its name, number and device") {
  towers const all;
  auto const seen = all.run([](tower const& t) { return t; });
  for (int i = 0; i != count; ++i) {
    tower const& t = seen[static_cast<std::size_t>(i)];
    CHECK(t.count() == count);
    CHECK(t.where() == device_of(i));
    CHECK(t.name() == "tower_" + std::to_string(i));
  }
}

TEST_CASE("slice gives a tower its rows of a batch") {
  tensor const batch = on("/cpu:0", reshape(iota(shape(24), 0.f, 1.f), shape(12, 2)));
  auto const parts = towers().run([&](tower const& t) { return t.slice(batch); });
  int const rows = 12 / count;
  for (int i = 0; i != count; ++i) {
    auto const& x = parts[static_cast<std::size_t>(i)];
    CHECK(x.where() == device_of(i));
    REQUIRE(x.shape().at(0) == rows);
    CHECK(array_equal(x, slice(batch, range(i * rows, (i + 1) * rows))));
  }
}

TEST_CASE("A batch that the towers do not divide is an error") {
  if (count < 2) SKIP("one tower divides every batch");
  tensor const batch = zeros<float>(count + 1, 3);
  std::string const message = error_message<tower_error>(
      [&] { towers().run([&](tower const& t) { return t.slice(batch); }); });
  CHECK_THAT(message,
             ContainsSubstring("placement: tower_0 on /GPU:0 of " + std::to_string(count) +
                               " towers: placement: " + std::to_string(count) +
                               " towers cannot divide a batch of " + std::to_string(count + 1) +
                               " samples. Give a multiple of " + std::to_string(count) + "."));
}

TEST_CASE("Too many towers, or none, is an error") {
  CHECK_THAT(error_message<invalid_argument>([] { towers const none(0); }),
             ContainsSubstring("placement: 0 towers, but there "));
  std::string const message = error_message<invalid_argument>([] { towers const more(5); });
  std::string const there = gpus == 1 ? "is 1 GPU" : "are " + std::to_string(gpus) + " GPUs";
  CHECK_THAT(message, ContainsSubstring("placement: 5 towers, but there " + there));
  CHECK_THAT(message, ContainsSubstring("PLACEMENT_SIMULATED_GPUS"));
}

TEST_CASE("Devices of towers are given once, exist, and are one device each") {
  CHECK_THAT(error_message<invalid_argument>([] { towers const t({"/cpu:0", "/cpu:0"}); }),
             ContainsSubstring("tower_0 and tower_1 are both on /CPU:0"));
  CHECK_THAT(error_message<invalid_argument>([] { towers const t(std::vector<device>{}); }),
             ContainsSubstring("towers on no device"));
  CHECK_THAT(error_message<invalid_argument>([] { towers const t({"/cpu:0", "/gpu:*"}); }),
             ContainsSubstring("which is not the name of one device"));
  CHECK_FALSE(error_message<error>([] { towers const t({"/gpu:7"}); }).empty());
}

TEST_CASE("The error of a tower names it and its device, after all towers have ended") {
  towers const all;
  std::atomic<int> ended{0};
  try {
    all.run([&](tower const& t) {
      if (t.index() == t.count() - 1) throw std::runtime_error("no such file");
      ++ended;
    });
    FAIL("no exception");
  } catch (tower_error const& e) {
    CHECK(e.tower() == count - 1);
    CHECK(std::string(e.what()) == "placement: tower_" + std::to_string(count - 1) + " on " +
                                       to_string(device_of(count - 1)) + " of " +
                                       std::to_string(count) + (count == 1 ? " tower" : " towers") +
                                       ": no such file");
    CHECK(ended == count - 1);
    CHECK_THROWS_AS(std::rethrow_if_nested(e), std::runtime_error);
  }
  CHECK(towers().run([](tower const& t) { return t.index(); }).size() ==
        static_cast<std::size_t>(count));
}

TEST_CASE("An object that is no exception is named as such") {
  CHECK_THAT(error_message<tower_error>([] { towers().run([](tower const&) { throw 1; }); }),
             ContainsSubstring("its function threw an object that is no std::exception"));
}

TEST_CASE("The threads of towers have the settings and the scopes of the caller") {
  with_device const outer("/job:localhost", hard_placement{});
  auto const hard =
      towers().run([](tower const&) { return placement::detail::settings_here().soft(); });
  for (bool const is_soft : hard) CHECK_FALSE(is_soft);
}

TEST_CASE("Copies of towers count in the caller's budget") {
  if (count < 2) SKIP("needs a copy per tower");
  tensor const x = on("/cpu:0", constant(1.f, shape(4)));
  auto const step = [&] {
    with_device const budget("", at_most<copies, 1>{});
    towers().run([&](tower const&) { return tensor(x + 1.f); });
    tensor const y = on("/gpu:0", x + 1.f);  // one copy too many
  };
  CHECK_THROWS_AS(step(), placement_error);
}

TEST_CASE("Random numbers of towers do not depend on the threads") {
  auto const drawn = [](tower_threads threads) {
    set_seed(7);
    std::vector<tensor<float, dextents<1>>> all;
    for (int step = 0; step != 2; ++step)
      for (auto const& x : towers({.threads = threads}).run([](tower const&) {
             tensor<float, dextents<1>> const a = uniform<float>(shape(5));
             return tensor<float, dextents<1>>(a + uniform<float>(shape(5)));
           }))
        all.push_back(x);
    return all;
  };
  auto const one = drawn(tower_threads::one), several = drawn(tower_threads::per_tower);
  REQUIRE(one.size() == several.size());
  for (std::size_t i = 0; i != one.size(); ++i) {
    CHECK(array_equal(one[i], several[i]));
    if (i != 0) CHECK_FALSE(array_equal(one[i], one[0]));
  }
}

TEST_CASE("One tower draws the random numbers of the program") {
  set_seed(3);
  tensor const expected = uniform<float>(shape(5));
  set_seed(3);
  auto const drawn = towers(1).run([](tower const&) { return tensor(uniform<float>(shape(5))); });
  CHECK(array_equal(drawn[0], expected));
}

TEST_CASE("A tape around towers is an error, and so are towers in towers") {
  tensor const w = constant(1.f, shape(2));
  {
    gradient_tape const tape(w);
    CHECK_THAT(error_message<invalid_argument>([] { towers().run([](tower const&) {}); }),
               ContainsSubstring("a gradient_tape is open around the call of towers"));
  }
  CHECK_THAT(error_message<tower_error>(
                 [] { towers().run([](tower const&) { towers(1).run([](tower const&) {}); }); }),
             ContainsSubstring("tower_0 calls towers of its own"));
}

TEST_CASE("run_on runs one tower on the calling thread") {
  int const last = count - 1;
  CHECK(towers().run_on(last, [](tower const& t) { return t.index(); }) == last);
  device where{};
  towers().run_on(last, [&](tower const&) { where = tensor(constant(1.f, shape(2))).where(); });
  CHECK(where == device_of(last));
}
