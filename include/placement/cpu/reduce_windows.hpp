#pragma once
/// Reductions of windows in place: short fibers of an operand in memory whose columns are
/// contiguous, as in `max(x, axis<2, 4>)` of images in windows.

#include <placement/cpu/block_reader.hpp>
#include <placement/cpu/finished_tile.hpp>
#include <placement/cpu/for_columns.hpp>
#include <placement/cpu/select_elements.hpp>
#include <placement/cpu/totals.hpp>
#include <placement/cpu/window_rows.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether short fibers are reduced several at once, without copies.
template <class Op, class T>
inline constexpr bool has_short_rows = sums_elements<Op, T> || selects_elements<Op, T>;

template <class Op, class T> class reduce_windows {
 public:
  explicit reduce_windows(Op const& op) : op_(op) {}

  template <class R> void run(window_rows<T> const& of, R* out) const {
    if constexpr (sums_elements<Op, T>) return sum(of, out);
    else if (!select(of, out)) step_through(of, out);
  }

 private:
  template <class R> void sum(window_rows<T> const& of, R* out) const {
    double sums[static_cast<std::size_t>(most_window_results)];
    sum_windows(sums, of);
    for_columns(of.windows * of.columns, [&](index_t j) PLACEMENT_ALWAYS_INLINE {
      out[j] = op_.finalize(total<Op, T>::with(sums[j]), of.depth);
    });
  }
  /// False, and no results, if there may be a NaN.
  template <class R> bool select(window_rows<T> const& of, R* out) const {
    selected_in_windows<T> found;
    found.largest = Op::selects_largest;
    found.has_index = knows_where<Op, T>;
    if (!select_in_windows(found, of)) return false;
    for_columns(of.windows * of.columns, [&](index_t j) PLACEMENT_ALWAYS_INLINE {
      index_t at = 0;
      if constexpr (knows_where<Op, T>) at = static_cast<index_t>(found.at[j]);
      out[j] = op_.finalize(op_.step(Op::template init<T>(), found.value[j], at), of.depth);
    });
    return true;
  }
  template <class R> void step_through(window_rows<T> const& of, R* out) const {
    for (index_t w = 0; w != of.windows; ++w)
      for (index_t j = 0; j != of.columns; ++j) {
        T const* const p = of.first + w * of.step + j;
        auto s = Op::template init<T>();
        for (index_t k = 0; k != of.depth; ++k) s = op_.step(s, p[of.offset[k]], k);
        *out++ = op_.finalize(s, of.depth);
      }
  }

  Op const& op_;
};

/// Reduces all windows of an operand. Returns false, without an effect, if there are none.
template <class Op, class T, class R>
bool reduce_on_windows(par on, Op const& op, R* out, block_call const& call, any_shape const& x,
                       tile_axis const& rows, axis_extents const& by,
                       epilogue_callback const& epilogue) {
  if constexpr (has_short_rows<Op, T>) {
    auto const each = [&](some_windows const& some) {
      reduce_windows<Op, T>(op).run(some.template of<T>(), out + some.result);
      epilogue({0, 1, some.result, some.windows * some.columns, by.outer * by.inner});
    };
    return run_on_windows(
        call, x, rows, by.outer, on,
        [](void const* work, some_windows const& some) {
          (*static_cast<decltype(each)*>(work))(some);
        },
        &each);
  } else {
    return false;
  }
}

}}}  // namespace placement::v0_1::detail
