#pragma once
/// Processes that mpirun started as the tasks of one program. The only header that includes mpi.h;
/// it works with Open MPI and MPICH. CMake: find_package(placement COMPONENTS mpi), placement::mpi.

#include <placement/tasks.hpp>

#include <placement/device/environment.hpp>
#include <placement/tasks/mpi_engine.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace placement { inline namespace v0_1 {

/// Rank r is task r: `pl::tasks all(pl::mpi{argc, argv})`. With jobs: `pl::mpi{argc, argv, {{"ps",
/// 1}, {"worker", 3}}}`. It initialises MPI unless the program did, and then finalizes it.
struct mpi {
  int& argc;
  char**& argv;
  std::vector<job> jobs = {};
  std::size_t longest_message = std::size_t{1} << 30;  ///< bytes; longer ones are sent in parts

  /// Throws: task_error without MPI_THREAD_SERIALIZED; invalid_argument for longest_message = 0.
  std::unique_ptr<task_engine> connect() const {
    if (longest_message == 0 || longest_message > (std::size_t{1} << 30))
      throw invalid_argument("placement: the longest message of MPI has from 1 to 2^30 bytes.");
    auto engine = std::make_unique<detail::mpi_engine>(argc, argv, longest_message);
    share_cores();
    return engine;
  }

 private:
  /// Several processes of one machine share its cores, unless the launcher has bound them or the
  /// program has said how many threads it wants.
  static void share_cores() {
    if (is_initialized() || environment_variables().intra_op_threads) return;
    MPI_Comm near;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    int processes = 1;
    MPI_Comm_size(near, &processes);
    MPI_Comm_free(&near);
    long const cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    bool const is_bound = detail::usable_cores() < cores;
    if (processes > 1 && !is_bound)
      set_intra_op_threads(std::max(1, static_cast<int>(cores) / processes));
  }
};

}}  // namespace placement::v0_1
