// gpus: 0
// Work on GPUs is queued: the host does not wait, devices overlap, and a read waits for its value.
#include <support/late_platform.hpp>
#include <support/log_lines.hpp>
#include <support/test_ops.hpp>

#include <placement/interop/graph.hpp>
#include <placement/memory/report.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>

using namespace placement;

namespace {

/// A gate at which ops of test programs wait until it opens.
struct gate {
  std::atomic<int> arrived{0};
  std::atomic<bool> open{false}, timed_out{false};

  /// False after 20 s, when the gate will never open.
  template <class F> static bool await(F const& passed) {
    auto const last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!passed()) {
      if (std::chrono::steady_clock::now() > last) return false;
      std::this_thread::yield();
    }
    return true;
  }
};
/// An identity op that waits until the gate is open.
struct gated_op {
  static constexpr std::string_view name = "Gated";
  using pattern = custom;
  template <class T> static constexpr bool has_gpu_kernel = true;

  gate* at;

  template <class X> static constexpr X result(X const& x) { return x; }
  template <class T, class X>
  void operator()(dense_view<T, X> out, dense_view<T const, X> in) const noexcept {
    ++at->arrived;
    if (!gate::await([&] { return at->open.load(); })) at->timed_out = true;
    for (index_t i = 0; i != in.size(); ++i) out[i] = in[i];
  }
};
template <operand X> auto gated(gate& at, X&& x) -> unary<gated_op, X> {
  return {{&at}, site::here(), std::forward<X>(x)};
}
/// An identity op that waits until `how_many` such ops run at the same time.
struct together_op {
  static constexpr std::string_view name = "Together";
  using pattern = custom;
  template <class T> static constexpr bool has_gpu_kernel = true;

  gate* at;
  int how_many;

  template <class X> static constexpr X result(X const& x) { return x; }
  template <class T, class X>
  void operator()(dense_view<T, X> out, dense_view<T const, X> in) const noexcept {
    ++at->arrived;
    if (gate::await([&] { return at->arrived >= how_many; })) at->open = true;
    for (index_t i = 0; i != in.size(); ++i) out[i] = in[i];
  }
};
template <operand X> auto together(gate& at, int how_many, X&& x) -> unary<together_op, X> {
  return {{&at, how_many}, site::here(), std::forward<X>(x)};
}
/// An identity op that counts how many such ops run at the same time.
struct crowd {
  std::atomic<int> now{0}, max{0};
};
struct crowded_op {
  static constexpr std::string_view name = "Crowded";
  using pattern = custom;
  template <class T> static constexpr bool has_gpu_kernel = true;

  crowd* in;

  template <class X> static constexpr X result(X const& x) { return x; }
  template <class T, class X>
  void operator()(dense_view<T, X> out, dense_view<T const, X> x) const noexcept {
    int const now = ++in->now;
    for (int max = in->max; now > max && !in->max.compare_exchange_weak(max, now);) {}
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (index_t i = 0; i != x.size(); ++i) out[i] = x[i];
    --in->now;
  }
};
template <operand X> auto crowded(crowd& in, X&& x) -> unary<crowded_op, X> {
  return {{&in}, site::here(), std::forward<X>(x)};
}

/// Bytes of the program's heap. 0 under a sanitizer, which uses another heap.
std::size_t heap_bytes() {
  auto const heap = ::mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

device gpu_at(int i) { return {kind::gpu, i}; }
tensor<float, dextents<1>> numbers_on(device d, int n = 100) {
  return copy_to(d, evaluate(on(cpu0, iota<float>(n, 0.f))));  // waits for no other GPU
}
void check_numbers(tensor<float, dextents<1>> const& t, float factor, float offset) {
  auto const h = t.read();
  int wrong = 0;
  for (std::size_t i = 0; i != h.size(); ++i)
    wrong += h[i] != factor * static_cast<float>(i) + offset;
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the host continues while a GPU works") {
  use_late_gpus(1);
  gate g;
  tensor const x = numbers_on(gpu0);
  tensor const y = gated(g, x * 2.f);
  CHECK_FALSE(g.open);  // reached without waiting for the kernel
  g.open = true;
  check_numbers(y, 2, 0);
  CHECK(g.arrived == 1);
}

TEST_CASE("reading a value waits for that value, and not for work queued behind it") {
  use_late_gpus(2);
  gate g;
  tensor const x = numbers_on(gpu0);
  tensor const y = on(gpu0, x + 1.f);
  tensor const later = on(gpu0, gated(g, x));
  tensor const elsewhere = on(gpu_at(1), x * 3.f);  // its copy of x waits for x only
  check_numbers(y, 1, 1);
  check_numbers(elsewhere, 3, 0);
  CHECK_FALSE(g.open);
  g.open = true;
  check_numbers(later, 1, 0);
}

TEST_CASE("kernels on different simulated GPUs run at the same time") {
  use_late_gpus(3);
  gate g;
  std::vector<tensor<float, dextents<1>>> results;
  for (int i = 0; i != 3; ++i) {
    tensor const x = numbers_on(gpu_at(i));
    results.emplace_back(on(gpu_at(i), together(g, 3, x)));
  }
  for (auto const& each : results) check_numbers(each, 1, 0);
  CHECK(g.open);
}

TEST_CASE("at most as many kernels run at the same time as there are inter-op threads") {
  set_inter_op_threads(2);
  use_late_gpus(4);
  crowd all;
  for (int round = 0; round != 5; ++round) {
    std::vector<tensor<float, dextents<1>>> results;
    for (int i = 0; i != 4; ++i) {
      tensor const x = numbers_on(gpu_at(i));
      results.emplace_back(on(gpu_at(i), crowded(all, x)));
    }
    for (auto const& each : results) check_numbers(each, 1, 0);
  }
  CHECK(all.max <= 2);
  CHECK(all.max >= 1);
}

TEST_CASE("kernels on virtual devices of one GPU run at the same time") {
  use_late_gpus(1);
  set_logical_device_configuration(list_physical_devices("GPU").at(0),
                                   {{.memory_limit_mib = 64}, {.memory_limit_mib = 64}});
  gate g;
  tensor const x = numbers_on(gpu0), y = numbers_on(gpu_at(1));
  tensor const a = on(gpu0, together(g, 2, x)), b = on(gpu_at(1), together(g, 2, y));
  check_numbers(a, 1, 0);
  check_numbers(b, 1, 0);
  CHECK(g.open);
}

TEST_CASE("a tensor can be overwritten or destroyed while another GPU has yet to read it") {
  use_late_gpus(2);
  gate g;
  tensor const blocked = on(gpu_at(1), gated(g, numbers_on(gpu_at(1))));
  auto x = std::make_unique<tensor<float, dextents<1>>>(numbers_on(gpu0));
  tensor const seen = on(gpu_at(1), *x * 2.f);
  *x = *x + 100.f;
  tensor const seen_later = on(gpu_at(1), *x * 2.f);
  *x = on(gpu0, *x * 0.f);
  x.reset();
  tensor const others = on(gpu0, numbers_on(gpu0) * -1.f);  // in the former memory of x
  // A write that does not wait for GPU 1's reads runs now.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK_FALSE(g.timed_out);
  g.open = true;
  check_numbers(seen, 2, 0);
  check_numbers(seen_later, 2, 200);
  check_numbers(others, -1, 0);
  check_numbers(blocked, 1, 0);
}

TEST_CASE("a write through a view waits for all earlier reads") {
  use_late_gpus(2);
  gate g;
  tensor const blocked = on(gpu_at(1), gated(g, numbers_on(gpu_at(1))));
  tensor<float, dextents<1>> x = numbers_on(gpu0);
  tensor const seen = on(gpu_at(1), x + 0.f);
  slice(view(x), range(0, 50)) = -1.f;
  g.open = true;
  check_numbers(seen, 1, 0);
  auto const h = x.read();
  CHECK(h[0] == -1);
  CHECK(h[49] == -1);
  CHECK(h[50] == 50);
}

TEST_CASE("a write to borrowed memory of a GPU waits for all earlier reads") {
  use_late_gpus(2);
  gate g;
  tensor<float, dextents<1>> owner = numbers_on(gpu0);
  synchronize(gpu0);  // borrowed memory has no record of the owner's queued copy
  tensor<float, dextents<1>> x = borrow(owner.data(), shape(100), gpu0);
  tensor const blocked = on(gpu_at(1), gated(g, numbers_on(gpu_at(1))));
  tensor const seen = on(gpu_at(1), x + 0.f);
  x = on(gpu0, x * 5.f);
  g.open = true;
  check_numbers(seen, 1, 0);
  check_numbers(x, 5, 0);
}

TEST_CASE("host memory can change as soon as an evaluation that copies it has returned") {
  use_late_gpus(1);
  std::vector<float> host(100);
  for (std::size_t i = 0; i != host.size(); ++i) host[i] = static_cast<float>(i);
  tensor<float, dextents<1>> const x = from(host, shape(100));
  tensor<float, dextents<1>> on_host = on(cpu0, iota<float>(100, 0.f));
  tensor const y = on(gpu0, on_host + 1.f);
  host.assign(host.size(), -7.f);
  on_host = on(cpu0, on_host * 0.f);
  check_numbers(x, 1, 0);
  check_numbers(y, 1, 1);
}

TEST_CASE("evaluation waits for a kernel that may throw, and its target stays unchanged") {
  use_late_gpus(1);
  tensor<float, dextents<1>> x = numbers_on(gpu0);
  tensor y = on(gpu0, x + 1.f);
  CHECK_THROWS_AS(y = on(gpu0, reversed(x)), std::runtime_error);
  CHECK_THROWS_AS(y = on(gpu0, at_most_two(x)), std::runtime_error);
  check_numbers(y, 1, 1);
}

TEST_CASE("synchronize waits for a device, or for all") {
  auto& gpus = use_late_gpus(2);
  gpus.latest_us = 2000;
  gate g;
  g.open = true;
  tensor const a = on(gpu0, gated(g, numbers_on(gpu0)));
  synchronize(gpu0);
  CHECK(g.arrived == 1);
  CHECK(a.data()[99] == 99);  // simulated memory is host memory
  tensor const b = on(gpu_at(1), gated(g, numbers_on(gpu_at(1))));
  tensor const c = on(gpu0, gated(g, numbers_on(gpu0)));
  synchronize();
  CHECK(g.arrived == 3);
  CHECK_THROWS_AS(synchronize(gpu_at(2)), placement_error);
}

TEST_CASE("a program can end while its GPUs work") {
  auto& gpus = use_late_gpus(2);
  gpus.latest_us = 5000;
  static tensor<float, dextents<1>> kept = numbers_on(gpu0);
  for (int i = 0; i != 20; ++i) kept = on(gpu_at(i % 2), kept + 1.f);
  tensor const unread = on(gpu_at(1), kept * 2.f);
  CHECK(unread.where() == gpu_at(1));
}

/// Checks that a random program on three late GPUs gives the same results as on the host.
void check_random_program(late_platform& gpus) {
  gpus.latest_us = 30;
  log_lines log;
  std::uint64_t state = 12345;
  auto random = [&](int n) {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    return static_cast<int>((z >> 33) % static_cast<std::uint64_t>(n));
  };
  constexpr int count = 6, length = 64;
  using vector = tensor<float, dextents<1>>;
  std::vector<vector> t;
  std::vector<std::vector<float>> shadow;
  for (int i = 0; i != count; ++i) {
    t.push_back(numbers_on(i < 3 ? gpu_at(i) : cpu0, length));
    shadow.emplace_back(length);
    for (int j = 0; j != length; ++j)
      shadow.back()[static_cast<std::size_t>(j)] = static_cast<float>(j);
  }
  int wrong = 0;
  auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int step = 0; step != 600; ++step) {
    int const a = random(count), b = random(count), c = random(count);
    device const d = random(4) == 0 ? cpu0 : gpu_at(random(3));
    auto& to = shadow[at(a)];
    auto const x = shadow[at(b)], y = shadow[at(c)];
    switch (random(7)) {
      case 0:
        t[at(a)] = on(d, t[at(b)] * 0.5f + t[at(c)]);
        for (int j = 0; j != length; ++j) to[at(j)] = x[at(j)] * 0.5f + y[at(j)];
        break;
      case 1:
        t[at(a)] = on(d, reverse(t[at(b)], 0));
        for (int j = 0; j != length; ++j) to[at(j)] = x[at(length - 1 - j)];
        break;
      case 2:
        slice(view(t[at(a)]), range(8, 24)) = 0.25f;
        for (int j = 8; j != 24; ++j) to[at(j)] = 0.25f;
        break;
      case 3:
        t[at(a)] = copy_to(d, t[at(b)]);
        to = x;
        break;
      case 4:
        slice(view(t[at(a)]), range(0, 32)) = slice(t[at(b)], range(32, 64));
        for (int j = 0; j != 32; ++j) to[at(j)] = x[at(j + 32)];
        break;
      case 5:
        t[at(a)] = on(d, maximum(t[at(a)] - t[at(a)] * 0.75f, t[at(b)]) * 0.5f);
        for (int j = 0; j != length; ++j) {
          float const left = to[at(j)] - to[at(j)] * 0.75f;
          to[at(j)] = (left < x[at(j)] ? x[at(j)] : left) * 0.5f;
        }
        break;
      default: {
        auto const h = t[at(a)].read();
        for (int j = 0; j != length; ++j) wrong += h[at(j)] != to[at(j)];
      }
    }
  }
  for (int i = 0; i != count; ++i) {
    auto const h = t[at(i)].read();
    for (int j = 0; j != length; ++j) wrong += h[at(j)] != shadow[at(i)][at(j)];
  }
  CHECK(wrong == 0);
  synchronize();
  trim();
  for (int i = 0; i != 3; ++i) CHECK(pool_of(gpu_at(i)).check_invariants());
}

TEST_CASE("a random program on three late GPUs gives the same results as on the host") {
  check_random_program(use_late_gpus(3));
}

TEST_CASE("a random program gives the same results if the queues are always full") {
  check_random_program(use_late_gpus(3, 1));
}

TEST_CASE("a loop whose values are never read keeps a bounded amount of host memory") {
  constexpr std::size_t max = 1 << 20;
  set_simulated_gpus({.count = 1, .queue_bytes = max});
  crowd slow;
  std::vector<float> const batch(100'000, 1.f);
  with_device const scope(gpu0);
  tensor<float, dextents<1>> last = crowded(slow, from(batch, shape(100'000)));
  std::size_t const before = heap_bytes();
  std::size_t queued = 0, kept = 0;
  for (int step = 0; step != 60; ++step) {
    last = crowded(slow, from(batch, shape(100'000)));
    queued = std::max(queued, memory_stats_of(gpu0).queued);
    kept = std::max(kept, heap_bytes());
  }
  CHECK(queued > max / 2);
  CHECK(queued <= max);
  CHECK(kept < before + 2 * max);
  CHECK(last.read()(7) == 1.f);
  CHECK(memory_stats_of(gpu0).queued == 0);
}

TEST_CASE("host memory held by pending copies is in the figures of their device") {
  use_late_gpus(2);
  gate g;
  tensor const x = numbers_on(gpu0);
  std::vector<float> const batch(100'000, 1.f);
  tensor const blocked = on(gpu0, gated(g, x));
  std::size_t const before = memory_stats_of(gpu0).queued;
  tensor<float, dextents<1>> const copied = copy_to(gpu0, from(batch, shape(100'000)));
  std::size_t const queued = memory_stats_of(gpu0).queued;  // earlier work may end in between
  CHECK(queued >= 400'000);
  CHECK(queued <= before + 400'000);
  CHECK(memory_stats_of(gpu_at(1)).queued == 0);
  CHECK(memory_report(gpu0).find(" KiB of the host queued") != std::string::npos);
  g.open = true;
  synchronize(gpu0);
  CHECK(memory_stats_of(gpu0).queued == 0);
  CHECK(memory_report(gpu0).find("queued") == std::string::npos);
}

TEST_CASE("a value is read while another thread launches kernels in an endless loop") {
  set_simulated_gpus({.count = 1, .run_inline_below = 0});
  std::atomic<long> launched{0};
  std::atomic<bool> ends{false};
  std::thread launcher([&] {
    with_device const scope(gpu0);
    tensor<float, dextents<1>> a = iota(4000, 0.f);
    for (; !ends; ++launched) a = a * 0.5f + 1.f;
  });
  tensor<float, dextents<1>> const x = numbers_on(gpu0);
  while (launched < 8000) std::this_thread::yield();
  long least = std::numeric_limits<long>::max();  // the scheduler may delay this thread, too
  for (int i = 0; i != 3; ++i) {
    long const before = launched;
    CHECK(item(on(gpu0, sum(x))) == 4950.f);
    least = std::min(least, launched - before);
  }
  ends = true;
  launcher.join();
  CHECK(least < 8 * 1024);  // some multiples of the queue length
}

TEST_CASE("memory is freed at once, though the queue is full") {
  set_simulated_gpus({.count = 1, .run_inline_below = 0, .queue_length = 1});
  gate g;
  auto x = std::make_unique<tensor<float, dextents<1>>>(numbers_on(gpu0));
  tensor const y = on(gpu0, gated(g, *x));
  x.reset();
  CHECK(y.data()[99] != 99.f);  // simulated memory is host memory: the kernel is not done
  g.open = true;
  check_numbers(y, 1, 0);
}

TEST_CASE("captured work can exceed the length of the queue") {
  use_late_gpus(1, 2);
  tensor<float, dextents<1>> x = numbers_on(gpu0);
  graph step = capture("/gpu:0", [&] {
    for (int i = 0; i != 20; ++i) x = x + 1.f;
  });
  for (int i = 0; i != 9; ++i) step.replay();
  check_numbers(x, 1, 200);
}

TEST_CASE(
    "captured work runs once, and again for each replay, on the current contents of its tensors") {
  use_late_gpus(2);
  tensor<float, dextents<1>> x = numbers_on(gpu_at(1));
  tensor<float, dextents<1>> y = x, total = on(gpu_at(1), x * 0.f);
  graph step = capture("/gpu:1", [&] {
    y = x * 2.f + 1.f;
    total = total + sum(y) * 0.f + 1.f;  // in place, with temporaries between kernels
  });
  CHECK(step.where() == gpu_at(1));
  check_numbers(y, 2, 1);
  check_numbers(total, 0, 1);
  slice(view(x), range(0, 100)) = on(gpu_at(1), iota<float>(100, 0.f) * 10.f);
  // not in the memory of the temporaries
  tensor const others = on(gpu_at(1), numbers_on(gpu_at(1)) * 3.f);
  for (int i = 0; i != 5; ++i) step.replay();
  check_numbers(y, 20, 1);
  check_numbers(total, 0, 6);
  check_numbers(others, 3, 0);
}

TEST_CASE("a graph keeps the memory that it writes, and releases it") {
  use_late_gpus(1);
  tensor<float, dextents<1>> const x = numbers_on(gpu0);
  std::size_t const before = memory_stats_of(gpu0).in_use;
  {
    auto y = std::make_unique<tensor<float, dextents<1>>>(x);
    graph step = capture("/gpu:0", [&] {
      *y = x * 2.f;
      tensor const gone = *y + 1.f;
    });
    y.reset();
    CHECK(memory_stats_of(gpu0).in_use > before);
    tensor const others = on(gpu0, x * 7.f);
    step.replay();
    graph moved = std::move(step);
    moved.replay();
    check_numbers(others, 7, 0);
  }
  CHECK(memory_stats_of(gpu0).in_use == before);
}

TEST_CASE(
    "an operation that cannot be replayed is an error during capture, and the GPU stays usable") {
  use_late_gpus(2);
  log_lines log;
  tensor<float, dextents<1>> x = numbers_on(gpu0), y = x;
  auto error_of = [&](auto f) {
    return error_message<placement_error>([&] { capture("/gpu:0", f); });
  };
  CHECK(error_of([&] { static_cast<void>(x.read()); }) ==
        "placement: Memory was copied to /CPU:0 while work of /GPU:0 is recorded, and would not be "
        "replayed. Leave it out of capture().");
  CHECK(
      error_of([&] { y = on(gpu_at(1), iota<float>(100, 0.f)); }) ==
      "placement: An op ran on /GPU:1 while work of /GPU:0 is recorded, and would not be replayed. "
      "Leave it out of capture().");
  CHECK(error_of([&] {
          y = x + 5.f;
          graph const inner = capture("/gpu:0", [] {});
        }) ==
        "placement: this thread is recording work already. End one capture before the next one.");
  check_numbers(y, 1, 5);  // the work recorded before the error ran
  CHECK(error_message<placement_error>([&] { capture("/cpu:0", [] {}); }) ==
        "placement: work of /CPU:0 cannot be recorded: only GPUs have queues to record. Capture on "
        "a GPU.");
  tensor const z = on(gpu0, x * 2.f);
  check_numbers(z, 2, 0);
  CHECK_THROWS_AS(capture("/gpu:0", [] { throw std::runtime_error("mine"); }), std::runtime_error);
}
