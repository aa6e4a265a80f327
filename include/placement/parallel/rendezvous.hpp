#pragma once
/// The threads of towers, and the point where they meet to exchange values.

#include <placement/config.hpp>
#include <placement/error.hpp>
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
  void const* value = nullptr;  ///< its part
  void* result = nullptr;       ///< where its result is stored
};

/// Where the threads of one step exchange values. Every tower makes the same calls of meet() in the
/// same order. A tower that ends, or makes another call, is an error of those that wait.
class rendezvous {
 public:
  /// Makes the results of all towers from their values.
  using combine = void (*)(std::vector<tower_value> const& all);

  rendezvous(std::size_t towers, bool has_threads)
      : states_(towers), values_(towers), has_threads_(has_threads) {}

  /// Blocks until all towers have called it. The last one calls f for all. `what`: the exchange, in
  /// words, which are equal for all towers.
  /// Throws: placement_error if a tower has ended, or calls it with other words; exceptions of f,
  /// to all towers.
  void meet(int tower, tower_value mine, combine f, std::string what, site at);
  /// The tower will not call meet() again.
  void leave(int tower) noexcept;

 private:
  struct state {
    bool waits = false, has_left = false;
    std::string what{};
    site at{};
  };
  [[noreturn]] void throw_broken(int tower, std::string const& what, site at) const;
  /// Ends the meeting in progress.
  void finish(std::exception_ptr e) noexcept;

  placement::detail::mutex mutex_{};
  placement::detail::condition_variable changed_{};
  std::vector<state> states_;
  std::vector<tower_value> values_;
  std::exception_ptr failure_{};  ///< of the last meeting, or that broke all
  std::size_t waiting_ = 0;
  unsigned long meetings_ = 0;
  bool is_broken_ = false;
  bool has_threads_;
};

/// The first dimension at run time, the others as they are.
template <class X> struct rows_of;
template <index_t First, index_t... N> struct rows_of<extents<First, N...>> {
  using type = extents<dyn, N...>;
};

[[noreturn, gnu::cold]] void throw_exchange_of_tasks(site at);
[[noreturn, gnu::cold]] void throw_undivided(index_t rows, int towers, site at);

}  // namespace detail
}}}  // namespace placement::v0_1::parallel
