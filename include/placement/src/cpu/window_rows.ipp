#pragma once
/// Definitions of window_rows.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/widen_lanes.hpp>
#include <placement/cpu/window_rows.hpp>

#include <cstring>
#include <limits>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// The windows of an operand: the last `reduced` dimensions up to `axis` are their rows.
class operand_windows {
 public:
  operand_windows(block_call const& call, any_shape const& x, std::size_t axis, std::size_t reduced)
      : x_(x), outer_(axis + 1 - reduced) {
    block_operand const& o = call.operand[0];
    layout_level const* const level = o.level;
    if (!call.is_operand() || o.is_single || level == nullptr || level->outer != nullptr) return;
    if (axis + 2 != x.rank || level->stride[axis + 1] != 1) return;
    columns = x.extent[axis + 1];
    if (columns < least_window_columns || columns > most_window_results) return;
    stride_ = level->stride;
    base_ = level->base;
    for (depth = 1; reduced != 0; --reduced, --axis) {
      index_t const n = x.extent[axis];
      if (n > most_window_rows / depth) return;
      for (index_t k = 1; k < n; ++k)  // the rows of the later dimensions, n times
        for (index_t i = 0; i != depth; ++i) offset[k * depth + i] = offset[i] + k * stride_[axis];
      depth *= n;
    }
    windows = outer_ == 0 ? 1 : x.extent[outer_ - 1];
    step = outer_ == 0 ? 0 : stride_[outer_ - 1];
    exist = true;
  }

  /// The first element of the windows along the last dimension before the rows.
  index_t first_of(index_t number) const {
    index_t at = base_;
    for (std::size_t d = outer_; d-- > 1; number /= x_.extent[d - 1])
      at += number % x_.extent[d - 1] * stride_[d - 1];
    return at;
  }

  bool exist = false;
  index_t depth = 0, windows = 0, step = 0, columns = 0;
  index_t offset[static_cast<std::size_t>(most_window_rows)]{};

 private:
  any_shape const& x_;
  std::size_t outer_;  ///< the dimensions before the rows
  index_t const* stride_ = nullptr;
  index_t base_ = 0;
};

PLACEMENT_INLINE bool run_on_windows(block_call const& call, any_shape const& x,
                                     tile_axis const& rows, index_t outer, par on,
                                     window_function each, void const* work) {
  if (rows.matrices != 0) return false;
  operand_windows const all(call, x, rows.axis, rows.dimensions);
  if (!all.exist) return false;
  auto const* const data = static_cast<unsigned char const*>(call.operand[0].data);
  index_t const bytes = call.operand[0].bytes, n = all.columns, most = most_window_results / n,
                parts = (all.windows + most - 1) / most;
  on.parallel_for(
      {outer / all.windows * parts, 1, x.count() * call.cost_per_element, 0},
      [&](work_chunk const& chunk) {
        for (index_t i = chunk.begin; i != chunk.end; ++i) {
          index_t const row = i / parts, window = i % parts * most, left = all.windows - window;
          each(work, {data + (all.first_of(row) + window * all.step) * bytes, all.offset, all.depth,
                      left < most ? left : most, all.step, n, (row * all.windows + window) * n});
        }
      });
  return true;
}

#if PLACEMENT_HAS_PACKS
/// Calls strip(p, i) for strips of W columns: p is the address of the first window's row, i the
/// number of the result. The last strip of a window ends with its last column.
template <int W, class T, class F>
PLACEMENT_ALWAYS_INLINE inline void each_strip(window_rows<T> const& of, F const& strip) {
  T const* p = of.first;
  for (index_t w = 0, i = 0; w != of.windows; ++w, i += of.columns, p += of.step)
    for (index_t j = 0; j < of.columns; j += W) {
      index_t const column = of.columns - j < W ? of.columns - W : j;
      strip(p + column, i + column);
    }
}
/// Calls run<W>() with the lanes of a register of Bytes bytes, or of half a register for rows that
/// are shorter.
template <int Bytes, class T, class Work>
PLACEMENT_ALWAYS_INLINE inline void run_by_columns(Work const& work, index_t columns) {
  constexpr int width = Bytes / int{sizeof(T)};
  static_assert(width / 2 <= least_window_columns);
  if (columns >= width) work.template run_strips<Bytes, width>();
  else work.template run_strips<Bytes, width / 2>();
}

template <class T> struct summing_windows {
  double* sums;
  window_rows<T> const& of;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    run_by_columns<Bytes, T>(*this, of.columns);
  }
  template <int Bytes, int W> PLACEMENT_ALWAYS_INLINE void run_strips() const {
    constexpr int width = Bytes / 8 < W ? Bytes / 8 : W, registers = W / width;
    each_strip<W>(of, [&](T const* p, index_t i) PLACEMENT_ALWAYS_INLINE {
      lane_array<double, width, registers> sum;
      each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE { sum[r] = lanes<double, width>{}; });
      auto const add = [&](lanes<T, W> const& x) PLACEMENT_ALWAYS_INLINE {
        each<registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
          lanes<double, width> wide;
          widen_part<r * width, width, W, T>(wide, x);
          sum[r] += wide;
        });
      };
      constexpr index_t together = 8;
      index_t k = 0;
      lanes<T, W> x, one;
      for (; of.depth - k >= together; k += together) {
        std::memcpy(&x, p + of.offset[k], sizeof x);
        each<int{together} - 1>([&](auto r) PLACEMENT_ALWAYS_INLINE {
          std::memcpy(&one, p + of.offset[k + r + 1], sizeof one);
          x += one;
        });
        add(x);
      }
      for (; k != of.depth; ++k) {
        std::memcpy(&x, p + of.offset[k], sizeof x);
        add(x);
      }
      std::memcpy(sums + i, &sum, sizeof sum);
    });
  }
};

template <class T> struct selecting_in_windows {
  selected_in_windows<T>& found;
  window_rows<T> const& of;
  bool& has_no_nan;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    run_by_columns<Bytes, T>(*this, of.columns);
  }
  template <int Bytes, int W> PLACEMENT_ALWAYS_INLINE void run_strips() const {
    if (found.largest) select<W, true>();
    else select<W, false>();
  }

 private:
  template <int W, bool Largest> PLACEMENT_ALWAYS_INLINE void select() const {
    if (found.has_index) select<W, Largest, true>();
    else select<W, Largest, false>();
  }
  template <int W, bool Largest, bool Where> PLACEMENT_ALWAYS_INLINE void select() const {
    using elements = lanes<T, W>;
    constexpr T none = (Largest ? -1 : 1) * std::numeric_limits<T>::infinity();
    elements total{};  // NaN if an element is, or if infinities of both signs are among them
    each_strip<W>(of, [&](T const* p, index_t i) PLACEMENT_ALWAYS_INLINE {
      elements best = elements{} + none, at{}, x;
      for (index_t k = 0; k != of.depth; ++k) {
        std::memcpy(&x, p + of.offset[k], sizeof x);
        if constexpr (Where) {
          elements const number = elements{} + static_cast<T>(k);
          at = Largest ? (best < x ? number : at) : (best > x ? number : at);
        }
        if constexpr (Largest) best = best < x ? x : best;
        else best = best > x ? x : best;
        total += x;
      }
      std::memcpy(found.value + i, &best, sizeof best);
      if constexpr (Where) std::memcpy(found.at + i, &at, sizeof at);
    });
    T const sum = sum_of_lanes<T, W>(total);
    has_no_nan = sum == sum;
  }
};
#else
/// The same as plain loops: nvcc's front end fails for the vectors.
template <class T> struct summing_windows {
  double* sums;
  window_rows<T> const& of;

  template <int> void run() const {
    for (index_t w = 0; w != of.windows; ++w)
      for (index_t j = 0; j != of.columns; ++j)
        sums[w * of.columns + j] = sum(of.first + w * of.step + j);
  }

 private:
  double sum(T const* p) const {
    constexpr index_t together = 8;
    double sum = 0;
    index_t k = 0;
    for (; of.depth - k >= together; k += together) {
      T some = p[of.offset[k]];
      for (index_t i = 1; i != together; ++i) some += p[of.offset[k + i]];
      sum += static_cast<double>(some);
    }
    for (; k != of.depth; ++k) sum += static_cast<double>(p[of.offset[k]]);
    return sum;
  }
};
template <class T> struct selecting_in_windows {
  selected_in_windows<T>& found;
  window_rows<T> const& of;
  bool& has_no_nan;

  template <int> void run() const {
    T total = 0;
    for (index_t w = 0; w != of.windows; ++w)
      for (index_t j = 0; j != of.columns; ++j)
        total += select(of.first + w * of.step + j, w * of.columns + j);
    has_no_nan = total == total;
  }

 private:
  T select(T const* p, index_t i) const {
    T best = p[of.offset[0]], total = best;
    index_t at = 0;
    for (index_t k = 1; k != of.depth; ++k) {
      T const x = p[of.offset[k]];
      if (found.largest ? best < x : best > x) {
        best = x;
        at = k;
      }
      total += x;
    }
    found.value[i] = best;
    found.at[i] = static_cast<T>(at);
    return total;
  }
};
#endif

PLACEMENT_INLINE_ON_CALL void sum_windows(double* sums, window_rows<float> const& of) {
  run_by_width(summing_windows<float>{sums, of});
}
PLACEMENT_INLINE_ON_CALL void sum_windows(double* sums, window_rows<double> const& of) {
  run_by_width(summing_windows<double>{sums, of});
}
PLACEMENT_INLINE_ON_CALL bool select_in_windows(selected_in_windows<float>& found,
                                                window_rows<float> const& of) {
  bool has_no_nan = false;
  run_by_width(selecting_in_windows<float>{found, of, has_no_nan});
  return has_no_nan;
}
PLACEMENT_INLINE_ON_CALL bool select_in_windows(selected_in_windows<double>& found,
                                                window_rows<double> const& of) {
  bool has_no_nan = false;
  run_by_width(selecting_in_windows<double>{found, of, has_no_nan});
  return has_no_nan;
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
