// gpus: 0
// The order of work on several streams and GPUs. First the check of the fake driver itself, against
// all paths of a random schedule. Then random work of the library, which must have no conflict.
#include "fake/call.hpp"
#include "fake/use_fake.hpp"

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace placement;
using namespace placement::literals;

namespace {

#define CUDA(function, ...) REQUIRE(CALL_DRIVER(function, __VA_ARGS__) == CUDA_SUCCESS)

/// A random schedule of copies between blocks of memory, on streams of two GPUs. Blocks and streams
/// are replaced now and then, which orders nothing but the work of one stream.
class schedule {
 public:
  struct one_stream {
    CUstream handle;
    int gpu;
    int last = -1;                 ///< the last work on it
    std::vector<int> waits_for{};  ///< of its next work
  };

  explicit schedule(unsigned seed) : draw_(seed) {
    fake().checks_order = true;
    CUDA(cuInit, 0);
    for (int gpu : {0, 1}) {
      CUDA(cuDevicePrimaryCtxRetain, &context_[gpu], gpu);
      for (int i = 0; i != 3; ++i) streams_.push_back(new_stream(gpu));
      for (block& b : blocks_[gpu]) b = new_block(streams_.back());
      synchronize(streams_.back());
    }
    pinned_ = new_pinned();
  }
  /// Whether the driver reports a copy on one stream and its copy back on another, with a call
  /// between them.
  bool reports_around(std::function<void(schedule&, one_stream&)> const& call) {
    fake().misuse.clear();
    one_stream &first = streams_[0], &second = streams_[1];
    auto const [x, y] = blocks_[0];
    use(0);
    CUDA(cuMemcpyDtoDAsync, x.address, y.address, 64, second.handle);
    call(*this, second);
    CUDA(cuMemcpyDtoDAsync, y.address, x.address, 64, first.handle);
    for (one_stream const& s : {streams_[0], streams_[1]}) synchronize(s);
    return !fake().misuse.empty();
  }
  void end_stream(one_stream& s) {
    CUDA(cuStreamDestroy, s.handle);
    s = new_stream(s.gpu);
  }
  void allocate_and_free(one_stream& s) {
    CUdeviceptr p;
    CUDA(cuMemAllocAsync, &p, 64, s.handle);
    CUDA(cuMemFreeAsync, p, s.handle);
  }
  void free_pinned(one_stream&) {
    CUDA(cuMemFreeHost, reinterpret_cast<void*>(pinned_.address));
    all_.push_back({pinned_.number, pinned_.number, host_waited_for_});
    pinned_ = new_pinned();
  }
  void synchronize(one_stream const& s) {
    use(s.gpu);
    CUDA(cuStreamSynchronize, s.handle);
    auto const done = done_by(s);
    host_waited_for_.insert(host_waited_for_.end(), done.begin(), done.end());
  }

  /// Whether a pair of the schedule's conflicting accesses has no order.
  bool run(int steps) {
    for (int i = 0; i != steps; ++i) {
      switch (below(8)) {
        case 0: record(); break;
        case 1: wait(); break;
        case 2: below(4) == 0 ? synchronize(any_stream()) : copy(); break;
        case 3: replace(); break;
        case 4: copy_to_host(); break;
        default: copy();
      }
    }
    for (one_stream const& s : streams_) synchronize(s);
    return has_conflict();
  }

 private:
  /// Memory of a GPU, or pinned memory. A number is not reused, as an address is.
  struct block {
    CUdeviceptr address;
    int number;
  };
  /// A copy, an allocation or a free, and the work that comes directly before it.
  struct work {
    int to, from;  ///< numbers of blocks
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
  void add(one_stream& s, int to, int from) {
    work w{to, from, done_by(s)};
    w.before.insert(w.before.end(), host_waited_for_.begin(), host_waited_for_.end());
    s.waits_for.clear();
    s.last = static_cast<int>(all_.size());
    all_.push_back(std::move(w));
  }

  one_stream new_stream(int gpu) {
    use(gpu);
    CUstream s;
    CUDA(cuStreamCreate, &s, CU_STREAM_NON_BLOCKING);
    return {s, gpu};
  }
  block new_block(one_stream& s) {
    block b{0, numbers_++};
    CUDA(cuMemAllocAsync, &b.address, 64, s.handle);
    add(s, b.number, b.number);
    return b;
  }
  block new_pinned() {
    void* p;
    CUDA(cuMemHostAlloc, &p, 64, 0);
    return {reinterpret_cast<CUdeviceptr>(p), numbers_++};
  }

  void copy() {
    one_stream& s = any_stream();
    block const to = blocks_[s.gpu][below(2)], from = blocks_[s.gpu][below(2)];
    CUDA(cuMemcpyDtoDAsync, to.address, from.address, 64, s.handle);
    add(s, to.number, from.number);
  }
  void copy_to_host() {
    one_stream& s = any_stream();
    block const from = blocks_[s.gpu][below(2)];
    CUDA(cuMemcpyDtoHAsync, reinterpret_cast<void*>(pinned_.address), from.address, 64, s.handle);
    add(s, pinned_.number, from.number);
  }
  void replace() {
    one_stream& s = any_stream();
    switch (below(3)) {
      case 0: end_stream(s); break;
      case 1: {
        block& b = blocks_[s.gpu][below(2)];
        CUDA(cuMemFreeAsync, b.address, s.handle);
        add(s, b.number, b.number);
        b = new_block(s);
        break;
      }
      default: free_pinned(s);
    }
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
  block blocks_[2][2]{};
  block pinned_{};
  int numbers_ = 0;
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

TEST_CASE("calls that free memory or end a stream order no work of other streams") {
  CHECK(schedule(1).reports_around([](schedule&, schedule::one_stream&) {}));
  CHECK(schedule(1).reports_around(&schedule::end_stream));
  CHECK(schedule(1).reports_around(&schedule::allocate_and_free));
  CHECK(schedule(1).reports_around(&schedule::free_pinned));
  CHECK_FALSE(schedule(1).reports_around(&schedule::synchronize));
}

TEST_CASE("random copies, reads, assignments and writes through views on three GPUs are ordered") {
  fake_cuda& driver = use_fake_gpus(2);
  driver.checks_order = true;
  runtime const rt{memory::virtual_devices<64_MiB, 64_MiB>{}};
  std::mt19937 draw(7);
  constexpr std::size_t tensors = 6, elements = 300, half = elements / 2;
  std::vector<vector<float>> all(tensors, vector<float>(zeros<float>(elements)));
  std::vector<std::vector<float>> expected(tensors, std::vector<float>(elements));
  for (int step = 0; step != 2000; ++step) {
    std::size_t const i = draw() % tensors, j = draw() % tensors;
    auto &x = all[i], &y = all[j];
    device const where = draw() % 5 == 0 ? cpu0 : device{kind::gpu, static_cast<int>(draw() % 3)};
    float const number = static_cast<float>(step % 3);
    switch (draw() % 6) {
      case 0:
        x = copy_to(where, y);
        expected[i] = expected[j];
        break;
      case 1: {
        with_device const scope(cpu0);
        x = y + number;
        expected[i] = expected[j];
        for (float& e : expected[i]) e += number;
        break;
      }
      case 2: x = copy_to(where, x); break;
      case 3:
        slice(view(x), range(0, half)) = slice(y, range(half, elements));
        std::copy_n(expected[j].begin() + half, half, expected[i].begin());
        break;
      case 4:
        slice(view(x), range{.step = 2}) = number;
        for (std::size_t k = 0; k < elements; k += 2) expected[i][k] = number;
        break;
      default: {
        std::size_t const k = draw() % elements;
        CHECK(x.read()[k] == expected[i][k]);
      }
    }
  }
  for (std::size_t i = 0; i != tensors; ++i) {
    auto const h = all[i].read();
    for (std::size_t k = 0; k != elements; ++k) REQUIRE(h[k] == expected[i][k]);
  }
  CHECK(driver.waits_between_streams > 0);
  CHECK(driver.misuse == std::vector<std::string>{});
}
