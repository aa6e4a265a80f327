// One pool and 16 threads: each writes to its blocks and checks them later. Another thread frees
// half of the blocks. Also run under the thread sanitizer.
#include <placement/device/cpu.hpp>
#include <placement/memory/pool.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

using namespace placement;

namespace {

constexpr int threads = 16;
/// Operations per thread.
constexpr int operations = 100'000;
constexpr std::size_t mib = std::size_t{1} << 20;

/// A block and the value that was written to it.
struct parcel {
  std::byte* at = nullptr;
  std::size_t size = 0;
  std::uint64_t stamp = 0;
};

/// A place where threads leave blocks for others to free.
struct mailbox {
  lock guard;
  std::vector<parcel> parcels;
};

class worker {
 public:
  worker(pool& p, mailbox& out, mailbox& in, std::uint64_t seed)
      : memory_(p), out_(out), in_(in), state_(seed << 32) {}

  void run() {
    for (int i = 0; i != operations; ++i) {
      std::size_t const what = random() % 4;
      if (what < 2) allocate();
      else if (what == 2) free(taken(mine_));
      else hand_over();
      if (i % 16 == 0) collect();
    }
    while (!mine_.empty()) free(taken(mine_));
    collect();
  }
  int spoiled() const { return spoiled_; }

 private:
  std::uint64_t random() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  static parcel taken(std::vector<parcel>& from) {
    if (from.empty()) return {};
    parcel const last = from.back();
    from.pop_back();
    return last;
  }
  void allocate() {
    parcel b;
    b.size = 16 + random() % 1000;
    b.stamp = random();
    try {
      b.at = static_cast<std::byte*>(memory_.allocate(b.size));
    } catch (out_of_memory const&) { return; }
    std::memcpy(b.at, &b.stamp, sizeof b.stamp);
    std::memcpy(b.at + b.size - sizeof b.stamp, &b.stamp, sizeof b.stamp);
    mine_.push_back(b);
  }
  void free(parcel const& b) {
    if (b.at == nullptr) return;
    bool const kept = std::memcmp(b.at, &b.stamp, sizeof b.stamp) == 0 &&
                      std::memcmp(b.at + b.size - sizeof b.stamp, &b.stamp, sizeof b.stamp) == 0;
    spoiled_ += !kept;
    memory_.deallocate(b.at, b.size);
  }
  void hand_over() {
    parcel const b = taken(mine_);
    if (b.at == nullptr) return;
    lock_guard const guard(out_.guard);
    out_.parcels.push_back(b);
  }
  void collect() {
    std::vector<parcel> all;
    {
      lock_guard const guard(in_.guard);
      all.swap(in_.parcels);
    }
    for (parcel const& b : all) free(b);
  }

  pool& memory_;
  mailbox &out_, &in_;
  std::uint64_t state_;
  std::vector<parcel> mine_;
  int spoiled_ = 0;
};

}  // namespace

TEST_CASE("16 threads share a pool, and half of the blocks are freed by another thread") {
  cpu_platform host;  // host memory, without the poisoning of a simulated GPU
  logical_device d;
  d.id = gpu0;
  d.owner = &host;
  d.memory_limit = 16 * mib;
  pool p(d);
  std::vector<mailbox> boxes(threads);
  std::vector<worker> workers;
  workers.reserve(threads);
  for (std::size_t i = 0; i != threads; ++i)
    workers.emplace_back(p, boxes[i], boxes[(i + 1) % threads], i + 1);

  std::atomic<bool> done{false};
  std::atomic<int> looks{0};
  std::thread observer([&] {
    while (!done) {
      memory_stats const s = p.stats();
      if (s.in_use <= s.reserved && s.reserved <= s.limit && s.in_use <= s.peak) ++looks;
      else looks = -1'000'000;
      if (looks % 16 == 0) p.trim();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  std::vector<std::thread> running;
  for (worker& w : workers) running.emplace_back([&w] { w.run(); });
  for (std::thread& t : running) t.join();
  done = true;
  observer.join();

  int spoiled = 0;
  for (worker& w : workers) spoiled += w.spoiled();
  CHECK(spoiled == 0);
  CHECK(looks > 0);
  for (mailbox& box : boxes)
    for (parcel const& b : box.parcels) p.deallocate(b.at, b.size);
  CHECK(p.stats().in_use == 0);
  CHECK(p.stats().allocations == 0);
  CHECK(p.check_invariants());
}
