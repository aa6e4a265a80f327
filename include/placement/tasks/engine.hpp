#pragma once
/// The interface to a library of messages, such as MPI, as `platform` is the one to GPUs.

#include <placement/device/machine.hpp>
#include <placement/device/task_table.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
struct statement;
class statement_stream;
}  // namespace detail

/// The numbers that a library of messages adds in an order of its own.
enum class message_number : unsigned char { none, float32, float64, int32, int64 };

/// What an engine needs of the process.
struct engine_facts {
  detail::statement_stream const& statements;
  detail::task_table const& table;
  double patience;         ///< seconds until a waiting task notifies the others
  double limit;            ///< seconds until a wait is an error; 0: never
  machine devices;         ///< must be equal on all tasks
  std::uint64_t settings;  ///< a hash of what else must be equal
};

/// The processes of a program, each of which is one task. All functions but send() wait; a wait
/// ends with a task_error if the tasks do not agree, or if one failed. Memory is host memory. Each
/// call is part of a statement, which must be the same on all tasks that take part.
/// Thread: one at a time.
class task_engine {
 public:
  using statement = detail::statement;

  virtual ~task_engine() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// Compares the tasks, and begins to listen to them.
  virtual void start(engine_facts const& facts) = 0;

  /// Sends bytes to a task, which `owner` keeps until they are sent. Messages from one task to
  /// another arrive in order, and each says the statement it belongs to.
  virtual void send(statement const& s, int to, void const* bytes, std::size_t size,
                    std::shared_ptr<void> owner) = 0;
  virtual void receive(statement const& s, int from, void* bytes, std::size_t size) = 0;

  /// Waits until all tasks are at this statement. The functions below do the same first.
  virtual void agree(statement const& s) = 0;
  /// The bytes of one task, for all.
  virtual void broadcast(statement const& s, int from, void* bytes, std::size_t size) = 0;
  /// Part i of `mine` goes to task i, whose part arrives as part i of `all`. size: of a part.
  virtual void exchange(statement const& s, void const* mine, void* all, std::size_t size) = 0;
  /// The bytes of all tasks, one after another.
  virtual void gather(statement const& s, void const* mine, void* all, std::size_t size) = 0;
  /// Sums in an order that the library of messages chooses.
  virtual void sum(statement const& s, void* x, std::size_t count, message_number type) = 0;
  /// The largest of the numbers.
  virtual std::uint64_t largest(statement const& s, std::uint64_t mine) = 0;

  /// The end of the program on this task. After a failure all tasks end with this process, by a
  /// status that is not 0.
  virtual void stop(bool failed) noexcept = 0;

  task_engine(task_engine const&) = delete;
  task_engine& operator=(task_engine const&) = delete;

 protected:
  task_engine() = default;
};

}}  // namespace placement::v0_1
