// gpus: 4
// The training example: results that are independent of the number of towers, the device of each
// op, and the accuracy.
#include <mnist_towers/pictures.hpp>
#include <mnist_towers/training.hpp>

#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#if defined(__has_feature)
#  define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#  define SANITIZED 0
#endif

namespace {

#if defined(__OPTIMIZE__) && !SANITIZED
constexpr bool is_slow_build = false;
#else
constexpr bool is_slow_build = true;
#endif

using namespace mnist;
using Catch::Matchers::WithinAbs;

template <class Model> std::vector<float> losses(digits const& data, int towers, int passes) {
  trainer<Model> t(tower_devices(towers));
  std::vector<float> all;
  for (int pass = 0; pass != passes; ++pass) all.push_back(t.pass(data, [](auto...) {}));
  return all;
}

template <class Model> void check_that_towers_agree() {
  digits const data = generate_digits(400);
  std::vector<float> const one = losses<Model>(data, 1, 3);
  CHECK(one.back() < one.front());
  for (int k : {2, 4}) {
    CAPTURE(k);
    std::vector<float> const several = losses<Model>(data, k, 3);
    for (std::size_t pass = 0; pass != one.size(); ++pass)
      CHECK_THAT(several[pass], WithinAbs(one[pass], 1e-4));
  }
}

/// The log of one step, without source locations.
template <class Model> lines_of step_log(std::vector<pl::device> const& towers) {
  digits const data = generate_digits(batch_size);
  trainer<Model> t(towers);
  log_lines log;
  pl::set_log_format(pl::log_format::tf2);
  pl::set_log_device_placement(true);
  t.step(data, 0, batch_size);
  pl::set_log_device_placement(false);
  return log.take_all();
}
lines_of on(std::string const& device, lines_of const& ops) {
  lines_of lines;
  for (std::string const& op : ops)
    lines.push_back("Executing op " + op +
                    " in device /job:localhost/replica:0/task:0/device:" + device);
  return lines;
}
lines_of operator+(lines_of a, lines_of const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

lines_of const load{"StridedSlice", "StridedSlice"};
lines_of const feed{"Identity", "Identity"};
lines_of const average{"AddN", "Mul", "Sub"};

/// The accuracy on the last 2,000 real digits. Trains on the first 8,000 for at most ten passes, or
/// until the accuracy is enough.
template <class Model> float best_accuracy(std::string const& folder, float enough) {
  digits const all = read_digits(folder);
  digits const train = part_of(all, 0, 8000), test = part_of(all, 8000, 10000);
  trainer<Model> t(tower_devices(2));
  float best = 0;
  for (int pass = 0; pass != 10 && best < enough; ++pass) {
    t.pass(train, [](auto...) {});
    best = t.accuracy(test);
  }
  return best;
}
/// The folder of the real digits. Skips builds in which ten passes take minutes.
std::string real_digits() {
  if (is_slow_build) SKIP("too slow without optimisation or under a sanitizer");
  char const* const folder = std::getenv("PLACEMENT_MNIST_DIR");
  if (folder == nullptr) SKIP("PLACEMENT_MNIST_DIR names no folder with the real digits");
  return folder;
}

}  // namespace

TEST_CASE("softmax regression has the same losses on 1, 2 and 4 towers") {
  check_that_towers_agree<softmax_regression>();
}

TEST_CASE("the perceptron has the same losses on 1, 2 and 4 towers") {
  check_that_towers_agree<perceptron>();
}

TEST_CASE("one step runs its towers on their GPUs, and variables and averaging on the CPU") {
  lines_of const tower{
      "MatMul", "AddV2",       "SparseSoftmaxCrossEntropyWithLogits",     "Mean",      "Fill",
      "Mul",    "BroadcastTo", "SparseSoftmaxCrossEntropyWithLogitsGrad", "Transpose", "MatMul",
      "Sum"};
  CHECK(step_log<softmax_regression>(tower_devices(2)) ==
        on("CPU:0", load) + on("GPU:0", feed + tower) + on("CPU:0", load) +
            on("GPU:1", feed + tower) + on("CPU:0", average) + on("CPU:0", average));
}

TEST_CASE("each tower of the perceptron keeps all of its ops on its GPU") {
  lines_of const tower{"MatMul",
                       "AddV2",
                       "Relu",
                       "MatMul",
                       "AddV2",
                       "SparseSoftmaxCrossEntropyWithLogits",
                       "Mean",
                       "Fill",
                       "Mul",
                       "BroadcastTo",
                       "SparseSoftmaxCrossEntropyWithLogitsGrad",
                       "Transpose",
                       "MatMul",
                       "Transpose",
                       "MatMul",
                       "Sum",
                       "ReluGrad",
                       "Transpose",
                       "MatMul",
                       "Sum"};
  lines_of expected;
  for (char const* gpu : {"GPU:0", "GPU:1", "GPU:2", "GPU:3"})
    expected = expected + on("CPU:0", load) + on(gpu, feed + tower);
  for (int variable = 0; variable != 4; ++variable) expected = expected + on("CPU:0", average);
  CHECK(step_log<perceptron>(tower_devices(4)) == expected);
}

TEST_CASE("variables stay on the CPU through training") {
  trainer<perceptron> t(tower_devices(4));
  t.pass(generate_digits(2 * batch_size), [](auto...) {});
  for (matrix const& v : t.learned()) CHECK(v.where() == pl::cpu0);
}

TEST_CASE("more towers than GPUs are distributed round-robin") {
  CHECK(tower_devices(6) == std::vector<pl::device>{{pl::kind::gpu, 0},
                                                    {pl::kind::gpu, 1},
                                                    {pl::kind::gpu, 2},
                                                    {pl::kind::gpu, 3},
                                                    {pl::kind::gpu, 0},
                                                    {pl::kind::gpu, 1}});
}

TEST_CASE("training does not fill the memory of a GPU") {
  trainer<softmax_regression> t(tower_devices(2));
  digits const data = generate_digits(batch_size);
  t.step(data, 0, batch_size);
  CHECK(pl::memory_stats_of(pl::gpu0).in_use == 0);
}

TEST_CASE("the page of a step has each tower's kernels on its GPU, and the update on the CPU") {
  std::string const page = page_of_step({pl::kind::gpu, 0}, {pl::kind::gpu, 1}, batch_size);
  for (char const* text : {"/GPU:0<", "/GPU:1<", "/CPU:0<", "Softmax&lt;float&gt; [20, 10]",
                           "MatMul&lt;float&gt; [784, 10]", "Sub&lt;float&gt; [784, 10]"})
    CHECK(page.find(text) != std::string::npos);
}

TEST_CASE("the picture of the loss has a line for each model, and a point for each 20 steps") {
  std::string const svg = picture_of_losses(
      {{"first", std::vector<float>(100, 1.f)}, {"second", std::vector<float>(60, 0.01f)}});
  auto const points = [&](std::size_t from) {
    std::size_t const begin = svg.find("points=\"", from), end = svg.find("\"/>", begin);
    return std::count(svg.begin() + static_cast<std::ptrdiff_t>(begin),
                      svg.begin() + static_cast<std::ptrdiff_t>(end), ',');
  };
  CHECK(points(0) == 5);
  CHECK(points(svg.find("first<")) == 3);
  CHECK(svg.find("second<") != std::string::npos);
}

TEST_CASE("softmax regression reaches 91 % accuracy on real digits within ten passes") {
  std::string const folder = real_digits();
  CHECK(best_accuracy<softmax_regression>(folder, 0.91f) >= 0.91f);
}

TEST_CASE("the perceptron reaches 95 % accuracy on real digits within ten passes") {
  std::string const folder = real_digits();
  CHECK(best_accuracy<perceptron>(folder, 0.95f) >= 0.95f);
}
