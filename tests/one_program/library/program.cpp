// gpus: 2
// A program and a shared library, both built with hidden visibility, have one registry, log and
// scope.
#include "library.hpp"

#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;

TEST_CASE("a library with hidden visibility uses the process's state, not its own") {
  CHECK(library::facts_inside() == library::facts_here());
}

TEST_CASE("tensors, scopes and the log work across the library's boundary") {
  with_device const scope("/gpu:1", log_level::all, log_format::tf1);
  placement::vector<float> const x{1.f, 2.f};
  log_lines log;
  placement::vector<float> const y = library::doubled(x);
  placement::vector<float> const z = library::doubled(x);
  CHECK(to_string(y) == "[2 4]");
  CHECK(y.where() == device{kind::gpu, 1});
  CHECK(library::device_of_an_op() == device{kind::gpu, 1});
  auto const lines = log.take_all();
  CHECK(lines.at(0) == "doubled: /job:localhost/replica:0/task:0/gpu:1");
  CHECK(lines.at(1) == "doubled_1: /job:localhost/replica:0/task:0/gpu:1");
}

TEST_CASE("a setting made in the library applies to the program") {
  library::set_log_off();
  CHECK(detail::settings_of_process().level() == log_level::off);
}

TEST_CASE("an exception of the library is caught in the program, by its type") {
  set_soft_device_placement(false);
  with_device const scope("/gpu:9");
  CHECK(error_message<placement_error>([] { library::device_of_an_op(); }) != "");
}
