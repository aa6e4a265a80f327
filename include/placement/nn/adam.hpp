#pragma once

#include <placement/expr/evaluate_together.hpp>
#include <placement/nn/optimizer.hpp>
#include <placement/nn/update_ops.hpp>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

struct adam_options {
  learning_rate rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};
struct adamw_options {
  learning_rate rate = 0.001;
  double weight_decay = 0.004;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

namespace detail {
/// One update of Adam. m, v: the slots.
template <class K, class T>
void update_by_adam(core::flat_tensor<T>& w, core::flat_tensor<T> const& g,
                    std::vector<slot>& slots, adam_options const& o, double kept,
                    update_step const& now) {
  using t = core::flat_tensor<T>;
  slot_elements<T> m(slots[0], w), v(slots[1], w);
  auto const n = static_cast<double>(now.number);
  double const rate = now.rate * std::sqrt(1 - std::pow(o.beta2, n)) / (1 - std::pow(o.beta1, n));
  using first = expr<first_moment_op, K, t, t>;
  using second = expr<second_moment_op, K, t, t>;
  using update = expr<adam_op, K, t, first, second>;
  // Made twice: a named node would hold a handle, and the slots would not be updated in place.
  auto const m1 = [&] { return first{{1 - o.beta1}, now.at, *m, g}; };
  auto const v1 = [&] { return second{{1 - o.beta2}, now.at, *v, g}; };
  evaluate(into(*m) = m1(), into(*v) = v1(),
           into(w) = update{{rate, o.epsilon, kept}, now.at, w, m1(), v1()});
}
}  // namespace detail

/// `adam()`, `adam(0.01)`, `adam({.rate = 0.01, .beta1 = 0.5})`. With step t from 1 on:
/// m += (1 - beta1) (g - m); v += (1 - beta2) (g^2 - v);
/// w -= rate sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon).
/// Slots: m and v.
/// Source: Kingma, Ba: Adam (2015), the form before section 2.1; TensorFlow's ApplyAdam.
class adam : public optimizer<adam> {
 public:
  explicit adam(learning_rate rate) : adam(adam_options{.rate = std::move(rate)}) {}
  explicit adam(adam_options o = {}) : optimizer(o.rate), options_(std::move(o)) {}

  // ---- for apply()

  static std::string_view slot_name() noexcept { return "Adam"; }
  static std::array<double, 2> slots() noexcept { return {0, 0}; }
  template <class K, class T>
  void update(tensor<T, dextents<1>>& w, tensor<T, dextents<1>> const& g,
              std::vector<detail::slot>& slots, detail::update_step const& now) const {
    detail::update_by_adam<K>(w, g, slots, options_, 1, now);
  }

 private:
  adam_options options_;
};

/// Adam with decoupled weight decay: w is also multiplied by 1 - rate weight_decay.
/// Slots: as adam.
/// Source: Loshchilov, Hutter: Decoupled Weight Decay Regularization (2019); tf.keras's AdamW.
class adamw : public optimizer<adamw> {
 public:
  explicit adamw(learning_rate rate) : adamw(adamw_options{.rate = std::move(rate)}) {}
  explicit adamw(adamw_options o = {})
      : optimizer(o.rate),
        options_{std::move(o.rate), o.beta1, o.beta2, o.epsilon},
        weight_decay_(o.weight_decay) {}

  // ---- for apply()

  static std::string_view slot_name() noexcept { return "AdamW"; }
  static std::array<double, 2> slots() noexcept { return {0, 0}; }
  template <class K, class T>
  void update(tensor<T, dextents<1>>& w, tensor<T, dextents<1>> const& g,
              std::vector<detail::slot>& slots, detail::update_step const& now) const {
    detail::update_by_adam<K>(w, g, slots, options_, 1 - now.rate * weight_decay_, now);
  }

 private:
  adam_options options_;
  double weight_decay_;
};

}}}  // namespace placement::v0_1::nn
