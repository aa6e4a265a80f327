#pragma once
/// The rows of reductions that select one of their elements.

#include <placement/cpu/for_columns.hpp>
#include <placement/cpu/select_elements.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The state after n elements, one after another, which have the numbers first, first + 1, ...
template <class Op, class T>
PLACEMENT_ALWAYS_INLINE inline auto step_through(Op const& op, T const* p, index_t n,
                                                 index_t first) {
  auto s = Op::template init<T>();
  for (index_t i = 0; i < n; ++i) s = op.step(s, p[i], first + i);
  return s;
}

/// Requires: selects_elements<Op, T>.
template <class Op, class T> class reduce_selected {
 public:
  explicit reduce_selected(Op const& op) : op_(op) {}

  /// out[i] is the reduction of n elements from p + i * n on, for i below rows.
  template <class R> void rows(T const* p, R* out, index_t rows, index_t n) const {
    constexpr index_t most = selected_in_rows<T>::most;
    for (index_t i = 0, some = 0; i < rows; i += some, p += some * n, out += some) {
      some = rows - i < most ? rows - i : most;
      if (n > longest_short_row<T> || !short_rows(p, out, {some, n, (rows - i - some) * n}))
        long_rows(p, out, some, n);
    }
  }

 private:
  /// False, and no results, if there may be a NaN.
  template <class R> bool short_rows(T const* p, R* out, rows_of_elements const& all) const {
    selected_in_rows<T> found;
    found.has_index = knows_where<Op, T>;
    if (!select_short_rows(found, Op::selects_largest, p, all)) return false;
    for_columns(all.rows, [&](index_t k) PLACEMENT_ALWAYS_INLINE {
      index_t at = 0;
      if constexpr (knows_where<Op, T>) at = static_cast<index_t>(found.at[k]);
      out[k] = op_.finalize(op_.step(Op::template init<T>(), found.value[k], at), all.n);
    });
    return true;
  }
  template <class R> void long_rows(T const* p, R* out, index_t rows, index_t n) const {
    selected_element<T> found[static_cast<std::size_t>(selected_in_rows<T>::most)];
    select_rows(found, Op::selects_largest, p, rows, n);
    for (index_t k = 0; k != rows; ++k) out[k] = op_.finalize(state_of(p + k * n, n, found[k]), n);
  }
  auto state_of(T const* row, index_t n, selected_element<T> const& one) const {
    if (one.may_have_nan) return step_through<Op>(op_, row, n, 0);
    index_t at = 0;
    if constexpr (knows_where<Op, T>) {
      constexpr index_t is_long = 64;
      if (n >= is_long) at = find_element(row, n, one.value);
      else
        while (!(row[at] == one.value)) ++at;
    }
    return op_.step(Op::template init<T>(), one.value, at);
  }

  Op const& op_;
};

}}}  // namespace placement::v0_1::detail
