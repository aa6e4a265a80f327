#pragma once
/// Definitions of sum_columns.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/sum_columns.hpp>
#include <placement/cpu/widen_lanes.hpp>

#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Adds rows to the sums of their columns: strips of a register's columns, of several rows.
template <class T> struct adding_columns {
  double* sums;
  rows_in_memory<T> const& rows;
  index_t n;

  /// The last strip ends with the last column. Its sums follow those of whole strips, and
  /// finishing_columns moves them.
  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr index_t width = Bytes / int{sizeof(T)};
    index_t const most = rows_of_strip();
    for (index_t begin = 0; begin < rows.count; begin += most) {
      index_t const end = rows.count - begin < most ? rows.count : begin + most;
      index_t j = 0;
      for (; n - j >= width; j += width) add_strip<Bytes>(j, j, begin, end);
      if (j != 0 && j != n) add_strip<Bytes>(j, n - width, begin, end);
      else
        for (; j != n; ++j) add_column(j, begin, end);
    }
  }

 private:
  static constexpr int together = 8;

  /// Eight where rows are far apart, or where all share some sets of a cache.
  PLACEMENT_ALWAYS_INLINE index_t rows_of_strip() const {
    constexpr index_t many = 128, most_pitch = 1024, bytes_of_sets = 256;
    bool const is_near = rows.pitch > 0 && rows.pitch <= most_pitch;
    return is_near && rows.pitch % bytes_of_sets != 0 ? many : together;
  }

  PLACEMENT_ALWAYS_INLINE T const* below(T const* p, index_t k) const {
    return reinterpret_cast<T const*>(reinterpret_cast<unsigned char const*>(p) + k * rows.pitch);
  }
  /// Rows [begin, end) of the columns from `column` on, to the sums from `at` on.
  template <int Bytes>
  PLACEMENT_ALWAYS_INLINE void add_strip(index_t at, index_t column, index_t begin,
                                         index_t end) const {
    constexpr int width = Bytes / 8, registers = 8 / int{sizeof(T)};
    lane_array<double, width, registers> sum;
    each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(&sum[r], sums + at + r * width, sizeof sum[r]);
    });
    T const* p = below(rows.data + column, begin);
    index_t k = begin;
    for (; end - k >= together; k += together, p = below(p, together))
      add_rows<Bytes, together>(sum, p);
    for (; k != end; ++k, p = below(p, 1)) add_rows<Bytes, 1>(sum, p);
    each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(sums + at + r * width, &sum[r], sizeof sum[r]);
    });
  }
  template <int Bytes, int Rows>
  PLACEMENT_ALWAYS_INLINE void add_rows(lanes<double, Bytes / 8>* sum, T const* p) const {
    constexpr int width = Bytes / 8, registers = 8 / int{sizeof(T)};
    lanes<T, width * registers> all, one;
    std::memcpy(&all, p, sizeof all);
    each<Rows - 1>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(&one, below(p, r + 1), sizeof one);
      all += one;
    });
    each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      lanes<double, width> wide;
      widen_part<r * width, width, width * registers, T>(wide, all);
      sum[r] += wide;
    });
  }
  PLACEMENT_ALWAYS_INLINE void add_column(index_t j, index_t begin, index_t end) const {
    T const* p = below(rows.data + j, begin);
    index_t k = begin;
    for (; end - k >= together; k += together) {
      T sum = *p;
      for (int r = 1; r < together; ++r) sum += *(p = below(p, 1));
      p = below(p, 1);
      sums[j] += static_cast<double>(sum);
    }
    for (; k != end; ++k, p = below(p, 1)) sums[j] += static_cast<double>(*p);
  }
};

/// Moves the sums of the last strip to their columns.
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
