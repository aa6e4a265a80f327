#pragma once
/// The reports of the tasks of an MPI program to each other.

#include <placement/tasks/mpi_process.hpp>
#include <placement/tasks/task_report.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// Sends reports, and receives those of the others in any order, on a communicator of its own.
/// Thread: that of the engine.
class mpi_news {
 public:
  void start(MPI_Comm talk, int rank, int size) {
    talk_ = talk;
    rank_ = rank;
    told_.resize(static_cast<std::size_t>(size));
    heard_.resize(told_.size());
    listen();
  }
  /// Sends a report to each other task, without a wait.
  void tell(std::shared_ptr<task_news const> const& n) {
    for (std::size_t t = 0; t != told_.size(); ++t) {
      if (static_cast<int>(t) == rank_) continue;
      MPI_Request r;
      MPI_Isend(n.get(), sizeof *n, MPI_BYTE, static_cast<int>(t), tag, talk_, &r);
      telling_.push_back({r, n});
      ++told_[t];
    }
    progress();
  }
  /// A report that has arrived.
  std::optional<task_news> next() {
    int done = 0;
    if (hearing_ != MPI_REQUEST_NULL) MPI_Test(&hearing_, &done, MPI_STATUS_IGNORE);
    if (done == 0) return {};
    task_news const n = inbox_;
    ++heard_[static_cast<std::size_t>(n.task)];
    listen();
    return n;
  }
  /// Lets MPI send the reports of this task.
  void progress() {
    std::erase_if(telling_, [](auto& one) {
      int done = 0;
      MPI_Test(&one.first, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
  }
  /// Ends it on all tasks, with f(report) for those that are on their way: none may be when MPI
  /// ends. data: a communicator of all tasks.
  template <class F> void finish(MPI_Comm data, F const& f) {
    std::vector<int> due(told_.size());
    MPI_Alltoall(told_.data(), 1, MPI_INT, due.data(), 1, MPI_INT, data);
    for (std::size_t t = 0; t != due.size();) {
      if (heard_[t] >= due[t]) ++t;
      else if (auto const n = next()) f(*n);
    }
    for (auto& one : telling_) MPI_Wait(&one.first, MPI_STATUS_IGNORE);
    MPI_Cancel(&hearing_);
    MPI_Wait(&hearing_, MPI_STATUS_IGNORE);
  }

 private:
  static constexpr int tag = 1;

  void listen() {
    MPI_Irecv(&inbox_, sizeof inbox_, MPI_BYTE, MPI_ANY_SOURCE, tag, talk_, &hearing_);
  }

  MPI_Comm talk_{};
  int rank_ = 0;
  task_news inbox_;
  MPI_Request hearing_ = MPI_REQUEST_NULL;
  std::vector<int> told_, heard_;  ///< for each task, the number of reports
  std::vector<std::pair<MPI_Request, std::shared_ptr<task_news const>>> telling_;
};

}}}  // namespace placement::v0_1::detail
