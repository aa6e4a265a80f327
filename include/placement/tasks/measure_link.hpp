#pragma once
/// Measures what messages between two tasks cost, for the model of plan/message_time.hpp.

#include <placement/device/work_tracer.hpp>
#include <placement/expr/memory.hpp>
#include <placement/ops/zeros.hpp>
#include <placement/plan/message_time.hpp>
#include <placement/tasks/collectives.hpp>
#include <placement/tasks/each_task.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The least seconds of several rounds of f.
template <class F> double least_seconds(int rounds, F const& f) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i != rounds; ++i) {
    std::int64_t const start = trace_clock();
    f();
    least = std::min(least, static_cast<double>(trace_clock() - start) * 1e-9);
  }
  return least;
}
/// Seconds of a message of n floats from task 0 to task 1, with its statement.
inline double one_way_seconds(index_t n, site at) {
  tensor<float, dextents<1>> x = zeros<float>(shape(n));
  device const a{kind::cpu, 0, 0}, b{kind::cpu, 0, 1};
  x = copy_to(device_request(a, at), x);
  constexpr int messages = 20;
  return least_seconds(10,
                       [&] {
                         for (int i = 0; i != messages; i += 2) {
                           x = copy_to(device_request(b, at), x);
                           x = copy_to(device_request(a, at), x);
                         }
                       }) /
         messages;
}
}  // namespace detail

/// The link between tasks 0 and 1, as statements of this program use it. All tasks call it, and get
/// the figures of task 0. With simulated tasks it is a copy within the process.
/// Throws: invalid_argument for a program of one task. Cost: 200 messages of 4 B and of 4 MiB.
inline message_link measure_link(site at = site::here()) {
  if (this_task().count < 2)
    throw invalid_argument("placement: measure_link() in a program of one task. Start several." +
                           detail::place_text(at));
  constexpr index_t many = index_t{1} << 20;
  double const one = detail::one_way_seconds(1, at), all = detail::one_way_seconds(many, at);
  std::vector<float> sum(many), term(many);
  double const adding = detail::least_seconds(
      10, [&] { detail::add_elements<float>(sum.data(), term.data(), sum.size()); });
  constexpr double bytes = 4.0 * many;
  double const per_byte = std::max(all - one, all / 2) / bytes;
  return from_task(
      0, [&] { return message_link{one, 1 / per_byte, bytes / std::max(adding, 1e-9)}; }, at);
}

}}  // namespace placement::v0_1
