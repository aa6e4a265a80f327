// gpus: 0
// Queues, copies and events of GPUs, on a fake driver that runs work as late as possible.
#include "fake/use_fake.hpp"

#include <support/log_lines.hpp>

#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace placement;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
using bytes_of_host = std::vector<unsigned char>;

/// The CUDA platform alone, with 32 MiB of memory and a queue on each of two GPUs.
struct queue_test {
  cuda::driver api;
  cuda::cuda_platform gpus{api};
  fake_cuda& driver = fake();
  void* memory[2] = {gpus.reserve(0, 32 * mib), gpus.reserve(1, 32 * mib)};
  queue work[2] = {gpus.open_queue(0), gpus.open_queue(1)};

  queue_test() {
    gpus.commit(0, memory[0], 0, 32 * mib);
    gpus.commit(1, memory[1], 0, 32 * mib);
  }
  ~queue_test() {
    for (int i : {0, 1}) {
      gpus.close_queue(work[i]);
      gpus.release(i, memory[i], 32 * mib);
    }
  }

  endpoint on(int gpu, std::size_t offset = 0) {
    return {static_cast<std::byte*>(memory[gpu]) + offset, gpu};
  }
  static endpoint at_host(void* p) { return {p, endpoint::host}; }
};

bytes_of_host numbers(std::size_t count, unsigned seed = 1) {
  bytes_of_host all(count);
  for (auto& b : all) b = static_cast<unsigned char>((seed = seed * 1664525u + 1013904223u) >> 24);
  return all;
}

}  // namespace

TEST_CASE("a queue creates no context and no stream before it is used") {
  cuda::driver const api;
  cuda::cuda_platform gpus(api);
  queue const q = gpus.open_queue(0);
  gpus.synchronise(q);
  CHECK(fake().contexts == 0);
  gpus.wait(q, gpus.record(q));
  CHECK(fake().contexts == 1);
  CHECK(fake().streams == 1);
  gpus.close_queue(q);
  CHECK(fake().streams == 0);
}

TEST_CASE(
    "host memory of any length is copied through the staging ring to a GPU and back unchanged") {
  for (std::size_t size :
       {std::size_t{1}, 2 * mib - 1, 2 * mib, 2 * mib + 1, 8 * mib, 25 * mib + 3}) {
    queue_test t;
    bytes_of_host const sent = numbers(size);
    bytes_of_host back(size);
    t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(const_cast<unsigned char*>(sent.data())),
                size);
    t.gpus.copy(t.work[0], queue_test::at_host(back.data()), t.on(0), size);
    t.gpus.synchronise(t.work[0]);
    CHECK(back == sent);
    CHECK(t.driver.pinned == 1);
    CHECK(t.driver.misuse.empty());
  }
  CHECK(fake().open() == 0);
}

TEST_CASE("the source of a copy to a GPU can be overwritten as soon as the call returns") {
  queue_test t;
  bytes_of_host const first = numbers(3 * mib, 1), second = numbers(3 * mib, 2);
  bytes_of_host sent = first, back(3 * mib);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), 3 * mib);
  sent = second;
  t.gpus.copy(t.work[0], t.on(0, 16 * mib), queue_test::at_host(sent.data()), 3 * mib);
  sent.assign(sent.size(), 0);
  t.gpus.copy(t.work[0], queue_test::at_host(back.data()), t.on(0), 3 * mib);
  CHECK(back == first);
  t.gpus.copy(t.work[0], queue_test::at_host(back.data()), t.on(0, 16 * mib), 3 * mib);
  CHECK(back == second);
}

TEST_CASE(
    "a large pinned buffer is copied directly, and the call waits because the buffer may change") {
  queue_test t;
  constexpr std::size_t much = 12 * mib;
  t.gpus.device(0).make_current();
  void* p = nullptr;
  t.gpus.device(0).call(t.api.allocate_pinned, &p, 2 * much, 0u);
  auto* const bytes = static_cast<std::byte*>(p);
  std::memset(bytes, 7, much);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(bytes), much);
  std::memset(bytes, 8, much);
  t.gpus.fetch(t.work[0], t.gpus.current_point(t.work[0]), bytes + much, t.on(0), much);
  CHECK(bytes[2 * much - 1] == std::byte{7});
  CHECK(t.driver.pinned == 1);
  CHECK(t.driver.calls["cuMemcpyHtoDAsync_v2"] == 1);
  CHECK(t.driver.calls["cuMemcpyDtoHAsync_v2"] == 1);
  t.gpus.device(0).call(t.api.free_pinned, p);
}

TEST_CASE("a small pinned buffer goes through the staging ring, without a host wait") {
  queue_test t;
  t.gpus.current_point(t.work[0]);
  void* p = nullptr;
  t.gpus.device(0).call(t.api.allocate_pinned, &p, mib, 0u);
  std::memset(p, 7, mib);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(p), mib);
  std::memset(p, 8, mib);
  CHECK(t.driver.calls["cuEventSynchronize"] == 0);
  bytes_of_host back(mib);
  t.gpus.copy(t.work[0], queue_test::at_host(back.data()), t.on(0), mib);
  CHECK(back == bytes_of_host(mib, 7));
  t.gpus.device(0).call(t.api.free_pinned, p);
}

TEST_CASE(
    "a fetch reads what was complete at its timeline point, and does not wait for later work") {
  queue_test t;
  bytes_of_host sent = numbers(mib), back(mib);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
  timeline_point const complete = t.gpus.current_point(t.work[0]);
  for (int i = 0; i != 40; ++i) {
    t.gpus.copy(t.work[0], t.on(0, 8 * mib), t.on(0), mib);
    t.gpus.current_point(t.work[0]);
  }
  t.gpus.fetch(t.work[0], complete, back.data(), t.on(0), mib);
  CHECK(back == sent);
  CHECK(t.driver.streams == 2);
  CHECK(t.driver.undone() >= 30);
  t.gpus.synchronise(t.work[0]);
  CHECK(t.driver.undone() == 0);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("a fetch waits for the queue if there is no later work or no timeline point") {
  queue_test t;
  bytes_of_host sent = numbers(mib), back(mib);
  for (bool marked : {true, false}) {
    t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
    t.gpus.fetch(t.work[0], marked ? t.gpus.current_point(t.work[0]) : 0, back.data(), t.on(0),
                 mib);
    CHECK(back == sent);
    CHECK(t.driver.streams == 1);
    back.assign(mib, 0);
  }
}

TEST_CASE(
    "events of timeline points are rare while nothing waits for one, and frequent again after") {
  queue_test t;
  bytes_of_host sent = numbers(mib), back(mib);
  auto const events_of = [&](int launches) {
    int const before = t.driver.calls["cuEventRecord"];
    for (int i = 0; i != launches; ++i) {
      t.gpus.copy(t.work[0], t.on(0, 8 * mib), t.on(0), 256);
      t.gpus.current_point(t.work[0]);
    }
    return t.driver.calls["cuEventRecord"] - before;
  };
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
  t.gpus.synchronise(t.work[0]);
  CHECK(events_of(1000) <= 20);
  CHECK(events_of(1000) <= 16);
  timeline_point const complete = t.gpus.current_point(t.work[0]);
  CHECK(events_of(100) >= 1);
  t.gpus.fetch(t.work[0], complete, back.data(), t.on(0), mib);
  CHECK(back == sent);
  CHECK(events_of(20) >= 1);
}

TEST_CASE("a failed event of a timeline point is swallowed, and a fetch waits for later work") {
  queue_test t;
  bytes_of_host sent = numbers(mib), back(mib);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
  for (int i = 0; i != 30; ++i) {
    t.gpus.copy(t.work[0], t.on(0, 8 * mib), t.on(0), 256);
    t.driver.fail("cuEventRecord");
    t.gpus.current_point(t.work[0]);
    t.driver.faults.clear();
  }
  t.gpus.fetch(t.work[0], 2, back.data(), t.on(0), mib);
  CHECK(back == sent);
  CHECK(cuda::swallowed_errors() != 0);
}

TEST_CASE("a closed queue can be waited for, and opens again") {
  queue_test t;
  bytes_of_host sent = numbers(mib), back(mib);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
  t.gpus.close_queue(t.work[0]);
  CHECK(t.driver.streams == 0);
  CHECK(t.driver.pinned == 0);
  t.gpus.wait(t.work[1], t.gpus.record(t.work[0]));
  t.gpus.copy(t.work[0], queue_test::at_host(back.data()), t.on(0), mib);
  CHECK(back == sent);
  CHECK(t.driver.misuse.empty());
}

// ---- recording

TEST_CASE("recording runs nothing, and each replay runs the work on the bytes at recording time") {
  queue_test t;
  bytes_of_host sent = numbers(mib), back(mib);
  std::memset(t.memory[0], 0, 32 * mib);
  t.gpus.begin_recording(t.work[0]);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
  t.gpus.copy(t.work[0], t.on(0, mib), t.on(0), mib);
  for (int i = 0; i != 20; ++i) t.gpus.current_point(t.work[0]);
  recording const all = t.gpus.end_recording(t.work[0]);
  bytes_of_host const first = sent;
  sent.assign(mib, 0);
  t.gpus.fetch(t.work[0], 0, back.data(), t.on(0, mib), mib);
  CHECK(back == bytes_of_host(mib, 0));
  for (int i = 0; i != 3; ++i) {
    std::memset(t.memory[0], 0, 32 * mib);
    t.gpus.replay(t.work[0], all);
    t.gpus.fetch(t.work[0], t.gpus.current_point(t.work[0]), back.data(), t.on(0, mib), mib);
    CHECK(back == first);
  }
  t.gpus.drop(all);
  CHECK(t.driver.graphs == 0);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("recorded work that depends on another queue waits for it before replay") {
  queue_test t;
  bytes_of_host sent = numbers(mib), back(mib);
  t.gpus.copy(t.work[1], t.on(1), queue_test::at_host(sent.data()), mib);
  t.gpus.begin_recording(t.work[0]);
  t.gpus.wait(t.work[0], t.gpus.record(t.work[1]));
  t.gpus.copy(t.work[0], t.on(0), t.on(1), mib);
  recording const all = t.gpus.end_recording(t.work[0]);
  t.gpus.replay(t.work[0], all);
  t.gpus.fetch(t.work[0], 0, back.data(), t.on(0), mib);
  CHECK(back == sent);
  t.gpus.drop(all);
}

TEST_CASE(
    "a queue can be neither read nor waited for while it records, and the recording goes on") {
  queue_test t;
  bytes_of_host back(mib);
  std::string const of = "placement: a queue of device 0 (NVIDIA Fake H100, 0000:0a:00.0) is ";
  std::string const end = " while its work is recorded. Leave that out of capture().";
  t.gpus.wait(t.work[0], t.gpus.record(t.work[0]));
  t.gpus.begin_recording(t.work[0]);
  CHECK(error_message([&] { t.gpus.synchronise(t.work[0]); }) == of + "waited for" + end);
  CHECK(error_message([&] { t.gpus.record(t.work[0]); }) == of + "waited for by another one" + end);
  CHECK(error_message([&] { t.gpus.begin_recording(t.work[0]); }) == of + "recorded again" + end);
  CHECK(error_message([&] { t.gpus.fetch(t.work[0], 0, back.data(), t.on(0), mib); }) ==
        of + "read" + end);
  CHECK(error_message([&] { cuda::cuda_platform::queue_of(t.work[0]).switch_stream(nullptr); }) ==
        of + "given another stream" + end);
  t.gpus.copy(t.work[0], t.on(0), t.on(0, mib), mib);
  t.gpus.drop(t.gpus.end_recording(t.work[0]));
  t.gpus.synchronise(t.work[0]);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("a recording queue allocates on its other stream, and the memory can be used at once") {
  queue_test t;
  t.gpus.begin_recording(t.work[0]);
  void* const p = t.gpus.allocate(t.work[0], mib);
  CHECK(t.driver.streams == 2);
  CHECK(t.driver.calls["cuStreamSynchronize"] == 1);
  t.gpus.copy(t.work[0], {p, 0}, t.on(0), mib);
  t.gpus.copy(t.work[0], t.on(0, mib), {p, 0}, mib);
  void* const unused = t.gpus.allocate(t.work[0], mib);
  t.gpus.deallocate(t.work[0], unused, mib);
  recording const all = t.gpus.end_recording(t.work[0]);
  std::memset(t.memory[0], 5, mib);
  for (int i = 0; i != 2; ++i) t.gpus.replay(t.work[0], all);
  bytes_of_host back(mib);
  t.gpus.fetch(t.work[0], 0, back.data(), t.on(0, mib), mib);
  CHECK(back == bytes_of_host(mib, 5));
  t.gpus.deallocate(t.work[0], p, mib);
  t.gpus.drop(all);
  CHECK(t.driver.async == 0);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("if any call around a recording fails, nothing of it is left and the next one works") {
  for (char const* function : {"cuStreamBeginCapture_v2", "cuMemHostAlloc", "cuStreamEndCapture",
                               "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    queue_test t;
    bytes_of_host sent = numbers(mib), back(mib);
    auto const use = [&] {
      t.gpus.begin_recording(t.work[0]);
      try {
        t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
      } catch (...) {
        t.gpus.drop(t.gpus.end_recording(t.work[0]));
        throw;
      }
      recording const all = t.gpus.end_recording(t.work[0]);
      try {
        t.gpus.replay(t.work[0], all);
      } catch (...) {
        t.gpus.drop(all);
        throw;
      }
      t.gpus.synchronise(t.work[0]);
      t.gpus.drop(all);
    };
    t.driver.fail(function);
    CHECK(error_message<placement_error>(use).starts_with("placement: " + std::string(function) +
                                                          " on "));
    CHECK(t.driver.graphs == 0);
    use();
    t.gpus.fetch(t.work[0], 0, back.data(), t.on(0), mib);
    CHECK(back == sent);
    CHECK(t.driver.graphs == 0);
  }
  CHECK(fake().open() == 0);
}

TEST_CASE("a queue without pinned memory lets the driver copy without the ring") {
  queue_test t;
  t.driver.fail("cuMemHostAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY);
  t.driver.fail("cuMemHostAlloc", 2, CUDA_ERROR_OUT_OF_MEMORY);
  bytes_of_host sent = numbers(5 * mib), back(5 * mib);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), 5 * mib);
  t.gpus.copy(t.work[0], queue_test::at_host(back.data()), t.on(0), 5 * mib);
  t.gpus.synchronise(t.work[0]);
  CHECK(back == sent);
  CHECK(t.driver.calls["cuMemcpyHtoDAsync_v2"] == 1);
  CHECK(t.driver.pinned == 0);
}

TEST_CASE("a copy of zero bytes makes no driver call") {
  queue_test t;
  t.gpus.copy(t.work[0], t.on(0), t.on(1), 0);
  CHECK(t.driver.streams == 0);
}

TEST_CASE("copies inside one GPU and between two of them run in order and keep the bytes") {
  queue_test t;
  bytes_of_host sent = numbers(mib), back(mib);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
  t.gpus.copy(t.work[0], t.on(0, 4 * mib), t.on(0), mib);
  t.gpus.wait(t.work[1], t.gpus.record(t.work[0]));
  t.gpus.copy(t.work[1], t.on(1, 8 * mib), t.on(0, 4 * mib), mib);
  t.gpus.copy(t.work[1], queue_test::at_host(back.data()), t.on(1, 8 * mib), mib);
  CHECK(back == sent);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("a queue that does not wait reads old bytes, and one that waits the new ones") {
  for (bool waits : {false, true}) {
    queue_test t;
    bytes_of_host sent = numbers(mib), back(mib);
    std::memset(t.memory[0], 0, mib);
    t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
    if (waits) t.gpus.wait(t.work[1], t.gpus.record(t.work[0]));
    t.gpus.copy(t.work[1], t.on(1), t.on(0), mib);
    t.gpus.copy(t.work[1], queue_test::at_host(back.data()), t.on(1), mib);
    CHECK((back == sent) == waits);
  }
}

TEST_CASE("the first copy between two GPUs enables peer access, also to memory committed later") {
  queue_test t;
  void* const later = t.gpus.reserve(0, 8 * mib);
  t.gpus.copy(t.work[1], t.on(1), t.on(0), mib);
  t.gpus.commit(0, later, 0, 2 * mib);
  t.gpus.copy(t.work[1], t.on(1), {later, 0}, mib);
  CHECK(t.driver.direct_copies == 2);
  CHECK(t.driver.calls["cuDeviceCanAccessPeer"] == 1);
  t.gpus.synchronise(t.work[1]);
  t.gpus.release(0, later, 8 * mib);
}

TEST_CASE("GPUs without peer access can still copy to each other") {
  queue_test t;
  t.driver.gpus[0].peers = false;
  bytes_of_host sent = numbers(mib), back(mib);
  t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), mib);
  t.gpus.synchronise(t.work[0]);
  t.gpus.copy(t.work[1], t.on(1), t.on(0), mib);
  t.gpus.copy(t.work[1], queue_test::at_host(back.data()), t.on(1), mib);
  CHECK(back == sent);
  CHECK(t.driver.direct_copies == 0);
}

TEST_CASE(
    "if enabling access to memory fails, the copy takes another path, and the error is counted") {
  queue_test t;
  t.driver.fail("cuMemSetAccess");
  long const before = cuda::swallowed_errors();
  t.gpus.copy(t.work[1], t.on(1), t.on(0), mib);
  t.gpus.synchronise(t.work[1]);
  CHECK(t.driver.direct_copies == 0);
  CHECK(cuda::swallowed_errors() == before + 1);
}

TEST_CASE("events are reused") {
  queue_test t;
  for (int i = 0; i != 100; ++i) t.gpus.wait(t.work[1], t.gpus.record(t.work[0]));
  CHECK(t.driver.events == 1);
  CHECK(t.driver.waits_between_streams == 100);
}

TEST_CASE("several threads can use one queue, and each gets its own bytes") {
  queue_test t;
  auto const ping = [&](std::size_t offset, unsigned seed) {
    for (unsigned i = 0; i != 20; ++i) {
      bytes_of_host sent = numbers(mib, seed + i), back(mib);
      t.gpus.copy(t.work[0], t.on(0, offset), queue_test::at_host(sent.data()), mib);
      t.gpus.copy(t.work[0], queue_test::at_host(back.data()), t.on(0, offset), mib);
      if (back != sent) return false;
    }
    return true;
  };
  bool good = false;
  std::thread other([&] { good = ping(4 * mib, 100); });
  CHECK(ping(0, 1));
  other.join();
  CHECK(good);
  CHECK(t.driver.misuse.empty());
}

TEST_CASE("if any call of a copy fails, the copy throws, and the same copy works afterwards") {
  for (char const* function : {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuEventRecord",
                               "cuEventSynchronize", "cuStreamCreate", "cuEventCreate"})
    for (int k : {1, 2, 5}) {
      queue_test t;
      bytes_of_host sent = numbers(25 * mib), back(25 * mib);
      auto const both_ways = [&] {
        t.gpus.copy(t.work[0], t.on(0), queue_test::at_host(sent.data()), sent.size());
        t.gpus.copy(t.work[0], queue_test::at_host(back.data()), t.on(0), back.size());
        t.gpus.synchronise(t.work[0]);
      };
      if (k > 1 && std::string(function) == "cuStreamCreate") continue;
      if (k > 4 && std::string(function) == "cuEventCreate") continue;
      t.driver.fail(function, k);
      CHECK(
          error_message<placement_error>(both_ways) ==
          "placement: " + std::string(function) +
              " on device 0 (NVIDIA Fake H100, 0000:0a:00.0) failed: CUDA_ERROR_UNKNOWN (999, unknown "
              "error). Look with nvidia-smi whether the GPU is well.");
      both_ways();
      CHECK(back == sent);
      CHECK(t.driver.misuse.empty());
    }
  CHECK(fake().open() == 0);
}

TEST_CASE("if any call between queues fails, the error names it and the event is released") {
  for (char const* function :
       {"cuEventRecord", "cuStreamWaitEvent", "cuStreamSynchronize", "cuMemcpyDtoDAsync_v2",
        "cuMemcpyPeerAsync", "cuDeviceCanAccessPeer"}) {
    queue_test t;
    auto const use = [&] {
      t.gpus.copy(t.work[0], t.on(0), t.on(0, mib), mib);
      t.gpus.wait(t.work[1], t.gpus.record(t.work[0]));
      t.gpus.copy(t.work[1], t.on(1), t.on(0), mib);
      t.gpus.synchronise(t.work[1]);
    };
    int const events = t.driver.events;
    t.driver.fail(function);
    CHECK(error_message<placement_error>(use).starts_with("placement: " + std::string(function) +
                                                          " on device "));
    use();
    CHECK(t.driver.events <= events + 1);
  }
  CHECK(fake().open() == 0);
}
