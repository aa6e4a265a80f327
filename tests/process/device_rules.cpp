// gpus: 0 1 2
// Scopes with a rule: which op is asked, how its answer is merged, and what the log and errors say.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using namespace placement;
namespace pl = placement;

namespace {

tensor<float, dextents<2>> square() { return {{1.f, 2.f}, {3.f, 4.f}}; }
device nth_gpu(int i) { return {kind::gpu, i}; }

/// The request of the node.
template <class E> std::string requested(E const& e) { return to_string(e.from.requested); }

}  // namespace

TEST_CASE("a rule gets the name, type, bytes and name scope of each op that is written") {
  tensor const a = square();
  static std::vector<std::string> seen;
  seen.clear();
  name_scope const names("tower_0");
  with_device const scope([](op_facts const& op) {
    seen.push_back(std::string(op.scope) + '/' + std::string(op.name) + '<' +
                   std::string(op.element) + "> " + std::to_string(op.bytes));
    return cpu0;
  });
  auto const e = sum(a * a);
  CHECK(seen == std::vector<std::string>{"tower_0/Mul<float> 16", "tower_0/Sum<float> 4"});
}

TEST_CASE("an op runs where its rule says") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = square();
  with_device const scope(
      [](op_facts const& op) { return op.name == "MatMul" ? spec("/gpu:1") : spec("cpu:0"); });
  tensor const b = matmul(a, a);
  tensor const c = relu(a);
  CHECK(b.where() == nth_gpu(1));
  CHECK(c.where() == cpu0);
  tensor const d = on("/gpu:0", relu(a));
  CHECK(d.where() == nth_gpu(0));
}

TEST_CASE("answers are merged with the scopes around and inside") {
  tensor const a = square();
  with_device const outer("/gpu:1");
  {
    with_device const rule([](op_facts const&) { return spec("/job:localhost"); });
    CHECK(requested(relu(a)) == "/job:localhost/device:GPU:1");
    with_device const inner("/cpu:0");
    CHECK(requested(relu(a)) == "/job:localhost/device:CPU:0");
    CHECK(relu(a).from.requested_by == request_source::scope);
    with_device const second([](op_facts const&) { return pl::gpu<0>; });
    CHECK(requested(relu(a)) == "/job:localhost/device:GPU:0");
    CHECK(relu(a).from.requested_by == request_source::rule);
    with_device const open(no_preference);
    CHECK(requested(relu(a)) == "");
  }
  with_device const none([](op_facts const&) { return no_preference; });
  CHECK(requested(relu(a)) == "");
  with_device const empty([](op_facts const&) { return ""; });
  CHECK(requested(relu(a)) == "");
}

TEST_CASE("the log and errors name the line of the rule") {
  tensor const a = square();
  log_lines log;
  {
    with_device const scope(
        rule_request([](op_facts const&) { return cpu0; }, site{"rules.cpp", 7}));
    set_log_level(log_level::all);
    tensor const b = relu(a);
    CHECK(
        log.take_all().back().starts_with("placement: Relu<float> [2, 2] on /CPU:0 (asked for "
                                          "/CPU:0: device rule at rules.cpp:7)"));
    CHECK(plan_of(relu(a)).node("Relu").why == reason::rule);
  }
  with_device const missing(
      rule_request([](op_facts const&) { return nth_gpu(9); }, site{"rules.cpp", 9}),
      hard_placement{});
  std::string const message = error_message<placement_error>([&] { tensor const b = relu(a); });
  INFO(message);
  CHECK(
      message.starts_with("Cannot assign a device to node 'Relu': Could not satisfy explicit "
                          "device specification '/gpu:9' for Relu<float> [2, 2]: no such device"));
  CHECK(message.find(", requested by the device rule at rules.cpp:9; available: ") !=
        std::string::npos);
}

TEST_CASE("what a rule throws leaves the statement, and the next op runs") {
  tensor const a = square();
  tensor b = square();
  bool throws = true;
  {
    with_device const scope([&throws](op_facts const&) {
      if (throws) throw std::runtime_error("rule");
      return cpu0;
    });
    CHECK_THROWS_AS(b = relu(a), std::runtime_error);
    throws = false;
    b = a + a;
    CHECK(b.where() == cpu0);
  }
  CHECK(detail::requested_here().requested == device_spec{});
}
