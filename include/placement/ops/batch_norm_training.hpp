#pragma once
/// Batch normalisation in training, and its ops. placement.hpp does not include this header.

#include <placement/expr/evaluate.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/cast.hpp>
#include <placement/ops/channel_moments.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/rsqrt.hpp>
#include <placement/ops/subtract.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {

template <class X> constexpr bool check_normalised() {
  static_assert(real_number<typename bare<X>::value_type>,
                "placement: batch_norm takes floating point. Write cast<float>(x).");
  static_assert(bare<X>::extents_type::rank > 1,
                "placement: batch_norm takes rows of channels, (N, C) or (N, H, W, C).");
  return true;
}
/// An operand in the type that it is computed in.
template <class X> auto computed_wide(X const& x, site at) {
  using T = typename X::value_type;
  if constexpr (std::is_same_v<T, computed_in<T>>) return x;
  else return cast<computed_in<T>>(x, at);
}
template <class X> auto as_tensor(X const& x, site at) {
  if constexpr (is_tensor<X>) return x;
  else return evaluate(x, at);
}
/// scale / sqrt(variance + epsilon), a tensor of one number per channel.
template <class U, class S>
tensor<U, dextents<1>> channel_factor(channel_moments<U> const& m, S const& scale, double epsilon,
                                      site at) {
  auto inverse = rsqrt(add(m.variance, static_cast<U>(epsilon), at), at);
  if constexpr (operand<S>) {
    return multiply(std::move(inverse), scale, at);
  } else {
    return multiply(std::move(inverse), static_cast<U>(scale), at);
  }
}
template <class U, class P> decltype(auto) parameter_of(P const& p) {
  if constexpr (operand<P>) return (p);
  else return scalar<U>{static_cast<U>(p)};
}
template <class U, class P>
using parameter_t = std::conditional_t<operand<bare<P>>, bare<P>, scalar<U>>;

template <class X, class P> constexpr bool check_parameter() {
  if constexpr (operand<bare<P>>) {
    using of_x = typename bare<X>::extents_type;
    using of_p = typename bare<P>::extents_type;
    static_assert(
        std::is_same_v<typename bare<P>::value_type, computed_in<typename bare<X>::value_type>>,
        "placement: scale and offset have the type that x is computed in: float for 16-bit numbers.");
    static_assert(
        of_p::rank != 1 || may_convert<of_p, extents<of_x::static_extent(of_x::rank - 1)>>(),
        "placement: batch_norm's scale or offset has another size than x has channels. "
        "Give one number per channel.");
  } else {
    static_assert(number<P>, "placement: scale and offset are vectors or numbers.");
  }
  return true;
}
/// The checks of types of batch normalisation. In a static_assert, so that its message comes before
/// those of other ops.
template <class X, class... P> constexpr bool check_normalisation() {
  return check_normalised<X>() && (check_parameter<X, P>() && ...);
}

template <class X, class U, class S, class O>
void check_batch_norm(X const& x, channel_moments<U> const& m, S const& scale, O const& offset,
                      site at) {
  index_t const channels = channels_of(x.shape());
  check_channels(m.mean, "a mean", channels, at);
  check_channels(m.variance, "a variance", channels, at);
  check_channels(scale, "a scale", channels, at);
  check_channels(offset, "an offset", channels, at);
}

}  // namespace detail

/// (x - mean) * factor + offset.
/// Shape: broadcast.  Type: float, double.  Kernels: CPU, GPU (pattern map).
struct batch_norm_op {
  static constexpr std::string_view name = "FusedBatchNormV3";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 3;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V mean, V factor,
                                                              V offset) const noexcept {
    return (x - mean) * factor + offset;
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x, auto const& mean,
                       auto const& factor, auto const&) {
    if constexpr (I == 0) return g * factor;
    else if constexpr (I == 1) return -(g * factor);
    else if constexpr (I == 2) return g * (x - mean);
    else return g;
  }
};
/// g * factor - (x - mean) * of_x - shift.
/// Shape: broadcast.  Type: float, double.  Kernels: CPU, GPU (pattern map).
struct batch_norm_gradient_op {
  static constexpr std::string_view name = "FusedBatchNormGradV3";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 5;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V g, V x, V mean, V factor, V of_x,
                                                              V shift) const noexcept {
    return g * factor - (x - mean) * of_x - shift;
  }
};
/// h * of_h + g * of_g + (x - mean) * of_x + shift: the derivative of the gradient of batch
/// normalisation by x.
/// Shape: broadcast.  Type: float, double.  Kernels: CPU, GPU (pattern map).
struct batch_norm_second_op {
  static constexpr std::string_view name = "FusedBatchNormGradGradV3";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 7;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V h, V g, V x, V mean, V of_h, V of_g,
                                                              V of_x, V shift) const noexcept {
    return h * of_h + g * of_g + (x - mean) * of_x + shift;
  }
};
struct batch_norm_training_gradient_op;
namespace detail {
/// A number of the program, or another operand, as a node stores it.
template <class T, class P> decltype(auto) number_or_operand(P const& p) {
  if constexpr (number<P>) return scalar<T>{static_cast<T>(p)};
  else return (p);
}
/// The gradient of batch_norm_training by x, for the gradient g of its result. factor: the scale /
/// sqrt(variance + epsilon).
template <class K, class G, class X, class M, class I, class F>
auto batch_norm_input_gradient(G const& g, X const& x, M const& mean, I const& inverse,
                               F const& factor);
/// The derivative of sum(h * batch_norm_input_gradient(g, x, mean, inverse, factor)) by x, also
/// through the moments.
template <class K, class H, class G, class X, class M, class I, class F>
auto batch_norm_second(H const& h, G const& g, X const& x, M const& mean, I const& inverse,
                       F const& factor) {
  using T = typename X::value_type;
  constexpr batch_axes<X> batch{};
  T const each = T{1} / static_cast<T>(elements_of_channel(x.shape()));
  auto const of_h = sum(h, batch);
  auto const of_g = sum(g, batch);
  auto const of_hx = sum(h * (x - mean), batch);
  auto const of_gx = sum(g * (x - mean), batch);
  auto const square = inverse * inverse;
  auto const q = factor * square * each;
  auto const of_x =
      q * (of_h * of_g * each - sum(h * g, batch) + square * of_hx * of_gx * (T{3} * each));
  return node_with<K>(batch_norm_second_op{}, h, g, x, mean, -(q * of_gx), -(q * of_hx), of_x,
                      q * each * (of_h * of_gx + of_g * of_hx));
}
}  // namespace detail
/// batch_norm_gradient_op in training, where mean, factor, of_x and shift depend on x and g. All of
/// that is part of the derivatives by g, x and factor. inverse: 1 / sqrt(variance + epsilon).
/// Shape: broadcast.  Type: float, double.  Kernels: CPU, GPU (pattern map).
struct batch_norm_training_gradient_op : batch_norm_gradient_op {
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V g, V x, V mean, V factor, V of_x,
                                                              V shift, V) const noexcept {
    return g * factor - (x - mean) * of_x - shift;
  }

  static constexpr bool sums_whole_gradient = true;
  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& h, auto const&, auto const& g, auto const& x, auto const& mean,
                       auto const& factor, auto const&, auto const&, auto const& inverse) {
    using T = typename bare<decltype(x)>::value_type;
    if constexpr (I == 0) return detail::batch_norm_input_gradient<K>(h, x, mean, inverse, factor);
    else if constexpr (I == 1) return detail::batch_norm_second<K>(h, g, x, mean, inverse, factor);
    else if constexpr (I == 3)
      return h * detail::batch_norm_input_gradient<K>(g, x, mean, inverse, T{1});
    else return zero_gradient{};
  }
};
template <class K, class G, class X, class M, class I, class F>
auto detail::batch_norm_input_gradient(G const& g, X const& x, M const& mean, I const& inverse,
                                       F const& factor) {
  using T = typename X::value_type;
  constexpr batch_axes<X> batch{};
  T const each = T{1} / static_cast<T>(elements_of_channel(x.shape()));
  auto const of_x = sum(g * (x - mean), batch) * (inverse * inverse * (factor * each));
  auto const shift = sum(g, batch) * (factor * each);
  return node_with<K>(batch_norm_training_gradient_op{}, g, x, mean, number_or_operand<T>(factor),
                      of_x, shift, inverse);
}

/// (x - mean) * (inverse * scale) + offset, where mean and inverse, 1 / sqrt(variance + epsilon),
/// are of x itself. The gradient by x passes through them, so they have none of their own.
/// Shape: broadcast.  Type: float, double.  Kernels: CPU, GPU (pattern map).
/// Source of the gradient: Ioffe, Szegedy: Batch Normalization (2015), section 3.
struct batch_norm_training_op {
  static constexpr std::string_view name = "FusedBatchNormV3";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 4;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V mean, V inverse, V scale,
                                                              V offset) const noexcept {
    return (x - mean) * (inverse * scale) + offset;
  }

  static constexpr bool sums_whole_gradient = true;
  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x, auto const& mean,
                       auto const& inverse, auto const& scale, auto const&) {
    if constexpr (I == 0) {
      return detail::batch_norm_input_gradient<K>(g, x, mean, inverse, inverse * scale);
    } else if constexpr (I == 3) {
      return g * (x - mean) * inverse;
    } else if constexpr (I == 4) {
      return g;
    } else {
      return zero_gradient{};
    }
  }
};

/// batch_norm(x, m, scale, offset, epsilon) for the moments of x itself: m is batch_moments(x). Its
/// gradient is one op with two sums over the batch, where that of batch_norm is composed of those
/// of the moments. m need not be recorded.
/// Shape: (..., C), unchanged, rank 2 or more.  Type: floating point, as batch_norm.
/// Kernels: CPU, GPU: one, which fuses with its neighbours.  Throws: shape_error.
/// Cost: of the gradient by x two sums over the batch and one kernel.
template <operand X, class S, class O, class K = kernels_here>
auto batch_norm_training(X&& x, channel_moments<computed_in<typename bare<X>::value_type>> const& m,
                         S const& scale, O const& offset, double epsilon = 1e-3,
                         site at = site::here()) {
  using T = typename bare<X>::value_type;
  using U = computed_in<T>;
  using row = tensor<U, dextents<1>>;
  static_assert(detail::check_normalisation<X, S, O>());
  detail::check_batch_norm(x, m, scale, offset, at);
  row inverse = [&] {
    detail::gradient_pause const pause;
    return row(rsqrt(add(m.variance, static_cast<U>(epsilon), at), at));
  }();
  auto const normalised = [&]<class Wide>(Wide&& wide) {
    return expr<batch_norm_training_op, K, node_operand_t<Wide>, row, row,
                detail::parameter_t<U, S>, detail::parameter_t<U, O>>(
        {}, at, std::forward<Wide>(wide), m.mean, std::move(inverse),
        detail::parameter_of<U>(scale), detail::parameter_of<U>(offset));
  };
  if constexpr (std::is_same_v<T, U>) return normalised(std::forward<X>(x));
  else return cast<T>(normalised(cast<U>(std::forward<X>(x), at)), at);
}

}}  // namespace placement::v0_1
