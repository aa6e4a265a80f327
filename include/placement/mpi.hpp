#pragma once
/// Processes that mpirun started as the tasks of one program. The only header that includes mpi.h;
/// it works with Open MPI and MPICH. CMake: find_package(placement COMPONENTS mpi), placement::mpi.

#include <placement/tasks.hpp>

#include <placement/tasks/mpi_engine.hpp>

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
    return std::make_unique<detail::mpi_engine>(argc, argv, longest_message);
  }
};

}}  // namespace placement::v0_1
