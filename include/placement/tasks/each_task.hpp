#pragma once
/// Functions that run on each task by itself, or on one.

#include <placement/error.hpp>
#include <placement/ops/set_seed.hpp>
#include <placement/place/log.hpp>
#include <placement/tasks/task.hpp>
#include <placement/tasks/values.hpp>

#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Runs f for one task: its random ops have streams of the task's own.
template <class F>
auto run_alone(F const& f, task const& t, std::optional<random_stream> const& streams) {
  cluster::alone const alone(t.index);
  std::optional<random_stream_scope> random;
  if (streams) random.emplace(*streams, static_cast<std::uint64_t>(t.index));
  return f(t);
}

/// The part of a value that the task whose function runs has of its own.
template <class V> void take_own_parts(V& value, site at) {
  for_each_tensor(
      [&](auto& t) {
        buffer_ref& b = tensor_access::elements(t);
        if (b && b->is_of_tasks()) b = copied_to(b->where().local(), *b.get(), at.file, at.line);
      },
      value);
}
/// A value of each task, from those of the tasks of this process.
template <class V> V joined_values(std::vector<V> of, site at) {
  V all = of[0];
  // One tensor at a time, over all tasks.
  std::vector<std::vector<buffer_ref>> parts;
  for (V& one : of) {
    std::size_t i = 0;
    for_each_tensor(
        [&](auto& t, auto& first) {
          if (!(t.shape() == first.shape()))
            throw shape_error("placement: each_task" + place_text(at) + " gives shape " +
                              to_string(t.shape()) + " on one task and " +
                              to_string(first.shape()) + " on another. Give all tasks one shape.");
          if (i == parts.size()) parts.emplace_back();
          parts[i++].push_back(tensor_access::elements(t));
        },
        one, all);
  }
  std::size_t i = 0;
  for_each_tensor(
      [&](auto& t) {
        std::vector<buffer_ref>& elements = parts[i++];
        if (elements[0])
          tensor_access::elements(t) = cluster::per_task_elements(std::move(elements));
      },
      all);
  return all;
}

/// each_task() with these random streams; none: those of the program.
template <class F> auto run_each(F const& f, std::optional<random_stream> const& streams, site at) {
  using result = std::invoke_result_t<F const&, task>;
  bool const has_tasks = tasks_of_process.load() != nullptr;
  cluster* const all = has_tasks ? &cluster_of_program("each_task", at) : nullptr;
  if (all != nullptr) all->check_together("each_task", at);
  task const own = this_task();
  int const first = all != nullptr && all->is_simulated() ? 0 : own.index;
  int const last = all != nullptr && all->is_simulated() ? own.count : first + 1;
  if constexpr (std::is_void_v<result>) {
    for (int t = first; t != last; ++t) run_alone(f, task{t, own.count}, streams);
  } else {
    using value = tensor_value_t<std::remove_cvref_t<result>>;
    std::vector<value> found;
    for (int t = first; t != last; ++t)
      found.push_back(run_alone(
          [&](task one) {
            value v(f(one));
            take_own_parts(v, at);
            return v;
          },
          task{t, own.count}, streams));
    if (all == nullptr) return std::move(found[0]);
    return joined_values(std::move(found), at);
  }
}

/// Runs f(first, count) for the tasks of this process, which returns a value for each of them.
/// Result: a value of each task.
template <class F> auto run_tasks_of_process(F const& f, site at) {
  cluster& all = cluster_of_program("each_task", at);
  all.check_together("each_task", at);
  int const first = all.is_simulated() ? 0 : all.rank(), count = all.tasks_of_this_process();
  auto found = [&] {
    cluster::alone const alone(first);
    return f(first, count);
  }();
  for (std::size_t i = 0; i != found.size(); ++i) {
    cluster::alone const alone(first + static_cast<int>(i));
    take_own_parts(found[i], at);
  }
  return joined_values(std::move(found), at);
}
}  // namespace detail

/// Runs f(task) on each task by itself. Its result is a value that each task has of its own: a
/// tensor, or a tuple, pair, array or vector of tensors, with equal shapes on all tasks. Ops in f
/// concern no other task, and its random ops differ between the tasks.
///
///     auto batch = pl::each_task([&](pl::task t) { return data.batch(step, t.index, t.count); });
///
/// Throws: what f throws; placement_error for an op in f on another task. Without a tasks object it
/// is f(task{}). No message.
template <class F> auto each_task(F const& f, site at = site::here()) {
  std::optional<random_stream> streams;  // one task has those of a program without tasks
  if (this_task().count > 1) streams = detail::next_random_stream();
  return detail::run_each(f, streams, at);
}

/// Runs f on one task: work such as writing a file, without statements about other tasks.
/// Throws: what f throws, on that task alone; all_or_none() is for what may fail.
template <class F> void at_task(int index, F const& f, site at = site::here()) {
  if (detail::tasks_of_process.load() == nullptr) return f();
  detail::cluster& all = detail::cluster_of_program("at_task", at);
  all.check_together("at_task", at);
  if (!all.holds(index)) return;
  random_state const numbers = current_random_state();  // random ops in f advance no other task's
  detail::run_alone([&](task) { f(); }, task{index, all.size()},
                    random_stream{numbers.seed, numbers.next});
}
/// Runs f on task 0.
template <class F> void at_chief(F const& f, site at = site::here()) { at_task(0, f, at); }

/// A plain value that one task computes, on all tasks: `from_task(0, read_clock)`. Its type is
/// trivially copyable, or std::string. Throws: what f throws, on that task alone.
template <class F> auto from_task(int index, F const& f, site at = site::here()) {
  using value = std::invoke_result_t<F const&>;
  constexpr bool is_text = std::is_same_v<value, std::string>;
  static_assert(is_text || std::is_trivially_copyable_v<value>,
                "placement: from_task sends plain bytes. Return a number, a struct of numbers or a "
                "std::string.");
  if (detail::tasks_of_process.load() == nullptr) return f();
  detail::cluster& all = detail::cluster_of_program("from_task", at);
  all.check_together("from_task", at);
  std::optional<value> found;
  at_task(index, [&] { found.emplace(f()); }, at);
  detail::task_call const call{"FromTask", at, {0, nullptr}, sizeof(value)};
  if constexpr (is_text) {
    std::size_t size = found ? found->size() : 0;
    all.broadcast(index, call, &size, sizeof size);
    if (!found) found.emplace(size, '\0');
    all.broadcast(index, call, found->data(), size);
    return std::move(*found);
  } else {
    alignas(value) unsigned char bytes[sizeof(value)]{};
    if (found) std::memcpy(bytes, &*found, sizeof(value));
    all.broadcast(index, call, bytes, sizeof(value));
    value result;
    std::memcpy(&result, bytes, sizeof(value));
    return result;
  }
}

/// Runs f(task) on each task as each_task() does, and lets all tasks throw if one of them does: for
/// work that may fail on some tasks, such as files. It leaves the random state of the program as it
/// is, so a checkpoint may be saved in it; random ops belong in each_task().
/// Throws: task_error with the task that failed and its message, on all tasks.
template <class F> auto all_or_none(F const& f, site at = site::here()) {
  using result = std::invoke_result_t<F const&, task>;
  random_state const numbers = current_random_state();
  std::optional<random_stream> const streams = random_stream{numbers.seed, numbers.next};
  int failed = -1;
  std::string message;
  int current = this_task().index;
  auto const guarded = [&](task t) {
    current = t.index;
    return f(t);
  };
  auto const agree = [&] {
    if (detail::tasks_of_process.load() == nullptr) return;
    detail::task_call const call{"AllOrNone", at, {0, nullptr}, 0};
    failed = detail::cluster_of_program("all_or_none", at).first_failed(call, failed, message);
  };
  auto const note = [&](std::string const& what) {
    failed = current;
    message = what;
  };
  auto const run = [&](auto const& body) {
    try {
      body();
    } catch (std::exception const& e) { note(e.what()); } catch (error const& e) {
      note(e.what());
    } catch (...) { note("an exception of another type"); }
    agree();
    if (failed >= 0)
      throw task_error("placement: " + task{failed, 0}.name() + " failed in all_or_none" +
                       detail::place_text(at) + ", so no task goes on: " + message);
  };
  if constexpr (std::is_void_v<result>) {
    run([&] { detail::run_each(guarded, streams, at); });
  } else {
    std::optional<detail::tensor_value_t<std::remove_cvref_t<result>>> found;
    run([&] { found.emplace(detail::run_each(guarded, streams, at)); });
    return std::move(*found);
  }
}

}}  // namespace placement::v0_1
