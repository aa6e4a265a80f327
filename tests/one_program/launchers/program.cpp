// gpus: 0
// A file that can launch no GPU kernel uses those of another file of the program. For other
// expressions it reports that no file has a kernel.
#include "expressions.hpp"

#include <support/hardware_platform.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

using namespace placement;

namespace {

matrix<float> on_gpu() { return copy_to("/gpu:0", matrix<float>{{1.f, -2.f}, {3.f, 4.f}}); }

}  // namespace

TEST_CASE("kernels of another file run on the GPU, and the log has no fallback") {
  use_hardware_gpus(1);
  log_lines log;
  matrix<float> x = on_gpu();
  vector<float> const b = copy_to("/gpu:0", vector<float>{1.f, 2.f});
  log.take_all();
  matrix<float> const y = shared::scaled(x);
  CHECK(y.where() == gpu0);
  CHECK(to_string(y) == "[[3 0]\n [7 9]]");
  matrix<float> const z = shared::layer(x, b);
  CHECK(z.where() == gpu0);
  CHECK(to_string(z) == "[[0 0]\n [16 12]]");
  CHECK(shared::total(x) == 30);
  vector<float> const means = shared::row_means(x);
  CHECK(means.where() == gpu0);
  CHECK(to_string(means) == "[0.5 4.5]");
  matrix<float> const p = shared::probabilities(x);
  CHECK(p.where() == gpu0);
  CHECK(std::abs(p.read()(1, 1) - 0.7310586f) < 1e-6f);
  shared::clear_row(x);
  CHECK(x.where() == gpu0);
  CHECK(to_string(x) == "[[-1 -1]\n [3 4]]");
  CHECK(log.take_all() == lines_of{});
}

TEST_CASE("kernels that a file instantiates by type alone run on the GPU") {
  use_hardware_gpus(1);
  log_lines log;
  matrix<float> const x = on_gpu(), flat = copy_to("/gpu:0", matrix<float>{{1.f, 2.f}});
  vector<float> const b = copy_to("/gpu:0", vector<float>{1.f, 2.f});
  log.take_all();
  matrix<float> const y = sin(x * 2.f);
  CHECK(y.where() == gpu0);
  CHECK(std::abs(y.read()(1, 0) + 0.2794155f) < 1e-6f);
  CHECK(to_string(matrix<float>(x - b)) == "[[0 -4]\n [2 2]]");
  CHECK(to_string(vector<float>(sum(x, axis<0>))) == "[4 2]");
  CHECK(to_string(matrix<float>(matmul(x, x) * x)) == "[[-5 20]\n [45 40]]");
  CHECK(to_string(matrix<float>(matmul(x, x) * flat)) == "[[-5 -20]\n [15 20]]");
  CHECK(log.take_all() == lines_of{});
}

TEST_CASE("the log, events and explain tell this file, another file and no file apart") {
  use_hardware_gpus(1);
  log_lines log;
  matrix<float> const x = on_gpu();
  log.take_all();
  static std::vector<kernel_source> sources;
  set_op_observer([](op_event const& e, void*) noexcept {
    if (e.kind == op_event_kind::op && e.is_outermost) sources.push_back(e.source);
  });
  {
    with_device const scope(gpu0, log_level::all);
    matrix<float> const a = shared::scaled(x), b = shared::scaled_there(x), c = exp(x * 0.f);
    CHECK(c.where() == cpu0);
  }
  set_op_observer(nullptr);
  lines_of const lines = log.take_all();
  auto const from = [&](std::string_view source) {
    std::string const before = "Relu<float> [2, 2] on /GPU:0 (asked for /GPU:0: device scope)";
    return std::count_if(lines.begin(), lines.end(), [&](std::string const& line) {
      return line.starts_with("placement: " + before + std::string(source) + " at ");
    });
  };
  CHECK(from(", kernel of another file") == 1);
  CHECK(from("") == 1);
  CHECK(sources ==
        std::vector{kernel_source::another_file, kernel_source::this_file, kernel_source::none});
  CHECK(explain(relu(x * 2.f + 1.f)).find("; kernel of another file\n") != std::string::npos);
  CHECK(explain(exp(x * 0.f)).find("kernel of") == std::string::npos);
}

TEST_CASE("plans of values and explain know the kernels of other files") {
  use_hardware_gpus(1);
  log_lines log;
  matrix<float> const x = on_gpu();
  CHECK(plan_of(relu(x * 2.f + 1.f)).node("Relu").device == gpu0);
  CHECK(plan_of(relu(x * 3.f)).node("Relu").why == reason::not_compiled_here);
  CHECK(explain(relu(x * 2.f + 1.f)).find("/GPU:0") != std::string::npos);
}

TEST_CASE("an expression that no file has a kernel for runs on the CPU, and the log says so") {
  use_hardware_gpus(1);
  log_lines log;
  matrix<float> x = on_gpu();
  log.take_all();
  matrix<float> const y = exp(x * 0.f, {"user.cpp", 3});
  CHECK(y.where() == cpu0);
  CHECK(to_string(y) == "[[1 1]\n [1 1]]");
  CHECK(
      log.take_all() ==
      lines_of{"placement: fallback: Exp<float> [2, 2] would go to a GPU, runs on /CPU:0: its GPU "
               "kernel was not compiled into this file, nor into another of this program at "
               "user.cpp:3"});
  slice(view(x), range(1, 2), everything) = slice(transpose(x), range(0, 1), everything);
  CHECK(to_string(x) == "[[1 -2]\n [1 3]]");
  CHECK(x.where() == gpu0);
}
