#pragma once
/// MPI in this process: its start, its communicators, its end.

#include <placement/tasks/mpi_process.hpp>
#include <placement/tasks/task_error.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// One communicator for data and one for news. What others initialised is not finalized.
class mpi_session {
 protected:
  mpi_session(int& argc, char**& argv) {
    int is_initialized = 0, level = 0;
    MPI_Initialized(&is_initialized);
    owns_mpi_ = is_initialized == 0;
    if (owns_mpi_) MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    else MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED)
      throw task_error(
          "placement: this MPI does not allow calls from several threads. Initialise it "
          "with MPI_THREAD_SERIALIZED.");
    for (MPI_Comm* c : {&data_, &talk_}) {
      MPI_Comm_dup(MPI_COMM_WORLD, c);
      MPI_Comm_set_errhandler(*c, MPI_ERRORS_RETURN);
    }
    MPI_Comm_rank(data_, &rank_);
    MPI_Comm_size(data_, &size_);
  }
  void finish() noexcept {
    MPI_Comm_free(&data_);
    MPI_Comm_free(&talk_);
    if (owns_mpi_) MPI_Finalize();
  }

  int rank_ = 0, size_ = 1;
  bool owns_mpi_ = false;
  MPI_Comm data_{}, talk_{};
};

}}}  // namespace placement::v0_1::detail
