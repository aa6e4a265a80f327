// gpus: 0 1 2
// Name scopes: names of ops in logs, events, messages and plans, and scopes that end out of order.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

tensor<float, dextents<2>> square() { return {{1.f, 2.f}, {3.f, 4.f}}; }

std::string_view scope_here() { return to_string(detail::names_here()); }

/// The node names of the log lines of `work`, in TensorFlow 1's graph form.
template <class Work> std::vector<std::string> nodes_of(Work work) {
  log_lines log;
  set_log_level(log_level::all);
  set_log_format(log_format::tf1_graph);
  work();
  set_log_level(log_level::fallback);
  std::vector<std::string> names;
  for (std::string const& line : log.take_all())
    if (std::size_t const end = line.find(": ("); end != std::string::npos)
      names.push_back(line.substr(0, end));
  return names;
}

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("ops in name scopes have its path in their names, made unique within the scope") {
  tensor const a = square();
  CHECK(nodes_of([&] {
          for (int tower = 0; tower != 2; ++tower) {
            name_scope const scope("tower_" + std::to_string(tower));
            tensor const c = matmul(a, a);
            tensor const d = matmul(c, a);
            name_scope const inner("sum");
            tensor const e = named("total", c + d);
          }
          tensor const f = matmul(a, a);
        }) == names{"tower_0/MatMul", "tower_0/MatMul_1", "tower_0/sum/total", "tower_1/MatMul",
                    "tower_1/MatMul_1", "tower_1/sum/total", "MatMul"});
}

TEST_CASE("ops of one kernel have the scopes that they were written in") {
  tensor const a = square();
  CHECK(nodes_of([&] {
          auto const inner = [&] {
            name_scope const scope("inner");
            return named("r", relu(a));
          }();
          name_scope const scope("outer");
          tensor const y = inner * 2.f;
          tensor const copy = copy_to("/cpu:0", y);
          tensor const constant{1.f, 2.f};
        }) == names{"inner/r", "outer/Mul", "outer/Identity", "outer/Const"});
}

TEST_CASE("a trailing slash restarts the path, an empty name leaves all scopes") {
  name_scope const outer("a");
  CHECK(scope_here() == "a");
  {
    name_scope const inner("b/c");
    CHECK(scope_here() == "a/b/c");
    name_scope const again("x/y/");
    CHECK(scope_here() == "x/y");
    name_scope const none("");
    CHECK(scope_here() == "");
    name_scope const fresh("z");
    CHECK(scope_here() == "z");
  }
  CHECK(scope_here() == "a");
  CHECK_THROWS_AS(
      [] {
        name_scope const scope("b");
        throw std::runtime_error("left");
      }(),
      std::runtime_error);
  CHECK(scope_here() == "a");
  std::thread([] { CHECK(scope_here() == ""); }).join();
}

TEST_CASE("invalid names are errors and leave the scopes as they are") {
  CHECK(error_message<invalid_argument>([] { name_scope const s("_a"); }) ==
        "placement: '_a' is no name of a scope. A name has letters, digits and _.\\/>-, and starts "
        "with a letter, a digit or a dot.");
  for (char const* name : {" a", "a b", "a:0", "-", "/", "a\n", "\xc3\xa4"}) {
    INFO(name);
    CHECK_THROWS_AS(name_scope(name), invalid_argument);
    CHECK(scope_here() == "");
  }
  for (char const* name : {"a", ".a", "0", "A-b_c.d>e\\f/g"}) {
    name_scope const scope(name);
    CHECK(scope_here() == name);
    name_scope const inner("_a");  // as in TensorFlow
    CHECK(scope_here() == std::string(name) + "/_a");
    CHECK(error_message<invalid_argument>([] { name_scope const s("a b"); }) ==
          "placement: 'a b' is no name of a scope. A name has letters, digits and _.\\/>-.");
  }
}

TEST_CASE("errors name the scope of the op") {
  tensor const a = square();
  name_scope const scope("tower_0");
  tensor<float, dextents<1>> const five{1.f, 2.f, 3.f, 4.f, 5.f};
  CHECK(error_message<shape_error>([&] {
          matmul(a, reshape(five, shape(5, 1)));
        }).find(" In tower_0/MatMul at ") != std::string::npos);
  with_device const hard("/gpu:9", hard_placement{});
  auto const e = named("b", relu(a));
  CHECK(error_message<placement_error>([&] { tensor const b = e; })
            .starts_with("Cannot assign a device to node 'tower_0/b': Could not satisfy explicit "
                         "device specification '/gpu:9' for Relu<float> [2, 2]: "));
  auto const unnamed = relu(a);
  name_scope const other("tower_1");
  CHECK(error_message<placement_error>([&] {
          tensor const b = unnamed;
        }).starts_with("Cannot assign a device to node 'tower_0/Relu': "));
}

TEST_CASE("out of memory names the scope of the op") {
  name_scope const scope("tower_0");
  tensor const a = square();
  auto const large = broadcast_to(slice(a, range(0, 1), range(0, 1)), shape(1 << 30, 1 << 30));
  std::string const message = error_message<out_of_memory>([&] { tensor const b = large + 1.f; });
  INFO(message);
  CHECK(message.find(" by tower_0/Add at ") != std::string::npos);
  CHECK(message.find("(Add)") == std::string::npos);
}

TEST_CASE("the native form, events and plans have the scope, and TensorFlow 2's form has not") {
  tensor const a = square();
  name_scope const scope("tower_0");
  log_lines log;
  set_log_level(log_level::all);
  set_log_format(log_format::native);
  tensor y = relu(a);
  CHECK(log.take_all().back().starts_with("placement: tower_0/Relu<float> [2, 2] on "));
  y = named("r", relu(a));
  std::string const line = log.take_all().back();
  CHECK(line.starts_with("placement: Relu<float> [2, 2] on "));
  CHECK(line.find(" 'tower_0/r' (") != std::string::npos);
  set_log_format(log_format::tf2);
  y = relu(a);
  CHECK(log.take_all().back().starts_with("Executing op Relu in device /job:localhost"));
  set_log_level(log_level::fallback);

  static std::string seen;
  set_op_observer([](op_event const& e, void*) noexcept {
    seen = std::string(e.scope) + '|' + std::string(to_string(e.name));
  });
  y = relu(a);
  CHECK(seen == "tower_0|");
  y = named("r", relu(a));
  CHECK(seen == "tower_0|r");
  set_op_observer(nullptr);

  auto const plan = plan_of(named("r", relu(a)));
  CHECK(plan.node("Relu").scope == "tower_0");
  CHECK(explain(relu(a)).find("tower_0/Relu<float>") != std::string::npos);
  CHECK(to_json(plan).find("\"op\": \"Relu\", \"type\": \"float\", \"scope\": \"tower_0\"") !=
        std::string::npos);
}

TEST_CASE("a name scope that ends before one inside it removes its own name and no other") {
  std::optional<name_scope> outer, inner;
  outer.emplace("a", site{"user.cpp", 1});
  with_device const between(device_request("/cpu:0", {"user.cpp", 2}));
  inner.emplace("b", site{"user.cpp", 3});
  REQUIRE(scope_here() == "a/b");
  outer.reset();
  CHECK(scope_here() == "b");
  CHECK(error_message<placement_error>([] { tensor const x = relu(square()); }) ==
        "placement: the scope 'a' made at user.cpp:1 ended before the scope 'a/b' made at "
        "user.cpp:3, which is nested in it. Scopes end on their thread in reverse order: make each "
        "a local variable of its block.");
  CHECK(detail::requested_here().requested == device_spec{cpu0});
  inner.reset();
  CHECK(scope_here() == "");
}

TEST_CASE("copies for a kernel name its scope") {
  if (gpus_of_test() < 1) SKIP("needs a GPU");
  tensor const a = on("/cpu:0", identity(square()));
  name_scope const scope("tower_0");
  log_lines log;
  set_log_level(log_level::copies);
  with_device const gpu("/gpu:0");
  tensor const y = relu(a);
  CHECK(log.take_all().back().find(" to /GPU:0 for tower_0/Relu at ") != std::string::npos);
  with_device const refused("/gpu:0", transfers::refuse);
  CHECK(error_message<placement_error>([&] {
          tensor const z = relu(a);
        }).starts_with("placement: explicit transfers: an operand of tower_0/Relu is on /CPU:0"));
}
