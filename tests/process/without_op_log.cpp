// gpus: 0 2
// A file compiled without the op log, in a program whose library has it. Its ops make no events and
// no lines; fallbacks, copies and results are unchanged.
#define PLACEMENT_WITHOUT_OP_LOG
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <type_traits>
#include <vector>

using namespace placement;

namespace {

matrix<float> guide_a() { return {{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}; }

static_assert(std::is_same_v<kernels_here, kernel_set<without_op_log<cpu_kernels>>>);
static_assert(!logs_ops<kernels_here> && logs_ops<kernel_set<cpu_kernels>>);
static_assert(logs_ops<kernel_set<cpu_kernels, gpu_kernels<90>>> &&
              !logs_ops<kernel_set<without_op_log<cpu_kernels>, gpu_kernels<90>>>);
static_assert(launches_gpu<kernel_set<without_op_log<cpu_kernels>, gpu_kernels<90>>>);

/// relu(x), as a file with this kernel set writes it.
template <class K> matrix<float> relu_of(matrix<float> const& x) {
  return expr<relu_op, K, matrix<float>>(relu_op{}, site{"user.cpp", 1}, x);
}

}  // namespace

TEST_CASE("ops of a file without the op log make no lines and no events, in any format") {
  set_log_device_placement(true);
  log_lines log;
  int events = 0;
  set_op_observer([](op_event const&, void* n) noexcept { ++*static_cast<int*>(n); }, &events);
  for (log_format const form :
       {log_format::native, log_format::tf2, log_format::tf1, log_format::tf1_graph}) {
    set_log_format(form);
    matrix<float> const a = guide_a();
    matrix<float> y = relu(a + a) * 2.f;
    y = relu(a);
    evaluate(into(y) = a + a);
    CHECK(to_string(y) == "[[2 4 6]\n [8 10 12]]");
  }
  set_op_observer(nullptr);
  CHECK(log.take_all() == lines_of{});
  CHECK(events == 0);
}

TEST_CASE("fallbacks and copies are logged all the same") {
  if (gpus_of_test() == 0) SKIP("needs a GPU");
  set_log_level(log_level::copies);
  log_lines log;
  matrix<float> const a = guide_a();
  matrix<float> const y = next(a, {"user.cpp", 1});
  CHECK(
      log.take_all() ==
      lines_of{
          "placement: fallback: Next<float> [2, 3] would go to a GPU, runs on /CPU:0: no GPU kernel for this "
          "op and element type at user.cpp:1",
          "placement: copy of 24 B from /GPU:0 to /CPU:0 for Next at user.cpp:1"});
  CHECK(fallback_count() == 1);
}

TEST_CASE("hard placement throws the same errors as elsewhere") {
  matrix<float> const a = guide_a();
  with_device const scope("/gpu:9", hard_placement{});
  CHECK(error_message<placement_error>([&] { matrix<float> const y = relu(a); }).find("'/gpu:9'") !=
        std::string::npos);
}

TEST_CASE("ops of other files are logged because they have other types") {
  matrix<float> const a = guide_a();
  set_log_device_placement(true);
  log_lines log;
  CHECK(to_string(relu_of<kernels_here>(a)) == "[[1 2 3]\n [4 5 6]]");
  CHECK(log.take_all() == lines_of{});
  CHECK(to_string(relu_of<kernel_set<cpu_kernels>>(a)) == "[[1 2 3]\n [4 5 6]]");
  CHECK(log.take_all().size() == 1);
}
