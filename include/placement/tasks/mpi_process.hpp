#pragma once
/// The processes of an MPI program: what they must have in common, whether they live, and what one
/// says before it ends.

// mpi.h brings C++ bindings that MPI 3 removed.
#if !defined(OMPI_SKIP_MPICXX)
#  define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#  define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <placement/device/machine.hpp>
#include <placement/tasks/statement.hpp>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// The cores that this process may use.
inline long usable_cores() noexcept {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                       : ::sysconf(_SC_NPROCESSORS_ONLN);
}
inline void pause_briefly() noexcept { ::usleep(100); }
inline void yield_core() noexcept { ::sched_yield(); }

/// What the processes report to each other at the start.
struct process_identity {
  char host[64];
  std::int32_t pid, cpus, gpus, real;
  std::uint64_t program, settings;

  static process_identity own(machine const& devices, std::uint64_t settings) {
    process_identity me{};
    ::gethostname(me.host, sizeof me.host - 1);
    me.pid = ::getpid();
    me.cpus = devices.cpus;
    me.gpus = devices.gpus;
    me.real = devices.real ? 1 : 0;
    me.program = hash_of_program();
    me.settings = settings;
    return me;
  }
  /// What differs from the process of another task, and what to do; empty if nothing does.
  std::string difference_from(process_identity const& o) const {
    if (program != o.program) return "runs another program. Install the same file everywhere.";
    if (cpus != o.cpus || gpus != o.gpus || real != o.real)
      return "has " + devices() + " instead of " + o.devices() +
             ". /gpu:0 is a device of every task: give all of them as many, as by "
             "CUDA_VISIBLE_DEVICES.";
    if (settings != o.settings)
      return "has other PLACEMENT_* variables. Set the same ones for all, as by mpirun -x.";
    return {};
  }

 private:
  /// "1 CPU and 2 simulated GPUs".
  std::string devices() const {
    auto const counted = [](int n, char const* what) {
      return std::to_string(n) + what + (n == 1 ? "" : "s");
    };
    bool const simulates = real == 0 && gpus != 0;
    return counted(cpus, " CPU") + " and " + counted(gpus, simulates ? " simulated GPU" : " GPU");
  }
  static std::uint64_t hash_of_program() {
    std::uint64_t h = 1;
    if (std::FILE* const f = std::fopen("/proc/self/exe", "rb")) {
      std::vector<unsigned char> bytes(std::size_t{1} << 16);
      while (std::size_t const n = std::fread(bytes.data(), 1, bytes.size(), f))
        h = hash_bytes(bytes.data(), n, h);
      std::fclose(f);
    }
    return h;
  }
};

/// Another process of this host, by a descriptor that shows its end.
class process_handle {
 public:
  explicit process_handle(int fd = -1) noexcept : fd_(fd) {}
  process_handle(process_handle&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  process_handle& operator=(process_handle o) noexcept {
    std::swap(fd_, o.fd_);
    return *this;
  }
  ~process_handle() {
    if (fd_ >= 0) ::close(fd_);
  }
  bool has_ended() const noexcept {
    pollfd p{fd_, POLLIN, 0};
    return fd_ >= 0 && ::poll(&p, 1, 0) > 0;
  }

 private:
  int fd_;
};

/// The other processes on this host. Those of other hosts have no descriptor, and MPI's launcher
/// sees their end.
inline std::vector<process_handle> other_processes(std::vector<process_identity> const& all,
                                                   int rank) {
  std::vector<process_handle> found;
  process_identity const& me = all[static_cast<std::size_t>(rank)];
  for (std::size_t t = 0; t != all.size(); ++t) {
    bool const is_near = static_cast<int>(t) != rank && std::strcmp(all[t].host, me.host) == 0;
    found.emplace_back(is_near ? static_cast<int>(::syscall(SYS_pidfd_open, all[t].pid, 0)) : -1);
  }
  return found;
}

/// Writes one line when a signal of the launcher ends this process. The handler of the program, if
/// it has one, stays.
class last_words {
 public:
  using describe_function = int (*)(void const*, char*, std::size_t) noexcept;

  last_words(describe_function describe, void const* object) noexcept {
    instance() = object;
    function() = describe;
    before_ = std::signal(SIGTERM, &last_words::say);
    if (before_ != SIG_DFL && before_ != SIG_ERR) std::signal(SIGTERM, before_);
  }
  ~last_words() { std::signal(SIGTERM, before_ == SIG_ERR ? SIG_DFL : before_); }
  last_words(last_words const&) = delete;
  last_words& operator=(last_words const&) = delete;

  static void const*& instance() noexcept {
    static void const* object = nullptr;
    return object;
  }

 private:
  static describe_function& function() noexcept {
    static describe_function f = nullptr;
    return f;
  }
  static void say(int) {
    char line[256];
    int const n = function()(instance(), line, sizeof line);
    if (n > 0 && ::write(2, line, static_cast<std::size_t>(n)) < 0) ::_exit(144);
    ::_exit(143);
  }

  void (*before_)(int);
};

/// Calls a function with the message of an exception that nobody catches, before the process ends.
class at_terminate {
 public:
  using function = void (*)(void*, char const* why) noexcept;

  at_terminate(function f, void* object) noexcept {
    call() = {f, object};
    before() = std::set_terminate(&at_terminate::end);
  }
  ~at_terminate() {
    std::set_terminate(before());
    call() = {nullptr, nullptr};
  }
  at_terminate(at_terminate const&) = delete;
  at_terminate& operator=(at_terminate const&) = delete;

 private:
  static std::pair<function, void*>& call() noexcept {
    static std::pair<function, void*> c{nullptr, nullptr};
    return c;
  }
  static std::terminate_handler& before() noexcept {
    static std::terminate_handler h = nullptr;
    return h;
  }
  static void end() {
    char const* why = "it called std::terminate";
    try {
      if (std::current_exception()) std::rethrow_exception(std::current_exception());
    } catch (std::exception const& e) {
      why = e.what();
      if (call().first != nullptr) call().first(call().second, why);
      before()();
    } catch (...) { why = "an exception that nobody caught"; }
    if (call().first != nullptr) call().first(call().second, why);
    before()();
    std::abort();
  }
};

/// Ends all processes of the program when this one exits.
inline void abort_at_exit() noexcept {
  std::atexit([] {
    std::fflush(nullptr);
    ::usleep(400000);  // the others learn of it and print their messages
    MPI_Abort(MPI_COMM_WORLD, 3);
    ::_exit(3);
  });
}

}}}  // namespace placement::v0_1::detail
