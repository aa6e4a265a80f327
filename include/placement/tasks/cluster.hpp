#pragma once
/// Evaluates the expressions of a program of several tasks: each kernel on the task that its device
/// names, on one process or on several.

#include <placement/device/task_table.hpp>
#include <placement/device/worker.hpp>
#include <placement/expr/task_evaluator.hpp>
#include <placement/parallel/process_values.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/tasks/engine.hpp>
#include <placement/tasks/statement.hpp>
#include <placement/tasks/task_error.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// The messages of this process so far. A broadcast is one message to each other task, a sum or a
/// gather one from each task to each other one. With simulated tasks: those of all tasks.
struct message_count {
  std::size_t sent = 0, received = 0;
  std::size_t bytes_sent = 0, bytes_received = 0;

  friend bool operator==(message_count const&, message_count const&) = default;
};

namespace detail {

/// The sum of elements over all tasks, without their type.
struct task_sum {
  std::string_view op;    ///< for the log and for errors
  std::size_t element;    ///< bytes
  message_number number;  ///< the type, if the order may be the engine's; else none
  void (*add)(void* to, void const* x, std::size_t count);
  void (*divide)(void* x, std::size_t count, std::size_t by);  ///< null: a sum
  std::size_t groups = 1;  ///< the terms of each task, which lie one after another
};
/// A call of a function that concerns all tasks.
struct task_call {
  std::string_view op;
  site at;
  any_shape shape;
  std::size_t element;  ///< bytes
};

/// A sum that the thread of messages computes.
struct pending_sum {
  buffer_ref total{};
  std::exception_ptr error{};
  timeline_point point = 0;  ///< of that thread; 0: the sum is computed
};

/// An evaluation in progress on this thread.
struct task_frame;

class cluster final : public task_evaluator {
 public:
  /// engine: null if all tasks are simulated.
  cluster(std::vector<job> jobs, std::unique_ptr<task_engine> engine)
      : table_(std::move(jobs)), engine_(std::move(engine)) {
    start();
  }
  ~cluster() = default;

  task_table const& table() const noexcept { return table_; }
  int size() const noexcept { return table_.size(); }
  /// The task of this process; with simulated tasks the one whose function runs, else 0.
  int rank() const noexcept;
  bool is_simulated() const noexcept { return engine_ == nullptr; }
  /// The tasks whose work this process does: all if they are simulated.
  int tasks_of_this_process() const noexcept { return is_simulated() ? size() : 1; }
  /// Whether this process has the elements of a task.
  bool holds(int task) const noexcept { return is_simulated() || task == rank(); }
  message_count const& messages() const noexcept { return messages_; }
  std::uint64_t statements() const noexcept { return stream_.now().number; }

  void evaluate(fused_kernel const& k, fused_request const& r, result_tensor const& out) override;
  bool needs_message(buffer const& b) override;
  buffer_ref bring(buffer const& b, byte_range& part) override;
  void write(buffer_ref& elements, view_assignment const& a, site at) override;
  buffer_ref read(buffer const& from, call_site const& caller) override;
  buffer_ref moved(device where, buffer const& from, call_site const& caller) override;

  /// Throws: placement_error in the function of one task, and on a thread without statements.
  void check_together(std::string_view op, site at) const;
  /// Counts a statement of all tasks.
  void count(task_call const& call, std::uint64_t detail = 0);
  /// The elements of this process's task, or of each simulated task, in host memory.
  std::vector<buffer_ref> contributions(buffer const& x, task_call const& call);
  /// The sum over all tasks, in host memory.
  buffer_ref sum(task_call const& call, task_sum const& s, buffer const& x);
  /// The same, while this thread goes on.
  std::shared_ptr<pending_sum> start_sum(task_call const& call, task_sum const& s, buffer const& x);
  /// Waits for it. Throws: what the sum threw.
  buffer_ref finish(pending_sum const& p);
  /// Part i of the sum, on task i.
  buffer_ref sum_scattered(task_call const& call, task_sum const& s, buffer const& x);
  /// The elements of all tasks, one after another, in host memory.
  /// detail: another number that must be equal on all tasks.
  buffer_ref gathered(task_call const& call, buffer const& x, std::uint64_t detail = 0);
  /// The same inside of a step, on the thread of a tower: `mine` has the elements of the towers of
  /// this process.
  static buffer_ref gather_in_step(parallel::detail::process_values const& mine, site at);
  /// The elements of one task alone, there. No message.
  buffer_ref of_task(int task, task_call const& call, buffer const& x);
  /// Sends plain bytes of one task to all.
  void broadcast(int from, task_call const& call, void* bytes, std::size_t size);
  /// The end of the program on this task.
  void stop(bool failed) noexcept;
  /// Waits for all tasks.
  void barrier(task_call const& call);
  /// The first task that failed, -1 for none, and its message for all.
  int first_failed(task_call const& call, int failed_here, std::string& message);

  /// Elements of each task, from those of this process's.
  static buffer_ref per_task_elements(std::vector<buffer_ref> parts);
  static buffer_ref elements_of(device where, std::size_t size, std::vector<buffer_ref> parts);

  /// Runs the function of one task while it lives: nothing concerns other tasks.
  class alone {
   public:
    explicit alone(int task) noexcept : outer_(replace(task)) {}
    ~alone() { replace(outer_); }
    alone(alone const&) = delete;
    alone& operator=(alone const&) = delete;

    /// Sets the task whose function this thread runs. Returns the one before.
    static int replace(int task) noexcept;

   private:
    int outer_;
  };

 private:
  friend class task_sum_work;

  void start();
  /// The engine, once the thread of messages does not use it.
  task_engine& engine() {
    await_background();
    return *engine_;
  }
  void await_background();
  void note_background_failure(std::exception_ptr const& e) noexcept;
  void throw_if_background_failed();
  void check_contribution(buffer const& x, task_call const& call) const;
  /// The sum of `n` elements over all tasks. mine: this task's groups; to: for the sum.
  void sum_by_engine(statement const& now, task_sum const& s, std::byte const* mine, std::byte* to,
                     std::size_t n);
  void sum_by_exchange(statement const& now, task_sum const& s, std::byte const* mine,
                       std::byte* to, std::size_t n, std::size_t at, std::size_t count);
  void evaluate_on_task(kernel_placement const& p, fused_kernel const& k, fused_request const& r,
                        result_tensor const& out);
  void evaluate_for_all(kernel_placement const& p, fused_kernel const& k, fused_request const& r,
                        result_tensor const& out);
  buffer_ref evaluated_for_each(kernel_placement const& p, fused_kernel const& k,
                                fused_request const& r) const;
  void keep(result_tensor const& out, fused_request const& r, buffer_ref made);
  void count_messages(device from, device to, std::size_t bytes, std::size_t messages);
  void count_collective(std::size_t bytes);
  buffer_ref for_all(buffer const& b, byte_range& part, device to);
  void check_values(std::string_view op, fused_request const& r, buffer const* made);

  task_table const table_;
  std::unique_ptr<task_engine> engine_;
  statement_stream stream_;
  message_count messages_;
  bool checks_values_ = false;
  std::vector<std::byte> scratch_;
  lock guard_;
  std::exception_ptr background_error_;  ///< the first one, under guard_
  worker background_;  ///< the thread of messages; it owns the engine while it has work
};

/// Logs an op of all tasks.
[[gnu::cold]] void log_task_op(task_call const& call, std::string_view element, device where);
[[noreturn, gnu::cold]] void throw_undivided_over_tasks(std::string_view op,
                                                        std::string const& shape, int count,
                                                        site at);

/// The tasks of this program. Throws: placement_error without a tasks object.
cluster& cluster_of_program(std::string_view op, site at);

}  // namespace detail
}}  // namespace placement::v0_1
