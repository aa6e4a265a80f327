// gpus: 0
// The order of work on several streams and GPUs. First the check of the fake driver itself, against
// all paths of a random schedule. Then random work of the library, which must have no conflict.
#include "fake/use_fake.hpp"

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

#define CUDA(function, ...)                                                                \
  REQUIRE(reinterpret_cast<decltype(&::function)>(::dlsym(library(), name_of(#function)))( \
              __VA_ARGS__) == CUDA_SUCCESS)

void* library() {
  static void* const one = ::dlopen("libcuda.so.1", RTLD_NOW);
  return one;
}
/// The name in the library of a function that cuda.h declares in a newer version.
char const* name_of(std::string_view function) {
  if (function == "cuStreamDestroy") return "cuStreamDestroy_v2";
  if (function == "cuMemcpyDtoDAsync") return "cuMemcpyDtoDAsync_v2";
  return function.data();
}

/// A random schedule of copies between blocks of memory, on streams of two GPUs.
class schedule {
 public:
  explicit schedule(unsigned seed) : draw_(seed) {
    fake().checks_order = true;
    CUDA(cuInit, 0);
    for (int gpu : {0, 1}) {
      CUDA(cuDevicePrimaryCtxRetain, &context_[gpu], gpu);
      for (int i = 0; i != 3; ++i) {
        CUstream s;
        use(gpu);
        CUDA(cuStreamCreate, &s, CU_STREAM_NON_BLOCKING);
        streams_.push_back({s, gpu});
      }
      for (int i = 0; i != 2; ++i) {
        CUdeviceptr p;
        CUDA(cuMemAllocAsync, &p, 64, streams_.back().handle);
        blocks_[gpu].push_back(p);
      }
    }
  }
  /// Whether a pair of the schedule's conflicting copies has no order.
  bool run(int steps) {
    for (int i = 0; i != steps; ++i) {
      switch (below(5)) {
        case 0: record(); break;
        case 1: wait(); break;
        case 2: below(4) == 0 ? synchronize() : copy(); break;
        default: copy();
      }
    }
    for (std::size_t s = 0; s != streams_.size(); ++s) {
      use(streams_[s].gpu);
      CUDA(cuStreamSynchronize, streams_[s].handle);
    }
    return has_conflict();
  }

 private:
  struct one_stream {
    CUstream handle;
    int gpu;
    int last = -1;                 ///< the last work on it
    std::vector<int> waits_for{};  ///< of its next work
  };
  /// A copy, and the work that comes directly before it.
  struct work {
    CUdeviceptr to, from;
    std::vector<int> before;
  };
  struct recorded {
    CUevent handle;
    std::vector<int> before;
  };

  std::size_t below(std::size_t n) { return draw_() % n; }
  void use(int gpu) { CUDA(cuCtxSetCurrent, context_[gpu]); }
  one_stream& any_stream() {
    one_stream& s = streams_[below(streams_.size())];
    use(s.gpu);
    return s;
  }
  static std::vector<int> done_by(one_stream const& s) {
    std::vector<int> all = s.waits_for;
    if (s.last >= 0) all.push_back(s.last);
    return all;
  }

  void copy() {
    one_stream& s = any_stream();
    work w{blocks_[s.gpu][below(2)], blocks_[s.gpu][below(2)], done_by(s)};
    w.before.insert(w.before.end(), host_waited_for_.begin(), host_waited_for_.end());
    CUDA(cuMemcpyDtoDAsync, w.to, w.from, 64, s.handle);
    s.waits_for.clear();
    s.last = static_cast<int>(all_.size());
    all_.push_back(std::move(w));
  }
  void record() {
    one_stream& s = any_stream();
    CUevent e;
    CUDA(cuEventCreate, &e, CU_EVENT_DISABLE_TIMING);
    CUDA(cuEventRecord, e, s.handle);
    events_.push_back({e, done_by(s)});
  }
  void wait() {
    if (events_.empty()) return;
    recorded const& e = events_[below(events_.size())];
    one_stream& s = any_stream();
    CUDA(cuStreamWaitEvent, s.handle, e.handle, 0);
    s.waits_for.insert(s.waits_for.end(), e.before.begin(), e.before.end());
  }
  void synchronize() {
    one_stream const& s = any_stream();
    CUDA(cuStreamSynchronize, s.handle);
    auto const done = done_by(s);
    host_waited_for_.insert(host_waited_for_.end(), done.begin(), done.end());
  }

  /// Work is numbered in the order of the calls, so `a` is the earlier one.
  bool leads(std::size_t a, std::size_t b) const {
    for (int const before : all_[b].before)
      if (before == static_cast<int>(a) ||
          (before > static_cast<int>(a) && leads(a, static_cast<std::size_t>(before))))
        return true;
    return false;
  }
  bool has_conflict() const {
    for (std::size_t b = 0; b != all_.size(); ++b)
      for (std::size_t a = 0; a != b; ++a) {
        bool const same =
            all_[a].to == all_[b].to || all_[a].to == all_[b].from || all_[a].from == all_[b].to;
        if (same && !leads(a, b)) return true;
      }
    return false;
  }

  std::mt19937 draw_;
  CUcontext context_[2]{};
  std::vector<one_stream> streams_;
  std::vector<CUdeviceptr> blocks_[2];
  std::vector<recorded> events_;
  std::vector<work> all_;
  std::vector<int> host_waited_for_;
};

}  // namespace

TEST_CASE("the fake driver reports a conflict exactly where no path orders two copies") {
  int conflicts = 0;
  for (unsigned seed = 0; seed != 400; ++seed) {
    INFO("seed " << seed);
    fake().misuse.clear();
    bool const expected = schedule(seed).run(2 + static_cast<int>(seed % 12));
    bool reported = false;
    for (std::string const& text : fake().misuse) {
      INFO(text);
      CHECK(text.starts_with("nothing orders work "));
      reported = true;
    }
    CHECK(reported == expected);
    conflicts += expected ? 1 : 0;
  }
  CHECK(conflicts > 50);
  CHECK(conflicts < 350);
}

TEST_CASE("random copies, reads and assignments on three logical GPUs are ordered") {
  fake_cuda& driver = use_fake_gpus(2);
  driver.checks_order = true;
  runtime const rt{memory::virtual_devices<64_MiB, 64_MiB>{}};
  std::mt19937 draw(7);
  constexpr std::size_t tensors = 6, elements = 300;
  std::vector<vector<float>> all(tensors, vector<float>(zeros<float>(elements)));
  std::vector<float> expected(tensors, 0.f);
  for (int step = 0; step != 2000; ++step) {
    std::size_t const i = draw() % tensors, j = draw() % tensors;
    device const where = draw() % 5 == 0 ? cpu0 : device{kind::gpu, static_cast<int>(draw() % 3)};
    switch (draw() % 4) {
      case 0:
        all[i] = copy_to(where, all[j]);
        expected[i] = expected[j];
        break;
      case 1: {
        with_device const scope(cpu0);
        all[i] = all[j] + static_cast<float>(step % 3);
        expected[i] = expected[j] + static_cast<float>(step % 3);
        break;
      }
      case 2: all[i] = copy_to(where, all[i]); break;
      default: CHECK(all[i].read()[draw() % elements] == expected[i]);
    }
  }
  for (std::size_t i = 0; i != tensors; ++i) {
    auto const h = all[i].read();
    for (std::size_t k = 0; k != elements; ++k) REQUIRE(h[k] == expected[i]);
  }
  CHECK(driver.waits_between_streams > 0);
  CHECK(driver.misuse == std::vector<std::string>{});
}
