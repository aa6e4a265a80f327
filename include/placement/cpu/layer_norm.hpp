#pragma once
/// Layer normalisation and its gradient on the CPU: passes over one row in the first cache,
/// compiled for several levels of x86-64.

#include <placement/cpu/by_level.hpp>
#include <placement/math/float16.hpp>
#include <placement/shape/extents.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 { namespace detail {

/// Rows of n numbers. scale and offset have n, too; null for 1 and 0. g: of the gradient alone.
template <class T> struct layer_norm_rows {
  using wide = computed_in<T>;

  T* out;
  T const *x, *g;
  wide const *scale, *offset;
  index_t n;
  double epsilon;

  PLACEMENT_ALWAYS_INLINE void normalise(index_t begin, index_t end) const {
    for (index_t r = begin; r != end; ++r) {
      T const* const row = x + r * n;
      T* const to = out + r * n;
      moments const m = moments_of(row);
      auto const mean = static_cast<wide>(m.mean), inverse = static_cast<wide>(m.inverse);
      if (scale == nullptr)
        each([&](index_t j)
                 PLACEMENT_ALWAYS_INLINE { to[j] = T((widened(row[j]) - mean) * inverse); });
      else
        each([&](index_t j) PLACEMENT_ALWAYS_INLINE {
          to[j] = T((widened(row[j]) - mean) * inverse * scale[j] + offset[j]);
        });
    }
  }
  /// With h = g * scale and y the normalised row: (h - mean(h) - y mean(h y)) / deviation.
  PLACEMENT_ALWAYS_INLINE void gradient(index_t begin, index_t end) const {
    for (index_t r = begin; r != end; ++r) {
      T const *const row = x + r * n, *const of_row = g + r * n;
      T* const to = out + r * n;
      moments const m = moments_of(row);
      auto const mean = static_cast<wide>(m.mean);
      auto const h = [&](index_t j) PLACEMENT_ALWAYS_INLINE {
        wide const given = widened(of_row[j]);
        return scale == nullptr ? given : given * scale[j];
      };
      auto const count = static_cast<double>(n);
      double const of_mean = sum(h) / count;
      double const of_deviation =
          sum([&](index_t j) PLACEMENT_ALWAYS_INLINE { return h(j) * (widened(row[j]) - mean); }) /
          count;
      auto const down = static_cast<wide>(of_mean), inverse = static_cast<wide>(m.inverse),
                 slope = static_cast<wide>(of_deviation * m.inverse * m.inverse);
      each([&](index_t j) PLACEMENT_ALWAYS_INLINE {
        to[j] = T((h(j) - down - (widened(row[j]) - mean) * slope) * inverse);
      });
    }
  }

 private:
  struct moments {
    double mean, inverse;
  };
  static constexpr index_t lanes = 16;

  /// The variance from the differences to the mean, without cancellation.
  PLACEMENT_ALWAYS_INLINE moments moments_of(T const* row) const {
    auto const count = static_cast<double>(n);
    double const mean =
        sum([&](index_t j) PLACEMENT_ALWAYS_INLINE { return widened(row[j]); }) / count;
    auto const center = static_cast<wide>(mean);
    double const variance = sum([&](index_t j) PLACEMENT_ALWAYS_INLINE {
                              wide const away = widened(row[j]) - center;
                              return away * away;
                            }) /
                            count;
    return {mean, 1 / std::sqrt(variance + epsilon)};
  }
  /// The sum of f(j) for j below n: four terms in their type, then in double.
  template <class F> PLACEMENT_ALWAYS_INLINE double sum(F const& f) const {
    double sums[lanes] = {};
    index_t i = 0;
    for (; n - i >= 4 * lanes; i += 4 * lanes) {
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t j = 0; j < lanes; ++j)
        sums[j] += static_cast<double>((f(i + j) + f(i + j + lanes)) +
                                       (f(i + j + 2 * lanes) + f(i + j + 3 * lanes)));
    }
    for (; n - i >= lanes; i += lanes) {
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t j = 0; j < lanes; ++j) sums[j] += static_cast<double>(f(i + j));
    }
    double total = sum_of<lanes>(sums);
    for (; i != n; ++i) total += static_cast<double>(f(i));
    return total;
  }
  /// The sum of N numbers, not in order: each addition would wait for the one before.
  template <index_t N> PLACEMENT_ALWAYS_INLINE static double sum_of(double const* x) {
    if constexpr (N == 1) return x[0];
    else return sum_of<N / 2>(x) + sum_of<N / 2>(x + N / 2);
  }
  template <class F> PLACEMENT_ALWAYS_INLINE void each(F const& f) const {
    index_t const whole = n / lanes * lanes;
    for (index_t i = 0; i != whole; i += lanes) {
      PLACEMENT_SAME_INDEX_ONLY_SHORT
      for (index_t j = 0; j < lanes; ++j) f(i + j);
    }
    for (index_t i = whole; i != n; ++i) f(i);
  }
};

/// Rows [begin, end), and the gradient of them.
template <class T> struct normalising_rows {
  layer_norm_rows<T> const& rows;
  index_t begin, end;
  PLACEMENT_ALWAYS_INLINE void operator()() const { rows.normalise(begin, end); }
};
template <class T> struct gradient_of_rows {
  layer_norm_rows<T> const& rows;
  index_t begin, end;
  PLACEMENT_ALWAYS_INLINE void operator()() const { rows.gradient(begin, end); }
};

}}}  // namespace placement::v0_1::detail
