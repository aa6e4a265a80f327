// gpus: 0 1 2 4
// Missing devices: hard placement throws an error in the log format's words. Soft placement runs
// the op on another device and logs that.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

device first_device() { return gpus_of_test() > 0 ? gpu0 : cpu0; }
std::string all_devices() {
  std::string text = "/CPU:0";
  for (int i = 0; i != gpus_of_test(); ++i) text += ", " + to_string(device{kind::gpu, i});
  return text;
}

tensor<float, dextents<2>> guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }
tensor<float, dextents<2>> guide_b() { return {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}; }

std::string const no_gpu_7 =
    "Cannot assign a device to node 'b': Could not satisfy explicit device specification '/gpu:7' "
    "for MatMul<float> [2, 2]: no such device at user.cpp:5; available: " +
    all_devices() + ". Allow soft placement to run it elsewhere.";

/// The error of hard placement for a product named b on this device.
template <class... Settings> std::string error_under(char const* name, Settings... settings) {
  auto const a = guide_a();
  auto const b = guide_b();
  with_device const scope(name, hard_placement{}, settings...);
  auto const e = named("b", matmul(a, b, {"user.cpp", 5}));
  return error_message<placement_error>([&] { tensor const c = e; });
}

}  // namespace

TEST_CASE("under hard placement the error for a missing device gives the node and all devices") {
  CHECK(error_under("/gpu:7") == no_gpu_7);
  CHECK(error_under("/gpu:7", log_format::tf1) == no_gpu_7);
  CHECK(error_under("/gpu:7", log_format::tf1_graph) == no_gpu_7);
}

TEST_CASE("in TensorFlow 2's format the error ends with the full name and unknown device") {
  CHECK(error_under("/gpu:7", log_format::tf2) ==
        no_gpu_7 + " /job:localhost/replica:0/task:0/device:GPU:7 unknown device");
}

TEST_CASE("a constant in a missing device's scope is an error for the node Const") {
  with_device const scope(device_request("/gpu:7", {"user.cpp", 2}), hard_placement{});
  CHECK(
      error_message<placement_error>([] { tensor const a = guide_a(); }) ==
      "Cannot assign a device to node 'Const': Could not satisfy explicit device specification '/gpu:7' for Const<float> "
      "[2, 3]: no such device at user.cpp:2; available: " +
          all_devices() + ". Allow soft placement to run it elsewhere.");
}

TEST_CASE("errors for a missing CPU, a missing GPU and another task give their names") {
  CHECK(error_under("/cpu:1").find(
            "specification '/cpu:1' for MatMul<float> [2, 2]: no such device") !=
        std::string::npos);
  CHECK(error_under("/job:worker/task:1/gpu:0") ==
        "Cannot assign a device to node 'b': Could not satisfy explicit device specification "
        "'/job:worker/task:1/device:GPU:0' for MatMul<float> [2, 2]: no task /job:worker/task:1 in "
        "this program; tasks: /job:localhost/task:0 at user.cpp:5. Leave job, replica and task "
        "out, or name those of this program.");
  CHECK(error_under("/job:worker/task:1/gpu:0")
            .find("specification '/job:worker/task:1/device:GPU:0' for MatMul<float>") !=
        std::string::npos);
  CHECK(error_under("/job:worker/task:1/gpu:0", log_format::tf2)
            .ends_with(" /job:worker/task:1/device:GPU:0 unknown device"));
  if (gpus_of_test() != 0) {
    CHECK(error_under("/device:GPU:*") == "");
    return;
  }
  CHECK(error_under("/device:GPU:*").find("specification '/GPU:*' for MatMul<float>") !=
        std::string::npos);
  CHECK(error_under("/device:GPU:*", log_format::tf2)
            .ends_with(" /job:localhost/replica:0/task:0/device:GPU:* unknown device"));
}

TEST_CASE("another job, replica or task is an error under soft placement, too") {
  tensor const a = guide_a();
  auto const error_of = [&a](char const* name) {
    with_device const scope(name);
    auto const e = relu(a, {"user.cpp", 1});
    CHECK(plan_of(e).begin()->refused);
    CHECK(plan_of(e).begin()->why == reason::no_such_task);
    return error_message<placement_error>([&e] { tensor const y = e; });
  };
  for (char const* name : {"/job:worker/task:1", "/job:worker/task:1/cpu:0",
                           "/task:1/job:worker/gpu:0", "/job:worker/task:1/device:XLA_GPU:0"})
    CHECK(error_of(name).find("no task /job:worker/task:1 in this program; tasks: "
                              "/job:localhost/task:0 at user.cpp:1") != std::string::npos);
  CHECK(error_of("/task:1").find("no task /task:1 in this program") != std::string::npos);
  CHECK(error_of("/job:ps/gpu:0").find("no task /job:ps in this program") != std::string::npos);
  CHECK(error_of("/replica:1/gpu:0")
            .find("no task /replica:1 in this program; tasks: /job:localhost/replica:0/task:0") !=
        std::string::npos);
  CHECK(error_message<placement_error>(
            [&] { tensor const y = on("/job:worker/cpu:0", relu(a)); }) != "");
  CHECK(error_message<placement_error>([&] { tensor const y = copy_to("/task:2/cpu:0", a); }) !=
        "");
  CHECK(error_message<placement_error>([] {
          with_device const scope("/task:1");
          tensor const y{1.f, 2.f};
        }) != "");
  CHECK(fallbacks().empty());
  with_device const scope("/device:XLA_GPU:0");  // no device has this type
  CHECK(tensor(relu(a)).where() == first_device());
}

TEST_CASE("a missing device under hard placement changes nothing, and the next op works") {
  tensor c = guide_a();
  {
    with_device const scope("/gpu:7", hard_placement{});
    CHECK(error_message<placement_error>([&] { c = relu(c); }) != "");
    CHECK(error_message<placement_error>([&] { c = relu(c) + c; }) != "");
  }
  CHECK(fallbacks().empty());
  CHECK(to_string(c) == "[[1 2 3]\n [4 5 6]]");
  c = relu(c);
  CHECK(c.where() == first_device());
}

TEST_CASE("the same program under soft placement gives the product, and the log gives the device") {
  tensor const a = guide_a(), b = guide_b();
  log_lines log;
  with_device const scope("/gpu:7");
  tensor const c = matmul(a, b, {"user.cpp", 5});
  CHECK(to_string(c) == "[[22 28]\n [49 64]]");
  CHECK(c.where() == first_device());
  CHECK(log.take_all() ==
        lines_of{"placement: fallback: MatMul<float> [2, 2] asked for /GPU:7, runs on " +
                 to_string(first_device()) + ": no such device; available: " + all_devices() +
                 " at user.cpp:5"});
}

TEST_CASE("the fallback of an expression that a scope is called with has the line of the call") {
  tensor const a = guide_a();
  log_lines log;
  with_device const scope("/gpu:7");
  site const here = site::here();
  tensor const c = scope(a + a);
  std::string const line = " at " + std::string(here.file) + ':' + std::to_string(here.line + 1);
  CHECK(log.take_all() ==
        lines_of{"placement: fallback: Add<float> [2, 3] asked for /GPU:7, runs on " +
                 to_string(first_device()) + ": no such device; available: " + all_devices() +
                 line});
  CHECK(fallbacks().at(0).where == site{here.file, here.line + 1});
}

TEST_CASE(
    "soft placement falls back to the CPU for a missing CPU, or a missing GPU without a kernel") {
  log_lines log;
  {
    with_device const scope("/cpu:5");
    CHECK(tensor(relu(guide_a())).where() == cpu0);
  }
  with_device const scope("/gpu:7");
  tensor const n{{1, 2}, {3, 4}};
  CHECK(tensor(matmul(n, n)).where() == cpu0);
}

TEST_CASE(
    "if a list makes two GPUs visible, the error for the third lists the two and their numbers",
    "[visible]") {
  if (gpus_of_test() != 4) SKIP("needs four GPUs");
  set_visible_device_list("1,2");
  std::string const text = error_under("/gpu:2");
  CHECK(
      text ==
      "Cannot assign a device to node 'b': Could not satisfy explicit device specification '/gpu:2' for "
      "MatMul<float> [2, 2]: no such device at user.cpp:5; available: /CPU:0, /GPU:0, /GPU:1 (/GPU:0 is device "
      "1, /GPU:1 is device 2). Allow soft placement to run it elsewhere.");
}

TEST_CASE("on() to a missing device obeys soft and hard placement like a scope") {
  tensor const a = guide_a();
  log_lines log;
  tensor const y = on(device_request("/gpu:7", {"user.cpp", 1}), relu(a, {"user.cpp", 2}));
  CHECK(y.where() == first_device());
  CHECK(log.take_all().size() == 1);
  with_device const scope("", hard_placement{});
  CHECK(error_message<placement_error>([&] {
          tensor const z = on("/gpu:7", relu(a));
        }).find("'/gpu:7'") != std::string::npos);
  CHECK(error_message<placement_error>([&] {
          tensor const z = on("/gpu:7"_dev, relu(a));
        }).find("'/gpu:7'") != std::string::npos);
  CHECK(
      error_message<placement_error>(
          [&] { tensor const z = on(device_request("/gpu:7", {"user.cpp", 9}), a); }) ==
      "Cannot assign a device to node 'Copy': Could not satisfy explicit device specification '/gpu:7' for Copy<float> "
      "[2, 3]: no such device at user.cpp:9; available: " +
          all_devices() + ". Allow soft placement to run it elsewhere.");
}
