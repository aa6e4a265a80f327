#pragma once
/// Residual blocks.

#include <placement/nn/sequential.hpp>
#include <placement/ops/add.hpp>

#include <tuple>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_block(std::string const& in,
                                                                     std::string const& out) {
  throw shape_error("placement: a residual block of samples of shape " + in +
                    " has layers with outputs of shape " + out + ". Its layers keep the shape.");
}
/// A function of both shapes, which compilers then print.
template <class Sample, class Output> constexpr void check_block() {
  static_assert(placement::detail::may_convert<Sample, Output>(),
                "placement: the layers of a residual block keep the shape of a sample. Give "
                "the last one as many outputs as the block has inputs.");
}
}  // namespace detail

/// x + inner(x), where inner keeps the shape.
/// Source: He et al.: Deep Residual Learning for Image Recognition (2016).
template <class Inner> struct residual_layer {
  static constexpr bool reads_tensor = true;

  Inner inner;

  auto parts() { return std::tie(inner); }
  auto parts() const { return std::tie(inner); }

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    return add(x, inner(x, at), at);
  }
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, training_t mode, site at = site::here()) {
    return add(x, inner(x, mode, at), at);
  }
  template <class X> X output(X const& sample) const { return sample; }
};

/// Describes a residual block of layers that keep the shape of a sample:
/// `residual(dense<64>{}, relu, dense<64>{})`.
template <class... L> struct residual {
  std::tuple<L...> layers;

  explicit residual(L... l) : layers(std::move(l)...) {}

  template <element T, class X, class K = kernels_here>
  auto layer(X const& sample, site at = site::here()) const {
    auto inner = std::apply(
        [&](auto const&... l) { return detail::make_model<T, K>(sample, at, l...); }, layers);
    detail::check_block<X, decltype(inner.output(sample))>();
    if (!(inner.output(sample) == sample))
      detail::throw_other_block(to_string(sample), to_string(inner.output(sample)));
    return residual_layer<decltype(inner)>{std::move(inner)};
  }
};

}}}  // namespace placement::v0_1::nn
