// gpus: 0 1 2 4
// The device of an op: the default priority, fallback, soft and hard placement, and the order of
// precedence.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

device gpu_at(int index) { return {kind::gpu, index}; }

/// The device of an op without a request.
device first_device() { return gpus_of_test() > 0 ? gpu0 : cpu0; }

/// "/CPU:0, /GPU:0, /GPU:1"
std::string all_devices() {
  std::string text = "/CPU:0";
  for (int i = 0; i != gpus_of_test(); ++i) text += ", " + to_string(gpu_at(i));
  return text;
}

tensor<float, dextents<2>> guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }
tensor<float, dextents<2>> guide_b() { return {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}; }
constexpr char const* guide_product = "[[22 28]\n [49 64]]";

}  // namespace

TEST_CASE("an op with both kernels runs on GPU:0, and without a GPU on CPU:0") {
  log_lines log;
  tensor const c = matmul(guide_a(), guide_b());
  CHECK(c.where() == first_device());
  CHECK(to_string(c.requested()).empty());
  CHECK(to_string(c) == guide_product);
  CHECK(log.take_all() == lines_of{});
  CHECK(fallbacks().empty());
}

TEST_CASE("a constant runs on GPU:0 too, and without a GPU on CPU:0") {
  CHECK(guide_a().where() == first_device());
  CHECK(tensor{1.f, 2.f}.where() == first_device());
}

TEST_CASE("the GPU with the lowest index is the default, with any number of GPUs") {
  for (int i = 0; i != 5; ++i) CHECK(tensor(relu(guide_a())).where() == first_device());
}

TEST_CASE(
    "an op without a GPU kernel runs on CPU:0 in a GPU scope, and the ops around it on the GPU") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  tensor const a = guide_a();
  log_lines log;
  with_device const scope(device_request("/gpu:0", {"user.cpp", 1}));
  auto const below = relu(a, {"user.cpp", 2});
  auto const middle = next(below, {"user.cpp", 3});
  tensor const y = multiply(middle, a, {"user.cpp", 4});

  CHECK(y.where() == gpu0);
  CHECK(to_string(y) == "[[2 6 12]\n [20 30 42]]");
  CHECK(
      log.take_all() ==
      lines_of{
          "placement: fallback: Next<float> [2, 3] asked for /GPU:0, runs on /CPU:0: no GPU kernel for this op "
          "and element type at user.cpp:3"});
  auto const plan = plan_of(multiply(middle, a));
  CHECK(plan.node("Relu").device == gpu0);
  CHECK(plan.node("Next").device == cpu0);
  CHECK(plan.node("Mul").device == gpu0);
}

TEST_CASE("the fallback of an op without a request says that it would go to a GPU") {
  tensor const a = guide_a();
  log_lines log;
  tensor const y = next(a, {"user.cpp", 7});
  CHECK(y.where() == cpu0);
  CHECK(to_string(y) == "[[2 3 4]\n [5 6 7]]");
  if (gpus_of_test() == 0) {
    CHECK(log.take_all() == lines_of{});
    CHECK(fallback_count() == 0);
  } else {
    CHECK(log.take_all() ==
          lines_of{
              "placement: fallback: Next<float> [2, 3] would go to a GPU, runs on /CPU:0: no GPU "
              "kernel for this op and element type at user.cpp:7"});
    CHECK(fallback_count() == 1);
  }
}

TEST_CASE("an element type without a GPU kernel falls back like an op without one") {
  tensor const a{{1, 2}, {3, 4}};
  log_lines log;
  tensor const y = matmul(a, a, {"user.cpp", 8});
  CHECK(y.where() == cpu0);
  CHECK(to_string(y) == "[[7 10]\n [15 22]]");
  if (gpus_of_test() != 0)
    CHECK(
        log.take_all() ==
        lines_of{"placement: fallback: MatMul<int32> [2, 2] would go to a GPU, runs on /CPU:0: no "
                 "GPU kernel for this op and element type at user.cpp:8"});
}

TEST_CASE(
    "under hard placement an op without a GPU kernel is an error that names op, type and device") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  tensor const a = guide_a();
  with_device const scope("/gpu:0", hard_placement{});
  auto const e = next(a, {"user.cpp", 3});
  CHECK(
      error_message<placement_error>([&] { tensor const y = e; }) ==
      "Cannot assign a device to node 'Next': Could not satisfy explicit device specification '/gpu:0' for "
      "Next<float> [2, 3]: no GPU kernel for this op and element type at user.cpp:3; available: " +
          all_devices() + ". Allow soft placement to run it elsewhere.");
  CHECK(fallbacks().empty());
  tensor const y = relu(a);  // the next op works
  CHECK(y.where() == gpu0);
}

TEST_CASE("hard placement has no effect on ops without a request") {
  set_soft_device_placement(false);
  tensor const y = next(guide_a());
  CHECK(y.where() == cpu0);
  CHECK(to_string(y) == "[[2 3 4]\n [5 6 7]]");
}

TEST_CASE("a strict scope with a run-time device rejects a fallback, also when it is called") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  tensor const a = guide_a();
  {
    with_device const scope(gpu<0>, strict);
    CHECK(error_message([&] { tensor const y = next(a); }).find("no GPU kernel") !=
          std::string::npos);
    tensor const y = scope(relu(a));
    CHECK(y.where() == gpu0);
  }
  CHECK(tensor(next(a)).where() == cpu0);  // soft placement again
}

TEST_CASE("on() takes precedence over the scope, then the thread's device, then the priority") {
  if (gpus_of_test() < 4) SKIP("needs four GPUs");
  tensor const a = guide_a();
  CHECK(tensor(relu(a)).where() == gpu0);
  set_current_device(gpu_at(1));
  CHECK(tensor(relu(a)).where() == gpu_at(1));
  {
    with_device const scope("/gpu:2");
    CHECK(tensor(relu(a)).where() == gpu_at(2));
    CHECK(tensor(on("/gpu:3", relu(a))).where() == gpu_at(3));
    CHECK(tensor(on("/gpu:3"_dev, relu(a))).where() == gpu_at(3));
    CHECK(tensor(on("/gpu:3", on("/cpu:0", relu(a)) + 1.f)).where() == gpu_at(3));
  }
  CHECK(tensor(relu(a)).where() == gpu_at(1));
  set_current_device({});
  CHECK(tensor(relu(a)).where() == gpu0);
}

TEST_CASE("the plan and the log give the source of the request as the reason") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = guide_a();
  CHECK(plan_of(relu(a)).node("Relu").why == reason::gpu_first);
  set_current_device(gpu_at(1));
  CHECK(plan_of(relu(a)).node("Relu").why == reason::thread_device);
  with_device const scope("/gpu:1");
  CHECK(plan_of(relu(a)).node("Relu").why == reason::scope);
  CHECK(plan_of(on("/gpu:1", relu(a))).node("Relu").why == reason::pinned);

  set_log_level(log_level::all);
  log_lines log;
  tensor const y = relu(a, {"user.cpp", 1});
  tensor const z = on("/gpu:1", relu(a, {"user.cpp", 2}));
  CHECK(
      log.take_all() ==
      lines_of{
          "placement: copy of 24 B from /GPU:0 to /GPU:1 for Relu at user.cpp:1",
          "placement: Relu<float> [2, 3] on /GPU:1 (simulated) (asked for /GPU:1: device scope), "
          "copied 1 operand, 24 B at user.cpp:1",
          "placement: copy of 24 B from /GPU:0 to /GPU:1 for Relu at user.cpp:2",
          "placement: Relu<float> [2, 3] on /GPU:1 (simulated) (asked for /GPU:1: pinned by on()), "
          "copied 1 operand, 24 B at user.cpp:2"});
}

TEST_CASE("the devices of inputs never determine the device of an op") {
  tensor const on_cpu = on("/cpu:0", relu(guide_a()));
  REQUIRE(on_cpu.where() == cpu0);
  CHECK(tensor(relu(on_cpu)).where() == first_device());
  CHECK(tensor(relu(on_cpu) + on_cpu).where() == first_device());
}

TEST_CASE("a scope overrides soft and hard placement for its thread, and restores them") {
  tensor const a = guide_a();
  set_soft_device_placement(false);
  {
    with_device const missing("/gpu:7", soft_placement{});
    CHECK(tensor(relu(a)).where() == first_device());
    with_device const inner("/gpu:7", hard_placement{});
    CHECK(error_message([&] { tensor const y = relu(a); }) != "");
  }
  with_device const missing("/gpu:7");
  CHECK(error_message([&] { tensor const y = relu(a); }) != "");
}

TEST_CASE("set_current_device to a missing device throws, with the list of available devices") {
  set_current_device(cpu0);
  CHECK(error_message<placement_error>([] { set_current_device(gpu_at(99)); }) ==
        "/job:localhost/replica:0/task:0/device:GPU:99 unknown device; available: " +
            all_devices());
  CHECK(error_message<placement_error>([] { set_current_device(gpu<16777215>); }) != "");
  CHECK(error_message<placement_error>([] { set_current_device("/cpu:1"); }) != "");
  CHECK(error_message<placement_error>([] { set_current_device("/job:worker/gpu:0"); }) ==
        "no task /job:worker in this program; tasks: /job:localhost/task:0");
  CHECK(error_message<placement_error>([] { set_current_device("XLA_GPU:0"); }) ==
        "/device:XLA_GPU:0 unknown device; available: " + all_devices());
  CHECK(current_device() == cpu0);
  set_current_device({kind::cpu, any_index});
  CHECK(tensor(relu(guide_a())).where() == cpu0);
}

TEST_CASE("set_current_device does not fix the configuration") {
  set_current_device(cpu0);
  CHECK_FALSE(is_initialized());
}
