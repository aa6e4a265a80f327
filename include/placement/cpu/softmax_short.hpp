#pragma once
/// Softmax and its logarithm on the CPU for short rows. Several rows are computed side by side, so
/// that vectors are full for any length.

#include <placement/cpu/by_level.hpp>
#include <placement/cpu/transpose_elements.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/float16.hpp>
#include <placement/math/log.hpp>
#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// A row's result does not depend on the rows beside it.
template <bool Logarithm, class T, class K = cpu_kernels> class softmax_of_short_fibers {
 public:
  /// Longer rows are faster one by one.
  static constexpr index_t longest = 52;

  /// Dense rows of n elements, 1 to `longest`; y may be x. Cost: one exponential per element, and
  /// two transpositions of the rows.
  static void run(T* y, T const* x, index_t n, index_t rows) {
    index_t row = 0;
    for (; rows - row > 4; row += 16)
      do_rows<16>(y + row * n, x + row * n, n, rows - row < 16 ? rows - row : 16);
    if (row < rows) do_rows<4>(y + row * n, x + row * n, n, rows - row);
  }

 private:
  using wide = computed_in<T>;
  template <class S, index_t N> using array = S[static_cast<std::size_t>(N)];

  template <index_t Together> static void do_rows(T* y, T const* x, index_t n, index_t count) {
    alignas(64) array<wide, longest * Together> t;
    constexpr index_t bytes = sizeof(T);
    bool const is_whole = std::is_same_v<T, wide> && count == Together;
    auto* const columns = reinterpret_cast<unsigned char*>(t);
    if (is_whole)
      transpose_elements(columns, Together * bytes, reinterpret_cast<unsigned char const*>(x),
                         n * bytes, n, count, bytes);
    else
      for (index_t r = 0; r != Together; ++r)
        for (index_t j = 0; j != n; ++j)
          t[j * Together + r] = widened(x[(r < count ? r : 0) * n + j]);
    run_by_level(computing_rows<Together>{t, n});
    if (is_whole)
      transpose_elements(reinterpret_cast<unsigned char*>(y), n * bytes, columns, Together * bytes,
                         count, n, bytes);
    else
      for (index_t r = 0; r != count; ++r)
        for (index_t j = 0; j != n; ++j) y[r * n + j] = static_cast<T>(t[j * Together + r]);
  }

  /// Element j of the rows is at t + j * Together. The maximum may ignore a NaN, whose exponential
  /// makes its row NaN.
  template <index_t Together> struct computing_rows {
    wide* t;
    index_t n;
    PLACEMENT_ALWAYS_INLINE void operator()() const {
      alignas(64) array<wide, Together> max;
      alignas(64) array<double, Together> total{};
      alignas(64) array<wide, Together> last;
      for (index_t l = 0; l < Together; ++l) max[l] = t[l];
      wide* const end = t + n * Together;
      for (wide const* x = t + Together; x < end; x += Together) {
        PLACEMENT_SAME_INDEX_ONLY_SHORT
        for (index_t l = 0; l < Together; ++l) max[l] = max[l] > x[l] ? max[l] : x[l];
      }
      for (wide* x = t; x != end; x += Together) {
        PLACEMENT_SAME_INDEX_ONLY_SHORT
        for (index_t l = 0; l < Together; ++l) {
          wide const below = x[l] - max[l], e = math::exp_of_negative(below);
          total[l] += static_cast<double>(e);
          x[l] = Logarithm ? below : e;
        }
      }
      for (index_t l = 0; l < Together; ++l) last[l] = last_of(total[l]);
      for (wide* x = t; x != end; x += Together) {
        PLACEMENT_SAME_INDEX_ONLY_SHORT
        for (index_t l = 0; l < Together; ++l) x[l] = finalized(x[l], last[l]);
      }
    }
  };
  PLACEMENT_ALWAYS_INLINE static inline wide last_of(double total) {
    if constexpr (Logarithm) return static_cast<wide>(math::log(total));
    else return static_cast<wide>(1 / total);
  }
  /// Both terms of the logarithm are negative or 0: nothing cancels.
  PLACEMENT_ALWAYS_INLINE static inline wide finalized(wide x, wide last) {
    return Logarithm ? x - last : x * last;
  }
};

}}}  // namespace placement::v0_1::detail
