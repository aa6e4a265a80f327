// gpus: 2
// Scopes that end out of order, or on another thread. No op runs on a wrong device afterwards, one
// line is printed to standard error, and the next op throws.
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace placement;

namespace {

using scope = std::optional<with_device<>>;

device_request at_line(char const* name, unsigned line) { return {name, {"user.cpp", line}}; }

/// The name of the requested device of an op that is written here.
std::string requested() { return to_string(detail::requested_here().requested); }
device here() { return vector<float>(relu(vector<float>{1.f})).where(); }
bool is_hard() { return !detail::settings_here().soft(); }

/// The error of the next op. Empty if it runs.
std::string next_op() {
  return error_message<placement_error>([] { here(); });
}

/// The standard error output of a call.
template <class F> std::string standard_error_of(F call) {
  std::FILE* const file = std::tmpfile();
  std::fflush(stderr);
  int const before = ::dup(2);
  ::dup2(::fileno(file), 2);
  call();
  std::fflush(stderr);
  ::dup2(before, 2);
  ::close(before);
  std::rewind(file);
  std::string text(4096, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

constexpr char const* ended_early =
    "placement: the scope '/GPU:1' made at user.cpp:1 ended before the scope '/job:localhost' made "
    "at user.cpp:2, which is nested in it. Scopes end on their thread in reverse order: make each "
    "a local variable of its block.";

}  // namespace

TEST_CASE("a scope that ends before one inside it removes its own entry and no other") {
  with_device const outermost("/cpu:0");
  scope outer(at_line("/gpu:1", 1));
  scope inner(at_line("/job:localhost", 2));
  REQUIRE(requested() == "/job:localhost/device:GPU:1");
  CHECK(standard_error_of([&] { outer.reset(); }) == ended_early + std::string("\n"));
  CHECK(requested() == "/job:localhost/device:CPU:0");
  CHECK(next_op() == ended_early);
  CHECK(next_op() == "");  // reported once
  CHECK(here() == cpu0);
  inner.reset();
  CHECK(requested() == "/CPU:0");
  CHECK(next_op() == "");
}

TEST_CASE("the next op that is evaluated throws, also if it was written before") {
  vector<float> const a{1.f};
  auto const written = relu(a);
  scope outer(at_line("/gpu:1", 1));
  scope inner(at_line("/cpu:0", 2));
  outer.reset();
  CHECK(error_message<placement_error>([&] { vector<float> const y = written; }) != "");
  outer.emplace(at_line("/gpu:1", 3));
  inner.reset();
  CHECK(error_message<placement_error>([&] { vector<float> const y = copy_to(gpu0, a); }) != "");
  CHECK(next_op() == "");
  CHECK(requested() == "/GPU:1");
}

TEST_CASE("the settings of a scope that ends out of order end with it") {
  scope outer(std::in_place, at_line("/cpu:0", 1), hard_placement{});
  scope inner(std::in_place, at_line("", 2), log_level::off);
  REQUIRE(is_hard());
  outer.reset();
  CHECK_FALSE(is_hard());
  CHECK(detail::settings_here().level() == log_level::off);
  CHECK(next_op() != "");
  {
    with_device const again("/cpu:0", hard_placement{});
    CHECK(is_hard());
  }
  CHECK_FALSE(is_hard());
  CHECK(detail::settings_here().level() == log_level::off);
  inner.reset();
  CHECK(detail::settings_here().level() == log_level::fallback);
}

TEST_CASE("scopes end in every order, and the remaining ones stay in force") {
  constexpr char const* names[] = {"/gpu:1", "/job:localhost", "/task:0/gpu:*", "/cpu:0"};
  int orders[24][4], count = 0;
  for (int code = 0; code != 256; ++code) {
    int const order[] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
    bool once = true;
    for (int i = 0; i != 4; ++i)
      for (int j = 0; j != i; ++j) once = once && order[i] != order[j];
    if (once) std::copy(order, order + 4, orders[count++]);
  }
  REQUIRE(count == 24);
  for (auto const& order : orders) {
    std::vector<scope> open(4);
    for (int i = 0; i != 4; ++i)
      open[static_cast<std::size_t>(i)].emplace(at_line(names[i], static_cast<unsigned>(i)));
    bool in_order = true;
    for (int i = 0; i != 4; ++i) {
      in_order = in_order && order[i] == 3 - i;
      open[static_cast<std::size_t>(order[i])].reset();
      device_spec left{};
      for (int k = 0; k != 4; ++k)
        if (open[static_cast<std::size_t>(k)])
          left = nest(left, detail::parse_device_spec(names[k]));
      CHECK(requested() == to_string(left));
    }
    CHECK((next_op() == "") == in_order);
    CHECK(next_op() == "");
  }
}

TEST_CASE("many scopes that end out of order leak nothing") {
  std::string const said = standard_error_of([] {
    for (int i = 0; i != 200; ++i) {
      scope outer(at_line("/gpu:1", 1)), inner(at_line("/cpu:0", 2));
      outer.reset();
      inner.reset();
    }
  });
  CHECK(said.size() == 4096);
  CHECK(requested() == "");
  CHECK(next_op() != "");
  CHECK(next_op() == "");
}

TEST_CASE("deeply nested scopes can end out of order, too") {
  std::vector<scope> open(200);
  for (scope& s : open) s.emplace("/job:localhost");
  open[100].emplace("/gpu:1");  // ends, and starts again inside all others
  CHECK(requested() == "/job:localhost/device:GPU:1");
  CHECK(next_op() != "");
  open[100].reset();
  for (scope& s : open) s.reset();  // the first one first
  CHECK(requested() == "");
  CHECK(next_op() != "");
  CHECK(next_op() == "");
}

TEST_CASE(
    "a scope that ends on another thread changes nothing there, and its own thread reports it") {
  scope outer(at_line("/gpu:1", 1));
  scope inner(at_line("/job:localhost", 2));
  std::string said, there, threw_there;
  std::thread([&] {
    with_device const own(at_line("/cpu:0", 3), hard_placement{});
    said = standard_error_of([&] { outer.reset(); });
    there = requested();
    threw_there = next_op();
    CHECK(is_hard());
  }).join();
  CHECK(there == "/CPU:0");
  CHECK(threw_there == "");
  CHECK(said ==
        "placement: the scope '/GPU:1' made at user.cpp:1 ended on another thread than it was made "
        "on, in the scope '/CPU:0' made at user.cpp:3. Scopes end on their thread in reverse "
        "order: make each a local variable of its block.\n");
  CHECK(requested() == "/job:localhost");
  CHECK(next_op() + '\n' == said);
  CHECK(next_op() == "");
  inner.reset();
  CHECK(requested() == "");
}

TEST_CASE("a scope that outlives its thread ends without a message") {
  scope left, second;
  std::thread([&] {
    left.emplace("/gpu:1");
    second.emplace("/cpu:0");
  }).join();
  CHECK(requested() == "");
  std::string const said = standard_error_of([&] {
    left.reset();
    std::thread([&] {
      with_device const own("/cpu:0");
      second.reset();
      CHECK(requested() == "/CPU:0");
    }).join();
  });
  CHECK(said == "");
  CHECK(next_op() == "");
}

TEST_CASE("threads can end scopes of other threads while these write ops") {
  standard_error_of([] {
    for (int round = 0; round != 50; ++round) {
      scope outer(at_line("/gpu:1", 1)), inner(at_line("/job:localhost", 2));
      std::thread other([&] { outer.reset(); });
      for (int i = 0; i != 50; ++i) {
        with_device const own("/cpu:0");
        static_cast<void>(requested());
      }
      other.join();
      CHECK(requested() == "/job:localhost");
      CHECK(next_op() != "");
    }
  });
  CHECK(next_op() == "");
}
