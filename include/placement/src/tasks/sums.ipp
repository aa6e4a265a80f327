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

/// Adds `terms` groups of elements, which lie one after another, in order.
inline void sum_groups(std::byte const* all, std::byte* to, std::size_t count, std::size_t terms,
                       std::size_t stride, task_sum const& s) {
  std::memcpy(to, all, count * s.element);
  for (std::size_t t = 1; t != terms; ++t) s.add(to, all + t * stride, count);
}

/// The elements of an exchange for each task: of each group a part, padded with zeros. `count`
/// elements of each group, which are `stride` bytes apart.
inline void pack_parts(std::byte* to, std::byte const* groups, std::size_t count, std::size_t part,
                       std::size_t tasks, std::size_t stride, task_sum const& s) {
  for (std::size_t t = 0; t != tasks; ++t)
    for (std::size_t g = 0; g != s.groups; ++g, to += part * s.element) {
      std::size_t const first = std::min(t * part, count);
      std::size_t const bytes = std::min(part, count - first) * s.element;
      if (bytes != 0) std::memcpy(to, groups + g * stride + first * s.element, bytes);
      std::memset(to + bytes, 0, part * s.element - bytes);
    }
}

/// Adds parts that all tasks exchange, and gathers the sums. `at`: the first of `count` elements of
/// each group.
PLACEMENT_INLINE void cluster::sum_by_exchange(statement const& now, task_sum const& s,
                                               std::byte const* mine, std::byte* to, std::size_t n,
                                               std::size_t at, std::size_t count) {
  std::size_t const tasks = static_cast<std::size_t>(size());
  std::size_t const part = elements_of_part(count, tasks), bytes = part * s.element;
  std::size_t const terms = tasks * s.groups, first = at * s.element;
  bool const is_padded = count != tasks * part;
  scratch_.resize(std::max(scratch_.size(), (2 * terms + 1) * bytes));
  std::byte *const all = scratch_.data(), *const own = all + terms * bytes;
  std::byte* const packed = own + bytes;
  if (is_padded || s.groups != 1)
    pack_parts(packed, mine + first, count, part, tasks, n * s.element, s);
  engine_->exchange(now, is_padded || s.groups != 1 ? packed : mine + first, all, s.groups * bytes);
  sum_groups(all, own, part, terms, bytes, s);
  engine_->gather(now, own, is_padded ? packed : to + first, bytes);
  if (is_padded) std::memcpy(to + first, packed, count * s.element);
}

PLACEMENT_INLINE void cluster::sum_by_engine(statement const& now, task_sum const& s,
                                             std::byte const* mine, std::byte* to, std::size_t n) {
  std::size_t const tasks = static_cast<std::size_t>(size()), bytes = n * s.element;
  if (s.number != message_number::none || tasks == 1) {
    if (n != 0) sum_groups(mine, to, n, s.groups, bytes, s);
    if (tasks == 1) engine_->agree(now);
    else engine_->sum(now, to, n, s.number);
  } else if (s.groups * bytes <= gathered_bytes) {
    scratch_.resize(std::max(scratch_.size(), tasks * s.groups * bytes));
    engine_->gather(now, mine, scratch_.data(), s.groups * bytes);
    sum_groups(scratch_.data(), to, n, tasks * s.groups, bytes, s);
  } else {
    std::size_t const most =
        std::max(exchanged_bytes / s.element / tasks / s.groups, std::size_t{1}) * tasks;
    for (std::size_t at = 0; at < n; at += most)
      sum_by_exchange(now, s, mine, to, n, at, std::min(most, n - at));
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
      std::size_t const n = mine_->size() / sum_.element / sum_.groups;
      of_.sum_by_engine(now_, sum_, static_cast<std::byte const*>(host->data()), to, n);
      if (sum_.divide != nullptr)
        sum_.divide(to, n, sum_.groups * static_cast<std::size_t>(of_.size()));
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
  std::size_t const bytes = x.size() / s.groups;
  result->total = buffer_ref{buffer::make(cpu0, bytes, {call.op, call.at.file, call.at.line})};
  count_collective(x.size());
  if (is_simulated()) {
    std::vector<buffer_ref> const parts = contributions(x, call);
    std::size_t const n = bytes / s.element;
    auto* const to = static_cast<std::byte*>(result->total->data());
    for (std::size_t t = 0; n != 0 && t != parts.size(); ++t) {
      auto const* const terms = static_cast<std::byte const*>(parts[t]->data());
      if (t == 0) sum_groups(terms, to, n, s.groups, bytes, s);
      else
        for (std::size_t g = 0; g != s.groups; ++g) s.add(to, terms + g * bytes, n);
    }
    if (s.divide != nullptr) s.divide(to, n, s.groups * parts.size());
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
  std::size_t const bytes = x.size() / s.groups;
  buffer_ref total{buffer::make(cpu0, bytes, {call.op, call.at.file, call.at.line})};
  auto* const to = static_cast<std::byte*>(total->data());
  std::size_t const n = bytes / s.element;
  await_background();
  sum_by_engine(stream_.now(), s, static_cast<std::byte const*>(mine->data()), to, n);
  count_collective(x.size());
  if (s.divide != nullptr) s.divide(to, n, s.groups * static_cast<std::size_t>(size()));
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
