#pragma once

#include <placement/expr/evaluate_together.hpp>
#include <placement/nn/optimizer.hpp>
#include <placement/nn/update_ops.hpp>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

struct rmsprop_options {
  learning_rate rate = 0.001;
  double decay = 0.9;
  double momentum = 0;
  double epsilon = 1e-10;
};

/// `rmsprop(0.01)`: s += (1 - decay) (g^2 - s); a = momentum a + rate g / sqrt(s + epsilon);
/// w -= a. The first s is 1, as in tf.compat.v1's RMSPropOptimizer.
/// Slots: s and a.
/// Source: Tieleman, Hinton: lecture 6.5 (2012); TensorFlow's ApplyRMSProp.
class rmsprop : public optimizer<rmsprop> {
 public:
  explicit rmsprop(learning_rate rate) : rmsprop(rmsprop_options{.rate = std::move(rate)}) {}
  explicit rmsprop(rmsprop_options o = {}) : optimizer(o.rate), options_(std::move(o)) {}

  // ---- for apply()

  static std::string_view slot_name() noexcept { return "RMSProp"; }
  static std::array<double, 2> slots() noexcept { return {1, 0}; }
  template <class K, class T>
  void update(tensor<T, dextents<1>>& w, tensor<T, dextents<1>> const& g,
              std::vector<detail::slot>& slots, detail::update_step const& now) const {
    using t = tensor<T, dextents<1>>;
    detail::slot_elements<T> s(slots[0], w), a(slots[1], w);
    using squares = expr<mean_square_op, K, t, t>;
    using accumulated = expr<rmsprop_momentum_op, K, t, t, squares>;
    using step = expr<rmsprop_op, K, t, accumulated>;
    // Made again for each result: a named node would hold a handle, which prevents updates in
    // place.
    auto const s1 = [&] { return squares{{{1 - options_.decay}}, now.at, *s, g}; };
    auto const a1 = [&] {
      return accumulated{{now.rate, options_.momentum, options_.epsilon}, now.at, *a, g, s1()};
    };
    evaluate(into(*s) = s1(), into(*a) = a1(), into(w) = step{{}, now.at, w, a1()});
  }

 private:
  rmsprop_options options_;
};

}}}  // namespace placement::v0_1::nn
