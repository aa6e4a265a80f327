#pragma once
/// A region in rows, read a few elements of a row at a time: each operand then lies side by side,
/// as in a flat region, whatever its layout.

#include <placement/kernels/bound.hpp>

namespace placement::inline v0_1 {

/// At most so many elements of a row are seen at once.
inline constexpr index_t window_length = 256;
inline constexpr index_t filled_at_once = 32;  ///< of them, in a loop of constant length

/// What is seen of a bound region F: `row(c, n)` goes to the row of n elements at c, `to(j, n)` to
/// its n elements from j on, at most window_length; `(i)` is then element j + i.
template <class F> struct window;

template <class T> struct window<scalar<T>> {
  scalar<T> same;
  template <class C> void row(C const&, index_t) {}
  void to(index_t, index_t) {}
  T operator()(index_t) const { return same.v; }
};

/// Elements in memory. Where they do not lie side by side they are copied: an operand that is
/// repeated along the row once for the row, others window by window.
template <class T, std::size_t R> struct window<lane<dense_leaf<T>, R>> {
  T const* base;
  layout<R> where;
  T const* first = nullptr;  ///< of the row
  T const* seen = nullptr;
  alignas(64) T copy[static_cast<std::size_t>(window_length)];

  explicit window(lane<dense_leaf<T>, R> const& leaf) : base(leaf.read.p), where(leaf.where) {}

  void row(coordinates<R> const& c, index_t n) {
    first = base + where.row(c);
    if (where.step() == 0) spread(n);
  }
  void to(index_t j, index_t n) {
    if (index_t const step = where.step(); step == 1) seen = first + j;
    else if (step != 0) gather(j, n);
  }
  T operator()(index_t i) const { return seen[i]; }

 private:
  // Not inlined: they are the same in every expression.
  [[gnu::noinline]] void spread(index_t n) {
    seen = copy;
    index_t const most = n < window_length ? n : window_length;
    T const value = *first;
    for (T* to = copy; to < copy + most; to += filled_at_once)
      for (index_t k = 0; k < filled_at_once; ++k) to[k] = value;
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

  void row(coordinates<R> const& c, index_t) { start = leaf.where.row(c); }
  void to(index_t j, index_t) { position = start + j * leaf.where.step(); }
  auto operator()(index_t i) const { return leaf.read(position + i * leaf.where.step()); }
};

template <bool Gpu, class Op, class... A> struct window<bound<Gpu, Op, A...>> {
  [[no_unique_address]] Op op;
  pack<window<A>...> args;

  explicit window(bound<Gpu, Op, A...> const& f) : window(f, std::index_sequence_for<A...>{}) {}

  template <class C> void row(C const& c, index_t n) {
    each([&](auto& arg) { arg.row(c, n); }, std::index_sequence_for<A...>{});
  }
  void to(index_t j, index_t n) {
    each([&](auto& arg) { arg.to(j, n); }, std::index_sequence_for<A...>{});
  }
  [[gnu::always_inline]] auto operator()(index_t i) const {
    return call(i, std::index_sequence_for<A...>{});
  }

 private:
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
