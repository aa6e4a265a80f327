#pragma once
/// Definitions of parallel/tower_team.hpp.

#include <placement/config.hpp>
#include <placement/device/query.hpp>
#include <placement/expr/gradient_recorder.hpp>
#include <placement/ops/set_seed.hpp>
#include <placement/parallel/tower_team.hpp>
#include <placement/place/location.hpp>
#include <placement/place/name_scope.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/src/parallel/tower_threads.ipp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

/// What a step takes from the thread that starts it.
struct step_context {
  device_spec requested;
  placement::detail::settings_change settings;
  label names;  ///< the path of the name scopes
  site at;
  std::optional<random_stream> numbers{};  ///< absent for one tower
  int (*enter_task)(int task) noexcept = nullptr;
};
/// The thread of a tower belongs to its task.
class task_of_thread {
 public:
  task_of_thread(step_context const& c, int task) noexcept
      : context_(c), outer_(c.enter_task == nullptr ? 0 : c.enter_task(task)) {}
  task_of_thread(task_of_thread const&) = delete;
  task_of_thread& operator=(task_of_thread const&) = delete;
  ~task_of_thread() {
    if (context_.enter_task != nullptr) context_.enter_task(outer_);
  }

 private:
  step_context const& context_;
  int outer_;
};

/// One tower's part of a step.
struct tower_run {
  tower const* self;
  tower_function f;
  step_context const* context;
  bool is_own_thread;
  int task = 0;
  rendezvous* others = nullptr;  ///< null: it runs alone
  std::uint32_t copies = 0;
  std::exception_ptr failure{};
  bool waited_in_vain = false;

  void operator()() noexcept {
    namespace core = placement::detail;
    if (others != nullptr && !others->begin(self->index()))
      return others->leave(self->index(), rendezvous::outcome::failed);
    task_of_thread const of_task(*context, task);
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
    if (others != nullptr)
      others->leave(self->index(),
                    failure ? rendezvous::outcome::failed : rendezvous::outcome::ended);
  }
  static void call(void* self) { (*static_cast<tower_run*>(self))(); }
};

[[noreturn, gnu::cold]] PLACEMENT_INLINE void throw_of_variable(std::string const& name) {
  std::string const text = "placement: variable '" + name + "': ";
  try {
    throw;
  } catch (std::exception const& e) { std::throw_with_nested(placement_error(text + e.what())); }
}

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

PLACEMENT_INLINE step_context context_of_step(std::size_t towers, tower_part const& part, site at) {
  throw_if_nested(at);
  throw_if_recorded(at);
  step_context c{placement::detail::requested_here().requested,
                 placement::detail::this_scope.settings.changes,
                 placement::detail::names_here(),
                 at,
                 part.numbers,
                 part.enter_task};
  if (towers > 1 && part.total == 0) c.numbers = placement::detail::next_random_stream();
  return c;
}

[[noreturn, gnu::cold]] PLACEMENT_INLINE void throw_tower_count(int count, int gpus, site at) {
  throw invalid_argument(
      "placement: " + std::to_string(count) + " towers, but there " +
      (gpus == 1 ? "is 1 GPU" : "are " + std::to_string(gpus) + " GPUs") +
      ". Give a number from 1 to " + std::to_string(gpus < 1 ? 1 : gpus) +
      ", or split a GPU into virtual devices, or simulate more by PLACEMENT_SIMULATED_GPUS." +
      placement::detail::location_text("towers", at));
}
PLACEMENT_INLINE std::vector<device> first_gpus(int count, site at) {
  int const gpus = device_count(kind::gpu);
  if (gpus == 0 && (count == 1 || count == -1)) return {cpu0};
  if (count == -1) count = gpus;
  if (count < 1 || count > gpus) throw_tower_count(count, gpus, at);
  std::vector<device> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i != count; ++i) all.push_back({kind::gpu, i});
  return all;
}
PLACEMENT_INLINE std::vector<device> ids_of(std::vector<logical_device> const& devices) {
  std::vector<device> all;
  all.reserve(devices.size());
  for (logical_device const& d : devices) all.push_back(d.id);
  return all;
}
PLACEMENT_INLINE std::vector<device> devices_of(std::initializer_list<device_request> names,
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

PLACEMENT_INLINE void check_devices(std::vector<device> const& devices, site at) {
  if (devices.empty())
    throw invalid_argument("placement: towers on no device. Give one device for each tower." +
                           placement::detail::location_text("towers", at));
  for (std::size_t i = 0; i != devices.size(); ++i) {
    static_cast<void>(logical(devices[i]));
    for (std::size_t j = 0; j != i; ++j)
      if (devices[i] == devices[j])
        throw invalid_argument("placement: tower_" + std::to_string(j) + " and tower_" +
                               std::to_string(i) + " are both on " + to_string(devices[i]) +
                               ". Give one device for each tower." +
                               placement::detail::location_text("towers", at));
  }
}
PLACEMENT_INLINE std::shared_ptr<tower_team> make_team() { return std::make_shared<tower_team>(); }

PLACEMENT_INLINE void run_towers(std::vector<device> const& devices, tower_threads threads,
                                 tower_team& team, tower_part const& part, tower_function f,
                                 site at) {
  std::size_t const of_a_task = devices.size();
  std::size_t const n = of_a_task * static_cast<std::size_t>(part.tasks);
  step_context const context = context_of_step(n, part, at);
  // Towers of different tasks can always wait for each other.
  bool const has_threads =
      n > 1 && (threads == tower_threads::per_tower || of_a_task == 1) && team.is_complete(n);
  rendezvous meeting({part.first, n, has_threads, part.tasks == 1 ? 0 : of_a_task});
  rendezvous* const others = n == 1 ? nullptr : &meeting;
  std::vector<tower> all;
  std::vector<tower_run> runs;
  all.reserve(n);
  runs.reserve(n);
  for (std::size_t i = 0; i != n; ++i) {
    int const task = part.task + static_cast<int>(i / of_a_task);
    all.emplace_back(part.first + static_cast<int>(i),
                     part.total != 0 ? part.total : static_cast<int>(n), devices[i % of_a_task],
                     others, part.gather);
    runs.push_back(
        {&all.back(), f, &context, has_threads && i != 0, task, has_threads ? others : nullptr});
  }
  if (has_threads) {
    team.reserve(n);
    for (std::size_t i = 1; i != n; ++i) team.thread(i).start(&tower_run::call, &runs[i]);
    runs[0]();
    for (std::size_t i = 1; i != n; ++i) team.thread(i).wait();
    for (tower_run const& r : runs) placement::detail::copies_made += r.copies;
  } else {
    for (tower_run& r : runs) {
      r();
      if (r.failure) break;
    }
  }
  for (bool const in_vain : {false, true})
    for (tower_run const& r : runs)
      if (r.failure && r.waited_in_vain == in_vain) throw_tower_error(r);
}
PLACEMENT_INLINE void run_tower(std::vector<device> const& devices, int index,
                                tower_part const& part, tower_function f, site at) {
  step_context const context = context_of_step(1, part, at);
  tower const self(index, part.total != 0 ? part.total : static_cast<int>(devices.size()),
                   devices.at(static_cast<std::size_t>(index - part.first)), nullptr);
  tower_run run{&self, f, &context, false, part.task};
  run();
  if (run.failure) throw_tower_error(run);
}

}}}}  // namespace placement::v0_1::parallel::detail
