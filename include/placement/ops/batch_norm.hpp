#pragma once
/// Batch normalisation of the last dimension: images (N, H, W, C) or rows (N, C). placement.hpp
/// does not include this header.
///
///     auto const m = pl::batch_moments(x);                       // training: of this batch
///     pl::tensor y = pl::relu(pl::batch_norm_training(x, m, 1.f, beta));  // one kernel
///     pl::update_moving(moving, m, 0.9);
///     pl::tensor z = pl::batch_norm(x, moving, 1.f, beta);       // inference

#include <placement/ops/batch_norm_training.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/mean.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/over_axes.hpp>
#include <placement/ops/square.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/ops/sum.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The mean of each channel of x.
template <class K, class X> auto mean_of_channels(X const& x, site at) {
  if constexpr (X::rank > 2) {
    return mean<X const&, batch_axes<X>, K>(x, {}, at);
  } else {
    using along_batch = mean_op<along_t<batch_axes<X>>>;
    return expr<along_batch, K, node_operand_t<X const&>>{{}, at, x};
  }
}
}  // namespace detail

/// What batch_norm_gradient computes: the gradients of the input, the scale and the offset.
template <class T, class X> struct batch_norm_gradients {
  tensor<T, X> input;
  tensor<computed_in<T>, dextents<1>> scale, offset;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_batch_gradient(std::string const& g,
                                                                        std::string const& x,
                                                                        site at) {
  throw shape_error("placement: batch_norm_gradient with a gradient of shape " + g +
                    " for x of shape " + x + ". Give the gradient of batch_norm's result." +
                    location_text("FusedBatchNormGradV3", at));
}

}  // namespace detail

/// The mean and the biased variance of each channel over the batch. Computed at once, in two
/// passes: the variance from the differences to the mean.
/// Shape: (..., C) -> (C) and (C); rank 2 or more.  Type: floating point, in the type that it is
/// computed in.  Kernels: CPU, GPU: two; sums are carried in double, in an order of the shape.
/// Throws: shape_error for fewer than two elements per channel; out_of_memory.
template <operand X, class K = kernels_here>
channel_moments<computed_in<typename X::value_type>> batch_moments(X const& x,
                                                                   site at = site::here()) {
  static_assert(detail::check_normalised<X>());
  index_t const n = detail::elements_of_channel(x.shape());
  if (n < 2) detail::throw_small_batch(n, to_string(x.shape()), at);
  auto const wide = detail::computed_wide(detail::as_tensor(x, at), at);
  channel_moments<computed_in<typename X::value_type>> m;
  // Nodes with K, so that nothing records them where K does not.
  using wide_type = bare<decltype(wide)>;
  using deviation =
      expr<subtract_op, K, wide_type, tensor<typename wide_type::value_type, dextents<1>>>;
  m.mean = detail::mean_of_channels<K>(wide, at);
  m.variance = detail::mean_of_channels<K>(
      expr<square_op, K, deviation>{{}, at, deviation{{}, at, wide, m.mean}}, at);
  m.count = n;
  return m;
}

/// (x - mean) * scale / sqrt(variance + epsilon) + offset, by the moments of the batch or by moving
/// ones. scale and offset are vectors of one number per channel, or numbers, such as 1 and 0.
/// scale / sqrt(variance + epsilon) is computed at once, the result when it is assigned.
/// Shape: (..., C), unchanged, rank 2 or more.  Type: floating point; 16-bit numbers are computed
/// in float, with moments, scale and offset of float.
/// Kernels: CPU, GPU: one, which fuses with its neighbours.  Throws: shape_error.
/// Source: Ioffe, Szegedy: Batch Normalization (2015).
template <operand X, class S, class O, class K = kernels_here>
auto batch_norm(X&& x, channel_moments<computed_in<typename bare<X>::value_type>> const& m,
                S const& scale, O const& offset, double epsilon = 1e-3, site at = site::here()) {
  using T = typename bare<X>::value_type;
  using U = computed_in<T>;
  static_assert(detail::check_normalisation<X, S, O>());
  detail::check_batch_norm(x, m, scale, offset, at);
  using row = tensor<U, dextents<1>>;
  row factor = detail::channel_factor(m, scale, epsilon, at);
  if constexpr (std::is_same_v<T, U>) {
    return expr<batch_norm_op, K, node_operand_t<X>, row, row, detail::parameter_t<U, O>>(
        {}, at, std::forward<X>(x), m.mean, std::move(factor), detail::parameter_of<U>(offset));
  } else {
    using wide = decltype(cast<U>(std::forward<X>(x), at));
    return cast<T>(expr<batch_norm_op, K, wide, row, row, detail::parameter_t<U, O>>(
                       {}, at, cast<U>(std::forward<X>(x), at), m.mean, std::move(factor),
                       detail::parameter_of<U>(offset)),
                   at);
  }
}

/// The gradients of batch_norm(x, batch_moments(x), scale, offset, epsilon) for the gradient g of
/// its result, also through the moments. Computed at once.
/// Shape: g and x (..., C); gradients of x's shape, and (C) for scale and offset.
/// Type: that of batch_norm; g has x's.
/// Kernels: CPU, GPU: two sums over the batch, and one kernel for the input's gradient.
/// Throws: shape_error; out_of_memory.
template <operand G, operand X, class S, class K = kernels_here>
batch_norm_gradients<typename X::value_type, typename X::extents_type> batch_norm_gradient(
    G const& g, X const& x, channel_moments<computed_in<typename X::value_type>> const& m,
    S const& scale, double epsilon = 1e-3, site at = site::here()) {
  using T = typename X::value_type;
  using U = computed_in<T>;
  using row = tensor<U, dextents<1>>;
  static_assert(std::is_same_v<T, typename G::value_type>,
                "placement: the gradient and x have one element type. Write cast<T>(g).");
  static_assert(detail::check_normalisation<X, S>());
  index_t const channels = detail::channels_of(x.shape());
  detail::check_channels(m.mean, "a mean", channels, at);
  detail::check_channels(m.variance, "a variance", channels, at);
  detail::check_channels(scale, "a scale", channels, at);
  if (to_string(g.shape()) != to_string(x.shape()))
    detail::throw_batch_gradient(to_string(g.shape()), to_string(x.shape()), at);
  auto const given = detail::as_tensor(g, at);
  auto const input = detail::as_tensor(x, at);
  auto const gs = detail::computed_wide(given, at);
  auto const xs = detail::computed_wide(input, at);
  constexpr detail::batch_axes<X> batch{};
  row const inverse = detail::channel_factor(m, U{1}, epsilon, at),
            factor = detail::channel_factor(m, scale, epsilon, at);
  row of_offset = sum(gs, batch, at);
  row of_scale = multiply(sum(multiply(gs, subtract(xs, m.mean, at), at), batch, at), inverse, at);
  auto const each = U{1} / static_cast<U>(detail::elements_of_channel(x.shape()));
  row const of_x = multiply(multiply(multiply(factor, inverse, at), of_scale, at), each, at);
  row const shift = multiply(multiply(factor, of_offset, at), each, at);
  expr<batch_norm_gradient_op, K, bare<decltype(gs)>, bare<decltype(xs)>, row, row, row, row> const
      whole({}, at, gs, xs, m.mean, factor, of_x, shift);
  auto const result = [&] {
    if constexpr (std::is_same_v<T, U>) return evaluate(whole, at);
    else return evaluate(cast<T>(whole, at), at);
  };
  return {result(), std::move(of_scale), std::move(of_offset)};
}

}}  // namespace placement::v0_1
