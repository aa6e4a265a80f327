// gpus: 0 1 2 4
// Device scopes: the device of ops written inside, nesting, exceptions, threads, towers, and
// operands on other devices.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

device gpu_at(int index) { return {kind::gpu, index}; }
device first_device() { return gpus_of_test() > 0 ? gpu0 : cpu0; }
std::string gpu_name(int index) { return "/gpu:" + std::to_string(index); }

tensor<float, dextents<2>> guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }
tensor<float, dextents<2>> guide_b() { return {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}; }

/// The device of an op that is written in the current scope.
device here() { return tensor(relu(guide_a())).where(); }

}  // namespace

TEST_CASE("all ops written in a scope run on its device") {
  for (int i = 0; i != gpus_of_test(); ++i) {
    with_device const scope(gpu_name(i));
    tensor const a = guide_a(), b = guide_b();
    tensor const c = matmul(a, b);
    tensor const d = relu(c * 2.f + 1.f);
    CHECK(std::vector{a.where(), b.where(), c.where(), d.where()} == std::vector(4, gpu_at(i)));
    CHECK(to_string(d) == "[[45 57]\n [99 129]]");
  }
  with_device const scope("/cpu:0");
  tensor const c = matmul(guide_a(), guide_b());
  CHECK(c.where() == cpu0);
  CHECK(to_string(c) == "[[22 28]\n [49 64]]");
}

TEST_CASE("a scope takes a name, a device value or a tag, with the same meaning") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  for (std::string const name :
       {"/gpu:1", "/GPU:1", "/device:GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1"}) {
    with_device const scope(name);
    CHECK(here() == gpu_at(1));
  }
  {
    with_device const scope(gpu_at(1));
    CHECK(here() == gpu_at(1));
  }
  {
    with_device const scope(gpu<1>);
    CHECK(here() == gpu_at(1));
  }
  with_device const scope("/gpu:1"_dev);
  CHECK(here() == gpu_at(1));
}

TEST_CASE("an op belongs to the scope it was written in, wherever it is evaluated") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = guide_a();
  auto written = [&] {
    with_device const scope("/gpu:1");
    return relu(a);
  }();
  CHECK(tensor(written).where() == gpu_at(1));
  with_device const scope("/gpu:0");
  CHECK(tensor(written).where() == gpu_at(1));
}

TEST_CASE("the inner scope wins, and every exit restores the outer one") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  with_device const outer("/gpu:1");
  {
    with_device const inner("/cpu:0");
    CHECK(here() == cpu0);
    {
      with_device const innermost("/gpu:0");
      CHECK(here() == gpu0);
    }
    CHECK(here() == cpu0);
  }
  CHECK(here() == gpu_at(1));
}

TEST_CASE("the inner scope wins field by field, and an inner type resets the index") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  with_device const outer("/gpu:1");
  {
    with_device const inner("/job:localhost");
    CHECK(here() == gpu_at(1));
    CHECK(to_string(tensor(relu(guide_a())).requested()) == "/job:localhost/device:GPU:1");
  }
  {
    with_device const inner("/device:CPU");
    CHECK(here() == cpu0);
    CHECK(to_string(tensor(relu(guide_a())).requested()) == "/CPU:*");
  }
  {
    with_device const cpu("/cpu:0");
    with_device const inner("/device:GPU");
    CHECK(here() == gpu0);
  }
  with_device const inner("/device:GPU");  // the same type: the index stays
  CHECK(here() == gpu_at(1));
  CHECK(to_string(plan_of(relu(guide_a())).node("Relu").requested) == "/GPU:1");
}

TEST_CASE("a scope with an empty name changes nothing inside it") {
  for (char const* name : {"", "/", "/job:*", "/device:*", "/replica:*/task:*"}) {
    with_device const outer("/cpu:0");
    with_device const none(name);
    CHECK(here() == cpu0);
    CHECK(to_string(tensor(relu(guide_a())).requested()) == "/CPU:0");
  }
  with_device const none("");
  CHECK(here() == first_device());
  CHECK(to_string(tensor(relu(guide_a())).requested()).empty());
}

TEST_CASE("a scope with no preference hides outer scopes") {
  set_current_device(cpu0);
  with_device const outer("/cpu:0");
  {
    with_device const none(no_preference);
    CHECK(here() == first_device());
    CHECK(to_string(tensor(relu(guide_a())).requested()).empty());
    with_device const task("/task:0");
    CHECK(here() == first_device());
    with_device const empty("");
    CHECK(here() == first_device());
    with_device const inner("/cpu:0");
    CHECK(here() == cpu0);
  }
  CHECK(here() == cpu0);
  CHECK(tensor(on(no_preference, relu(guide_a()))).where() == first_device());
  CHECK(copy_to(no_preference, guide_a()).where() == first_device());
  with_device const none(no_preference);
  with_device const again(no_preference);
  CHECK(here() == first_device());
}

TEST_CASE("the thread's current device is merged as the outermost scope") {
  set_current_device(cpu0);
  CHECK(here() == cpu0);
  for (char const* name : {"", "/job:localhost", "/replica:0/task:0", "/device:CPU"}) {
    with_device const inner(name);
    CHECK(here() == cpu0);
  }
  if (gpus_of_test() < 2) return;
  {
    with_device const inner("/device:GPU");  // another type: its first device
    CHECK(here() == gpu0);
  }
  set_current_device(gpu_at(1));
  with_device const job("/job:localhost");
  CHECK(here() == gpu_at(1));
  CHECK(to_string(tensor(relu(guide_a())).requested()) == "/job:localhost/device:GPU:1");
  CHECK(plan_of(relu(guide_a())).node("Relu").why == reason::thread_device);
  {
    with_device const any("/device:GPU");
    CHECK(here() == gpu_at(1));
  }
  set_current_device(gpu0);  // also while a scope is open
  CHECK(here() == gpu0);
}

TEST_CASE("scope(e) means the same as writing e in a scope of that name here") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = guide_a();
  with_device const early("/job:localhost");
  with_device const outer("/gpu:1");
  with_device const inner("/job:localhost");
  auto const e = inner(relu(a));
  CHECK(tensor(e).where() == gpu_at(1));
  CHECK(to_string(tensor(e).requested()) == "/job:localhost/device:GPU:1");
  CHECK(plan_of(e).node("Relu").device == gpu_at(1));
  CHECK(tensor(early(relu(a))).where() == gpu_at(1));
  CHECK(tensor(outer(relu(a))).where() == gpu_at(1));
  with_device const cpu(placement::cpu<0>);
  CHECK(tensor(inner(relu(a))).where() == cpu0);
  CHECK(tensor(outer(relu(a))).where() == gpu_at(1));
  with_device const none(no_preference);
  CHECK(tensor(inner(relu(a))).where() == gpu0);
  CHECK(tensor(none(relu(a))).where() == gpu0);
  CHECK(tensor(cpu(relu(a))).where() == cpu0);
}

TEST_CASE("on() and copy_to() merge a partial name with the surrounding scopes") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/cpu:0", guide_a());
  auto const check = [&a](device expected) {
    CHECK(tensor(on("", relu(a))).where() == expected);
    CHECK(tensor(on(""_dev, relu(a))).where() == expected);
    CHECK(tensor(on("/job:localhost", relu(a))).where() == expected);
    CHECK(plan_of(on("", relu(a))).node("Relu").device == expected);
    CHECK(tensor(on("", a)).where() == expected);
    CHECK(copy_to("", a).where() == expected);
    CHECK(copy_to("/task:0", a).where() == expected);
  };
  check(gpu0);
  {
    with_device const scope("/gpu:1");
    check(gpu_at(1));
    CHECK(tensor(on("/device:GPU", relu(a))).where() == gpu_at(1));
    CHECK(tensor(on("/device:GPU:*"_dev, relu(a))).where() == gpu_at(1));
    CHECK(tensor(on("/device:CPU", relu(a))).where() == cpu0);
    auto const kept = on("", relu(a));  // the place of writing counts, not that of evaluation
    with_device const inner("/cpu:0");
    CHECK(tensor(kept).where() == gpu_at(1));
  }
  set_current_device(gpu_at(1));
  check(gpu_at(1));
  with_device const scope("/cpu:0");
  check(cpu0);
  CHECK(explain(on("", relu(a))).find("/CPU:0") != std::string::npos);
}

TEST_CASE("the local form of a name is accepted wherever a program gives one") {
  for (char const* name : {"CPU:0", "cpu:0"}) {
    {
      with_device const scope(name);
      CHECK(here() == cpu0);
    }
    CHECK(tensor(on(name, relu(guide_a()))).where() == cpu0);
    CHECK(copy_to(name, guide_a()).where() == cpu0);
    set_current_device(name);
    CHECK(here() == cpu0);
    set_current_device("");
    CHECK(here() == first_device());
  }
  CHECK(tensor(on("cpu:0"_dev, relu(guide_a()))).where() == cpu0);
  if (gpus_of_test() < 2) return;
  with_device const scope(std::string("GPU:1"));
  CHECK(here() == gpu_at(1));
}

TEST_CASE(
    "the error for PyTorch's name of a GPU suggests a valid one, and for other names the column") {
  auto const error_of = [](char const* name) {
    return error_message<invalid_argument>([name] { with_device const scope(name); });
  };
  CHECK(error_of("cuda:1") ==
        "'cuda:1' is PyTorch's name of a GPU, not a device name here: write /gpu:1");
  CHECK(error_of("cuda").ends_with("write /gpu:0"));
  CHECK(error_of("CUDA:12").ends_with("write /gpu:12"));
  CHECK(error_of("cuda:x").find("at column 6") != std::string::npos);
  CHECK(error_of("gpu").find("at column 4 expected ':' and an index") != std::string::npos);
  CHECK(error_of(" /gpu:0").find("at column 1") != std::string::npos);
  CHECK(error_of("gpu:0/").find("at column 6") != std::string::npos);
  char const* const null = nullptr;
  CHECK(error_of(null).find("null pointer") != std::string::npos);
  CHECK(error_message<invalid_argument>([] { on("cuda:0", guide_a()); }).ends_with("write /gpu:0"));
  CHECK(error_message<invalid_argument>([] { set_current_device("cuda:0"); }) != "");
}

TEST_CASE("scopes nest as deep as the program does") {
  struct nested {
    static void go(int depth) {
      if (depth == 0) return;
      with_device const scope(depth % 2 == 0 ? "/cpu:0" : "/job:localhost");
      go(depth - 1);
      CHECK(here() == cpu0);
    }
  };
  with_device const outer("/cpu:0", log_level::off);
  nested::go(500);
  for (int i = 0; i != 3; ++i) nested::go(62);  // crosses the border of the first memory block
  CHECK(here() == cpu0);
}

TEST_CASE("each handle of shared elements keeps the request at its creation") {
  tensor const a = on(cpu0, guide_a());
  tensor const moved = copy_to("/job:localhost/cpu:0", a);
  CHECK(std::as_const(moved).data() == a.data());
  CHECK(to_string(a.requested()) == "/CPU:0");
  CHECK(to_string(moved.requested()) == "/job:localhost/device:CPU:0");
  tensor const pinned = on("/device:CPU", a);
  CHECK(pinned.data() == a.data());
  CHECK(to_string(pinned.requested()) == "/CPU:*");
  tensor copy = pinned;
  CHECK(to_string(copy.requested()) == "/CPU:*");
  copy.data();  // unshares the elements
  CHECK(copy.data() != a.data());
  CHECK(to_string(copy.requested()) == "/CPU:*");
  tensor const taken = std::move(copy);
  CHECK(to_string(taken.requested()) == "/CPU:*");
  CHECK(copy.requested() == device_spec{});
}

TEST_CASE("an exception restores the previous scope") {
  log_lines log;
  with_device const outer("/cpu:0");
  try {
    with_device const inner("", hard_placement{}, log_level::all);
    with_device const innermost("/cpu:0");
    throw std::runtime_error("leave");
  } catch (std::runtime_error const&) {}
  CHECK(here() == cpu0);
  with_device const missing("/gpu:9");
  CHECK(here() == first_device());  // soft placement again
  for (std::string const& line : log.take_all())
    CHECK(line.rfind("placement: fallback: ", 0) == 0);  // logging is off again
}

TEST_CASE("a scope with an invalid name changes nothing") {
  with_device const outer("/cpu:0");
  CHECK(error_message<invalid_argument>([] { with_device const scope("/gpu:x"); }) != "");
  CHECK(here() == cpu0);
}

TEST_CASE("scopes are per thread, and a new thread starts with none") {
  with_device const outer("/cpu:0");
  set_current_device(cpu0);
  device in_thread{}, after{};
  std::thread([&] {
    in_thread = here();
    with_device const scope("/cpu:0");
    after = here();
  }).join();
  CHECK(in_thread == first_device());
  CHECK(after == cpu0);
  CHECK(here() == cpu0);
}

TEST_CASE(
    "a fused kernel runs where its outermost op was written, and log and explain name moved ops") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:1", guide_a());
  auto const inner = [&] {
    with_device const scope("/gpu:0");
    return relu(a, {"user.cpp", 1});
  }();
  auto const outer = [&] {
    with_device const scope("/gpu:1");
    return add(inner, a, {"user.cpp", 2});
  }();

  log_lines log;
  set_log_level(log_level::all);
  tensor const y = outer;
  CHECK(y.where() == gpu_at(1));
  CHECK(
      log.take_all() ==
      lines_of{
          "placement: Relu<float> [2, 3] on /GPU:1 (simulated) (asked for /GPU:1: device scope), written in /GPU:0, "
          "fused into Add on /GPU:1 at user.cpp:1",
          "placement: Add<float> [2, 3] on /GPU:1 (simulated) (asked for /GPU:1: device scope) at user.cpp:2"});
  CHECK(
      explain(outer) ==
      "op           shape   device              kernel     moved  why\n"
      "Relu<float>  [2, 3]  /GPU:1 (simulated)  0, in Add  -      device scope; written in /GPU:0\n"
      "Add<float>   [2, 3]  /GPU:1 (simulated)  0          -      device scope\n");
}

TEST_CASE("the log of an op written in no scope says so if it is fused into a scope's kernel") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:1", guide_a());
  auto const inner = relu(a, {"user.cpp", 1});
  with_device const scope("/gpu:1", log_level::all);
  log_lines log;
  tensor const y = add(inner, a, {"user.cpp", 2});
  CHECK(
      log.take_all().at(0) ==
      "placement: Relu<float> [2, 3] on /GPU:1 (simulated) (asked for /GPU:1: device scope), written in no scope, fused "
      "into Add on /GPU:1 at user.cpp:1");
}

TEST_CASE("under hard placement an op that fusion would move is an error") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:1", guide_a());
  auto const inner = [&] {
    with_device const scope("/gpu:0");
    return relu(a, {"user.cpp", 1});
  }();
  with_device const scope("/gpu:1", hard_placement{});
  auto const outer = add(inner, a, {"user.cpp", 2});
  CHECK(
      error_message<placement_error>([&] { tensor const y = outer; }) ==
      "placement: Relu<float> [2, 3] was written in /GPU:0 and would be fused into Add on /GPU:1 at user.cpp:1. Evaluate "
      "it first, pin it with on(), or allow soft placement.");
  CHECK(plan_of(outer).begin()->refused);
  tensor const y = add(on("/gpu:0", relu(a)), a);
  CHECK(y.where() == gpu_at(1));
}

TEST_CASE("under hard placement an op that was written in no scope may be fused anywhere") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:1", guide_a());
  auto const inner = relu(a);
  with_device const scope("/gpu:1", hard_placement{});
  auto const outer = inner + a;
  CHECK(!plan_of(outer).begin()->refused);
  CHECK(tensor(outer).where() == gpu_at(1));
}

TEST_CASE("on() keeps an op on its device, and the copy of its result is counted") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:0", guide_a());
  with_device const scope("/gpu:1");
  auto const e = on("/gpu:0", relu(a)) + 1.f;
  auto const plan = plan_of(e);
  CHECK(plan.node("Relu").device == gpu0);
  CHECK(plan.node("Add").device == gpu_at(1));
  CHECK(plan.kernels == 2);
  CHECK(plan.copies() == 1);
  CHECK(plan.bytes_moved() == 24);

  std::size_t const before = all_copies().copies;
  tensor const y = e;
  CHECK(y.where() == gpu_at(1));
  CHECK(all_copies().copies == before + 1);
  CHECK(copies_between(gpu0, gpu_at(1)).copies == 1);
  CHECK(copies_between(gpu0, gpu_at(1)).bytes == 24);
}

TEST_CASE("two towers on two GPUs, added on the CPU") {
  if (gpus_of_test() < 4) SKIP("needs four GPUs");
  auto tower = [](char const* name) {
    with_device const scope(name);
    return matmul(guide_a(), guide_b());
  };
  auto const left = tower("/gpu:2"), right = tower("/gpu:3");
  tensor const l = left, r = right;
  CHECK(l.where() == gpu_at(2));
  CHECK(r.where() == gpu_at(3));
  with_device const scope("/cpu:0");
  tensor const sum = l + r;
  CHECK(sum.where() == cpu0);
  CHECK(to_string(sum) == "[[44 56]\n [98 128]]");
  CHECK(copies_between(gpu_at(2), cpu0).bytes == 16);
  CHECK(copies_between(gpu_at(3), cpu0).bytes == 16);
}

TEST_CASE("two towers on missing devices still give the sum") {
  if (gpus_of_test() >= 4) SKIP("needs missing devices");
  log_lines log;
  auto tower = [](char const* name) {
    with_device const scope(name);
    return tensor(matmul(guide_a(), guide_b()));
  };
  tensor const l = tower("/gpu:2"), r = tower("/gpu:3");
  with_device const scope("/cpu:0");
  tensor const sum = l + r;
  CHECK(to_string(sum) == "[[44 56]\n [98 128]]");
  CHECK(fallback_count() == 6);  // two constants and a product for each tower
}

TEST_CASE("one expression holds two towers, each pinned") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = guide_a(), b = guide_b();
  with_device const scope("/cpu:0");
  tensor const sum = on("/gpu:0"_dev, matmul(a, b)) + on("/gpu:1"_dev, matmul(a, b));
  CHECK(sum.where() == cpu0);
  CHECK(to_string(sum) == "[[44 56]\n [98 128]]");
}

TEST_CASE("a loop over the logical GPUs makes a tower on each, and their sum is k times one") {
  std::vector<tensor<float, dextents<2>>> towers;
  for (logical_device const& d : list_logical_devices("GPU")) {
    with_device const scope(d.name());
    towers.push_back(matmul(guide_a(), guide_b()));
    CHECK(towers.back().where() == d.id);
  }
  REQUIRE(static_cast<int>(towers.size()) == gpus_of_test());
  if (towers.empty()) return;
  with_device const scope("/cpu:0");
  tensor const sum = add_n(towers);
  int const k = gpus_of_test();
  if (k > 1) CHECK(sum.where() == cpu0);
  CHECK(to_string(sum) == to_string(tensor{{22 * k, 28 * k}, {49 * k, 64 * k}}));
}

TEST_CASE("operands on other devices are copied silently, and counted, by default") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:0", guide_a()), b = on("/gpu:1", guide_a());
  log_lines log;
  std::size_t const before = all_copies().copies;
  tensor const y = on("/gpu:1", add(a, b));
  CHECK(log.take_all() == lines_of{});
  CHECK(all_copies().copies == before + 1);
  CHECK(to_string(y) == "[[2 4 6]\n [8 10 12]]");
}

TEST_CASE("under the policy warn each copy of an operand is logged as a warning") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:0", guide_a()), b = on("/gpu:1", guide_a());
  log_lines log;
  with_device const scope("/gpu:1", transfers::warn);
  tensor const y = add(a, b, {"user.cpp", 3});
  CHECK(log.take_all() ==
        lines_of{"placement: warning: copy of 24 B from /GPU:0 to /GPU:1 for Add at user.cpp:3"});
}

TEST_CASE(
    "under the policy refuse an operand on another device is an error that names both devices") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:0", guide_a()), b = on("/gpu:1", guide_a());
  with_device const scope("/gpu:1", transfers::refuse);
  tensor y = b;
  CHECK(
      error_message<placement_error>([&] { y = add(a, b, {"user.cpp", 3}); }) ==
      "placement: explicit transfers: an operand of Add is on /GPU:0, the op runs on /GPU:1 at user.cpp:3. Move it with "
      "copy_to, or allow transfers.");
  CHECK(to_string(y) == "[[1 2 3]\n [4 5 6]]");
  y = add(copy_to("/gpu:1", a), b);
  CHECK(to_string(y) == "[[2 4 6]\n [8 10 12]]");
}

TEST_CASE("the transfer policy of the process applies unless a scope sets another") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:0", guide_a());
  set_transfer_policy(transfers::refuse);
  CHECK(error_message<placement_error>([&] { tensor const y = on("/gpu:1", relu(a)); }) != "");
  {
    with_device const scope("/gpu:1", transfers::silent);
    CHECK(tensor(relu(a)).where() == gpu_at(1));
  }
  CHECK(error_message<placement_error>([&] { tensor const y = on("/gpu:1", relu(a)); }) != "");
  CHECK(a.read()(1, 2) == 6);  // read() is an explicit transfer
}

TEST_CASE("requested and actual device can be read on every tensor") {
  struct row {
    char const* name;
    std::string requested;
    device where;
  };
  std::vector<row> const table{{"", "", first_device()},
                               {"/cpu:0", "/CPU:0", cpu0},
                               {"/gpu:9", "/GPU:9", first_device()},
                               {"/device:GPU:*", "/GPU:*", first_device()},
                               {"/cpu:3", "/CPU:3", cpu0}};
  log_lines log;
  for (row const& r : table) {
    with_device const scope(r.name);
    tensor const constant = guide_a();
    tensor const computed = relu(constant);
    CHECK(to_string(constant.requested()) == r.requested);
    CHECK(constant.where() == r.where);
    CHECK(to_string(computed.requested()) == r.requested);
    CHECK(computed.where() == r.where);
  }
}

TEST_CASE(
    "copy_to sets the requested device of a copy, and shares a tensor that is on the device") {
  log_lines log;
  tensor const on_cpu = on("/cpu:0", guide_a());
  tensor const moved = copy_to("/gpu:9", on_cpu);
  tensor const stayed = copy_to("/cpu:0", on_cpu);
  CHECK(moved.where() == first_device());
  if (gpus_of_test() > 0) CHECK(to_string(moved.requested()) == "/GPU:9");
  CHECK(std::as_const(stayed).data() == std::as_const(on_cpu).data());
  CHECK(stayed.requested() == on_cpu.requested());
}

TEST_CASE("the result of a fallback keeps the requested and the actual device") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  log_lines log;
  with_device const scope("/gpu:0");
  tensor const y = next(guide_a());
  CHECK(to_string(y.requested()) == "/GPU:0");
  CHECK(y.where() == cpu0);
}

TEST_CASE("a tensor that is evaluated in place takes the new request") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  tensor x = guide_a();
  CHECK(to_string(x.requested()).empty());
  float const* const at = std::as_const(x).data();
  with_device const scope("/gpu:0");
  x = relu(x);
  CHECK(std::as_const(x).data() == at);
  CHECK(to_string(x.requested()) == "/GPU:0");
}
