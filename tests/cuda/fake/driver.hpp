#pragma once
/// The state of the fake driver, which its functions in libcuda.cpp and launches.cpp share.

#include "fake_cuda.hpp"
#include "order.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace fake_driver {

inline fake_cuda& state() {
  static fake_cuda& all = *new fake_cuda;
  return all;
}
inline std::recursive_mutex& guard() {
  static std::recursive_mutex& one = *new std::recursive_mutex;
  return one;
}

struct context {
  int gpu;
  CUresult lost = CUDA_SUCCESS;
};
inline std::vector<context*>& contexts() {
  static auto& all = *new std::vector<context*>(64, nullptr);
  return all;
}
inline thread_local context* current = nullptr;
inline std::vector<int> visible;  // indices into gpus
inline bool started = false;

inline fake_gpu& gpu_at(CUdevice d) {
  return state().gpus[static_cast<std::size_t>(visible[static_cast<std::size_t>(d)])];
}
inline void misuse(std::string const& what) { state().misuse.push_back(what); }
/// Whether a call's context exists.
inline bool is_context(CUcontext c, char const* function) {
  for (context const* one : contexts())
    if (one != nullptr && one == reinterpret_cast<context*>(c)) return true;
  misuse(std::string(function) + " of a context that is none");
  return false;
}

/// Records a call. Returns the configured error, or success.
inline CUresult step(char const* function) {
  fake_cuda& s = state();
  int const call = ++s.calls[function];
  if (s.closed) {
    std::fprintf(stderr, "%s was called after the end\n", function);
    std::_Exit(99);
  }
  for (fake_fault const& f : s.faults) {
    if (f.function != function || f.call != call) continue;
    bool const sticky =
        static_cast<int>(f.code) == 226 ||  // CUDA_ERROR_CONTAINED
        (f.code >= CUDA_ERROR_ILLEGAL_ADDRESS && f.code <= CUDA_ERROR_LAUNCH_FAILED);
    if (sticky && current != nullptr) current->lost = f.code;
    return f.code;
  }
  return CUDA_SUCCESS;
}
/// The same for calls that need a context.
inline CUresult step_in_context(char const* function) {
  if (CUresult const code = step(function); code != CUDA_SUCCESS) return code;
  if (current == nullptr) {
    misuse(std::string(function) + " without a context");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return current->lost;
}

// ---- queued work

struct block {
  CUdeviceptr base;
  std::size_t bytes;
};
/// All memory of the stream's GPU, for work that does not say what it accesses.
inline constexpr block whole_device{0, ~std::size_t{0}};

struct task {
  std::function<void()> run;
  std::vector<block> accessed;
  access_order::task_handle order{};
};
using work_list = std::vector<task>;
struct stream {
  context* in;
  std::deque<task> work;
  std::size_t done = 0, given = 0;
  std::size_t number = 0;
  vector_clock clock{};  ///< what is done before the next task
  work_list* captured = nullptr;
  CUstreamCaptureMode mode{};  ///< of the capture
  bool invalid = false;        ///< whether a call has broken the capture, which then has no graph
};
struct event {
  context* in;
  stream* recorded_in = nullptr;
  std::size_t position = 0;
  vector_clock clock{};
};

/// What the host has waited for. Threads of the host count as one.
inline vector_clock host_clock;
inline access_order::task_handle running;

inline access_order& accesses() {
  static access_order& all = *new access_order;
  return all;
}
/// The number that stands for the host in clocks. Streams are counted from 1.
inline constexpr std::size_t host_stream = 0;

inline std::string name_of(ordered_task const& t) {
  if (t.stream == host_stream) return "a call that frees memory";
  return "work " + std::to_string(t.position) + " of stream " + std::to_string(t.stream);
}
inline void check_conflict(access_order::task_handle const& other, ordered_task const& t) {
  if (other != nullptr)
    misuse("nothing orders " + name_of(*other) + " and " + name_of(t) +
           ", which access the same memory");
}
/// Checks an access of the task that runs.
inline void see(CUdeviceptr address, std::size_t bytes, bool write) {
  if (!state().checks_order || running == nullptr) return;
  check_conflict(accesses().see(running, address, bytes, write), *running);
}
/// Checks that the task that runs may free memory.
inline void see_free(CUdeviceptr address, std::size_t bytes) {
  if (!state().checks_order || running == nullptr) return;
  check_conflict(accesses().free(running, address, bytes), *running);
}

/// Runs the work of a stream up to a position.
inline void run(stream& s, std::size_t position) {
  while (s.done < position && !s.work.empty()) {
    auto const next = std::move(s.work.front());
    s.work.pop_front();
    ++s.done;
    auto const outer = std::exchange(running, next.order);
    next.run();
    running = outer;
  }
}
/// Runs all work of a stream, for a host that waits for it.
inline void finish(stream& s) {
  run(s, s.given);
  join(host_clock, s.clock);
}
inline void give(stream& s, std::function<void()> work,
                 std::vector<block> accessed = {whole_device}) {
  task one{std::move(work), std::move(accessed)};
  if (s.captured != nullptr) return s.captured->push_back(std::move(one));
  join(s.clock, host_clock);
  one.order = std::make_shared<ordered_task const>(ordered_task{s.number, ++s.given, s.clock});
  s.clock[s.number] = s.given;
  s.work.push_back(std::move(one));
}
inline std::set<stream*>& streams() {
  static auto& all = *new std::set<stream*>;
  return all;
}
/// Runs all work of all streams, although no call waits for it. So the work has run that accesses
/// memory which is freed now.
inline void run_all() {
  for (stream* s : streams()) run(*s, s->given);
}
/// Checks that the host has waited for the work that accessed memory which it frees.
inline void see_free_by_host(CUdeviceptr address, std::size_t bytes) {
  if (!state().checks_order) return;
  static std::size_t calls = 0;
  host_clock[host_stream] = ++calls;
  ordered_task const call{host_stream, calls, host_clock};
  check_conflict(accesses().free(std::make_shared<ordered_task const>(call), address, bytes), call);
}
inline stream* live(CUstream s, char const* function) {
  auto* const own = reinterpret_cast<stream*>(s);
  if (streams().contains(own)) return own;
  misuse(std::string(function) + " on a stream that is none");
  return nullptr;
}
inline stream* known(CUstream s, char const* function) {
  stream* const own = live(s, function);
  if (own == nullptr) return nullptr;
  std::string_view const name = function;
  bool const is_work = name.starts_with("cuMemcpy") || name.starts_with("cuMemset");
  if (own->captured != nullptr && !is_work && name != "cuLaunchKernel") {
    misuse(std::string(function) + " on a stream that records");
    own->invalid = true;
    return nullptr;
  }
  if (own->in != current) misuse(std::string(function) + " while another GPU is current");
  return own;
}

/// The handles of memory, events and graphs that exist.
inline std::set<void const*>& handles() {
  static auto& all = *new std::set<void const*>;
  return all;
}
inline bool is_live(void const* handle, char const* function) {
  bool const live = handles().contains(handle);
  if (!live) misuse(std::string(function) + " of a handle that is none");
  return live;
}

// ---- memory

struct piece {
  int gpu;
  std::size_t bytes;
};
struct page {
  piece* backing = nullptr;
  std::size_t bytes = 0;
  std::set<int> open_to;
};
inline std::map<CUdeviceptr, std::size_t>& ranges() {
  static auto& all = *new std::map<CUdeviceptr, std::size_t>;
  return all;
}
inline std::map<CUdeviceptr, page>& pages() {
  static auto& all = *new std::map<CUdeviceptr, page>;
  return all;
}
inline std::map<void*, std::size_t>& pinned() {
  static auto& all = *new std::map<void*, std::size_t>;
  return all;
}
inline void* at(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

/// Whether a stream's queued work may access a mapped block.
inline bool is_pending_in(stream const& s, CUdeviceptr p, page const& mapped) {
  for (task const& t : s.work)
    for (block const& b : t.accessed) {
      bool const all = b.bytes == whole_device.bytes && mapped.open_to.contains(s.in->gpu);
      if (all || (b.base < p + mapped.bytes && p < b.base + b.bytes)) return true;
    }
  return false;
}
/// Calls that allocate are unsafe while any thread captures, unless in relaxed mode. They fail, and
/// the captures have no graph.
inline bool is_unsafe_now(char const* function) {
  bool unsafe = false;
  for (stream* s : streams())
    if (s->captured != nullptr && s->mode != CU_STREAM_CAPTURE_MODE_RELAXED)
      unsafe = s->invalid = true;
  if (unsafe) misuse(std::string(function) + " during a capture that is not relaxed");
  return unsafe;
}

/// Whether a block is fully mapped and accessible to a GPU.
inline bool reaches(int gpu, CUdeviceptr p, std::size_t bytes) {
  auto it = pages().upper_bound(p);
  if (it == pages().begin()) return false;
  --it;
  for (CUdeviceptr next = p; next < p + bytes; ++it) {
    if (it == pages().end() || it->first > next || it->first + it->second.bytes <= next)
      return false;
    if (!it->second.open_to.contains(gpu)) return false;
    next = it->first + it->second.bytes;
  }
  return true;
}

/// Called for bytes that a copy has written, and for memory that is gone. Set by launches.cpp where
/// kernels are checked for reads of uninitialized memory.
inline void (*after_copy)(void* to, void const* from, std::size_t bytes) = nullptr;
inline void (*after_free)(CUdeviceptr p, std::size_t bytes) = nullptr;

}  // namespace fake_driver

#define CALL(name)                     \
  std::lock_guard const lock(guard()); \
  if (CUresult const code = step(#name); code != CUDA_SUCCESS) return code
#define CALL_IN_CONTEXT(name)          \
  std::lock_guard const lock(guard()); \
  if (CUresult const code = step_in_context(#name); code != CUDA_SUCCESS) return code
