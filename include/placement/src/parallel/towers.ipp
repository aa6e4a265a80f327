#pragma once
/// Definitions of parallel/towers.hpp and parallel/rendezvous.hpp.

#include <placement/config.hpp>
#include <placement/device/query.hpp>
#include <placement/expr/gradient_recorder.hpp>
#include <placement/ops/set_seed.hpp>
#include <placement/parallel/towers.hpp>
#include <placement/place/location.hpp>
#include <placement/place/name_scope.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/runtime/mutex.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace parallel {

namespace detail {

PLACEMENT_INLINE std::string text_of_devices(std::vector<device> const& all) {
  std::string text;
  for (device const d : all) text += (text.empty() ? "" : ", ") + to_string(d);
  return text;
}

PLACEMENT_INLINE void throw_undivided(index_t rows, int towers, site at) {
  throw shape_error("placement: " + std::to_string(towers) + " towers cannot divide a batch of " +
                    std::to_string(rows) + " samples. Give a multiple of " +
                    std::to_string(towers) + "." +
                    placement::detail::location_text("tower::slice", at));
}

/// Runs one function at a time on a thread of its own, which starts with the first one.
class tower_thread {
 public:
  tower_thread() = default;
  tower_thread(tower_thread const&) = delete;
  tower_thread& operator=(tower_thread const&) = delete;
  ~tower_thread() {
    if (!started_) return;
    {
      placement::detail::mutex_guard const guard(mutex_);
      stops_ = true;
      has_work_.notify_one();
    }
    ::pthread_join(thread_, nullptr);
  }

  /// Calls f(work) on the thread. If the system cannot start a thread: on this one.
  void start(void (*f)(void*), void* work) {
    if (!started_) started_ = ::pthread_create(&thread_, nullptr, &run_all, this) == 0;
    if (!started_) return f(work);
    placement::detail::mutex_guard const guard(mutex_);
    function_ = f;
    work_ = work;
    has_work_.notify_one();
  }
  void wait() noexcept {
    placement::detail::mutex_guard guard(mutex_);
    while (function_ != nullptr) is_done_.wait(guard);
  }

 private:
  static void* run_all(void* self) {
    static_cast<tower_thread*>(self)->loop();
    return nullptr;
  }
  void loop() noexcept {
    placement::detail::mutex_guard guard(mutex_);
    for (;;) {
      while (function_ == nullptr && !stops_) has_work_.wait(guard);
      if (function_ == nullptr) return;
      guard.unlock();
      function_(work_);
      guard.lock();
      function_ = nullptr;
      is_done_.notify_one();
    }
  }

  placement::detail::mutex mutex_{};
  placement::detail::condition_variable has_work_{}, is_done_{};
  void (*function_)(void*) = nullptr;
  void* work_ = nullptr;
  pthread_t thread_{};
  bool started_ = false, stops_ = false;
};

/// The threads of all towers but the first, whose function runs on the caller's thread.
class tower_team {
 public:
  explicit tower_team(std::size_t count) : count_(count) {}
  tower_team(tower_team const&) = delete;
  tower_team& operator=(tower_team const&) = delete;
  ~tower_team() { forget_those_of_parent(); }

  tower_thread& thread(std::size_t tower) {
    forget_those_of_parent();
    if (!threads_) {
      threads_ = std::make_unique<tower_thread[]>(count_);
      process_ = ::getpid();
    }
    return threads_[tower];
  }

 private:
  /// The threads of a process do not exist in its child. Their memory is not freed there.
  void forget_those_of_parent() noexcept {
    if (threads_ && process_ != ::getpid()) static_cast<void>(threads_.release());
  }

  std::size_t count_;
  std::unique_ptr<tower_thread[]> threads_{};
  pid_t process_ = 0;
};

/// The error of a tower that waits for others in vain. The error of another tower is its cause.
struct exchange_error final : placement_error {
  using placement_error::placement_error;
};

/// What a step takes from the thread that starts it.
struct step_context {
  device_spec requested;
  placement::detail::settings_change settings;
  label names;  ///< the path of the name scopes
  site at;
  std::optional<random_stream> numbers{};  ///< absent for one tower
};

/// One tower's part of a step.
struct tower_run {
  tower const* self;
  tower_function f;
  step_context const* context;
  bool is_own_thread;
  std::uint32_t copies = 0;
  std::exception_ptr failure{};
  bool waited_in_vain = false;

  void operator()() noexcept {
    namespace core = placement::detail;
    try {
      std::optional<core::open_scope> outer;
      std::uint32_t const before = core::copies_made;
      if (is_own_thread) {
        outer.emplace(context->requested, context->at);
        outer->set(context->settings);
      }
      std::optional<core::open_scope> outer_names;
      if (is_own_thread && context->names != label::none)
        outer_names.emplace(device_spec{}, context->at).set_names(context->names, true);
      name_scope const names(self->name(), context->at);
      core::open_scope const inside(device_spec{self->where()}, context->at);
      std::optional<core::random_stream_scope> numbers;
      if (context->numbers)
        numbers.emplace(*context->numbers, static_cast<std::uint64_t>(self->index()));
      tower_here = self;
      struct leaving {
        ~leaving() { tower_here = nullptr; }
      } const leaves;
      f.call(f.function, *self);
      if (is_own_thread) copies = core::copies_made - before;
    } catch (exchange_error const&) {
      failure = std::current_exception();
      waited_in_vain = true;
    } catch (...) { failure = std::current_exception(); }
    if (self->others() != nullptr) self->others()->leave(self->index());
  }
  static void call(void* self) { (*static_cast<tower_run*>(self))(); }
};

[[noreturn, gnu::cold]] PLACEMENT_INLINE void throw_tower_error(tower_run const& r) {
  std::string text = "placement: " + r.self->name() + " on " + to_string(r.self->where()) + " of " +
                     std::to_string(r.self->count()) +
                     (r.self->count() == 1 ? " tower: " : " towers: ");
  try {
    std::rethrow_exception(r.failure);
  } catch (std::exception const& e) {
    text += e.what();
    throw tower_error(text, r.self->index(), r.failure);  // nests e
  } catch (...) {
    text += "its function threw an object that is no std::exception";
    throw tower_error(text, r.self->index(), r.failure);
  }
}

[[gnu::cold]] PLACEMENT_INLINE void throw_if_recorded(site at) {
  if (placement::detail::gradients_here == nullptr) return;
  throw invalid_argument(
      "placement: a gradient_tape is open around the call of towers. It would not record what the "
      "towers compute. Open a tape in the function of each tower." +
      placement::detail::location_text("towers::run", at));
}
[[gnu::cold]] PLACEMENT_INLINE void throw_if_nested(site at) {
  if (tower_here == nullptr) return;
  throw invalid_argument("placement: " + tower_here->name() +
                         " calls towers of its own. Call them outside of the function of a tower." +
                         placement::detail::location_text("towers::run", at));
}

PLACEMENT_INLINE step_context context_of_step(std::size_t towers, site at) {
  throw_if_nested(at);
  throw_if_recorded(at);
  step_context c{placement::detail::requested_here().requested,
                 placement::detail::this_scope.settings.changes, placement::detail::names_here(),
                 at};
  if (towers > 1) c.numbers = placement::detail::next_random_stream();
  return c;
}

PLACEMENT_INLINE void rendezvous::throw_broken(int tower, std::string const& what, site at) const {
  for (std::size_t i = 0; i != states_.size(); ++i) {
    state const& s = states_[i];
    std::string const name = "tower_" + std::to_string(i);
    if (!has_threads_)
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
  throw exchange_error("placement: an exchange of towers has ended before tower_" +
                        std::to_string(tower) + " came to it: " + what + "." +
                        placement::detail::location_text("all_reduce", at));
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
  auto const me = static_cast<std::size_t>(tower);
  placement::detail::mutex_guard guard(mutex_);
  bool fits = has_threads_ && !is_broken_;
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
      f(values_);
    } catch (...) { failure = std::current_exception(); }
    guard.lock();
    finish(failure);
  } else {
    while (meetings_ == meeting) changed_.wait(guard);
  }
  // The next meeting cannot end before this tower has come to it.
  if (failure_) std::rethrow_exception(failure_);
}

PLACEMENT_INLINE void rendezvous::leave(int tower) noexcept {
  placement::detail::mutex_guard const guard(mutex_);
  auto const me = static_cast<std::size_t>(tower);
  states_[me].has_left = true;
  if (waiting_ == 0) return;
  for (std::size_t i = 0; i != states_.size(); ++i) {
    if (!states_[i].waits) continue;
    try {
      throw_broken(static_cast<int>(i), states_[i].what, states_[i].at);
    } catch (...) {
      is_broken_ = true;
      return finish(std::current_exception());
    }
  }
}

[[noreturn, gnu::cold]] PLACEMENT_INLINE void throw_tower_count(int count, int gpus, site at) {
  throw invalid_argument(
      "placement: " + std::to_string(count) + " towers, but there " +
      (gpus == 1 ? "is 1 GPU" : "are " + std::to_string(gpus) + " GPUs") + ". Give a number from 1 to " +
      std::to_string(gpus < 1 ? 1 : gpus) +
      ", or split a GPU into virtual devices, or simulate more by PLACEMENT_SIMULATED_GPUS." +
      placement::detail::location_text("towers", at));
}
PLACEMENT_INLINE std::vector<device> first_gpus(int count, site at) {
  int const gpus = device_count(kind::gpu);
  if (gpus == 0 && (count == 1 || count == -1)) return {cpu0};
  if (count == -1) count = gpus;
  if (count < 1 || count > gpus) throw_tower_count(count, gpus, at);
  std::vector<device> all;
  for (int i = 0; i != count; ++i) all.push_back({kind::gpu, i});
  return all;
}
PLACEMENT_INLINE std::vector<device> devices_of_names(std::initializer_list<device_request> names,
                                                      site at) {
  std::vector<device> all;
  for (device_request const& name : names) {
    device const d = name.requested.local_device();
    if (!name.requested.is_one_device() || !d.has_value())
      throw invalid_argument("placement: a tower on '" + to_string(name.requested) +
                             "', which is not the name of one device. Write \"/gpu:0\"." +
                             placement::detail::location_text("towers", at));
    all.push_back(d);
  }
  return all;
}

}  // namespace detail

PLACEMENT_INLINE towers::towers(std::vector<device> devices, tower_options o, site at)
    : devices_(std::move(devices)),
      options_(o),
      team_(std::make_shared<detail::tower_team>(devices_.size())) {
  if (devices_.empty())
    throw invalid_argument("placement: towers on no device. Give one device for each tower." +
                           placement::detail::location_text("towers", at));
  for (std::size_t i = 0; i != devices_.size(); ++i) {
    static_cast<void>(logical(devices_[i]));
    for (std::size_t j = 0; j != i; ++j)
      if (devices_[i] == devices_[j])
        throw invalid_argument("placement: tower_" + std::to_string(j) + " and tower_" +
                               std::to_string(i) + " are both on " + to_string(devices_[i]) +
                               ". Give one device for each tower." +
                               placement::detail::location_text("towers", at));
  }
}
PLACEMENT_INLINE towers::towers(tower_options o, site at)
    : towers(detail::first_gpus(-1, at), o, at) {}
PLACEMENT_INLINE towers::towers(int count, tower_options o, site at)
    : towers(detail::first_gpus(count, at), o, at) {}
PLACEMENT_INLINE towers::towers(std::initializer_list<device_request> names, tower_options o,
                                site at)
    : towers(detail::devices_of_names(names, at), o, at) {}

PLACEMENT_INLINE void towers::run_all(detail::tower_function f, site at) const {
  std::size_t const n = devices_.size();
  detail::step_context const context = detail::context_of_step(n, at);
  bool const has_threads = options_.threads == tower_threads::per_tower && n > 1;
  detail::rendezvous meeting(n, has_threads);
  std::vector<tower> all;
  std::vector<detail::tower_run> runs;
  all.reserve(n);
  runs.reserve(n);
  for (std::size_t i = 0; i != n; ++i) {
    all.emplace_back(static_cast<int>(i), static_cast<int>(n), devices_[i],
                     n == 1 ? nullptr : &meeting);
    runs.push_back({&all.back(), f, &context, has_threads && i != 0});
  }
  if (has_threads) {
    for (std::size_t i = 1; i != n; ++i)
      team_->thread(i).start(&detail::tower_run::call, &runs[i]);
    runs[0]();
    for (std::size_t i = 1; i != n; ++i) team_->thread(i).wait();
    for (detail::tower_run const& r : runs) placement::detail::copies_made += r.copies;
  } else {
    for (detail::tower_run& r : runs) {
      r();
      if (r.failure) break;
    }
  }
  for (bool const in_vain : {false, true})
    for (detail::tower_run const& r : runs)
      if (r.failure && r.waited_in_vain == in_vain) detail::throw_tower_error(r);
}
PLACEMENT_INLINE void towers::run_one(int index, detail::tower_function f, site at) const {
  detail::step_context const context = detail::context_of_step(1, at);
  tower const self(index, count(), where(index), nullptr);
  detail::tower_run run{&self, f, &context, false};
  run();
  if (run.failure) detail::throw_tower_error(run);
}

}}}  // namespace placement::v0_1::parallel
