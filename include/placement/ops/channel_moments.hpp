#pragma once
/// The moments of the channels of a batch, which batch normalisation uses. placement.hpp does not
/// include this header.

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 {

/// The mean and the biased variance of each channel. T: float or double.
template <class T> struct channel_moments {
  tensor<T, dextents<1>> mean, variance;
  index_t count = 0;  ///< elements of each channel, for the unbiased variance; 0 of moving ones
};

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_small_batch(index_t n,
                                                                     std::string const& shape,
                                                                     site at) {
  throw shape_error("placement: batch_moments of shape " + shape + ": a channel has " +
                    std::to_string(n) + (n == 1 ? " element" : " elements") +
                    ", whose variance is undefined. Give at least 2, or normalise by moving "
                    "moments." +
                    location_text("FusedBatchNormV3", at));
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_channels(std::string_view what,
                                                                  std::string const& shape,
                                                                  index_t channels, site at) {
  throw shape_error("placement: batch_norm of " + std::to_string(channels) + " channels with " +
                    std::string(what) + " of shape " + shape + ". Give one number per channel." +
                    location_text("FusedBatchNormV3", at));
}
template <class P> void check_channels(P const& p, std::string_view what, index_t n, site at) {
  if constexpr (operand<P>) {
    static_assert(P::extents_type::rank == 1, "placement: parameters of channels are vectors.");
    if (p.shape().at(0) != n) throw_channels(what, to_string(p.shape()), n, at);
  }
}
template <class X> index_t channels_of(X const& x) { return x.at(X::rank - 1); }
/// The elements of each channel.
template <class X> index_t elements_of_channel(X const& x) {
  index_t n = 1;
  for (std::size_t d = 0; d + 1 < X::rank; ++d) n *= x.at(d);
  return n;
}
/// All dimensions but the last; one of a vector, which is no batch.
template <std::size_t... D> constexpr auto batch_axes_of(std::index_sequence<D...>) {
  return axis<static_cast<int>(D)...>;
}
template <class X>
using batch_axes = decltype(batch_axes_of(
    std::make_index_sequence < X::extents_type::rank<2 ? 1 : X::extents_type::rank - 1>{}));
}  // namespace detail

}}  // namespace placement::v0_1
