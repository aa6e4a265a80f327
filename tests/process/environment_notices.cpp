// gpus: 0 2
// env: [misspelt] PLACEMENT_LGO=all
// env: [hidden] CUDA_VISIBLE_DEVICES=
// env: [hidden] CUDA_VISIBLE_DEVICES=7
// env: [unrelated] PLACEMENT_MNIST_DIR=/data
// The notices about the environment, printed once when the devices are fixed.
#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <placement/placement.hpp>
#include <placement/src/device/notices.ipp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

using namespace placement;

namespace {

void run_an_op() { tensor<float, dextents<1>> const y = relu(tensor{1.f, 2.f}); }

}  // namespace

TEST_CASE("a misspelt variable is reported once, with the nearest name", "[misspelt]") {
  log_lines log;
  run_an_op();
  CHECK(log.take_all() == lines_of{"placement: warning: the environment variable PLACEMENT_LGO is "
                                   "not known and has no effect; did you mean PLACEMENT_LOG?"});
  run_an_op();
  CHECK(log.take_all() == lines_of{});
}

TEST_CASE("at level off a misspelt variable is not reported", "[misspelt]") {
  set_log_level(log_level::off);
  log_lines log;
  run_an_op();
  CHECK(log.take_all() == lines_of{});
}

TEST_CASE("a CUDA_VISIBLE_DEVICES that hides all GPUs is reported once, if there are any",
          "[hidden]") {
  log_lines log;
  run_an_op();
  run_an_op();
  std::string const value = std::getenv("CUDA_VISIBLE_DEVICES");
  if (gpus_of_test() == 0) CHECK(log.take_all() == lines_of{});
  else
    CHECK(log.take_all() ==
          lines_of{"placement: There is no visible GPU, because CUDA_VISIBLE_DEVICES='" + value +
                   "' leaves none of 2. Unset it, or name one."});
}

TEST_CASE("a variable of another program is not reported as misspelt", "[unrelated]") {
  log_lines log;
  run_an_op();
  CHECK(log.take_all() == lines_of{});
}

TEST_CASE("meant_variable finds the variable that a misspelt name is closest to", "[unrelated]") {
  struct row {
    char const* name;
    char const* meant;
  };
  constexpr row rows[] = {{"PLACEMENT_LGO", "PLACEMENT_LOG"},
                          {"PLACEMENT_LO", "PLACEMENT_LOG"},
                          {"PLACEMENT_LOGS", "PLACEMENT_LOG"},
                          {"PLACMENT_LOG", "PLACEMENT_LOG"},
                          {"PLACEMENT_LOG", ""},
                          {"PLACEMENT_DOC", ""},
                          {"PLACEMENT_LOG_FROMAT", "PLACEMENT_LOG_FORMAT"},
                          {"PLACEMENT_SIMULATED_GPU", "PLACEMENT_SIMULATED_GPUS"},
                          {"PLACEMENT_SOFTPLACEMENT", "PLACEMENT_SOFT_PLACEMENT"},
                          {"PLACEMENT_TRANSFER", "PLACEMENT_TRANSFERS"},
                          {"PLACEMENT_INTRA_OP_THREAD", "PLACEMENT_INTRA_OP_THREADS"},
                          {"PLACEMENT_INTER_OP_THREADS", ""},
                          {"PLACEMENT_CPU_LEVLE", "PLACEMENT_CPU_LEVEL"},
                          {"CUDA_VISIBLE_DIVICES", "CUDA_VISIBLE_DEVICES"},
                          {"CUDA_VISIBLE_DEVICE", "CUDA_VISIBLE_DEVICES"},
                          {"CUDA_VISIBLE_DEVICES", ""},
                          {"CUDA_DEVICE_ORDER", ""},
                          {"TF_FORCE_GPU_ALOW_GROWTH", "TF_FORCE_GPU_ALLOW_GROWTH"},
                          {"TF_FORCE_GPU_ALLOW_GROWTH", ""},
                          {"PLACEMENT_MNIST_DIR", ""},
                          {"PLACEMENT_GENERATED_DRAWS", ""},
                          {"PLACEMENT_GENERATED_ONLY", ""},
                          {"PLACEMENT_NIGHTLY", ""},
                          {"PLACEMENT_UPDATE_EXPECTED", ""},
                          {"HIP_VISIBLE_DEVICES", ""},
                          {"NVIDIA_VISIBLE_DEVICES", ""},
                          {"PATH", ""},
                          {"", ""}};
  for (row const& r : rows) {
    INFO(r.name);
    CHECK(detail::meant_variable(r.name) == r.meant);
  }
  CHECK(detail::meant_variable(std::string(10000, 'P')).empty());
}
