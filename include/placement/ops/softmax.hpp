#pragma once

#include <placement/cpu/softmax.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/shape/axis.hpp>

namespace placement { inline namespace v0_1 {

/// exp(x) / sum(exp(x)) along the last dimension, computed from x - max(x), so that nothing
/// overflows.
/// Shape: unchanged, rank 1 or more.  Type: floating point.  Kernels: CPU, GPU (pattern custom).
/// A row with a NaN or +inf, or of -inf alone, becomes NaN. A float more than 87.3 below
/// the largest becomes 0.
/// Cost: three passes over a row in cache, while the next is fetched; four exponentials are added
/// in their own type, then in double.
struct softmax_op {
  static constexpr std::string_view name = "Softmax";
  using pattern = custom;
  using gpu_lowering = lowered::softmax;
  static constexpr bool by_rows = true, may_stream = true;
  static constexpr int cost_per_element = 16;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;

  template <class X> static constexpr X result(X const& x) {
    static_assert(X::rank > 0,
                  "placement: softmax takes a vector or more. A scalar has no last dimension.");
    return x;
  }
  template <class T, class X>
  void operator()(dense_view<T, X> out, dense_view<T const, X> in,
                  bool streamed = false) const noexcept {
    detail::softmax_fibers<false>(out, in, streamed);
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return y * (g - sum(g * y, keep_dim(axis<-1>)));
  }
};
template <operand X> auto softmax(X&& x, site at = site::here()) -> unary<softmax_op, X> {
  static_assert(real_number<typename bare<X>::value_type>,
                "placement: softmax takes floating point. Write cast<float>(x).");
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
