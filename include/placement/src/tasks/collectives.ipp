#pragma once
/// Definitions of cluster.hpp: what all tasks do together.

#include <placement/config.hpp>
#include <placement/src/tasks/sums.ipp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void cluster::check_together(std::string_view op, site at) const {
  if (is_alone()) throw_alone(op, at);
}

PLACEMENT_INLINE void cluster::count(task_call const& call, std::uint64_t detail) {
  check_together(call.op, call.at);
  stream_.count(call.op, every_task, call.at, call.shape, detail + call.element);
}

PLACEMENT_INLINE void cluster::count_collective(std::size_t bytes) {
  std::size_t const others = static_cast<std::size_t>(size() - 1);
  std::size_t const n = others * (is_simulated() ? static_cast<std::size_t>(size()) : 1);
  messages_.sent += n;
  messages_.received += n;
  messages_.bytes_sent += n * bytes;
  messages_.bytes_received += n * bytes;
}

PLACEMENT_INLINE void cluster::check_contribution(buffer const& x, task_call const& call) const {
  if (!x.is_of_tasks()) return;
  if (x.where().task >= 0)
    throw placement_error(
        "placement: " + std::string(call.op) + place_text(call.at) + " of a value on " +
        to_string(x.where()) +
        ", which no other task has. Copy it to every task with copy_to(\"/cpu:0\", "
        "x), or use it as it is.");
  for (buffer_ref const& b : x.parts().of)
    if (b->size() != x.size())
      throw shape_error("placement: " + std::string(call.op) + place_text(call.at) +
                        " of values with different shapes on the tasks. Give each task as many "
                        "elements.");
}
PLACEMENT_INLINE std::vector<buffer_ref> cluster::contributions(buffer const& x,
                                                                task_call const& call) {
  check_contribution(x, call);
  byte_range const all{0, x.size()};
  std::vector<buffer_ref> parts;
  if (!x.is_of_tasks())
    parts.assign(is_simulated() ? static_cast<std::size_t>(size()) : 1, on_host(shared(x), all));
  else
    for (buffer_ref const& b : x.parts().of) parts.push_back(on_host(b, all));
  return parts;
}

PLACEMENT_INLINE buffer_ref cluster::sum_scattered(task_call const& call, task_sum const& s,
                                                   buffer const& x) {
  count(call);
  std::vector<buffer_ref> const parts = contributions(x, call);
  std::size_t const tasks = static_cast<std::size_t>(size()), bytes = x.size() / tasks;
  std::size_t const n = bytes / s.element;
  std::vector<buffer_ref> results;
  auto const new_part = [&] {
    results.emplace_back(buffer::make(cpu0, bytes, {call.op, call.at.file, call.at.line}));
    return static_cast<std::byte*>(results.back()->data());
  };
  if (is_simulated()) {
    for (std::size_t i = 0; i != tasks; ++i) {
      std::byte* const to = new_part();
      for (std::size_t t = 0; t != tasks; ++t) {
        auto const* const from = static_cast<std::byte const*>(parts[t]->data()) + i * bytes;
        if (t == 0) std::memcpy(to, from, bytes);
        else s.add(to, from, n);
      }
    }
  } else {
    scratch_.resize(std::max(scratch_.size(), tasks * bytes));
    engine().exchange(stream_.now(), parts[0]->data(), scratch_.data(), bytes);
    sum_groups(scratch_.data(), new_part(), n, tasks, bytes, s);
  }
  count_collective(bytes);
  if (s.divide != nullptr)
    for (buffer_ref const& b : results) s.divide(b->data(), n, tasks);
  return per_task_elements(std::move(results));
}

PLACEMENT_INLINE buffer_ref cluster::gathered(task_call const& call, buffer const& x,
                                              std::uint64_t detail) {
  count(call, detail);
  std::vector<buffer_ref> const parts = contributions(x, call);
  std::size_t const tasks = static_cast<std::size_t>(size());
  if (x.size() > ~std::size_t{0} / 2 / tasks)
    throw out_of_memory("placement: AllGather" + place_text(call.at) + " of " +
                        std::to_string(x.size()) + " B from each of " + std::to_string(tasks) +
                        " tasks.");
  buffer_ref all{buffer::make(cpu0, x.size() * tasks, {call.op, call.at.file, call.at.line})};
  if (is_simulated()) {
    for (std::size_t t = 0; t != tasks; ++t)
      if (x.size() != 0)
        std::memcpy(static_cast<std::byte*>(all->data()) + t * x.size(), parts[t]->data(),
                    x.size());
  } else {
    engine().gather(stream_.now(), parts[0]->data(), all->data(), x.size());
  }
  count_collective(x.size());
  return all;
}

PLACEMENT_INLINE buffer_ref cluster::gather_in_step(parallel::detail::process_values const& mine,
                                                    site at) {
  struct together {
    ~together() { tasks_of_thread = outer; }
    task_thread const outer = tasks_of_thread;
  } const until_here;
  tasks_of_thread.alone = every_task;
  tasks_of_thread.has_statements = true;
  cluster& all = cluster_of_program("all_reduce", at);
  task_call const call{"AllGather", at, mine.shape, mine.element};
  if (!all.is_simulated()) return all.gathered(call, *mine.elements.get(), mine.number);
  all.count(call, mine.number);
  all.count_collective(mine.elements->size() / static_cast<std::size_t>(all.size()));
  return mine.elements;
}

PLACEMENT_INLINE buffer_ref cluster::of_task(int task, task_call const& call, buffer const& x) {
  check_together(call.op, call.at);
  device const at = x.where();
  if (at.task >= 0) {
    if (at.task == task) return shared(x);
    return moved({at.type, at.index, task}, x, {call.op, call.at.file, call.at.line});
  }
  std::vector<buffer_ref> parts;
  if (holds(task)) {
    if (!x.is_of_tasks()) parts.push_back(shared(x));
    else parts.push_back(x.parts().of[is_simulated() ? static_cast<std::size_t>(task) : 0]);
  }
  return elements_of({at.type, at.index, task}, x.size(), std::move(parts));
}

PLACEMENT_INLINE void cluster::broadcast(int from, task_call const& call, void* bytes,
                                         std::size_t size) {
  count(call);
  if (!is_simulated()) engine().broadcast(stream_.now(), from, bytes, size);
  count_messages({kind::cpu, 0, from}, cpu0, size, static_cast<std::size_t>(this->size() - 1));
}

PLACEMENT_INLINE void cluster::barrier(task_call const& call) {
  count(call);
  if (!is_simulated()) engine().agree(stream_.now());
}

PLACEMENT_INLINE int cluster::first_failed(task_call const& call, int failed_here,
                                           std::string& message) {
  count(call);
  if (is_simulated()) return failed_here;
  auto const none = std::uint64_t{0}, tasks = static_cast<std::uint64_t>(size());
  std::uint64_t const mine = failed_here < 0 ? none : tasks - static_cast<std::uint64_t>(rank());
  std::uint64_t const first = engine().largest(stream_.now(), mine);  // the lowest number of a task
  if (first == none) return -1;
  int const task = size() - static_cast<int>(first);
  char text[512] = {};
  message.copy(text, sizeof text - 1);
  engine().broadcast(stream_.now(), task, text, sizeof text);
  message = text;
  return task;
}

PLACEMENT_INLINE void log_task_op(task_call const& call, std::string_view element, device where) {
  op_event e;
  e.op = e.kernel = call.op;
  e.element = element;
  e.shape = {call.shape.extent, call.shape.rank};
  e.actual = where;
  e.why = reason::all_tasks;
  e.where = call.at;
  e.scope = to_string(names_here());
  log_op(e);
}

[[noreturn]] PLACEMENT_INLINE void throw_undivided_over_tasks(std::string_view op,
                                                              std::string const& shape, int count,
                                                              site at) {
  throw shape_error("placement: " + std::string(op) + place_text(at) + " over " +
                    std::to_string(count) + " tasks of shape " + shape +
                    ": the first extent is no multiple of " + std::to_string(count) +
                    ". Pad or slice the values.");
}

}}}  // namespace placement::v0_1::detail
