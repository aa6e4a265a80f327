#pragma once
/// Moving averages of the moments of batches. placement.hpp does not include this header.

#include <placement/expr/evaluate_together.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/channel_moments.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/runtime/escape.hpp>

#include <string>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_decay(double decay, site at) {
  throw invalid_argument("placement: update_moving with a decay of " + text_of_number(decay) +
                         ". Give a number from 0 to 1: the part that stays." +
                         location_text("AssignMovingAvg", at));
}
}  // namespace detail

/// moving = decay * moving + (1 - decay) * batch, in place. The variance of the batch is made
/// unbiased first: it is multiplied by n / (n - 1) for n elements per channel.
/// Shape: (C) for all.  Type: floating point.  Kernels: CPU, GPU.  Cost: one kernel for both.
/// Throws: invalid_argument unless 0 <= decay <= 1; shape_error. Both then stay as they were.
template <class T, class K = kernels_here>
void update_moving(channel_moments<T>& moving, channel_moments<T> const& batch, double decay,
                   site at = site::here()) {
  if (!(decay >= 0 && decay <= 1)) detail::throw_decay(decay, at);
  index_t const channels = batch.mean.shape().at(0);
  detail::check_channels(moving.mean, "a moving mean", channels, at);
  detail::check_channels(moving.variance, "a moving variance", channels, at);
  detail::check_channels(batch.variance, "a variance", channels, at);
  if (batch.count < 2) detail::throw_small_batch(batch.count, to_string(batch.mean.shape()), at);
  auto const n = static_cast<double>(batch.count);
  auto const keep = static_cast<T>(decay), take = static_cast<T>(1 - decay),
             unbiased = static_cast<T>((1 - decay) * (n / (n - 1)));
  using row = tensor<T, dextents<1>>;
  using part = expr<multiply_op, K, row, scalar<T>>;
  using moved = expr<add_op, K, part, part>;
  auto const sum_of = [&](row const& old, row const& now, T factor) {
    return moved{{}, at, part{{}, at, old, scalar<T>{keep}}, part{{}, at, now, scalar<T>{factor}}};
  };
  evaluate(into(moving.mean) = sum_of(moving.mean, batch.mean, take),
           into(moving.variance) = sum_of(moving.variance, batch.variance, unbiased));
}

}}  // namespace placement::v0_1
