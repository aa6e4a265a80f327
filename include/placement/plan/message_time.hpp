#pragma once
/// How long messages between tasks take, by a model of the network: for plans and training steps on
/// more tasks than there are machines to try.

#include <placement/plan/plan.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace placement { inline namespace v0_1 {

/// What messages cost between two tasks. A message of n bytes takes latency + n / bandwidth seconds
/// (Hockney, "The communication challenge for MPP", 1994). measure_link() measures it.
struct message_link {
  double latency;        ///< seconds
  double bandwidth;      ///< bytes per second
  double sum_bandwidth;  ///< bytes per second that a task adds to a sum

  constexpr double seconds(double bytes) const { return latency + bytes / bandwidth; }
};

namespace detail {
/// The rounds of a tree of tasks: log2, rounded up.
constexpr double rounds_of(int tasks) {
  return static_cast<double>(std::bit_width(static_cast<unsigned>(tasks - 1)));
}
/// An all-reduce of the 16 bytes that precede a collective.
constexpr double agreement_seconds(message_link const& l, int tasks) {
  return rounds_of(tasks) * l.seconds(16);
}
/// Each task sends `bytes` to each other one: in pairs, or by Bruck's rounds of joined messages.
constexpr double exchange_seconds(message_link const& l, int tasks, double bytes) {
  double const others = tasks - 1, rounds = rounds_of(tasks);
  return std::min(others * l.seconds(bytes), rounds * l.seconds(bytes * tasks / 2));
}
/// Each task gets `bytes` of each other one, by recursive doubling.
constexpr double gather_seconds(message_link const& l, int tasks, double bytes) {
  return rounds_of(tasks) * l.latency + (tasks - 1) * bytes / l.bandwidth;
}
}  // namespace detail

/// The time of all_mean(x) and all_sum(x) in the order of tasks, for x of `bytes`: an agreement, an
/// exchange of parts, their sum, and a gather. Up to 4 KiB a gather and a sum. towers: the values
/// that each task adds, as by distributed.
/// Formulas of collectives: Thakur, Rabenseifner and Gropp, "Optimization of Collective
/// Communication Operations in MPICH", 2005. Assumptions: equal links between all tasks, which are
/// not shared.
constexpr double all_sum_seconds(message_link const& l, int tasks, std::size_t bytes,
                                 int towers = 1) {
  if (tasks < 2) return 0;
  double const n = static_cast<double>(bytes), terms = static_cast<double>(towers) * tasks;
  double const agreement = detail::agreement_seconds(l, tasks);
  if (n * towers <= 4096)
    return agreement + detail::gather_seconds(l, tasks, n * towers) + terms * n / l.sum_bandwidth;
  double const part = n / tasks;
  return agreement + detail::exchange_seconds(l, tasks, part * towers) +
         terms * part / l.sum_bandwidth + detail::gather_seconds(l, tasks, part);
}
/// The time of all_sum(x, fast): MPI's all-reduce by recursive halving and doubling, of the same
/// source.
constexpr double fast_sum_seconds(message_link const& l, int tasks, std::size_t bytes) {
  if (tasks < 2) return 0;
  double const share = static_cast<double>(bytes) * (tasks - 1) / tasks;
  return detail::agreement_seconds(l, tasks) + 2 * detail::rounds_of(tasks) * l.latency +
         2 * share / l.bandwidth + share / l.sum_bandwidth;
}
/// The time of a value of one task that all get, along a binomial tree.
constexpr double broadcast_seconds(message_link const& l, int tasks, std::size_t bytes) {
  if (tasks < 2) return 0;
  return detail::agreement_seconds(l, tasks) +
         detail::rounds_of(tasks) * l.seconds(static_cast<double>(bytes));
}

/// The time of a plan's messages on a machine of `tasks`, one after another. A kernel on one task
/// receives its operands; one on every task gets them by broadcasts.
/// Throws: invalid_argument if bytes depend on extents that the type leaves open; in a constant
/// expression, a compile error.
template <std::size_t N>
constexpr double message_seconds(plan<N> const& p, int tasks, message_link const& l) {
  double sum = 0;
  for (plan_node const& n : p) {
    if (n.messages == 0) continue;
    if (!n.exact) detail::bytes_are_open();
    auto const operands = static_cast<double>(n.copies), bytes = static_cast<double>(n.bytes);
    if (n.device.has_task()) sum += operands * l.latency + bytes / l.bandwidth;
    else
      sum += operands * detail::agreement_seconds(l, tasks) +
             detail::rounds_of(tasks) * (operands * l.latency + bytes / l.bandwidth);
  }
  return sum;
}

/// A step of `distributed` on one task, for step_seconds().
struct training_step {
  double compute;              ///< seconds of a step on one task, measured
  std::size_t gradient_bytes;  ///< of all variables
  int towers = 1;              ///< of each task
  std::size_t on_tasks = 0;    ///< bytes of variables on one task each, as by sharded
};
/// The time of a step of `tasks`, each of which computes as much as the one that was measured.
/// Assumptions: those of all_sum_seconds(); tasks are equally fast, and nothing overlaps.
constexpr double step_seconds(training_step const& s, int tasks, message_link const& l) {
  double const variables = s.on_tasks == 0 ? 0 : broadcast_seconds(l, tasks, s.on_tasks);
  return s.compute + variables + all_sum_seconds(l, tasks, s.gradient_bytes, s.towers);
}

}}  // namespace placement::v0_1
