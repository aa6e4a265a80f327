#pragma once
/// The CPU kernel of a reduction: many elements to one, over everything or along one axis.
///
/// A fold op says: `state<T>` (what is carried), `start<T>()`, `step(state, x, i)` (takes in
/// element number i of the fold), `merge(state, state)` and `finish(state, n)`. Several states are
/// carried side by side and merged, so the order of additions is fixed by the shape alone.

#include <placement/kernels/bound.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement::inline v0_1 {

template <class Op, class T> struct kernel<cpu_kernels, fold, Op, T> {
  static constexpr bool exists = true;

  static constexpr index_t lanes = 8;    ///< states of a full fold that advance side by side
  static constexpr index_t block = 128;  ///< states of an axis fold that advance side by side

  using state = typename Op::template state<T>;

  /// All n elements f(0) ... f(n - 1), to *out.
  template <class R, class F, class After>
  static void flat(Op const& op, R* out, index_t n, F const& f, After const& after) {
    state s[lanes];
    for (auto& one : s) one = Op::template start<T>();
    index_t const whole = n / lanes * lanes;
    for (index_t i = 0; i != whole; i += lanes)
      for (index_t l = 0; l < lanes; ++l) s[l] = op.step(s[l], f(i + l), i + l);
    for (index_t i = whole; i != n; ++i) s[i - whole] = op.step(s[i - whole], f(i), i);
    for (index_t l = 1; l != lanes; ++l) s[0] = op.merge(s[0], s[l]);
    *out = op.finish(s[0], n);
    after(0, 1);
  }

  /// All elements of shape x, row by row, to *out.
  template <class R, class F, class X, class After>
  static void rows(Op const& op, R* out, X const& x, F const& f, After const& after) {
    state total = Op::template start<T>();
    index_t const n = row_length(x);
    index_t first = 0;
    for_each_row(x, [&](coordinates<X::rank> const& c) {
      auto const row = f.row(c);
      state s = Op::template start<T>();
      for (index_t j = 0; j != n; ++j) s = op.step(s, row(j), first + j);
      total = op.merge(total, s);
      first += n;
    });
    *out = op.finish(total, first);
    after(0, 1);
  }

  /// Along the last dimension of shape x: one result per row, written to out in order.
  template <class F, class X, class R, class After>
  static void last_axis(Op const& op, R* out, X const& x, F const& f, After const& after) {
    index_t const n = row_length(x);
    index_t o = 0;
    for_each_row(with_one_along(x, X::rank - 1), [&](coordinates<X::rank> const& c) {
      auto const row = f.row(c);
      state s[lanes];
      for (auto& one : s) one = Op::template start<T>();
      index_t const whole = n / lanes * lanes;
      for (index_t j = 0; j != whole; j += lanes)
        for (index_t l = 0; l < lanes; ++l) s[l] = op.step(s[l], row(j + l), j + l);
      for (index_t j = whole; j != n; ++j) s[j - whole] = op.step(s[j - whole], row(j), j);
      for (index_t l = 1; l != lanes; ++l) s[0] = op.merge(s[0], s[l]);
      out[o] = op.finish(s[0], n);
      after(o++, 1);
    });
  }

  /// Along dimension `axis` of shape x, which is not the last: blocks of a row advance together.
  template <class F, class X, class R, class After>
  static void inner_axis(Op const& op, R* out, X const& x, std::size_t axis, F const& f,
                         After const& after) {
    index_t const n = row_length(x), depth = x.at(axis);
    index_t o = 0;
    for_each_row(with_one_along(x, axis), [&](coordinates<X::rank> c) {
      for (index_t from = 0; from < n; from += block) {
        index_t const width = n - from < block ? n - from : block;
        state s[block];
        for (index_t j = 0; j != width; ++j) s[j] = Op::template start<T>();
        for (index_t k = 0; k != depth; ++k) {
          c.at[axis] = k;
          auto const row = f.row(c);
          for (index_t j = 0; j != width; ++j) s[j] = op.step(s[j], row(from + j), k);
        }
        for (index_t j = 0; j != width; ++j) out[o + j] = op.finish(s[j], depth);
        after(o, width);
        o += width;
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
};

}  // namespace placement::inline v0_1
