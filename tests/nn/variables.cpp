// Variables with a requested device and options.
#include <placement/nn.hpp>

#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace placement;

TEST_CASE("variables.Without a request a variable has none") {
  nn::variable const w("w", zeros<float>(2, 3));
  CHECK(!w.requested().has_value());
  CHECK(w.trainable());
  nn::variable const v("v", tensor{1.f, 2.f});
  CHECK(!v.requested().has_value());
}

TEST_CASE("variables.The request is that of the innermost scope, on(), or the option") {
  with_device const outer("/gpu:0");
  nn::variable const by_scope("w", zeros<float>(2));
  CHECK(by_scope.requested() == device_spec(gpu0));
  with_device const inner("/gpu:1");
  nn::variable const by_inner("w", zeros<float>(2));
  CHECK(by_inner.requested() == device_spec(gpu1));
  nn::variable const by_pin("w", on("/cpu:0", zeros<float>(2)));
  CHECK(by_pin.requested() == device_spec(cpu0));
  CHECK(by_pin.where() == cpu0);
  nn::variable const by_option("w", zeros<float>(2), {.device = "/cpu:0"});
  CHECK(by_option.requested() == device_spec(cpu0));
  CHECK(by_option.where() == cpu0);
  nn::variable const of_tensor("w", tensor{1.f}, {.device = gpu0});
  CHECK(of_tensor.requested() == device_spec(gpu0));
  CHECK(of_tensor.where() == gpu0);
  tensor<float, dextents<1>, dev<kind::gpu, 1>> const far{2.f};
  nn::variable const of_typed("w", far, {.device = gpu0});
  CHECK(of_typed.where() == gpu0);
  CHECK(item(of_typed.value()) == 2.f);
  nn::variable const relative("w", zeros<float>(2), {.device = "/job:localhost"});
  CHECK(relative.where() == gpu1);
}

TEST_CASE("variables.Assignments, copies and moves keep the request, and only to() changes it") {
  nn::variable w("w", zeros<float>(2), {.trainable = false, .device = "/gpu:1"});
  w.assign(on("/cpu:0", ones<float>(2)));
  CHECK(w.requested() == device_spec(gpu1));
  CHECK(w.where() == cpu0);
  nn::variable copy = w;
  CHECK(copy.requested() == device_spec(gpu1));
  CHECK_FALSE(copy.trainable());
  nn::variable other("other", zeros<float>(2));
  other = copy;
  CHECK(other.requested() == device_spec(gpu1));
  CHECK_FALSE(other.trainable());
  nn::variable const moved = std::move(copy);
  CHECK(moved.requested() == device_spec(gpu1));
  auto const there = nn::to("/gpu:0", moved);
  CHECK(there.requested() == device_spec(gpu0));
  CHECK(there.where() == gpu0);
  CHECK_FALSE(there.trainable());
  CHECK(to_vector(there.value()) == std::vector{1.f, 1.f});
}

TEST_CASE("variables.A variable on its device keeps its elements in to()") {
  nn::variable w("w", on("/gpu:1", ones<float>(2)));
  float const* const elements = std::as_const(w).value().data();
  w.move_to("/gpu:1");
  CHECK(w.value().data() == elements);
  CHECK(w.requested() == device_spec(gpu1));
}

TEST_CASE("variables.A missing device leaves a variable as it was") {
  nn::variable w("w", ones<float>(2), {.device = "/gpu:1"});
  with_device const strictly("", hard_placement{});
  CHECK(error_message<placement_error>([&] { w.move_to("/gpu:7"); }).find("'/gpu:7'") !=
        std::string::npos);
  CHECK(w.requested() == device_spec(gpu1));
  CHECK(w.where() == gpu1);
  CHECK_FALSE(error_message<placement_error>([&] {
                nn::variable("v", zeros<float>(2), {.device = "/gpu:7"});
              }).empty());
}

TEST_CASE("variables.Moving statistics are not trained") {
  auto const net = nn::sequential(extents<3>{}, nn::dense<2>{}, nn::batch_norm{});
  std::vector<std::string> names;
  nn::for_each_variable(net, [&](std::string const& name, auto const& v) {
    if (!v.trainable()) names.push_back(name);
  });
  CHECK(names == std::vector<std::string>{"batch_normalization/moving_mean",
                                          "batch_normalization/moving_variance"});
}

TEST_CASE("variables.TensorFlow's logs show where a variable is made") {
  std::string const task = "/job:localhost/replica:0/task:0";
  tensor const first = on("/gpu:1", tensor{1.f, 2.f});
  log_lines log;
  auto const lines_in = [&](log_format form) {
    with_device const scope("", log_placement{}, form);
    nn::variable w("w", first);
    nn::variable const copy = w;
    return log.take_all();
  };
  CHECK(lines_in(log_format::native).empty());
  CHECK(lines_in(log_format::tf2) ==
        lines_of{"Executing op VarHandleOp in device " + task + "/device:GPU:1",
                 "Executing op AssignVariableOp in device " + task + "/device:GPU:1"});
  lines_of const graph = lines_in(log_format::tf1_graph);
  REQUIRE(graph.size() >= 3);
  CHECK(graph[graph.size() - 3] == "w: (VariableV2): " + task + "/device:GPU:1");
  CHECK(graph[graph.size() - 2] == "w/Assign: (Assign): " + task + "/device:GPU:1");
  CHECK(graph.back() == "w/read: (Identity): " + task + "/device:GPU:1");
  CHECK(lines_in(log_format::tf1_graph) ==
        lines_of{"w_1: (VariableV2): " + task + "/device:GPU:1",
                 "w_1/Assign: (Assign): " + task + "/device:GPU:1",
                 "w_1/read: (Identity): " + task + "/device:GPU:1"});
  CHECK(lines_in(log_format::tf1) == lines_of{"w_2: " + task + "/gpu:1",
                                              "w_2/Assign: " + task + "/gpu:1",
                                              "w_2/read: " + task + "/gpu:1"});
  nn::variable const quiet("w", first);
  CHECK(log.take_all().empty());
}
