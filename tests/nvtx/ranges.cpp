// Ranges of NVTX, as a profiler that NVTX loads gets them.
#include <placement/interop/nvtx.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>

using namespace placement;

namespace {

/// Makes NVTX load the profiler at its first call.
class profiler {
 public:
  profiler() {
    ::setenv("NVTX_INJECTION64_PATH", PROFILER, 1);
    library_ = ::dlopen(PROFILER, RTLD_NOW);
    REQUIRE(library_ != nullptr);
  }
  std::string ranges() const { return call<char const*>("profiler_ranges"); }
  std::string domain() const { return call<char const*>("profiler_domain"); }
  int depth() const { return call<int>("profiler_depth"); }

 private:
  template <class R> R call(char const* name) const {
    return reinterpret_cast<R (*)()>(::dlsym(library_, name))();
  }
  void* library_;
};

}  // namespace

TEST_CASE("an evaluation is a range with the name of its op, and its launch a range in it") {
  profiler const nsight;
  tensor const x{1.f, 2.f, 3.f};
  nvtx_ranges const ranges;
  tensor const y = tanh(x) * 2.f;
  CHECK(nsight.ranges() == "Mul\n  Mul\n");
  CHECK(nsight.domain() == "placement");
  CHECK(nsight.depth() == 0);
}
TEST_CASE("copies and waits on GPUs are ranges, too") {
  profiler const nsight;
  with_device const on_host(cpu0);
  tensor const x{1.f, 2.f, 3.f};
  nvtx_ranges const ranges;
  with_device const scope(gpu0);
  tensor const y = x + 1.f;
  CHECK(nsight.ranges() == "Add\n  Copy\n  Add\n");
}
TEST_CASE("there are no ranges before and after the object, and the fast path is back") {
  profiler const nsight;
  tensor const x{1.f, 2.f, 3.f};
  tensor y = x + 1.f;
  { nvtx_ranges const ranges; }
  y = x + 2.f;
  CHECK(nsight.ranges().empty());
  CHECK_FALSE(detail::is_traced.peek());
  CHECK_FALSE(detail::settings_here().is_observed());
}
TEST_CASE("ranges go on while a trace begins and ends, and the trace after they have ended") {
  profiler const nsight;
  std::string const path = "nvtx_trace.json";
  tensor const x{1.f, 2.f, 3.f};
  trace outer(path);
  {
    nvtx_ranges const ranges;
    outer.close();
    tensor const y = x + 1.f;
    CHECK(nsight.ranges() == "Add\n  Add\n");
    trace inner(path);
    tensor const z = x * 2.f;
    CHECK(nsight.ranges() == "Mul\n  Mul\n");
    inner.close();
  }
  trace last(path);
  { nvtx_ranges const ranges; }
  CHECK(detail::is_traced.peek());
  last.close();
  CHECK_FALSE(detail::is_traced.peek());
  std::remove(path.c_str());
}
TEST_CASE("an evaluation that throws ends its ranges") {
  profiler const nsight;
  nvtx_ranges const ranges;
  tensor<float, dextents<1>> const x{1.f, 2.f, 3.f};
  tensor<float, dextents<1>> const i{1.f, 2.f};
  CHECK_THROWS_AS(evaluate(gather(x, cast<int>(i * 5.f))), error);
  CHECK(nsight.depth() == 0);
}
TEST_CASE("a second object is an error that says what to do") {
  nvtx_ranges const ranges;
  try {
    nvtx_ranges const other;
    FAIL("no error");
  } catch (invalid_argument const& e) {
    CHECK(std::string(e.what()) == "placement: another nvtx_ranges exists. End that one first.");
  }
}
