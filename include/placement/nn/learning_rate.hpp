#pragma once
/// Learning rates: a number, or a schedule of the number of updates so far.

#include <placement/error.hpp>
#include <placement/shape/extents.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

/// Whether exponential_decay changes at each step, or once in `steps` steps.
enum class decay_form { continuous, staircase };

/// initial * factor^(step / steps).
/// Source: tf.keras.optimizers.schedules.ExponentialDecay.
struct exponential_decay {
  double initial;
  index_t steps;  ///< at least 1
  double factor;
  decay_form form = decay_form::continuous;

  double at(index_t step) const {
    double const whole = static_cast<double>(step) / static_cast<double>(steps);
    return initial * std::pow(factor, form == decay_form::staircase ? std::floor(whole) : whole);
  }
};

/// From `initial` to `last * initial` along half a period of the cosine, in `steps` steps.
/// Source: Loshchilov, Hutter: SGDR: Stochastic Gradient Descent with Warm Restarts (2017);
/// tf.keras.optimizers.schedules.CosineDecay.
struct cosine_decay {
  double initial;
  index_t steps;  ///< at least 1
  double last = 0;

  double at(index_t step) const {
    constexpr double pi = 3.14159265358979323846;
    double const part = static_cast<double>(std::min(step, steps)) / static_cast<double>(steps);
    return initial * ((1 - last) * 0.5 * (1 + std::cos(pi * part)) + last);
  }
};

/// values[i] for steps after boundaries[i - 1], up to and including boundaries[i].
/// Source: tf.keras.optimizers.schedules.PiecewiseConstantDecay.
struct piecewise_constant {
  std::vector<index_t> boundaries;  ///< increasing
  std::vector<double> values;       ///< one more than boundaries

  double at(index_t step) const {
    auto const first = std::lower_bound(boundaries.begin(), boundaries.end(), step);
    return values[static_cast<std::size_t>(first - boundaries.begin())];
  }
};

/// A learning rate: `0.001`, or one of the schedules.
class learning_rate {
 public:
  learning_rate(double rate) : of_(rate) {}
  /// Throws: invalid_argument for a decay in fewer than 1 step.
  learning_rate(exponential_decay const& d) : of_(d) { check_steps(d.steps); }
  learning_rate(cosine_decay const& d) : of_(d) { check_steps(d.steps); }
  /// Throws: invalid_argument unless there is one more value than boundaries, which increase.
  learning_rate(piecewise_constant p) : of_(std::move(p)) {
    auto const& made = std::get<piecewise_constant>(of_);
    bool const increases =
        std::adjacent_find(made.boundaries.begin(), made.boundaries.end(),
                           [](index_t a, index_t b) { return a >= b; }) == made.boundaries.end();
    if (made.values.size() != made.boundaries.size() + 1 || !increases)
      throw invalid_argument("placement: piecewise_constant has " +
                             std::to_string(made.boundaries.size()) + " boundaries and " +
                             std::to_string(made.values.size()) +
                             " values. Give increasing boundaries, and one value more.");
  }

  /// The rate of an update. step: the number of updates before it.
  double at(index_t step) const {
    if (auto const* const rate = std::get_if<double>(&of_)) return *rate;
    if (auto const* const d = std::get_if<exponential_decay>(&of_)) return d->at(step);
    if (auto const* const d = std::get_if<cosine_decay>(&of_)) return d->at(step);
    return std::get<piecewise_constant>(of_).at(step);
  }

 private:
  static void check_steps(index_t steps) {
    if (steps < 1)
      throw invalid_argument("placement: a learning rate cannot decay in " + std::to_string(steps) +
                             " steps. Give 1 step or more.");
  }

  std::variant<double, exponential_decay, cosine_decay, piecewise_constant> of_;
};

}}}  // namespace placement::v0_1::nn
