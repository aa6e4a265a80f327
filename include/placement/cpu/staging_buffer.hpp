#pragma once
/// The staging buffers of a strided expression. They copy some elements of a row at a time, so that
/// each operand is contiguous whatever its layout.

#include <placement/cpu/lanes.hpp>
#include <placement/kernels/bound_expr.hpp>

namespace placement { inline namespace v0_1 {

/// The most elements of a row in a buffer.
inline constexpr index_t staging_length = 256;
inline constexpr index_t fill_unroll = 32;  ///< elements that a fill loop of constant length writes
inline constexpr index_t all_of_row = index_t{1} << 40;  ///< the reach where nothing is copied

/// Rows and columns of a tile of a transposed operand, whose neighbours down a column are
/// neighbours in memory.
inline constexpr index_t transposed_rows = 16, transposed_length = 64;

/// The staging buffers of a bound expression F. `row(c, n, rows)` moves them to the rows of n
/// elements from c on. `to(j, n)` moves them to n elements from j on, at most `reach()`. `(i)` is
/// then element j + i, and `in_place(r)(i)` the same r rows below.
///
/// If `is_copied(n)`, the buffers hold one row. If `is_transposed()`, `transpose(c, rows, j, n)` is
/// called first. It copies at most transposed_length elements of at most transposed_rows rows.
template <class F> struct staging_buffer;

template <class T> struct staging_buffer<scalar<T>> {
  scalar<T> same;

  explicit staging_buffer(scalar<T> const& s) : same(s) {}

  template <class C> void row(C const&, index_t, index_t = 1) {}
  void to(index_t, index_t) {}
  bool is_copied(index_t) const { return false; }
  index_t reach() const { return all_of_row; }
  bool is_transposed() const { return false; }
  template <class C> void transpose(C const&, index_t, index_t, index_t) {}
  T operator()(index_t) const { return same.v; }
  scalar<T> in_place(index_t) const { return same; }
};

/// Copies columns that are contiguous in memory to rows that are transposed_length apart. Each
/// cache line is read once, because the lines of many columns may share a cache set.
template <class T>
[[gnu::noinline]] void copy_transposed(T* to, T const* from, index_t step, index_t rows,
                                       index_t n) {
  index_t j = 0;
  if constexpr (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)) {
    using four = detail::lanes<T, 4>;
    if (rows == transposed_rows)
      for (; n - j >= 4; j += 4)
        for (index_t r = 0; r != transposed_rows; r += 4) {
          four x[4];
          for (index_t k = 0; k != 4; ++k)
            std::memcpy(&x[k], from + (j + k) * step + r, sizeof(four));
          detail::transpose_four(x);
          for (index_t k = 0; k != 4; ++k)
            std::memcpy(to + (r + k) * transposed_length + j, &x[k], sizeof(four));
        }
  }
  for (; j < n; ++j)
    for (index_t r = 0; r < rows; ++r) to[r * transposed_length + j] = from[j * step + r];
}

/// Elements in memory. Strided elements are copied: a repeated element once for each row, others
/// buffer by buffer.
template <class T, std::size_t R> struct staging_buffer<strided_load<dense_leaf<T>, R>> {
  T const* base;
  layout<R> where;
  T const* first = nullptr;  ///< of the row
  T const* staged = nullptr;
  index_t down = 0;  ///< from row to row of the buffer
  bool is_transposed_ = false;
  index_t transposed_row = 0;  ///< the first row of the transposed tile
  alignas(64) T copy[static_cast<std::size_t>(transposed_rows * transposed_length)];
  static_assert(transposed_rows * transposed_length >= staging_length);

  explicit staging_buffer(strided_load<dense_leaf<T>, R> const& leaf)
      : base(leaf.read.p), where(leaf.where) {}

  void row(coordinates<R> const& c, index_t n, index_t rows = 1) {
    if (is_transposed_) {
      if constexpr (R > 1) staged = copy + (c.at[R - 2] - transposed_row) * transposed_length;
      return;
    }
    first = base + where.row(c);
    if constexpr (R > 1) down = where.step() == 1 ? where.stride[R - 2] : 0;
    if (where.step() == 0) spread(n, rows);
  }
  void to(index_t j, index_t n) {
    if (index_t const step = where.step(); step == 1) staged = first + j;
    else if (step != 0 && !is_transposed_) gather(j, n);
  }
  /// n: the elements of a row.
  bool is_copied(index_t n) const {
    if (where.step() == 1 || is_transposed()) return false;
    if (where.step() != 0) return true;
    if constexpr (R > 1) return where.stride[R - 2] != 0 && n > transposed_length;
    else return false;
  }
  index_t reach() const { return where.step() == 1 ? all_of_row : staging_length; }
  bool is_transposed() const {
    if constexpr (R > 1) return where.stride[R - 2] == 1 && where.step() != 1 && where.step() != 0;
    else return false;
  }
  void transpose(coordinates<R> const& c, index_t rows, index_t j, index_t n) {
    if constexpr (R > 1) {
      is_transposed_ = is_transposed();
      if (!is_transposed_) return;
      transposed_row = c.at[R - 2];
      down = transposed_length;
      copy_transposed(copy, base + where.row(c) + j * where.step(), where.step(), rows, n);
    }
  }
  T operator()(index_t i) const { return staged[i]; }
  dense_leaf<T> in_place(index_t r) const { return {staged + r * down}; }

 private:
  // Not inlined: every expression shares them.
  [[gnu::noinline]] void spread(index_t n, index_t rows) {
    staged = copy;
    index_t stride = 0;
    if constexpr (R > 1) stride = where.stride[R - 2];
    if (stride == 0) rows = 1;
    if (rows > 1) down = transposed_length;
    index_t const max = n < staging_length ? n : staging_length;
    for (index_t r = 0; r != rows; ++r) {
      T const value = first[r * stride];
      T* const row = copy + r * transposed_length;
      for (T* to = row; to < row + max; to += fill_unroll)
        for (index_t k = 0; k < fill_unroll; ++k) to[k] = value;
    }
  }
  [[gnu::noinline]] void gather(index_t j, index_t n) {
    staged = copy;
    index_t const step = where.step();
    T const* const from = first + j * step;
    for (index_t i = 0; i < n; ++i) copy[i] = from[i * step];
  }
};

/// Index generators and reshaped expressions.
template <class Reader, std::size_t R> struct staging_buffer<strided_load<Reader, R>> {
  strided_load<Reader, R> leaf;
  index_t start = 0, position = 0;

  explicit staging_buffer(strided_load<Reader, R> const& l) : leaf(l) {}

  void row(coordinates<R> const& c, index_t, index_t = 1) { start = leaf.where.row(c); }
  void to(index_t j, index_t) { position = start + j * leaf.where.step(); }
  bool is_copied(index_t) const { return false; }
  index_t reach() const { return all_of_row; }
  bool is_transposed() const { return false; }
  template <class C> void transpose(C const&, index_t, index_t, index_t) {}
  auto operator()(index_t i) const { return leaf.read(position + i * leaf.where.step()); }
  strided_row<Reader> in_place(index_t r) const {
    index_t down = 0;
    if constexpr (R > 1) down = leaf.where.stride[R - 2];
    return {leaf.read, position + r * down, leaf.where.step()};
  }
};

template <bool Gpu, class Op, class... A> struct staging_buffer<bound_expr<Gpu, Op, A...>> {
  [[no_unique_address]] Op op;
  pack<staging_buffer<A>...> args;

  explicit staging_buffer(bound_expr<Gpu, Op, A...> const& f)
      : staging_buffer(f, std::index_sequence_for<A...>{}) {}

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
    return is_short ? staging_length : all_of_row;
  }
  bool is_transposed() const {
    return any([](auto const& arg) { return arg.is_transposed(); },
               std::index_sequence_for<A...>{});
  }
  template <class C> void transpose(C const& c, index_t rows, index_t j, index_t n) {
    each([&](auto& arg) { arg.transpose(c, rows, j, n); }, std::index_sequence_for<A...>{});
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
    return bound_expr<Gpu, Op, decltype(args.template get<I>().in_place(r))...>{
        op, {{args.template get<I>().in_place(r)}...}};
  }
  template <std::size_t... I>
  staging_buffer(bound_expr<Gpu, Op, A...> const& f, std::index_sequence<I...>)
      : op(f.op), args{{staging_buffer<A>{f.args.template get<I>()}}...} {}
  template <class Do, std::size_t... I> void each(Do const& f, std::index_sequence<I...>) {
    (f(args.template get<I>()), ...);
  }
  template <std::size_t... I>
  [[gnu::always_inline]] auto call(index_t i, std::index_sequence<I...>) const {
    return op(args.template get<I>()(i)...);
  }
};

}}  // namespace placement::v0_1
