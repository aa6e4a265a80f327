// CPU kernels on OpenMP's threads, against one thread.
#include <placement/interop/openmp.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include <omp.h>

using namespace placement;

namespace {

constexpr index_t many = 1'200'000;

class one_thread final : public executor {
 public:
  int threads() noexcept override { return 1; }
  void run(int count, chunk each, void* work) noexcept override {
    for (int i = 0; i != count; ++i) each(work, i);
  }
};

/// An identity op. At 0 it waits until two of OpenMP's threads execute it.
std::atomic<int> inside{0};
std::atomic<bool> met{false};
struct meeting_op {
  static constexpr std::string_view name = "Meeting";
  using pattern = placement::map;
  using kernels = cpu_only;
  static float meet(float x) noexcept {
    ++inside;
    auto const last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!met && std::chrono::steady_clock::now() < last)
      if (inside >= 2 && omp_in_parallel() != 0) met = true;
    --inside;
    return x;
  }
  float operator()(float x) const noexcept { return x == 0.f ? meet(x) : x; }
};

}  // namespace

TEST_CASE("chunks run on OpenMP's threads, with the results of one thread") {
  set_intra_op_threads(2);
  vector<float> const a = iota(many, 0.f) * 0.001f;
  auto const make = [&] { return evaluate(sum(a * a)).read()(); };
  float const found = make();
  static one_thread one;
  set_executor(&one);
  CHECK(found == make());
  set_executor(&openmp_of_process());
  vector<float> const zeros_only = zeros<float>(many);
  vector<float> const y = unary<meeting_op, vector<float> const&>{{}, site::here(), zeros_only};
  CHECK(met);
}

TEST_CASE("in a parallel region of the program each thread runs its own kernels") {
  vector<float> const a = iota(many, 0.f);
  float const expected = evaluate(max(a * 2.f)).read()();
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(3)
  {
    if (openmp_of_process().threads() != 1) ++wrong;
    if (evaluate(max(a * 2.f)).read()() != expected) ++wrong;
  }
  CHECK(wrong == 0);
}
