#pragma once
/// Runs CPU kernels on OpenMP's threads instead of placement's own. For programs that already use
/// OpenMP and want one set of threads. Include this in one file of a program that links
/// placement::openmp. All large kernels of the program then run on OpenMP's threads.

#include <placement/device/configuration.hpp>
#include <placement/runtime/executor.hpp>

#include <omp.h>

namespace placement { inline namespace v0_1 {

/// `intra_op_threads()` OpenMP threads; if that is 0, as many as OpenMP chooses (OMP_NUM_THREADS).
/// Inside a parallel region of the program, the calling thread runs the whole kernel.
class openmp_threads final : public executor {
 public:
  int threads() noexcept override {
    static int const wanted = intra_op_threads();  // fixed by the time a kernel runs
    if (omp_in_parallel() != 0) return 1;
    return wanted != 0 ? wanted : omp_get_max_threads();
  }
  void run(int count, chunk each, void* work) noexcept override {
    int const max = threads();
#pragma omp parallel for schedule(dynamic, 1) num_threads(max) if (max > 1)
    for (int i = 0; i < count; ++i) each(work, i);
  }
};

/// The executor of this process.
PLACEMENT_PROCESS_STATE inline openmp_threads& openmp_of_process() {
  static auto& all = *new openmp_threads;
  return all;
}

namespace detail {
/// Registers the executor during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const openmp_is_used =
    (set_executor(&openmp_of_process()), true);
}  // namespace detail

}}  // namespace placement::v0_1
