#pragma once
/// A region in rows, read a few elements of a row at a time: each operand then lies side by side,
/// as in a flat region, whatever its layout.

#include <placement/kernels/bound.hpp>
#include <placement/kernels/lanes.hpp>

namespace placement::inline v0_1 {

/// At most so many elements of a row are seen at once.
inline constexpr index_t window_length = 256;
inline constexpr index_t filled_at_once = 32;            ///< of them, in a loop of constant length
inline constexpr index_t all_of_row = index_t{1} << 40;  ///< where nothing is copied

/// Rows that are seen together where operands lie the other way: neighbours in memory are then
/// neighbours down a column. Of such rows so many elements are seen at once.
inline constexpr index_t turned_rows = 16, turned_length = 64;

/// What is seen of a bound region F: `row(c, n, rows)` goes to the row of n elements at c and those
/// below it, `to(j, n)` to its n elements from j on, at most `reach()`; `(i)` is then element j +
/// i, and `in_place(r)(i)` the one r rows below, of a region that is small enough for registers.
///
/// Where it `is_copied(n)`, only one row of n elements is seen. Where it `is_turned()`,
/// `turn(c, rows, j, n)` comes first and brings n elements from j on of some rows from c on, at
/// most turned_length of turned_rows.
template <class F> struct window;

template <class T> struct window<scalar<T>> {
  scalar<T> same;

  explicit window(scalar<T> const& s) : same(s) {}

  template <class C> void row(C const&, index_t, index_t = 1) {}
  void to(index_t, index_t) {}
  bool is_copied(index_t) const { return false; }
  index_t reach() const { return all_of_row; }
  bool is_turned() const { return false; }
  template <class C> void turn(C const&, index_t, index_t, index_t) {}
  T operator()(index_t) const { return same.v; }
  scalar<T> in_place(index_t) const { return same; }
};

/// Four rows of four to four columns. V: a vector of four.
template <class V> [[gnu::always_inline]] inline void turn_four(V (&x)[4]) {
  V const a{x[0][0], x[2][0], x[0][1], x[2][1]}, b{x[0][2], x[2][2], x[0][3], x[2][3]};
  V const c{x[1][0], x[3][0], x[1][1], x[3][1]}, d{x[1][2], x[3][2], x[1][3], x[3][3]};
  x[0] = V{a[0], c[0], a[1], c[1]};
  x[1] = V{a[2], c[2], a[3], c[3]};
  x[2] = V{b[0], d[0], b[1], d[1]};
  x[3] = V{b[2], d[2], b[3], d[3]};
}

/// Elements of some rows that lie side by side down each column, to rows that are turned_length
/// apart. Each line of the cache is read once: those of many columns may share a place in it.
template <class T>
[[gnu::noinline]] void copy_turned(T* to, T const* from, index_t step, index_t rows, index_t n) {
  index_t j = 0;
  if constexpr (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)) {
    using four = detail::lanes<T, 4>;
    if (rows == turned_rows)
      for (; n - j >= 4; j += 4)
        for (index_t r = 0; r != turned_rows; r += 4) {
          four x[4];
          for (index_t k = 0; k != 4; ++k)
            std::memcpy(&x[k], from + (j + k) * step + r, sizeof(four));
          turn_four(x);
          for (index_t k = 0; k != 4; ++k)
            std::memcpy(to + (r + k) * turned_length + j, &x[k], sizeof(four));
        }
  }
  for (; j < n; ++j)
    for (index_t r = 0; r < rows; ++r) to[r * turned_length + j] = from[j * step + r];
}

/// Elements in memory. Where they do not lie side by side they are copied: an operand that is
/// repeated along the row once for the row, others window by window.
template <class T, std::size_t R> struct window<lane<dense_leaf<T>, R>> {
  T const* base;
  layout<R> where;
  T const* first = nullptr;  ///< of the row
  T const* seen = nullptr;
  index_t down = 0;  ///< from a row that is seen to the next
  bool is_turned_ = false;
  index_t turned_row = 0;  ///< the first of the rows that were turned
  alignas(64) T copy[static_cast<std::size_t>(turned_rows * turned_length)];
  static_assert(turned_rows * turned_length >= window_length);

  explicit window(lane<dense_leaf<T>, R> const& leaf) : base(leaf.read.p), where(leaf.where) {}

  void row(coordinates<R> const& c, index_t n, index_t rows = 1) {
    if (is_turned_) {
      if constexpr (R > 1) seen = copy + (c.at[R - 2] - turned_row) * turned_length;
      return;
    }
    first = base + where.row(c);
    if constexpr (R > 1) down = where.step() == 1 ? where.stride[R - 2] : 0;
    if (where.step() == 0) spread(n, rows);
  }
  void to(index_t j, index_t n) {
    if (index_t const step = where.step(); step == 1) seen = first + j;
    else if (step != 0 && !is_turned_) gather(j, n);
  }
  /// Where rows have n elements.
  bool is_copied(index_t n) const {
    if (where.step() == 1 || is_turned()) return false;
    if (where.step() != 0) return true;
    if constexpr (R > 1) return where.stride[R - 2] != 0 && n > turned_length;
    else return false;
  }
  index_t reach() const { return where.step() == 1 ? all_of_row : window_length; }
  bool is_turned() const {
    if constexpr (R > 1) return where.stride[R - 2] == 1 && where.step() != 1 && where.step() != 0;
    else return false;
  }
  void turn(coordinates<R> const& c, index_t rows, index_t j, index_t n) {
    if constexpr (R > 1) {
      is_turned_ = is_turned();
      if (!is_turned_) return;
      turned_row = c.at[R - 2];
      down = turned_length;
      copy_turned(copy, base + where.row(c) + j * where.step(), where.step(), rows, n);
    }
  }
  T operator()(index_t i) const { return seen[i]; }
  dense_leaf<T> in_place(index_t r) const { return {seen + r * down}; }

 private:
  // Not inlined: they are the same in every expression.
  [[gnu::noinline]] void spread(index_t n, index_t rows) {
    seen = copy;
    index_t stride = 0;
    if constexpr (R > 1) stride = where.stride[R - 2];
    if (stride == 0) rows = 1;
    if (rows > 1) down = turned_length;
    index_t const most = n < window_length ? n : window_length;
    for (index_t r = 0; r != rows; ++r) {
      T const value = first[r * stride];
      T* const row = copy + r * turned_length;
      for (T* to = row; to < row + most; to += filled_at_once)
        for (index_t k = 0; k < filled_at_once; ++k) to[k] = value;
    }
  }
  [[gnu::noinline]] void gather(index_t j, index_t n) {
    seen = copy;
    index_t const step = where.step();
    T const* const from = first + j * step;
    for (index_t i = 0; i < n; ++i) copy[i] = from[i * step];
  }
};

/// Elements that follow from their number, and reshaped regions.
template <class Reader, std::size_t R> struct window<lane<Reader, R>> {
  lane<Reader, R> leaf;
  index_t start = 0, position = 0;

  explicit window(lane<Reader, R> const& l) : leaf(l) {}

  void row(coordinates<R> const& c, index_t, index_t = 1) { start = leaf.where.row(c); }
  void to(index_t j, index_t) { position = start + j * leaf.where.step(); }
  bool is_copied(index_t) const { return false; }
  index_t reach() const { return all_of_row; }
  bool is_turned() const { return false; }
  template <class C> void turn(C const&, index_t, index_t, index_t) {}
  auto operator()(index_t i) const { return leaf.read(position + i * leaf.where.step()); }
  lane_row<Reader> in_place(index_t r) const {
    index_t down = 0;
    if constexpr (R > 1) down = leaf.where.stride[R - 2];
    return {leaf.read, position + r * down, leaf.where.step()};
  }
};

template <bool Gpu, class Op, class... A> struct window<bound<Gpu, Op, A...>> {
  [[no_unique_address]] Op op;
  pack<window<A>...> args;

  explicit window(bound<Gpu, Op, A...> const& f) : window(f, std::index_sequence_for<A...>{}) {}

  template <class C> void row(C const& c, index_t n, index_t rows = 1) {
    each([&](auto& arg) { arg.row(c, n, rows); }, std::index_sequence_for<A...>{});
  }
  void to(index_t j, index_t n) {
    each([&](auto& arg) { arg.to(j, n); }, std::index_sequence_for<A...>{});
  }
  bool is_copied(index_t n) const {
    return any([n](auto const& arg) { return arg.is_copied(n); }, std::index_sequence_for<A...>{});
  }
  index_t reach() const {
    bool const is_short = any([](auto const& arg) { return arg.reach() != all_of_row; },
                              std::index_sequence_for<A...>{});
    return is_short ? window_length : all_of_row;
  }
  bool is_turned() const {
    return any([](auto const& arg) { return arg.is_turned(); }, std::index_sequence_for<A...>{});
  }
  template <class C> void turn(C const& c, index_t rows, index_t j, index_t n) {
    each([&](auto& arg) { arg.turn(c, rows, j, n); }, std::index_sequence_for<A...>{});
  }
  [[gnu::always_inline]] auto operator()(index_t i) const {
    return call(i, std::index_sequence_for<A...>{});
  }
  auto in_place(index_t r) const { return all_in_place(r, std::index_sequence_for<A...>{}); }

 private:
  template <class Is, std::size_t... I> bool any(Is const& is, std::index_sequence<I...>) const {
    return (is(args.template get<I>()) || ...);
  }
  template <std::size_t... I> auto all_in_place(index_t r, std::index_sequence<I...>) const {
    return bound<Gpu, Op, decltype(args.template get<I>().in_place(r))...>{
        op, {{args.template get<I>().in_place(r)}...}};
  }
  template <std::size_t... I>
  window(bound<Gpu, Op, A...> const& f, std::index_sequence<I...>)
      : op(f.op), args{{window<A>{f.args.template get<I>()}}...} {}
  template <class Do, std::size_t... I> void each(Do const& f, std::index_sequence<I...>) {
    (f(args.template get<I>()), ...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] auto call(index_t i, std::index_sequence<I...>) const {
    return op(args.template get<I>()(i)...);
  }
};

}  // namespace placement::inline v0_1
