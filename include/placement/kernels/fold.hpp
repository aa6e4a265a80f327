#pragma once
/// The CPU kernel of a reduction: many elements to one, over everything or along one axis.
///
/// A fold op says: `state<T>` (what is carried), `start<T>()`, `step(state, x, i)` (takes in
/// element number i of the fold), `merge(state, state)` and `finish(state, n)`. Many states are
/// carried side by side and merged; the order of it all follows from the shape alone, however many
/// threads do it.
///
/// It may say more, to be faster. `brief<T>` is a number in which eight elements are added up, or
/// twice eight, and `add(state, brief)` takes in their sum. `around<T>::state_of(center, away,
/// squares, n)` is the state of n elements by the sums of how far they are from `center`, and of
/// the squares of that. `quick(a, x)` is which of two elements step() would keep where neither is
/// NaN; with it, where the state knows the element's number, `takes(state, x)`: would x change it?

#include <placement/kernels/effort.hpp>
#include <placement/kernels/fold_lanes.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/row_strips.hpp>
#include <placement/kernels/team.hpp>
#include <placement/kernels/window.hpp>

namespace placement::inline v0_1 {

template <class Op, class T> struct kernel<cpu_kernels, fold, Op, T> {
  static constexpr bool exists = true;

  /// Elements that need no lanes.
  static constexpr index_t few =
      detail::fold_lanes<Op, T>::count == 1 || detail::has_brief<Op, T> ? 16 : 64;
  static constexpr index_t part_length = 1 << 15;  ///< elements of a part, at least
  static constexpr index_t most_parts = 64;
  static constexpr index_t block = window_length;  ///< states that advance side by side

  using state = typename Op::template state<T>;

  /// All n elements f(0) ... f(n - 1), to *out.
  template <class On, class R, class F, class After>
  static void flat(On const& on, Op const& op, R* out, index_t n, F const& f, After const& after) {
    in_parts(on, op, out, n, n, f, after,
             [&](index_t begin, index_t end) { return fold_flat(op, begin, end, f); });
  }

  /// All elements of shape x, row by row, to *out.
  template <class On, class R, class F, class X, class After>
  static void rows(On const& on, Op const& op, R* out, X const& x, F const& f, After const& after) {
    row_strips<X::rank, 1> const strips(x);
    index_t const n = static_cast<index_t>(x.count());
    in_parts(on, op, out, n, n == 0 ? 0 : strips.count(), f, after,
             [&](index_t begin, index_t end) { return fold_strips(op, strips, begin, end, f); });
  }

  /// Along the last dimension of shape x: one result per row, written to out in order.
  template <class On, class F, class X, class R, class After>
  static void last_axis(On const& on, Op const& op, R* out, X const& x, F const& f,
                        After const& after) {
    auto const outer = with_one_along(x, X::rank - 1);
    index_t const rows = static_cast<index_t>(outer.count()), n = row_length(x);
    on.share({rows, 1, x.count() * detail::steps_of<F>, 0}, [&](work_part const& part) {
      window<F> seen(f);
      for (index_t o = part.begin; o != part.end; ++o) {
        seen.row(coordinates_of(o, outer), n);
        out[o] = op.finish(fold_row(op, seen, 0, n, 0), n);
        after(o, 1);
      }
    });
  }

  /// Along dimension `axis` of shape x, which is not the last: blocks of a row advance together.
  template <class On, class F, class X, class R, class After>
  static void inner_axis(On const& on, Op const& op, R* out, X const& x, std::size_t axis,
                         F const& f, After const& after) {
    auto const outer = with_one_along(x, axis);
    index_t const n = row_length(x), depth = x.at(axis);
    index_t const blocks = (n + block - 1) / block;  // of a row of results
    index_t const rows = n == 0 ? 0 : static_cast<index_t>(outer.count()) / n;
    on.share({rows * blocks, 1, x.count() * detail::steps_of<F>, 0}, [&](work_part const& part) {
      window<F> seen(f);
      for (index_t unit = part.begin; unit != part.end; ++unit) {
        index_t const from = unit % blocks * block, o = unit / blocks * n + from;
        index_t const width = n - from < block ? n - from : block;
        auto c = coordinates_of(unit / blocks * n, outer);
        state s[block];
        for (index_t j = 0; j != width; ++j) s[j] = Op::template start<T>();
        auto const see = [&](index_t k) {
          c.at[axis] = k;
          seen.row(c, width);
          seen.to(from, width);
        };
        take_rows(op, s, width, depth, see, seen);
        for (index_t j = 0; j != width; ++j) out[o + j] = op.finish(s[j], depth);
        after(o, width);
      }
    });
  }

 private:
  /// x with the folded dimension as 1: there is a result also where there is nothing to fold.
  template <class X> static dextents<X::rank> with_one_along(X const& x, std::size_t axis) {
    dextents<X::rank> outer;
    for (std::size_t d = 0; d != X::rank; ++d) outer.n[d] = d == axis ? 1 : x.at(d);
    return outer;
  }

  /// A fold of everything: n elements in `units` pieces, of which do_part folds some.
  template <class On, class R, class F, class After, class Part>
  static void in_parts(On const& on, Op const& op, R* out, index_t n, index_t units, F const&,
                       After const& after, Part const& do_part) {
    index_t const wanted = n / part_length < most_parts ? n / part_length : most_parts;
    index_t const parts = wanted < units ? wanted : units;
    if (parts <= 1) {
      *out = op.finish(do_part(0, units), n);
    } else {
      state s[most_parts];
      auto const count = static_cast<std::size_t>(n);
      on.share({parts, 1, count * detail::steps_of<F>, 0}, [&](work_part const& part) {
        for (index_t p = part.begin; p != part.end; ++p)
          s[p] = do_part(begin_of(p, parts, units), begin_of(p + 1, parts, units));
      });
      for (index_t p = 1; p != parts; ++p) s[0] = op.merge(s[0], s[p]);
      *out = op.finish(s[0], n);
    }
    after(0, 1);
  }
  static index_t begin_of(index_t part, index_t parts, index_t units) {
    return units / parts * part + units % parts * part / parts;
  }

  template <class F> static state fold_flat(Op const& op, index_t begin, index_t end, F const& f) {
    if (end - begin < few) {
      state s = Op::template start<T>();
      for (index_t i = begin; i != end; ++i) s = op.step(s, f(i), i);
      return s;
    }
    detail::fold_lanes<Op, T> lanes(op);
    F const own = f;  // nothing else can point to it: its numbers stay in registers
    lanes.take([&](index_t i) __attribute__((always_inline)) { return own(begin + i); },
               end - begin, begin);
    return lanes.merged();
  }

  /// Columns [begin, end) of the row that is seen, the first of which has number `first`.
  template <class Seen>
  static state fold_row(Op const& op, Seen& seen, index_t begin, index_t end, index_t first) {
    if (end - begin < few) {
      seen.to(begin, end - begin);
      state s = Op::template start<T>();
      for (index_t j = 0; j < end - begin; ++j) s = op.step(s, seen(j), first + j);
      return s;
    }
    detail::fold_lanes<Op, T> lanes(op);
    index_t const reach = seen.reach();
    for (index_t j = begin; j < end; j += reach) {
      index_t const n = end - j < reach ? end - j : reach;
      seen.to(j, n);
      auto const row = seen.in_place(0);
      lanes.take(row, n, first + j - begin);
    }
    return lanes.merged();
  }
  template <class F, std::size_t N>
  static state fold_strips(Op const& op, row_strips<N, 1> const& strips, index_t begin, index_t end,
                           F const& f) {
    state total = Op::template start<T>();
    if (begin == end) return total;
    window<F> seen(f);
    auto at = strips.from(begin);
    for (index_t unit = begin; unit != end; ++unit, strips.next(at)) {
      seen.row(at.row, strips.columns);
      index_t const last = at.column + strips.length;
      total = op.merge(total,
                       fold_row(op, seen, at.column, last < strips.columns ? last : strips.columns,
                                strips.number_of(at)));
    }
    return total;
  }

  /// `depth` rows of `width` elements, each to the state of its column.
  template <class See, class Seen>
  static void take_rows(Op const& op, state* s, index_t width, index_t depth, See const& see,
                        Seen const& seen) {
    index_t k = 0;
    if constexpr (detail::has_brief<Op, T>) {
      constexpr index_t few_rows = detail::fold_lanes<Op, T>::few;
      using brief = typename Op::template brief<T>;
      brief some[block];
      for (; depth - k >= few_rows; k += few_rows) {
        see(k);
        for_columns(width, [&](index_t j) { some[j] = static_cast<brief>(seen(j)); });
        for (index_t row = 1; row != few_rows; ++row) {
          see(k + row);
          for_columns(width, [&](index_t j) { some[j] += static_cast<brief>(seen(j)); });
        }
        for_columns(width, [&](index_t j) { s[j] = op.add(s[j], some[j]); });
      }
    }
    for (; k != depth; ++k) {
      see(k);
      for_columns(width, [&](index_t j) { s[j] = op.step(s[j], seen(j), k); });
    }
  }
  /// f(j) for each column, most of them in loops of a constant length.
  template <class Do>
  [[gnu::always_inline]] static inline void for_columns(index_t n, Do const& f) {
    constexpr index_t chunk = 64;
    index_t const whole = n / chunk * chunk;
    for (index_t i = 0; i != whole; i += chunk) {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t j = 0; j < chunk; ++j) f(i + j);
    }
    for (index_t j = whole; j < n; ++j) f(j);
  }
};

}  // namespace placement::inline v0_1
