#pragma once
/// Rows of the GPU table: several sides do the same work, alternating, in one run.
///
/// A side is a name and a call that enqueues the work of one round on the library's stream of the
/// first GPU. Each row is printed as one line of JSON: medians over the rounds.

#include <placement/placement.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

namespace pl = placement;

inline void check(cudaError_t code, char const* call) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
  std::exit(1);
}

/// The library's stream. Makes the device current.
inline cudaStream_t stream() { return pl::cuda::stream_of(pl::logical(pl::gpu0)); }

struct side {
  std::string name;
  std::function<void(int round)> run;  ///< round % sets selects the buffers
};
/// The number of buffer sets that rounds alternate between, so that a reused set is out of the
/// cache.
inline constexpr int sets = 4;
inline constexpr int rounds = 50, warm_up = 5;

/// The bytes that the work moves and the operations it computes, as far as they are relevant.
struct amount {
  double bytes = 0, flops = 0;
};

inline double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}
inline void print_row(std::string const& row, std::string const& side, double seconds, amount of) {
  std::printf(
      "{\"row\": \"%s\", \"side\": \"%s\", \"seconds\": %.9g, \"bytes\": %.9g, \"flops\": %.9g}\n",
      row.c_str(), side.c_str(), seconds, of.bytes, of.flops);
  std::fflush(stdout);
}

/// Only rows whose names contain this text are measured.
inline std::string& wanted() {
  static std::string text;
  return text;
}
inline bool is_wanted(std::string const& row) { return row.find(wanted()) != row.npos; }

/// Measures device time, by events on the stream.
inline void compare(std::string const& row, amount of, std::vector<side> const& sides) {
  cudaStream_t const work = stream();
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<std::vector<double>> times(sides.size());
  for (int round = 0; round != warm_up + rounds; ++round) {
    for (std::size_t s = 0; s != sides.size(); ++s) {
      check(cudaEventRecord(begin, work), "cudaEventRecord");
      sides[s].run(round);
      check(cudaEventRecord(end, work), "cudaEventRecord");
      check(cudaEventSynchronize(end), "cudaEventSynchronize");
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
      if (round >= warm_up) times[s].push_back(1e-3 * static_cast<double>(milliseconds));
    }
  }
  for (std::size_t s = 0; s != sides.size(); ++s)
    print_row(row, sides[s].name, median(times[s]), of);
  check(cudaEventDestroy(begin), "cudaEventDestroy");
  check(cudaEventDestroy(end), "cudaEventDestroy");
}

/// Host time of one of `calls` consecutive calls. given: without the device's work, which finishes
/// after the measurement; done: with it.
enum class until { given, done };
inline void compare_on_host(std::string const& row, int calls, until when,
                            std::vector<side> const& sides) {
  using clock = std::chrono::steady_clock;
  cudaStream_t const work = stream();
  std::vector<std::vector<double>> times(sides.size());
  for (int round = 0; round != warm_up + rounds; ++round) {
    for (std::size_t s = 0; s != sides.size(); ++s) {
      check(cudaStreamSynchronize(work), "cudaStreamSynchronize");
      auto const start = clock::now();
      for (int i = 0; i != calls; ++i) sides[s].run(i);
      if (when == until::done) check(cudaStreamSynchronize(work), "cudaStreamSynchronize");
      std::chrono::duration<double> const took = clock::now() - start;
      check(cudaStreamSynchronize(work), "cudaStreamSynchronize");
      if (round >= warm_up) times[s].push_back(took.count() / calls);
    }
  }
  for (std::size_t s = 0; s != sides.size(); ++s)
    print_row(row, sides[s].name, median(times[s]), {});
}

// ---- buffers

template <class T> using vector = pl::tensor<T, pl::dextents<1>>;
template <class T> using matrix = pl::tensor<T, pl::dextents<2>>;

/// Random numbers on the first GPU. They are generated on the host if this file has no GPU kernel.
template <class T, class X, class K = pl::kernels_here>
std::vector<pl::tensor<T, X>> random_sets(X shape) {
  pl::with_device const scope(pl::gpu0);
  std::vector<pl::tensor<T, X>> all;
  for (int s = 0; s != sets; ++s) all.emplace_back(pl::uniform<T>(shape, T(-1), T(1)));
  return all;
}
template <class T> auto& of_round(std::vector<T>& all, int round) {
  return all[static_cast<std::size_t>(round % sets)];
}

/// Starts a program. Its argument selects the rows to measure. Returns 4 after printing the reason
/// if there is no GPU.
inline int start(int argc, char** argv) {
  if (argc > 1) wanted() = argv[1];
  if (pl::is_available() && pl::this_machine().real) return 0;
  std::printf("skipped: %s\n", pl::why_no_gpu().c_str());
  return 4;
}

/// Measures rows. If the machine is too small for them, prints the error to stderr.
template <class F> void measure(F const& rows) {
  try {
    rows();
  } catch (pl::error const& problem) { std::fprintf(stderr, "skipped: %s\n", problem.what()); }
}

}  // namespace bench
