#pragma once
/// Definitions of sum_columns.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/sum_columns.hpp>
#include <placement/cpu/widen_lanes.hpp>

#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Adds rows to the sums of their columns, a register of elements at a time.
template <class T> struct adding_columns {
  double* sums;
  rows_in_memory<T> const& rows;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    index_t k = 0;
    for (; rows.count - k >= together; k += together) add_rows<Bytes, together>(k);
    for (; k != rows.count; ++k) add_rows<Bytes, 1>(k);
  }

 private:
  static constexpr int together = 8;

  PLACEMENT_ALWAYS_INLINE T const* row(index_t k) const {
    return reinterpret_cast<T const*>(reinterpret_cast<unsigned char const*>(rows.data) +
                                      k * rows.pitch);
  }
  /// The last register ends with the last column. Its sums follow those of whole registers, and
  /// finish() moves them.
  template <int Bytes, int Rows> PLACEMENT_ALWAYS_INLINE void add_rows(index_t k) const {
    constexpr int width = Bytes / int{sizeof(T)};
    T const* const first = row(k);
    if (n < width) {
      for (index_t j = 0; j != n; ++j) add_one<Rows>(first, j);
      return;
    }
    index_t j = 0;
    lanes<T, width> sum;
    for (; n - j >= width; j += width) {
      sum_rows_of<Rows, width>(sum, first + j);
      add<Bytes>(sums + j, sum);
    }
    if (j == n) return;
    sum_rows_of<Rows, width>(sum, first + n - width);
    add<Bytes>(sums + j, sum);
  }
  template <int Rows, int N>
  PLACEMENT_ALWAYS_INLINE void sum_rows_of(lanes<T, N>& sum, T const* p) const {
    std::memcpy(&sum, p, sizeof sum);
    each<Rows - 1>([&](auto) PLACEMENT_ALWAYS_INLINE {
      p = reinterpret_cast<T const*>(reinterpret_cast<unsigned char const*>(p) + rows.pitch);
      lanes<T, N> x;
      std::memcpy(&x, p, sizeof x);
      sum += x;
    });
  }
  template <int Bytes>
  PLACEMENT_ALWAYS_INLINE static void add(double* to,
                                          lanes<T, Bytes / int{sizeof(T)}> const& sum) {
    constexpr int width = Bytes / 8, registers = 8 / int{sizeof(T)};
    lane_array<T, width, registers> part;
    std::memcpy(part, &sum, sizeof part);
    each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      lanes<double, width> all, wide;
      std::memcpy(&all, to + r * width, sizeof all);
      widen_lanes<width>(wide, part[r]);
      all += wide;
      std::memcpy(to + r * width, &all, sizeof all);
    });
  }
  template <int Rows> PLACEMENT_ALWAYS_INLINE void add_one(T const* p, index_t j) const {
    T sum = p[j];
    for (int r = 1; r < Rows; ++r) {
      p = reinterpret_cast<T const*>(reinterpret_cast<unsigned char const*>(p) + rows.pitch);
      sum += p[j];
    }
    sums[j] += static_cast<double>(sum);
  }
};

/// Moves the sums of the last register to their columns.
template <class T> struct finishing_columns {
  double* sums;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr index_t width = Bytes / int{sizeof(T)};
    index_t const whole = n / width * width, last = n - whole;
    if (whole == 0 || last == 0) return;
    for (index_t j = 0; j != last; ++j) sums[whole + j] = sums[whole + width - last + j];
  }
};

PLACEMENT_INLINE_ON_CALL void add_to_columns(sums_of_columns& to, rows_in_memory<float> const& rows,
                                             index_t n) {
  run_by_width(adding_columns<float>{to.at, rows, n});
}
PLACEMENT_INLINE_ON_CALL void add_to_columns(sums_of_columns& to,
                                             rows_in_memory<double> const& rows, index_t n) {
  run_by_width(adding_columns<double>{to.at, rows, n});
}
PLACEMENT_INLINE_ON_CALL void finish_columns(sums_of_columns& of, float, index_t n) {
  run_by_width(finishing_columns<float>{of.at, n});
}
PLACEMENT_INLINE_ON_CALL void finish_columns(sums_of_columns& of, double, index_t n) {
  run_by_width(finishing_columns<double>{of.at, n});
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
