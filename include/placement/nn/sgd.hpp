#pragma once

#include <placement/expr/evaluate_together.hpp>
#include <placement/nn/optimizer.hpp>
#include <placement/nn/update_ops.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

enum class momentum_form { plain, nesterov };

struct sgd_options {
  learning_rate rate = 0.01;
  double momentum = 0;
  momentum_form form = momentum_form::plain;
};

/// Gradient descent: `sgd(0.1)`, `sgd({.rate = 0.1, .momentum = 0.9})`. w -= rate g; with momentum
/// a = momentum a + g and w -= rate a; Nesterov's form: w -= rate g + rate momentum a.
/// Slots: a, if momentum is not 0.
/// Source: TensorFlow's ApplyGradientDescent and ApplyMomentum.
class sgd : public optimizer<sgd> {
 public:
  explicit sgd(learning_rate rate) : sgd(sgd_options{.rate = std::move(rate)}) {}
  explicit sgd(sgd_options o = {})
      : optimizer(std::move(o.rate)), momentum_(o.momentum), form_(o.form) {}

  // ---- for apply()

  std::string_view slot_name() const noexcept {
    return momentum_ == 0 ? "GradientDescent" : "Momentum";
  }
  std::span<double const> slots() const noexcept {
    static constexpr double first[]{0};
    return {first, momentum_ == 0 ? std::size_t{0} : std::size_t{1}};
  }
  template <class K, class T>
  void update(tensor<T, dextents<1>>& w, tensor<T, dextents<1>> const& g,
              std::vector<detail::slot>& slots, detail::update_step const& now) const {
    using t = tensor<T, dextents<1>>;
    if (momentum_ == 0) {
      w = expr<gradient_descent_op, K, t, t>{{now.rate}, now.at, w, g};
      return;
    }
    detail::slot_elements<T> a(slots[0], w);
    using accumulated = expr<accumulate_momentum_op, K, t, t>;
    using step = expr<momentum_op, K, t, accumulated>;
    using nesterov = expr<nesterov_op, K, t, t, accumulated>;
    // Made twice: a named node would hold a handle, and the slot would not be updated in place.
    auto const sum = [&] { return accumulated{{momentum_}, now.at, *a, g}; };
    if (form_ == momentum_form::nesterov)
      evaluate(into(*a) = sum(), into(w) = nesterov{{now.rate, momentum_}, now.at, w, g, sum()});
    else evaluate(into(*a) = sum(), into(w) = step{{{now.rate}}, now.at, w, sum()});
  }

 private:
  double momentum_;
  momentum_form form_;
};

}}}  // namespace placement::v0_1::nn
