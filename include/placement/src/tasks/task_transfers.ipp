#pragma once
/// Definitions of cluster.hpp: the messages that bring operands, reads and copies.

#include <placement/config.hpp>
#include <placement/src/tasks/cluster.ipp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE bool cluster::needs_message(buffer const& b) {
  int const owner = b.where().task;
  task_frame* const f = tasks_of_thread.frame;
  std::string_view const op = f == nullptr ? "Copy" : f->kernel.type.root;
  site const at = f == nullptr ? site{} : f->request.at;
  if (is_alone()) {
    if (owner >= 0) throw_alone(op, at);
    return false;
  }
  if (owner >= 0) return f == nullptr || f->home != owner;
  if (f == nullptr || f->home >= 0 || f->request.requested.requested_by == request_source::type)
    throw_per_task(op, at);
  for (task_frame* outer = f; outer != nullptr; outer = outer->outer)
    if (outer->home >= 0) throw_per_task(op, at);
  if (is_simulated() && tasks_of_thread.simulated == every_task)
    throw differs_per_task("placement: an operand differs between the tasks");
  return false;
}

PLACEMENT_INLINE buffer_ref cluster::bring(buffer const& b, byte_range& part) {
  int const owner = b.where().task;
  task_thread const& thread = tasks_of_thread;
  if (owner < 0) {
    int const task = thread.alone != every_task ? thread.alone : thread.simulated;
    if (thread.frame != nullptr) thread.frame->found_per_task = true;
    part.first = 0;
    return b.parts().of[is_simulated() ? static_cast<std::size_t>(task) : 0];
  }
  task_frame& f = *thread.frame;
  if (f.home == owner) {
    part.first = 0;
    return holds(owner) ? b.parts().of[0] : buffer_ref{};
  }
  if (f.home == every_task) {
    if (!f.counted && !thread.repeats)
      stream_.count(f.kernel.type.root, every_task, f.request.at, f.request.shape, b.size());
    f.counted = true;
    return for_all(b, part, {f.where.type, f.where.index});
  }
  count_messages(b.where(), f.where, part.size, 1);
  if (is_simulated()) {
    part.first = 0;
    return b.parts().of[0];
  }
  if (holds(owner)) {
    buffer_ref const& whole = b.parts().of[0];
    auto const host = std::make_shared<buffer_ref>(on_host(whole, part));
    engine().send(stream_.now(), f.home, bytes_at(*host, whole, part), part.size, host);
  } else if (holds(f.home)) {
    buffer_ref made{
        buffer::make(cpu0, part.size, {"Receive", f.request.at.file, f.request.at.line})};
    engine().receive(stream_.now(), owner, made->data(), part.size);
    return made;
  }
  return {};
}

/// The bytes of an owned buffer on every task.
PLACEMENT_INLINE buffer_ref cluster::for_all(buffer const& b, byte_range& part, device to) {
  int const owner = b.where().task;
  count_messages(b.where(), to, part.size, static_cast<std::size_t>(size() - 1));
  if (is_simulated()) {
    part.first = 0;
    return b.parts().of[0];
  }
  if (holds(owner)) {
    buffer_ref const& whole = b.parts().of[0];
    buffer_ref const host = on_host(whole, part);
    engine().broadcast(stream_.now(), owner, const_cast<std::byte*>(bytes_at(host, whole, part)),
                       part.size);
    part.first = 0;
    return whole;
  }
  buffer_ref made{buffer::make(cpu0, part.size, {"Receive"})};
  engine().broadcast(stream_.now(), owner, made->data(), part.size);
  return made;
}

PLACEMENT_INLINE buffer_ref cluster::read(buffer const& from, call_site const& caller) {
  site const at{caller.file, caller.line};
  int const owner = from.where().task;
  if (is_alone()) {
    if (owner >= 0) throw_alone(caller.tag, at);
    if (tasks_of_thread.alone == every_task && is_simulated()) throw_alone(caller.tag, at);
    std::size_t const t = is_simulated() ? static_cast<std::size_t>(tasks_of_thread.alone) : 0;
    return on_host(from.parts().of[t], {0, from.size()});
  }
  if (owner < 0) throw_per_task(caller.tag, at);
  index_t const bytes = static_cast<index_t>(from.size());
  stream_.count(caller.tag, every_task, at, {1, &bytes}, 0);
  byte_range all{0, from.size()};
  return on_host(for_all(from, all, cpu0), {0, from.size()});
}

PLACEMENT_INLINE buffer_ref cluster::moved(device where, buffer const& from,
                                           call_site const& caller) {
  site const at{caller.file, caller.line};
  int const owner = from.is_of_tasks() ? from.where().task : every_task;
  index_t const bytes = static_cast<index_t>(from.size());
  if (is_alone()) {
    if (where.has_task() || owner >= 0) throw_alone(caller.tag, at);
    buffer_ref const host = read(from, caller);
    return host->where() == where ? host : copied_to(where, *host.get());
  }
  auto const here = [&](buffer_ref const& b) {
    return b->where() == where.local() && owner != where.task ? b
                                                              : copied_to(where.local(), *b.get());
  };
  if (owner == per_task) {  // of each task, to a device of each task
    if (where.task >= 0) throw_per_task(caller.tag, at);
    std::vector<buffer_ref> parts;
    for (buffer_ref const& b : from.parts().of) parts.push_back(copied_to(where.local(), *b.get()));
    return per_task_elements(std::move(parts));
  }
  stream_.count(caller.tag, where.task, at, {1, &bytes}, 0);
  if (where.task < 0) {
    byte_range all{0, from.size()};
    buffer_ref const b = for_all(from, all, where);
    return b->where() == where ? b : copied_to(where, *b.get());
  }
  std::vector<buffer_ref> parts;
  if (owner == every_task || owner == where.task) {
    if (holds(where.task))
      parts.push_back(here(owner == every_task ? shared(from) : from.parts().of[0]));
    return elements_of(where, from.size(), std::move(parts));
  }
  count_messages(from.where(), where, from.size(), 1);
  if (is_simulated()) {
    parts.push_back(here(from.parts().of[0]));
  } else if (holds(owner)) {
    auto const host = std::make_shared<buffer_ref>(on_host(from.parts().of[0], {0, from.size()}));
    engine().send(stream_.now(), where.task, (*host)->data(), from.size(), host);
  } else if (holds(where.task)) {
    buffer_ref made{buffer::make(cpu0, from.size(), caller)};
    engine().receive(stream_.now(), owner, made->data(), from.size());
    parts.push_back(here(made));
  }
  return elements_of(where, from.size(), std::move(parts));
}

}}}  // namespace placement::v0_1::detail
