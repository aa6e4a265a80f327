#pragma once
/// Dropout, whose mask is a function of a random stream. placement.hpp does not include this
/// header.
///
///     pl::random_stream const key = pl::next_random_stream();
///     pl::tensor y = pl::dropout(x, 0.5, key);
///     pl::tensor dx = pl::dropout(dy, 0.5, key);  // the same mask

#include <placement/error.hpp>
#include <placement/ops/compare.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/uniform.hpp>
#include <placement/ops/where.hpp>
#include <placement/runtime/escape.hpp>

#include <string>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_dropout_rate(double rate) {
  throw invalid_argument("placement: dropout with a rate of " + text_of_number(rate) +
                         ". Give a number of at least 0 and below 1: the part that becomes 0.");
}
}  // namespace detail

/// The random numbers of one op, for ops that take them as an argument: each call gives others. The
/// seed is that of set_seed.  Thread: any.
/// Shape: of a key, not an array.  Type: random_stream.  Kernels: computed at once, on the host.
inline random_stream next_random_stream() noexcept { return detail::next_random_stream(); }

/// x with a part `rate` of the elements replaced by 0, and the others multiplied by 1 / (1 - rate).
/// The mask is where uniform<float>(x.shape()) of this stream is below the rate. It depends on the
/// stream and the shape only, and is not stored. The same call on a gradient gives the gradient of
/// dropout. For inference leave the call out, or give a rate of 0, which keeps x.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU: one, the same mask on each device.
/// Throws: invalid_argument unless 0 <= rate < 1.
/// Source: Srivastava et al.: Dropout: A Simple Way to Prevent Neural Networks from Overfitting
/// (2014), with the factor applied in training.
template <operand X, class K = kernels_here>
auto dropout(X&& x, double rate, random_stream key, site at = site::here()) {
  using T = typename bare<X>::value_type;
  using shape_type = typename bare<X>::extents_type;
  static_assert(real_number<T>, "placement: dropout takes floating point. Write cast<float>(x).");
  if (!(rate >= 0 && rate < 1)) detail::throw_dropout_rate(rate);
  shape_type const shape = x.shape();
  auto const limit = static_cast<float>(rate);
  auto const scale = static_cast<T>(static_cast<computed_in<T>>(1 / (1 - rate)));
  expr<uniform_op<float, shape_type>, K> const u{{shape, 0.f, 1.f, next_after_op{}(1.f, 0.f), key},
                                                 at};
  return where(greater_equal(u, limit, at), multiply(std::forward<X>(x), scale, at), T{}, at);
}
/// The same with the next stream of the program, for a mask that is needed once.
template <operand X, class K = kernels_here>
auto dropout(X&& x, double rate, site at = site::here()) {
  return dropout<X, K>(std::forward<X>(x), rate, detail::next_random_stream(), at);
}

}}  // namespace placement::v0_1
