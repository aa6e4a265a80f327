#pragma once
/// Definitions of parallel/rendezvous.hpp.

#include <placement/config.hpp>
#include <placement/parallel/rendezvous.hpp>
#include <placement/place/location.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

PLACEMENT_INLINE void throw_undivided(index_t rows, int towers, site at) {
  throw shape_error("placement: " + std::to_string(towers) + " towers cannot divide a batch of " +
                    std::to_string(rows) + " samples. Give a multiple of " +
                    std::to_string(towers) + "." +
                    placement::detail::location_text("tower::slice", at));
}

PLACEMENT_INLINE std::string rendezvous::name_of(std::size_t place) const {
  return "tower_" + std::to_string(static_cast<std::size_t>(group_.first) + place);
}
PLACEMENT_INLINE void rendezvous::pass_turn() noexcept {
  if (group_.of_a_task == 0) return;
  std::size_t const tasks = group_.count / group_.of_a_task;
  for (std::size_t i = 0; i != tasks; ++i) {
    std::size_t const task = (turn_ + i) % tasks, first = task * group_.of_a_task;
    for (std::size_t p = first; p != first + group_.of_a_task; ++p)
      if (!states_[p].waits && !states_[p].has_left) {
        turn_ = task;
        return changed_.notify_all();
      }
  }
}
PLACEMENT_INLINE bool rendezvous::begin(int tower) {
  placement::detail::mutex_guard guard(mutex_);
  std::size_t const me = place_of(tower);
  while (!has_turn(me)) changed_.wait(guard);
  return task_of(me) <= failed_task_;
}

PLACEMENT_INLINE void rendezvous::throw_broken(int tower, std::string const& what, site at) const {
  for (std::size_t i = 0; i != states_.size(); ++i) {
    state const& s = states_[i];
    std::string const name = name_of(i);
    if (!group_.has_threads)
      throw exchange_error("placement: tower_" + std::to_string(tower) + " waits for " + what +
                           ", but all towers run on one thread. Write tower_threads::per_tower." +
                           placement::detail::location_text("all_reduce", at));
    if (s.has_left)
      throw exchange_error("placement: tower_" + std::to_string(tower) + " waits for " + what +
                           ", but " + name +
                           " has ended its step. All towers make the same exchanges." +
                           placement::detail::location_text("all_reduce", at));
    if (s.waits && (s.what != what || s.at.line != at.line))
      throw exchange_error("placement: tower_" + std::to_string(tower) + " waits for " + what +
                           ", but " + name + " for " + s.what +
                           placement::detail::location_text("all_reduce", s.at) +
                           " All towers make the same exchanges." +
                           placement::detail::location_text("all_reduce", at));
  }
  throw exchange_error("placement: tower_" + std::to_string(tower) + " waits in vain for " + what +
                       "." + placement::detail::location_text("all_reduce", at));
}

PLACEMENT_INLINE void rendezvous::finish(std::exception_ptr e) noexcept {
  failure_ = std::move(e);
  waiting_ = 0;
  for (state& s : states_) s.waits = false;
  ++meetings_;
  changed_.notify_all();
}

PLACEMENT_INLINE void rendezvous::meet(int tower, tower_value mine, combine f, std::string what,
                                       site at) {
  std::size_t const me = place_of(tower);
  placement::detail::mutex_guard guard(mutex_);
  if (is_broken_) std::rethrow_exception(failure_);
  bool fits = group_.has_threads;
  for (state const& s : states_)
    fits = fits && !s.has_left && (!s.waits || (s.what == what && s.at.line == at.line));
  if (!fits) {
    try {
      throw_broken(tower, what, at);
    } catch (...) {
      is_broken_ = true;
      finish(std::current_exception());
      throw;
    }
  }
  values_[me] = mine;
  states_[me].waits = true;
  states_[me].what = std::move(what);
  states_[me].at = at;
  unsigned long const meeting = meetings_;
  if (++waiting_ == states_.size()) {
    guard.unlock();
    std::exception_ptr failure;
    try {
      f(values_, at);
    } catch (...) { failure = std::current_exception(); }
    guard.lock();
    turn_ = 0;
    finish(failure);
  } else {
    pass_turn();
  }
  while (meetings_ == meeting || !has_turn(me)) changed_.wait(guard);
  // The next meeting cannot end before this tower has come to it.
  if (failure_) std::rethrow_exception(failure_);
}

PLACEMENT_INLINE void rendezvous::leave(int tower, outcome how) noexcept {
  placement::detail::mutex_guard const guard(mutex_);
  states_[place_of(tower)].has_left = true;
  if (how == outcome::failed) failed_task_ = std::min(failed_task_, task_of(place_of(tower)));
  break_meeting();
  pass_turn();
}
PLACEMENT_INLINE void rendezvous::break_meeting() noexcept {
  if (waiting_ == 0) return;
  for (std::size_t i = 0; i != states_.size(); ++i) {
    if (!states_[i].waits) continue;
    try {
      throw_broken(group_.first + static_cast<int>(i), states_[i].what, states_[i].at);
    } catch (...) {
      is_broken_ = true;
      return finish(std::current_exception());
    }
  }
}

}}}}  // namespace placement::v0_1::parallel::detail
