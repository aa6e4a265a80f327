#pragma once
/// The threads of towers, and the point where they meet to exchange values.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/parallel/process_values.hpp>
#include <placement/place/site.hpp>
#include <placement/runtime/mutex.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

class tower;

namespace detail {

/// The tower whose function this thread runs; null outside of towers.
PLACEMENT_PROCESS_STATE inline constinit thread_local tower const* tower_here = nullptr;

/// The error of a tower that waits for others in vain. The error of another tower is its cause.
struct exchange_error final : placement_error {
  using placement_error::placement_error;
};

/// What a tower brings to a meeting.
struct tower_value {
  tower const* self = nullptr;
  void const* value = nullptr;  ///< its part
  void* result = nullptr;       ///< where its result is stored
};

/// The towers of a process that meet.
struct tower_group {
  int first = 0;              ///< the number of the first one
  std::size_t count = 1;      ///< of towers
  bool has_threads = true;    ///< whether towers can wait for each other
  std::size_t of_a_task = 0;  ///< towers of one simulated task; 0: they are of one task
};

/// Where the threads of one step exchange values. Every tower makes the same calls of meet() in the
/// same order. A tower that ends, or makes another call, is an error of those that wait.
///
/// Towers of several simulated tasks take turns, as processes share nothing: those of one task run
/// until each of them waits or has ended, then those of the next task.
class rendezvous {
 public:
  /// Makes the results of all towers from their values.
  using combine = void (*)(std::vector<tower_value> const& all, site at);

  explicit rendezvous(tower_group const& g) : group_(g), states_(g.count), values_(g.count) {}

  /// Waits until it is the tower's turn to begin. False: a tower of a task before has failed.
  bool begin(int tower);

  /// Blocks until all towers have called it. The last one calls f for all. `what`: the exchange, in
  /// words, which are equal for all towers.
  /// Throws: placement_error if a tower has ended, or calls it with other words; exceptions of f,
  /// to all towers.
  void meet(int tower, tower_value mine, combine f, std::string what, site at);
  /// The tower will not call meet() again.
  enum class outcome { ended, failed };
  void leave(int tower, outcome how) noexcept;

 private:
  struct state {
    bool waits = false, has_left = false;
    std::string what{};
    site at{};
  };
  std::size_t task_of(std::size_t place) const {
    return group_.of_a_task == 0 ? 0 : place / group_.of_a_task;
  }
  std::size_t place_of(int tower) const { return static_cast<std::size_t>(tower - group_.first); }
  std::string name_of(std::size_t place) const;
  bool has_turn(std::size_t place) const { return task_of(place) == turn_; }
  /// Passes the turn to the next task whose towers can run, if this one's cannot.
  void pass_turn() noexcept;
  [[noreturn]] void throw_broken(int tower, std::string const& what, site at) const;
  /// Ends a meeting that a tower will not come to.
  void break_meeting() noexcept;
  /// Ends the meeting in progress.
  void finish(std::exception_ptr e) noexcept;

  tower_group const group_;
  placement::detail::mutex mutex_{};
  placement::detail::condition_variable changed_{};
  std::vector<state> states_;
  std::vector<tower_value> values_;
  std::exception_ptr failure_{};  ///< of the last meeting, or that broke all
  std::size_t waiting_ = 0;
  unsigned long meetings_ = 0;
  std::size_t turn_ = 0;  ///< the simulated task whose towers run
  std::size_t failed_task_ = static_cast<std::size_t>(-1);
  bool is_broken_ = false;
};

/// The first dimension at run time, the others as they are.
template <class X> struct rows_of;
template <index_t First, index_t... N> struct rows_of<extents<First, N...>> {
  using type = extents<dyn, N...>;
};

[[noreturn, gnu::cold]] void throw_undivided(index_t rows, int towers, site at);

}  // namespace detail
}}}  // namespace placement::v0_1::parallel
