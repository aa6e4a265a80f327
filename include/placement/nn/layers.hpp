#pragma once
/// Layers without parameters.

#include <placement/nn/layer.hpp>
#include <placement/ops/dropout.hpp>
#include <placement/ops/relu.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/runtime/escape.hpp>

#include <string>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

/// Each sample as a vector: (n, a, b, ...) -> (n, a b ...).
struct flatten_layer {
  static constexpr bool reads_tensor = true;

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    static_assert(X::rank >= 2, "placement: flatten takes samples along the first dimension.");
    using shape = typename X::extents_type;
    constexpr index_t count = features<shape>(std::make_index_sequence<shape::rank - 1>{});
    constexpr index_t n = shape::static_extent(0);
    using flat = extents<n, count>;
    flat to{};
    if constexpr (!flat::is_static) {
      index_t of_one = 1;
      for (std::size_t d = 1; d != shape::rank; ++d) of_one *= x.shape().at(d);
      to.n[0] = x.shape().at(0);
      to.n[1] = of_one;
    }
    return reshape(x, to, at);
  }
  template <class X> auto output(X const& sample) const {
    if constexpr (X::is_static) return extents<static_cast<index_t>(X::count())>{};
    else return shape(sample.count());
  }

 private:
  template <class X, std::size_t... D>
  static constexpr index_t features(std::index_sequence<D...>) {
    if constexpr (((X::static_extent(D + 1) == dyn) || ...)) return dyn;
    else return (index_t{1} * ... * X::static_extent(D + 1));
  }
};
inline constexpr flatten_layer flatten{};

/// max(x, 0), element by element.
struct relu_layer {
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    return placement::relu(x, at);
  }
  template <class X> X output(X const& sample) const { return sample; }
};
inline constexpr relu_layer relu{};

/// In training a part `rate` of the elements is 0, and the others are divided by 1 - rate. Each
/// call draws other elements from the random numbers of set_seed, equal on every device. In
/// inference x itself.
/// Source: Srivastava et al.: Dropout (2014), with the factor applied in training.
class dropout {
 public:
  /// Throws: invalid_argument unless 0 <= rate < 1.
  explicit dropout(double rate) : rate_(rate) {
    if (!(rate >= 0 && rate < 1))
      throw invalid_argument("placement: dropout with a rate of " +
                             placement::detail::text_of_number(rate) +
                             ". Give a number of at least 0 and below 1: the part that becomes 0.");
  }

  template <operand X> X const& operator()(X const& x) const { return x; }
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, training_t, site at = site::here()) const {
    return placement::dropout<X const&, K>(x, rate_, at);
  }
  template <class X> X output(X const& sample) const { return sample; }

 private:
  double rate_;
};

}}}  // namespace placement::v0_1::nn
