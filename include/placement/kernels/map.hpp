#pragma once
/// The CPU kernel of a fused element-wise region: one loop over dense operands, one over rows.

#include <placement/kernels/bound.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement::inline v0_1 {

/// T: the operands' element type. The result's may be another: comparisons give bool.
template <class Op, class T> struct kernel<cpu_kernels, map, Op, T> {
  static constexpr bool exists = true;

  static constexpr index_t chunk = PLACEMENT_LOOP_CHUNK;

  /// out[i] = f(i) for every i. Cost: one pass, no allocation.
  /// Inlined, so that a length in the type is a constant of the loop.
  template <class R, class F>
  [[gnu::always_inline]] static inline void flat(R* out, index_t n, F const& f) {
    index_t const whole = n / chunk * chunk;
    for (index_t i = 0; i != whole; i += chunk) {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t j = 0; j < chunk; ++j) out[i + j] = f(i + j);
    }
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t i = whole; i < n; ++i) out[i] = f(i);
  }

  /// out[c, j] = f.row(c)(j) for every row c of shape x. Cost: one pass, no allocation.
  template <class R, class F, class X>
  static void rows(R* out, layout<X::rank> const& where, X const& x, F const& f) {
    index_t const n = row_length(x), step = where.step();
    for_each_row(x, [&](coordinates<X::rank> const& c) {
      auto const row = f.row(c);
      R* const to = out + where.row(c);
      for (index_t j = 0; j != n; ++j) to[j * step] = row(j);
    });
  }
};

}  // namespace placement::inline v0_1
