#pragma once
/// Definitions of cluster.hpp: which task runs a kernel, and which messages bring its operands.

#include <placement/config.hpp>
#include <placement/device/environment.hpp>
#include <placement/error.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/destination.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/place/log.hpp>
#include <placement/src/device/registry.ipp>
#include <placement/tasks/cluster.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

struct task_frame {
  int home = every_task;  ///< the task that runs the kernel
  fused_kernel const& kernel;
  fused_request const& request;
  device where;  ///< the kernel's device
  task_frame* outer = nullptr;
  bool found_per_task = false;  ///< an operand differs between the tasks
  bool counted = false;         ///< the statement is counted
};

/// The state of this thread in a program of tasks.
struct task_thread {
  bool has_statements = false;  ///< it made the tasks object
  int alone = every_task;       ///< the task whose function runs
  int simulated = every_task;   ///< the simulated task whose part of a kernel runs
  bool repeats = false;         ///< a task before it sent the same messages
  task_frame* frame = nullptr;
};
PLACEMENT_PROCESS_STATE inline constinit thread_local task_thread tasks_of_thread{};

/// Ends an evaluation in a simulated program that must be repeated for each task.
struct differs_per_task : error_beside<std::runtime_error> {
  using error_beside::error_beside;
};

class frame_scope {
 public:
  explicit frame_scope(task_frame& f) noexcept : outer_(tasks_of_thread.frame) {
    f.outer = outer_;
    tasks_of_thread.frame = &f;
  }
  ~frame_scope() { tasks_of_thread.frame = outer_; }
  frame_scope(frame_scope const&) = delete;
  frame_scope& operator=(frame_scope const&) = delete;

 private:
  task_frame* outer_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_per_task(std::string_view op, site at) {
  throw placement_error("placement: " + std::string(op) + place_text(at) +
                        " reads a value that each task has of its own. Write all_sum(x) or another "
                        "collective, or of_task(x, ...) for the value of one task.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_alone(std::string_view op, site at) {
  std::string const where = tasks_of_thread.has_statements
                                ? "in the function of each_task, at_task or from_task"
                                : "on a thread that did not make the tasks object";
  throw placement_error("placement: " + std::string(op) + place_text(at) +
                        " concerns other tasks " + where +
                        ". Write it outside, where all tasks run it in one order.");
}

inline bool is_alone() noexcept {
  return tasks_of_thread.alone != every_task || !tasks_of_thread.has_statements;
}

PLACEMENT_INLINE int cluster::alone::replace(int task) noexcept {
  return std::exchange(tasks_of_thread.alone, task);
}

PLACEMENT_INLINE int cluster::rank() const noexcept {
  if (engine_ != nullptr) return engine_->rank();
  return tasks_of_thread.alone != every_task ? tasks_of_thread.alone : 0;
}

// ---- parts

PLACEMENT_INLINE buffer_ref cluster::elements_of(device where, std::size_t size,
                                                 std::vector<buffer_ref> parts) {
  auto made = std::make_unique<task_parts>(task_parts{std::move(parts)});
  buffer_ref b{buffer::of_tasks(where, size, made.get())};
  static_cast<void>(made.release());
  return b;
}
PLACEMENT_INLINE buffer_ref cluster::per_task_elements(std::vector<buffer_ref> parts) {
  device const at = parts[0] ? parts[0]->where() : cpu0;
  std::size_t const size = parts[0] ? parts[0]->size() : 0;
  return elements_of({at.type, at.index, per_task}, size, std::move(parts));
}

/// Another owner of a buffer.
inline buffer_ref shared(buffer const& b) {
  auto& same = const_cast<buffer&>(b);
  same.add_owner();
  return buffer_ref{&same};
}
/// Bytes of a buffer of this process in host memory.
inline buffer_ref on_host(buffer_ref const& b, byte_range part) {
  if (b->where().is_cpu()) return b;
  auto const* const first = static_cast<std::byte const*>(b->data()) + part.first;
  return copied_to(cpu0, {first, b->where(), part.size, b.get()}, {"Send"});
}
inline std::byte const* bytes_at(buffer_ref const& host, buffer_ref const& whole, byte_range part) {
  return static_cast<std::byte const*>(host->data()) + (host.get() == whole.get() ? part.first : 0);
}

PLACEMENT_INLINE void cluster::count_messages(device from, device to, std::size_t bytes,
                                              std::size_t messages) {
  if (tasks_of_thread.repeats) return;
  bool const sends = holds(from.task), receives = to.task < 0 ? !sends : holds(to.task);
  if (sends || is_simulated()) {
    messages_.sent += messages;
    messages_.bytes_sent += messages * bytes;
  }
  if (is_simulated() || (receives && !sends)) {
    std::size_t const n = is_simulated() ? messages : 1;
    messages_.received += n;
    messages_.bytes_received += n * bytes;
  }
  if (sends || receives) count_copy(from, to, bytes);
}

// ---- evaluation

PLACEMENT_INLINE void cluster::evaluate(fused_kernel const& k, fused_request const& r,
                                        result_tensor const& out) {
  kernel_placement const p = resolve_placement(k, r);
  device const d = p.facts.decision.device;
  if (is_alone()) {
    if (d.has_task()) throw_alone(k.type.root, r.at);
    return evaluate_on(d, k, p, r, out);
  }
  if (d.has_task()) evaluate_on_task(p, k, r, out);
  else evaluate_for_all(p, k, r, out);
}

PLACEMENT_INLINE void cluster::evaluate_on_task(kernel_placement const& p, fused_kernel const& k,
                                                fused_request const& r, result_tensor const& out) {
  device const d = p.facts.decision.device;
  task_frame f{d.task, k, r, d};
  frame_scope const scope(f);
  std::size_t const size =
      checked_count(r.shape, k.result_bytes, k.type.root, r.at) * k.result_bytes;
  if (!tasks_of_thread.repeats)
    stream_.count(k.type.root, d.task, r.at, r.shape,
                  hash_bytes(k.root.element.data(), k.root.element.size(), 0));
  std::vector<buffer_ref> parts;
  try {
    if (holds(d.task)) {
      buffer_ref made;
      device_spec requested;
      evaluate_on(d.local(), k, p, r, {made, requested, r.shape});
      parts.push_back(std::move(made));
    } else {
      evaluate_elsewhere(k, p, r);
    }
  } catch (differs_per_task const&) { throw_per_task(k.type.root, r.at); }
  keep(out, r, elements_of(d, size, std::move(parts)));
}

PLACEMENT_INLINE void cluster::evaluate_for_all(kernel_placement const& p, fused_kernel const& k,
                                                fused_request const& r, result_tensor const& out) {
  device const d = p.facts.decision.device;
  task_frame f{every_task, k, r, d};
  frame_scope const scope(f);
  bool const is_external = out.elements && out.elements->is_external();
  if (is_simulated() && tasks_of_thread.simulated == every_task) {
    statement const before = stream_.now();
    message_count const messages = messages_;
    try {
      return evaluate_on(d, k, p, r, out);
    } catch (differs_per_task const&) {
      if (f.outer != nullptr) throw;
      if (is_external) throw_per_task("An assignment to borrowed memory", r.at);
      stream_.restore(before);
      messages_ = messages;
    }
    f.counted = false;
    out.elements = evaluated_for_each(p, k, r);
    out.requested = r.requested.requested;
    return;
  }
  evaluate_on(d, k, p, r, out);
  if (checks_values_ && !f.found_per_task) check_values(k.type.root, r, out.elements.get());
  if (!f.found_per_task || tasks_of_thread.simulated != every_task || !out.elements) return;
  out.elements = per_task_elements({std::move(out.elements)});
}

PLACEMENT_INLINE buffer_ref cluster::evaluated_for_each(kernel_placement const& p,
                                                        fused_kernel const& k,
                                                        fused_request const& r) const {
  std::vector<buffer_ref> parts;
  struct simulation {
    ~simulation() { tasks_of_thread.simulated = every_task, tasks_of_thread.repeats = false; }
  } const until_here;
  for (int t = 0; t != size(); ++t) {
    tasks_of_thread.simulated = t;
    tasks_of_thread.repeats = t != 0;
    buffer_ref made;
    device_spec requested;
    evaluate_on(p.facts.decision.device, k, p, r, {made, requested, r.shape});
    parts.push_back(std::move(made));
  }
  return per_task_elements(std::move(parts));
}

PLACEMENT_INLINE void cluster::check_values(std::string_view op, fused_request const& r,
                                            buffer const* made) {
  std::uint64_t h = 0;
  if (made != nullptr) {
    buffer_ref const whole = shared(*made), host = on_host(whole, {0, made->size()});
    h = hash_bytes(host->data(), host->size(), 1);
  }
  stream_.count(op, every_task, r.at, r.shape, h);
}

PLACEMENT_INLINE void cluster::keep(result_tensor const& out, fused_request const& r,
                                    buffer_ref made) {
  if (out.elements && out.elements->is_external()) {
    buffer_ref const all = read(*made.get(), {"Assign", r.at.file, r.at.line});
    return write_to_external(*out.elements.get(), *all.get(), "Assign", r.at);
  }
  out.elements = std::move(made);
  out.requested = r.requested.requested;
}

}}}  // namespace placement::v0_1::detail
