#pragma once
/// Definitions of cluster.hpp: sums over all tasks, at once or on the thread of messages.

#include <placement/config.hpp>
#include <placement/src/tasks/cluster.ipp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The parts of a value for exchanges: each task adds one of them.
inline std::size_t elements_of_part(std::size_t count, std::size_t tasks) {
  return (count + tasks - 1) / tasks;
}
/// The largest number of bytes that one exchange moves from a task. Larger sums take several.
inline constexpr std::size_t exchanged_bytes = std::size_t{1} << 26;
/// Up to here all tasks get all elements in one message and add them all.
inline constexpr std::size_t gathered_bytes = 4096;

/// Adds `tasks` groups of elements, which lie one after another, in order.
inline void sum_groups(std::byte const* all, std::byte* to, std::size_t count, std::size_t tasks,
                       std::size_t stride, task_sum const& s) {
  std::memcpy(to, all, count * s.element);
  for (std::size_t t = 1; t != tasks; ++t) s.add(to, all + t * stride, count);
}

PLACEMENT_INLINE void cluster::sum_by_engine(statement const& now, task_sum const& s,
                                             std::byte const* mine, std::byte* to, std::size_t n) {
  std::size_t const tasks = static_cast<std::size_t>(size()), size = n * s.element;
  if (s.number != message_number::none || tasks == 1) {
    if (n != 0) std::memcpy(to, mine, size);
    if (tasks == 1) engine_->agree(now);
    else engine_->sum(now, to, n, s.number);
  } else if (size <= gathered_bytes) {
    scratch_.resize(std::max(scratch_.size(), tasks * size));
    engine_->gather(now, mine, scratch_.data(), size);
    sum_groups(scratch_.data(), to, n, tasks, size, s);
  } else {
    std::size_t const most = std::max(exchanged_bytes / s.element / tasks, std::size_t{1}) * tasks;
    for (std::size_t at = 0; at < n; at += most) {
      std::size_t const here = std::min(most, n - at), part = elements_of_part(here, tasks);
      std::size_t const bytes = part * s.element, first = at * s.element;
      bool const is_padded = here != tasks * part;
      scratch_.resize(std::max(scratch_.size(), (2 * tasks + 1) * bytes));
      std::byte *const all = scratch_.data(), *const own = all + tasks * bytes;
      std::byte* const padded = own + bytes;
      if (is_padded) {
        std::memcpy(padded, mine + first, here * s.element);
        std::memset(padded + here * s.element, 0, tasks * bytes - here * s.element);
      }
      engine_->exchange(now, is_padded ? padded : mine + first, all, bytes);
      sum_groups(all, own, part, tasks, bytes, s);
      engine_->gather(now, own, is_padded ? padded : to + first, bytes);
      if (is_padded) std::memcpy(to + first, padded, here * s.element);
    }
  }
}

/// A sum that is computed later, on the thread of messages. It owns what it reads and writes.
class task_sum_work final : public host_work {
 public:
  task_sum_work(cluster& of, statement const& now, task_sum const& s, buffer_ref mine,
                std::shared_ptr<pending_sum> result)
      : of_(of), now_(now), sum_(s), mine_(std::move(mine)), result_(std::move(result)) {}

  void run() noexcept override {
    try {
      of_.throw_if_background_failed();
      buffer_ref const host = on_host(mine_, {0, mine_->size()});
      auto* const to = static_cast<std::byte*>(result_->total->data());
      std::size_t const n = mine_->size() / sum_.element;
      of_.sum_by_engine(now_, sum_, static_cast<std::byte const*>(host->data()), to, n);
      if (sum_.divide != nullptr) sum_.divide(to, n, static_cast<std::size_t>(of_.size()));
    } catch (...) {
      result_->error = std::current_exception();
      of_.note_background_failure(result_->error);
    }
    mine_ = {};
  }

 private:
  cluster& of_;
  statement const now_;
  task_sum const sum_;
  buffer_ref mine_;
  std::shared_ptr<pending_sum> const result_;
};

PLACEMENT_INLINE std::shared_ptr<pending_sum> cluster::start_sum(task_call const& call,
                                                                 task_sum const& s,
                                                                 buffer const& x) {
  count(call);
  check_contribution(x, call);
  auto result = std::make_shared<pending_sum>();
  result->total = buffer_ref{buffer::make(cpu0, x.size(), {call.op, call.at.file, call.at.line})};
  count_collective(x.size());
  if (is_simulated()) {
    std::vector<buffer_ref> const parts = contributions(x, call);
    std::size_t const n = x.size() / s.element;
    auto* const to = static_cast<std::byte*>(result->total->data());
    if (n != 0) std::memcpy(to, parts[0]->data(), x.size());
    for (std::size_t t = 1; t != parts.size(); ++t) s.add(to, parts[t]->data(), n);
    if (s.divide != nullptr) s.divide(to, n, parts.size());
    return result;
  }
  buffer_ref mine = x.is_of_tasks() ? x.parts().of[0] : shared(x);
  background_.append(new task_sum_work(*this, stream_.now(), s, std::move(mine), result));
  result->point = background_.last_point();
  return result;
}
PLACEMENT_INLINE buffer_ref cluster::finish(pending_sum const& p) {
  if (p.point != 0) background_.wait_for_point(p.point);
  if (p.error) std::rethrow_exception(p.error);
  return p.total;
}
PLACEMENT_INLINE buffer_ref cluster::sum(task_call const& call, task_sum const& s,
                                         buffer const& x) {
  if (is_simulated()) return finish(*start_sum(call, s, x));
  count(call);
  check_contribution(x, call);
  buffer_ref const mine = contributions(x, call)[0];
  buffer_ref total{buffer::make(cpu0, x.size(), {call.op, call.at.file, call.at.line})};
  auto* const to = static_cast<std::byte*>(total->data());
  std::size_t const n = x.size() / s.element;
  await_background();
  sum_by_engine(stream_.now(), s, static_cast<std::byte const*>(mine->data()), to, n);
  count_collective(x.size());
  if (s.divide != nullptr) s.divide(to, n, static_cast<std::size_t>(size()));
  return total;
}

PLACEMENT_INLINE void cluster::await_background() {
  if (!background_.idle()) background_.wait_for_point(background_.last_point());
  throw_if_background_failed();
}
PLACEMENT_INLINE void cluster::note_background_failure(std::exception_ptr const& e) noexcept {
  lock_guard const guard(guard_);
  if (!background_error_) background_error_ = e;
}
PLACEMENT_INLINE void cluster::throw_if_background_failed() {
  lock_guard const guard(guard_);
  if (background_error_) std::rethrow_exception(background_error_);
}

}}}  // namespace placement::v0_1::detail
