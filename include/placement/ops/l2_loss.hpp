#pragma once
/// Half the sum of squares, as weight decay adds it. placement.hpp does not include this header.

#include <placement/ops/square.hpp>
#include <placement/ops/sum.hpp>

namespace placement { inline namespace v0_1 {

/// Half the sum of all elements: l2_loss gives it squares.
struct l2_loss_op : sum_op<> {
  static constexpr std::string_view name = "L2Loss";
  template <class T> PLACEMENT_HD static constexpr T finalize(state<T> const& s, index_t) noexcept {
    return static_cast<T>(s.sum / 2);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> static auto pullback(auto const& g, auto const&...) {
    return g * static_cast<typename bare<decltype(g)>::value_type>(0.5);
  }
};

/// sum(w * w) / 2, as TensorFlow's L2Loss; 0 of no elements.
/// Shape: (...) -> [].  Type: floating point. Squares are rounded to it, and summed as by sum.
/// Kernels: CPU, GPU: one, without temporaries.
template <operand X, class K = kernels_here> auto l2_loss(X&& w, site at = site::here()) {
  static_assert(real_number<typename bare<X>::value_type>,
                "placement: l2_loss takes floating point. Write l2_loss(cast<float>(w)).");
  using squares = decltype(square(std::forward<X>(w), at));
  return expr<l2_loss_op, K, squares>({}, at, square(std::forward<X>(w), at));
}

}}  // namespace placement::v0_1
