// gpus: 0 1 2 4
// env: [tf1] PLACEMENT_LOG=all PLACEMENT_LOG_FORMAT=tf1
// The output of the placement log: each format exactly, levels, and fallbacks once per source line.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace placement;

namespace {

constexpr std::string_view task = "/job:localhost/replica:0/task:0";

/// "/job:localhost/replica:0/task:0/device:GPU:0", and its TensorFlow 1 form: the default device of
/// ops.
std::string tf2_device() {
  return std::string(task) + (gpus_of_test() > 0 ? "/device:GPU:0" : "/device:CPU:0");
}
std::string tf1_device() { return std::string(task) + (gpus_of_test() > 0 ? "/gpu:0" : "/cpu:0"); }
std::string short_device() { return gpus_of_test() > 0 ? "/GPU:0 (simulated)" : "/CPU:0"; }
std::string reason_here() {
  return gpus_of_test() > 0 ? "a GPU goes before the CPU" : "no GPU on this machine";
}

tensor<float, dextents<2>> guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }
tensor<float, dextents<2>> guide_b() { return {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}; }

/// The mapping in the TensorFlow 1 format or its graph variant.
lines_of mapping(bool graph) {
  if (gpus_of_test() == 0) return {"Device mapping: no known devices."};
  lines_of lines{"Device mapping:"};
  for (int i = 0; i != gpus_of_test(); ++i) {
    std::string const n = std::to_string(i);
    lines.push_back(std::string(task) + (graph ? "/device:GPU:" : "/gpu:") + n +
                    " -> device: " + n + ", name: Simulated GPU, pci bus id: 0000:0" +
                    std::to_string(i + 1) + ":00.0" + (graph ? ", compute capability: 7.5" : ""));
  }
  return lines;
}
lines_of operator+(lines_of a, lines_of const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The standard error output of a child process that runs `work` and exits.
template <class Work> std::string stderr_of(Work work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  pid_t const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    work();
    std::exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  return text;
}

}  // namespace

TEST_CASE("the placement log is off by default") {
  log_lines log;
  tensor const c = matmul(guide_a(), guide_b());
  CHECK(log.take_all() == lines_of{});
  CHECK(log.simulated_line().empty());
}

TEST_CASE("TensorFlow 2's format has one line for each op, and constants as _EagerConst") {
  set_log_device_placement(true);
  set_log_format(log_format::tf2);
  log_lines log;
  tensor const a = guide_a(), b = guide_b();
  tensor const c = matmul(a, b);
  CHECK(log.take_all() == lines_of{"Executing op _EagerConst in device " + tf2_device(),
                                   "Executing op _EagerConst in device " + tf2_device(),
                                   "Executing op MatMul in device " + tf2_device()});
}

TEST_CASE("a scope that names no device is not the logged reason for an op's device") {
  set_log_level(log_level::all);
  tensor const a = guide_a();
  log_lines log;
  with_device const scope("/job:localhost");
  tensor const c = relu(a);
  std::string const line = log.take_all().back();
  CHECK(line.starts_with("placement: Relu<float> [2, 3] on " + short_device() + " (" +
                         reason_here() + ") at "));
  CHECK(plan_of(relu(a)).node("Relu").why ==
        (gpus_of_test() > 0 ? reason::gpu_first : reason::no_gpu));
}

TEST_CASE("a constant prints no line in TensorFlow 2's format if the scope names CPU:0") {
  set_log_device_placement(true);
  set_log_format(log_format::tf2);
  log_lines log;
  with_device const scope("/cpu:0");
  tensor const a = guide_a(), b = guide_b();
  CHECK(log.take_all() == lines_of{});
  tensor const c = matmul(a, b);
  CHECK(log.take_all() ==
        lines_of{"Executing op MatMul in device /job:localhost/replica:0/task:0/device:CPU:0"});
}

TEST_CASE("a constant prints _EagerConst on any device if no scope names CPU:0") {
  struct row {
    char const* scope;
    bool is_silent;
  };
  set_log_device_placement(true);
  set_log_format(log_format::tf2);
  log_lines log;
  for (row const& r : {row{"/device:CPU", true}, row{"/cpu:0", true}, row{"/job:localhost", false},
                       row{"", false}, row{"/cpu:7", false}}) {
    INFO(r.scope);
    with_device const scope(r.scope);
    tensor const a = guide_a();
    lines_of const lines = log.take_all();
    std::string const device =
        r.scope[0] == '/' && r.scope[1] == 'c' ? std::string(task) + "/device:CPU:0" : tf2_device();
    REQUIRE(lines.size() == (r.is_silent ? 0 : r.scope == std::string_view("/cpu:7") ? 2 : 1));
    if (!r.is_silent) CHECK(lines.back() == "Executing op _EagerConst in device " + device);
  }
  set_current_device(cpu0);
  tensor const b = guide_b();
  CHECK(log.take_all() == lines_of{});
}

TEST_CASE(
    "TensorFlow's formats use its op names, and the native format and messages the library's") {
  with_device const scope(device_request("/cpu:0", {"user.cpp", 1}));
  tensor const a = guide_a();
  log_lines log;
  auto const e = add(a, divide(a, modulo(a, a, {"user.cpp", 2}), {"user.cpp", 3}), {"user.cpp", 4});
  set_log_device_placement(true);
  set_log_format(log_format::tf2);
  tensor y = e;
  std::string const cpu = std::string(task) + "/device:CPU:0";
  CHECK(log.take_all() == lines_of{"Executing op FloorMod in device " + cpu,
                                   "Executing op RealDiv in device " + cpu,
                                   "Executing op AddV2 in device " + cpu});
  set_log_format(log_format::tf1_graph);
  y = e;
  CHECK(log.take_all() == mapping(true) + lines_of{"FloorMod: (FloorMod): " + cpu,
                                                   "RealDiv: (RealDiv): " + cpu,
                                                   "AddV2: (AddV2): " + cpu});
  set_log_format(log_format::tf1);
  y = e;
  std::string const old_cpu = std::string(task) + "/cpu:0";
  CHECK(log.take_all() ==
        lines_of{"FloorMod_1: " + old_cpu, "RealDiv_1: " + old_cpu, "AddV2_1: " + old_cpu});
  set_log_format(log_format::native);
  y = e;
  lines_of const native = log.take_all();
  REQUIRE(native.size() == 3);
  CHECK(native[0].starts_with("placement: Mod<float> [2, 3] on /CPU:0 "));
  CHECK(native[1].starts_with("placement: Div<float> [2, 3] on /CPU:0 "));
  CHECK(native[2].starts_with("placement: Add<float> [2, 3] on /CPU:0 "));
  CHECK(plan_of(e).node("Add").op == "Add");
  with_device const missing("/gpu:9", hard_placement{});
  CHECK(error_message<placement_error>([&] { y = a + a; }).find("node 'Add'") != std::string::npos);
}

TEST_CASE("a batched product is BatchMatMulV2 in TensorFlow's formats") {
  tensor const batch = reshape(guide_a(), shape(1, 2, 3)), b = reshape(guide_b(), shape(1, 3, 2));
  set_log_device_placement(true);
  set_log_format(log_format::tf2);
  log_lines log;
  tensor const c = matmul(batch, b);
  CHECK(log.take_all() == lines_of{"Executing op BatchMatMulV2 in device " + tf2_device()});
}

TEST_CASE(
    "copy_to prints Identity on the target in TensorFlow's formats, also without a transfer") {
  tensor const a = guide_a();
  std::string const cpu = std::string(task) + "/device:CPU:0";
  set_log_device_placement(true);
  log_lines log;
  set_log_format(log_format::tf2);
  tensor b = copy_to("/cpu:0", a);
  b = copy_to("/cpu:0", b);
  CHECK(log.take_all() == lines_of(2, "Executing op Identity in device " + cpu));
  set_log_format(log_format::tf1_graph);
  b = copy_to("/cpu:0", a);
  CHECK(log.take_all() == mapping(true) + lines_of{"Identity: (Identity): " + cpu});
  set_log_format(log_format::tf1);
  b = copy_to("/cpu:0", a);
  CHECK(log.take_all() == lines_of{"Identity_1: " + std::string(task) + "/cpu:0"});
  set_log_format(log_format::native);
  b = copy_to(device_request("/cpu:0", {"user.cpp", 1}), b);
  CHECK(log.take_all() == lines_of{});
  if (gpus_of_test() == 0) return;
  b = copy_to(device_request("/gpu:0", {"user.cpp", 2}), b);
  CHECK(log.take_all() == lines_of{"placement: copy of 24 B from /CPU:0 to /GPU:0 at user.cpp:2"});
}

TEST_CASE("implicit copies print in the native format only") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  tensor const a = copy_to("/cpu:0", guide_a());
  set_log_device_placement(true);
  log_lines log;
  for (log_format const form : {log_format::tf2, log_format::tf1, log_format::tf1_graph}) {
    set_log_format(form);
    tensor const y = relu(a);
    lines_of const lines = log.take_all();
    REQUIRE(!lines.empty());
    CHECK(lines.back().find("Relu") != std::string::npos);
    for (std::string const& line : lines) CHECK(line.find("copy of") == std::string::npos);
    tensor const moved = on("/gpu:0", a);
    CHECK(log.take_all() == lines_of{});
  }
  set_log_format(log_format::native);
  tensor const y = relu(a, {"user.cpp", 1});
  CHECK(log.take_all().front() ==
        "placement: copy of 24 B from /CPU:0 to /GPU:0 for Relu at user.cpp:1");
}

TEST_CASE(
    "fused ops have a line each, after their operands' kernels, with the device of the kernel") {
  tensor const a = guide_a(), b = guide_b();
  set_log_device_placement(true);
  set_log_format(log_format::tf2);
  log_lines log;
  tensor const y = relu(matmul(a, b) * 2.f + sum(a + a));
  std::string const in = " in device " + tf2_device();
  CHECK(log.take_all() == lines_of{"Executing op AddV2" + in, "Executing op Sum" + in,
                                   "Executing op MatMul" + in, "Executing op Mul" + in,
                                   "Executing op AddV2" + in, "Executing op Relu" + in});
}

TEST_CASE("add_n has a line of its own, and of one operand it is that operand and has none") {
  with_device const scope("/cpu:0");
  std::vector<tensor<float, dextents<2>>> many{guide_a(), guide_a(), guide_a()};
  std::vector<tensor<float, dextents<2>>> one{guide_a()};
  set_log_device_placement(true);
  set_log_format(log_format::tf2);
  log_lines log;
  CHECK(to_string(add_n(many)) == "[[3 6 9]\n [12 15 18]]");
  std::string const line =
      "Executing op AddN in device /job:localhost/replica:0/task:0/device:CPU:0";
  CHECK(log.take_all() == lines_of{line});
  tensor const three = add_n(many[0], many[1], many[2]);
  CHECK(log.take_all() == lines_of{line});
  auto const same = add_n(one), same_again = add_n(one[0]);
  CHECK(same.data() == std::as_const(one[0]).data());
  CHECK(same_again.data() == same.data());
  CHECK(log.take_all() == lines_of{});
}

TEST_CASE("TensorFlow 1's format prints the mapping first, then nodes with unique names") {
  set_log_device_placement(true);
  set_log_format(log_format::tf1);
  log_lines log;
  tensor const a = guide_a(), b = guide_b();
  tensor c = matmul(a, b);
  c = matmul(a, b);
  std::string const on = ": " + tf1_device();
  CHECK(log.take_all() ==
        mapping(false) + lines_of{"Const" + on, "Const_1" + on, "MatMul" + on, "MatMul_1" + on});
}

TEST_CASE("TensorFlow 1's format prints constants on the CPU too") {
  set_log_device_placement(true);
  set_log_format(log_format::tf1);
  with_device const scope("/cpu:0");
  log_lines log;
  tensor const a = guide_a();
  CHECK(log.take_all() ==
        mapping(false) + lines_of{"Const: /job:localhost/replica:0/task:0/cpu:0"});
}

TEST_CASE("a name set by named() is the node's name, and is made unique like any other") {
  tensor const a = guide_a(), b = guide_b();
  set_log_device_placement(true);
  set_log_format(log_format::tf1);
  log_lines log;
  for (char const* name : {"c", "c", "MatMul_1", "MatMul", "MatMul", "MatMul_1", "c_1"})
    tensor const c = named(name, matmul(a, b));
  std::string const on = ": " + tf1_device();
  CHECK(log.take_all() == mapping(false) + lines_of{"c" + on, "c_1" + on, "MatMul_1" + on,
                                                    "MatMul" + on, "MatMul_2" + on,
                                                    "MatMul_1_1" + on, "c_1_1" + on});
}

TEST_CASE("a named tensor is the op Identity with that name") {
  tensor const a = guide_a();
  set_log_device_placement(true);
  set_log_format(log_format::tf1_graph);
  log_lines log;
  float const numbers[] = {1, 2, 3, 4, 5, 6};
  tensor const b = named("b", from(numbers, shape(3, 2)));
  tensor const c = matmul(named("a", a), b);
  CHECK(to_string(c) == "[[22 28]\n [49 64]]");
  std::string const on = tf2_device();
  CHECK(log.take_all() == mapping(true) + lines_of{"Const: (Const): " + on, "b: (Identity): " + on,
                                                   "a: (Identity): " + on,
                                                   "MatMul: (MatMul): " + on});
}

TEST_CASE("TensorFlow 1's graph variant repeats the op and has full names") {
  set_log_device_placement(true);
  set_log_format(log_format::tf1_graph);
  log_lines log;
  tensor const a = guide_a(), b = guide_b();
  tensor const c = named("c", matmul(a, b));
  std::string const on = ": " + tf2_device();
  CHECK(log.take_all() == mapping(true) + lines_of{"Const: (Const)" + on, "Const_1: (Const)" + on,
                                                   "c: (MatMul)" + on});
}

TEST_CASE("the native format has the reason, the shape, the name, the line and the copies") {
  set_log_device_placement(true);
  log_lines log;
  with_device const scope(device_request("", {"user.cpp", 1}));
  tensor const a = guide_a();
  tensor const b = copy_to("/cpu:0", guide_b());
  log.take_all();
  tensor const c = named("c", matmul(a, b, {"user.cpp", 4}));
  tensor const d = relu(c, {"user.cpp", 5});
  std::string const why = "(" + reason_here() + ")";
  std::string const on = " on " + short_device();
  lines_of expected;
  if (gpus_of_test() > 0)
    expected = {"placement: copy of 24 B from /CPU:0 to /GPU:0 for MatMul at user.cpp:4",
                "placement: MatMul<float> [2, 2]" + on + " 'c' " + why +
                    ", copied 1 operand, 24 B at user.cpp:4"};
  else expected = {"placement: MatMul<float> [2, 2]" + on + " 'c' " + why + " at user.cpp:4"};
  CHECK(log.take_all() ==
        expected + lines_of{"placement: Relu<float> [2, 2]" + on + " " + why + " at user.cpp:5"});
}

TEST_CASE("the native format gives the scope's line for an operator that has no line") {
  set_log_device_placement(true);
  with_device const scope(device_request("/cpu:0", {"user.cpp", 3}));
  log_lines log;
  tensor const a = guide_a();
  tensor c = a;
  c = a + a;
  CHECK(
      log.take_all() ==
      lines_of{
          "placement: Const<float> [2, 3] on /CPU:0 (asked for /CPU:0: device scope) at user.cpp:3",
          "placement: Add<float> [2, 3] on /CPU:0 (asked for /CPU:0: device scope) at user.cpp:3"});
}

TEST_CASE("the native format says which kernel an op is fused into") {
  tensor const a = guide_a();
  set_log_device_placement(true);
  log_lines log;
  tensor const y = multiply(relu(a, {"user.cpp", 1}), a, {"user.cpp", 2});
  std::string const on = "<float> [2, 3] on " + short_device() + " (" + reason_here() + ")";
  CHECK(log.take_all() == lines_of{"placement: Relu" + on + ", fused into Mul at user.cpp:1",
                                   "placement: Mul" + on + " at user.cpp:2"});
}

TEST_CASE("simulated GPUs are announced once, before the first line") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  set_log_device_placement(true);
  set_log_format(log_format::tf2);
  log_lines log;
  tensor const a = guide_a();
  CHECK(log.simulated_line() ==
        (gpus_of_test() == 1
             ? "placement: 1 simulated GPU: its kernels run on the CPU, in memory of its own"
             : "placement: " + std::to_string(gpus_of_test()) +
                   " simulated GPUs: their kernels run on the CPU, in memory of their own"));
}

TEST_CASE("the log can be switched on and off at any time") {
  tensor const a = guide_a();
  log_lines log;
  tensor y = relu(a);
  set_log_device_placement(true);
  y = relu(a);
  set_log_device_placement(false);
  y = relu(a);
  CHECK(log.take_all().size() == 1);
  {
    with_device const scope("", log_placement{});
    y = relu(a);
    CHECK(log.take_all().size() == 1);
    with_device const quiet("", log_level::off);
    y = relu(a);
  }
  y = relu(a);
  CHECK(log.take_all().size() == 0);
}

TEST_CASE("the environment switches the log on and selects its format", "[tf1]") {
  log_lines log;
  tensor const a = guide_a();
  CHECK(log.take_all() == mapping(false) + lines_of{"Const: " + tf1_device()});
}

TEST_CASE("a fallback is printed once for each source line, and counted each time") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  tensor const a = guide_a();
  log_lines log;
  for (int i = 0; i != 5; ++i) tensor const y = next(a, {"user.cpp", 1});
  tensor const y = next(a, {"user.cpp", 2});
  tensor const n{{1, 2}};
  for (int i = 0; i != 2; ++i) tensor const z = matmul(n, transpose(n), {"user.cpp", 1});
  std::string const why =
      " would go to a GPU, runs on /CPU:0: no GPU kernel for this op and element type at user.cpp:";
  CHECK(log.take_all() == lines_of{"placement: fallback: Next<float> [2, 3]" + why + "1",
                                   "placement: fallback: Next<float> [2, 3]" + why + "2",
                                   "placement: fallback: MatMul<int32> [1, 1]" + why + "1"});
  auto const all = fallbacks();
  REQUIRE(all.size() == 3);
  CHECK(all[0].op == "Next<float>");
  CHECK(all[0].requested.empty());
  CHECK(all[0].ran == cpu0);
  CHECK(all[0].why == reason::no_gpu_kernel);
  CHECK(std::string(all[0].where.file) == "user.cpp");
  CHECK(all[0].where.line == 1);
  CHECK(std::vector{all[0].times, all[1].times, all[2].times} == std::vector<std::size_t>{5, 1, 2});
  CHECK(fallback_count() == 8);
}

TEST_CASE("another device, scope or reason at the same line is another fallback") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = guide_a();
  log_lines log;
  for (char const* name : {"", "/gpu:0", "/gpu:1", "/gpu:9", "/gpu:0"}) {
    with_device const scope(name);
    tensor const y = next(a, {"user.cpp", 1});
  }
  CHECK(log.take_all().size() == 4);
  CHECK(fallbacks().size() == 4);
  CHECK(fallbacks()[1].times == 2);
  CHECK(fallbacks()[3].requested == "/GPU:9");
  CHECK(fallbacks()[3].why == reason::no_such_device);
}

TEST_CASE("level off prints nothing and counts fallbacks") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  set_log_level(log_level::off);
  tensor const a = guide_a();
  log_lines log;
  tensor const y = next(a);
  CHECK(log.take_all() == lines_of{});
  CHECK(fallback_count() == 1);
}

TEST_CASE("level copies prints fallbacks and copies, and level all each op too") {
  if (gpus_of_test() < 2) SKIP("needs two GPUs");
  tensor const a = on("/gpu:1", guide_a());
  log_lines log;
  std::string const copy = "placement: copy of 24 B from /GPU:1 to /GPU:0 for Relu at user.cpp:1";
  std::string const op =
      "placement: Relu<float> [2, 3] on /GPU:0 (simulated) (a GPU goes before the CPU), copied 1 operand, 24 B "
      "at user.cpp:1";
  struct row {
    log_level level;
    lines_of lines;
  };
  for (row const& r : {row{log_level::off, {}}, row{log_level::fallback, {}},
                       row{log_level::copies, {copy}}, row{log_level::all, {copy, op}}}) {
    set_log_level(r.level);
    tensor const y = relu(a, {"user.cpp", 1});
    CHECK(log.take_all() == r.lines);
  }
  set_log_level(log_level::copies);
  tensor const moved = copy_to(device_request("/gpu:0", {"user.cpp", 2}), a);
  CHECK(log.take_all() == lines_of{"placement: copy of 24 B from /GPU:1 to /GPU:0 at user.cpp:2"});
}

TEST_CASE(
    "without a sink lines go to standard error, and nothing is printed when the program ends") {
  auto work = [] {
    tensor const a = guide_a();
    tensor const y = next(a, {"user.cpp", 1});
  };
  std::string const line =
      "placement: fallback: Next<float> [2, 3] would go to a GPU, runs on /CPU:0: no GPU kernel for this "
      "op and element type at user.cpp:1\n";
  std::string const said = stderr_of(work);
  if (gpus_of_test() == 0) CHECK(said.empty());
  else CHECK(said == said.substr(0, said.find('\n') + 1) + line);  // after the announcement
  CHECK(stderr_of([&] {
          set_log_level(log_level::off);
          work();
        }).empty());
}
