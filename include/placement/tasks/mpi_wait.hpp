#pragma once
/// How a process of an MPI program waits: it makes progress, receives the reports of the others,
/// and sends its own. So programs that diverge end with an error that names both lines.

#include <placement/device/names.hpp>
#include <placement/tasks/engine.hpp>
#include <placement/tasks/mpi_news.hpp>
#include <placement/tasks/mpi_process.hpp>
#include <placement/tasks/mpi_session.hpp>
#include <placement/tasks/mpi_watchdog.hpp>
#include <placement/tasks/task_error.hpp>
#include <placement/tasks/task_report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The part of an MPI engine that waits. There is one stream of data, and one of news.
class mpi_wait : public task_engine, protected mpi_session {
 public:
  mpi_wait(int& argc, char**& argv) : mpi_session(argc, argv) {}
  ~mpi_wait() override {
    if (!is_stopped_) stop(true);
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }

  void start(engine_facts const& facts) override {
    facts_ = std::make_unique<engine_facts>(facts);
    process_identity const me = process_identity::own(facts.devices, facts.settings);
    std::vector<process_identity> all(static_cast<std::size_t>(size_));
    MPI_Allgather(&me, sizeof me, MPI_BYTE, all.data(), sizeof me, MPI_BYTE, data_);
    for (int t = 0; t != size_; ++t) {
      std::string const how = all[static_cast<std::size_t>(t)].difference_from(all[0]);
      if (!how.empty())
        throw task_error("placement: " + name(t) + " differs from " + name(0) + ": it " + how);
    }
    alive_ = other_processes(all, rank_);
    news_.start(talk_, rank_, size_);
    words_.emplace(&mpi_wait::describe, this);
    terminating_.emplace(&mpi_wait::tell_termination, this);
    if (facts.limit > 0) watchdog_.emplace(facts.limit + 1, &mpi_wait::describe_stuck, this);
  }

  void stop(bool failed) noexcept override {
    if (std::exchange(is_stopped_, true)) return;
    if (facts_ == nullptr) return finish();
    if (watchdog()) watchdog_->enter();  // until the process has ended
    if (!failed && !has_failed_) {
      try {
        statement const end = facts_->statements.latest();
        agree(end);
        flush(end);
        news_.finish(data_, [&](task_news const& n) { consider(n, end); });
        words_.reset();
        terminating_.reset();
        finish();
        return watchdog_.reset();
      } catch (std::exception const& e) { std::fprintf(stderr, "%s\n", e.what()); } catch (...) {
      }
    }
    report_error("an exception left the scope of its tasks object", 0.2);
    terminating_.reset();
    abort_at_exit();
  }

 protected:
  static constexpr int tag = 1;

  MPI_Comm data() const noexcept { return data_; }
  virtual void flush(statement const& s) = 0;

  mpi_watchdog* watchdog() noexcept { return watchdog_ ? &*watchdog_ : nullptr; }
  void check(statement const& s, int code) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int n = 0;
    MPI_Error_string(code, text, &n);
    throw failure("placement: MPI: " + std::string(text, static_cast<std::size_t>(n)) +
                  " in statement " + s.text());
  }

  /// The only place where a process waits for another.
  void wait(statement const& s, MPI_Request& r, int peer, MPI_Status* status = MPI_STATUS_IGNORE) {
    struct waiting {
      mpi_wait& of;
      ~waiting() { of.awaited_ = of.rank_; }
    } const until_here{*this};
    awaited_ = peer;
    double start = 0, next = 0, look = 0;
    bool warned = false;
    for (unsigned spins = 0;; ++spins) {
      int done = 0;
      check(s, MPI_Test(&r, &done, status));
      if (done != 0) return;
      if (spins < 2000) continue;
      double const now = MPI_Wtime();
      if (start == 0) start = now, next = now + facts_->patience;
      // After a millisecond other processes may have the cores, and a turn of this loop takes long.
      if (spins % 8 == 0 || now > start + 0.001) hear(s);
      if (now > look) find_dead(s, peer), look = now + 0.01;
      if (now > next) {
        tell(0, {});
        next = now + facts_->patience;
        if (now > start + 2 * facts_->patience && !std::exchange(warned, true))
          std::fprintf(stderr, "placement: %s waits for %s since %.1f s, in statement %s\n",
                       name(rank_).c_str(), name(peer).c_str(), now - start, s.text().c_str());
      }
      if (facts_->limit > 0 && now > start + facts_->limit)
        throw failure("placement: " + name(rank_) + " waited for " + name(peer) + " for " +
                      std::to_string(facts_->limit) + " s (PLACEMENT_TASKS_LIMIT), in statement " +
                      s.text());
      if (now > start + 0.2) pause_briefly();
      else yield_core();
    }
  }

  [[noreturn]] void throw_diverged(int task, statement const& theirs, statement ours) {
    statement const same = facts_->statements.at(theirs.number);
    if (same.number == theirs.number && theirs.number != 0) ours = same;
    if (ours.text() == theirs.text() && ours.home == theirs.home)
      throw failure("placement: in statement " + ours.text() +
                    " a number or an element that is the same on every task is another one on " +
                    name(task) + " than on " + name(rank_) +
                    ". Make it from the same data and seed, or with each_task.");
    throw failure("placement: the tasks do not run the same statements: statement " +
                  theirs.text() + " on " + name(task) + ", but " + ours.text() + " on " +
                  name(rank_) +
                  ". A condition differs between them: read its value with all_sum, of_task or "
                  "from_task.");
  }
  /// The reports of the others have their statements, which name the first one that differs.
  [[noreturn]] void throw_not_agreed(statement const& s) {
    tell(0, {});
    double const end = MPI_Wtime() + std::max(facts_->patience, 1.0);
    while (MPI_Wtime() < end) {
      hear(s);
      pause_briefly();
    }
    throw failure("placement: the tasks do not run the same statements: this is " + s.text() +
                  " on " + name(rank_) + ", but not on every task.");
  }

 private:
  std::string name(int t) const {
    return t < 0 ? std::string("every task") : to_string(facts_->table.parts(t));
  }
  void find_dead(statement const& s, int peer) {
    for (std::size_t t = 0; t != alive_.size(); ++t)
      if (alive_[t].has_ended())
        throw failure("placement: " + name(static_cast<int>(t)) + " has died; " + name(rank_) +
                      " waits for " + name(peer) + " in statement " + s.text());
  }

  // ---- news

  void tell(int has_failed, std::string_view why) noexcept try {
    auto n = std::make_shared<task_news>();
    n->task = rank_;
    n->has_failed = has_failed;
    n->awaited = awaited_;
    why.copy(n->why, sizeof n->why - 1);
    std::uint64_t const now = facts_->statements.latest().number;
    std::uint64_t const k = std::min<std::uint64_t>(now, n->last.size());
    n->known = static_cast<std::int32_t>(k);
    for (std::uint64_t i = 0; i != k; ++i) n->last[i] = facts_->statements.at(now - k + 1 + i);
    news_.tell(n);
  } catch (...) {}

  void hear(statement const& s) {
    if (auto const n = news_.next()) consider(*n, s);
  }
  /// Throws if a report has another statement than this task.
  void compare(task_news const& n) {
    for (int i = 0; i != n.known; ++i) {
      statement const& theirs = n.last[static_cast<std::size_t>(i)];
      statement const ours = facts_->statements.at(theirs.number);
      if (ours.number == theirs.number && ours.hash != theirs.hash && ours.number != 0)
        throw_diverged(n.task, theirs, ours);
    }
  }
  /// Throws if a report shows a failure. `s`: the statement that waits.
  void consider(task_news const& n, statement const& s) {
    compare(n);
    statement const last =
        n.known > 0 ? n.last[static_cast<std::size_t>(n.known - 1)] : statement{};
    if (n.has_failed != 0)
      throw failure("placement: " + name(n.task) + " failed after statement " + last.text() +
                    (n.why[0] == '\0' ? std::string() : ": " + std::string(n.why)) + "; this is " +
                    s.text() + " on " + name(rank_));
    // It is behind, and may need the statements of this task.
    if (last.number < facts_->statements.latest().number && answered_ != last.number) {
      answered_ = last.number;
      tell(0, {});
    }
  }

  /// Reports a failure to the others, and lets them say theirs before this process ends.
  task_error failure(std::string const& text) {
    report_failure(std::string_view(text).substr(text.starts_with("placement: ") ? 11 : 0), 0.2);
    return task_error(text);
  }
  void report_failure(std::string_view why, double seconds) noexcept {
    if (std::exchange(has_failed_, true)) return;
    watched_call const call(watchdog());
    tell(1, why);
    double const end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end) {
      news_.progress();
      pause_briefly();
    }
  }
  /// The same for an error of this task alone. It may be the first sign of other statements: an
  /// operand has another shape here. Then this task names both lines, too.
  /// seconds: at least, so that the others can print their messages. It hears them for 1 s at most.
  void report_error(std::string_view why, double seconds) noexcept try {
    if (std::exchange(has_failed_, true)) return;
    watched_call const call(watchdog());
    tell(1, why);
    std::vector<bool> silent(static_cast<std::size_t>(size_), true);
    silent[static_cast<std::size_t>(rank_)] = false;
    double const start = MPI_Wtime();
    double const longest = watchdog_ ? 0.5 : 1;  // it ends this process 1 s after the limit
    bool has_named = false;
    for (double passed = 0; passed < seconds || (passed < longest && one_lives_of(silent));
         passed = MPI_Wtime() - start) {
      if (auto const n = news_.next()) {
        if (n->has_failed != 0) silent[static_cast<std::size_t>(n->task)] = false;
        has_named = has_named || names_divergence(*n);
      } else {
        pause_briefly();
      }
    }
  } catch (...) {}
  bool one_lives_of(std::vector<bool> const& tasks) const {
    for (std::size_t t = 0; t != alive_.size(); ++t)
      if (tasks[t] && !alive_[t].has_ended()) return true;
    return false;
  }
  bool names_divergence(task_news const& n) {
    try {
      compare(n);
    } catch (task_error const& e) {
      std::fprintf(stderr, "%s\n", e.what());
      return true;
    }
    return false;
  }
  static void tell_termination(void* self, char const* why) noexcept {
    static_cast<mpi_wait*>(self)->report_error(why, 0.6);
  }
  /// The line of a process that is stopped from outside.
  static int describe(void const* self, char* line, std::size_t size) noexcept {
    auto const* const e = static_cast<mpi_wait const*>(self);
    if (e->has_failed_) return 0;
    statement const s = e->facts_->statements.latest();
    return std::snprintf(
        line, size, "placement: task %d was stopped in statement %llu (%s) at %s:%u\n", e->rank_,
        static_cast<unsigned long long>(s.number), s.what, s.file, s.line);
  }
  /// The line of a process inside a call of MPI that does not return.
  static int describe_stuck(void const* self, char* line, std::size_t size) {
    auto const* const e = static_cast<mpi_wait const*>(self);
    statement const s = e->facts_->statements.latest();
    return std::snprintf(
        line, size,
        "placement: task %d waited in MPI for longer than %g s (PLACEMENT_TASKS_LIMIT), in "
        "statement %llu (%s) at %s:%u\n",
        e->rank_, e->facts_->limit, static_cast<unsigned long long>(s.number), s.what, s.file,
        s.line);
  }
  int awaited_ = every_task;
  bool is_stopped_ = false, has_failed_ = false;
  std::unique_ptr<engine_facts> facts_;
  std::vector<process_handle> alive_;  ///< of the tasks on this host
  mpi_news news_;
  std::uint64_t answered_ = 0;
  std::optional<last_words> words_;
  std::optional<at_terminate> terminating_;
  std::optional<mpi_watchdog> watchdog_;  ///< under a time limit
};

}}}  // namespace placement::v0_1::detail
