#pragma once
/// The elements of a block's expression as packs.

#include <placement/cpu/block_expr.hpp>
#include <placement/kernels/simd.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Does every op of an expression take packs?
template <class S> inline constexpr bool takes_packs = true;
template <bool Gpu, class Op, class... A>
inline constexpr bool takes_packs<bound_expr<Gpu, Op, A...>> =
    simd::takes_packs<Op> && (takes_packs<A> && ...);
template <class Op> inline constexpr bool takes_packs<generator_slot<Op>> = simd::takes_packs<Op>;

/// The sizes of the smallest and of the largest element that an expression reads.
struct element_sizes {
  std::size_t least, most;

  constexpr element_sizes beside(element_sizes const& o) const {
    return {least < o.least ? least : o.least, most > o.most ? most : o.most};
  }
};
template <class T> inline constexpr element_sizes sizes_of{sizeof(T), sizeof(computed_in<T>)};
template <class S> inline constexpr element_sizes sizes_in{8, 1};  // an index generator
template <class T> inline constexpr element_sizes sizes_in<scalar<T>> = sizes_of<T>;
template <class T> inline constexpr element_sizes sizes_in<memory_slot<T>> = sizes_of<T>;
template <class T> inline constexpr element_sizes sizes_in<single_slot<T>> = sizes_of<T>;
template <bool Gpu, class Op, class... A>
inline constexpr element_sizes sizes_in<bound_expr<Gpu, Op, A...>> = [] {
  element_sizes all{8, 1};
  ((all = all.beside(sizes_in<A>)), ...);
  return all;
}();

/// The lanes of the packs in which expression S computes results of type R; 1: it does not.
template <class R, class S>
inline constexpr int block_lanes = takes_packs<S> && simd::has_packs<R>
                                       ? simd::lanes_between(sizes_in<S>.beside(sizes_of<R>).least,
                                                             sizes_in<S>.beside(sizes_of<R>).most)
                                       : 1;

/// The N elements of a bound expression from i on.
template <int N, class T> [[gnu::always_inline]] inline auto pack_at(scalar<T> const& s, index_t) {
  return simd::broadcast<N>(s.v);
}
template <int N, class T>
[[gnu::always_inline]] inline auto pack_at(dense_leaf<T> const& l, index_t i) {
  return simd::load<N>(l.p + i);
}
template <int N, class Op>
[[gnu::always_inline]] inline auto pack_at(consecutive_generator<Op> const& g, index_t i) {
  return simd::apply(g.op, simd::iota<N>(g.first + i));
}
template <int N, class Op>
[[gnu::always_inline]] inline auto pack_at(numbered_generator<Op> const& g, index_t i) {
  return simd::apply(g.op, simd::load<N>(g.number + i));
}
template <int N, bool Gpu, class Op, class... A>
[[gnu::always_inline]] inline auto pack_at(bound_expr<Gpu, Op, A...> const& f, index_t i) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return simd::apply(f.op, pack_at<N>(f.args.template get<I>(), i)...);
  }(std::index_sequence_for<A...>{});
}

/// The same of n < N elements. The other lanes repeat the first element.
template <int N, class T> [[gnu::always_inline]] inline auto pack_of_first(T const* p, index_t n) {
  T some[static_cast<std::size_t>(N)];
  for (index_t j = 0; j != N; ++j) some[j] = p[j < n ? j : 0];
  return simd::load<N>(some);
}
template <int N, class T>
[[gnu::always_inline]] inline auto rest_at(scalar<T> const& s, index_t, index_t) {
  return simd::broadcast<N>(s.v);
}
template <int N, class T>
[[gnu::always_inline]] inline auto rest_at(dense_leaf<T> const& l, index_t i, index_t n) {
  return pack_of_first<N>(l.p + i, n);
}
template <int N, class Op>
[[gnu::always_inline]] inline auto rest_at(consecutive_generator<Op> const& g, index_t i,
                                           index_t n) {
  index_t number[static_cast<std::size_t>(N)];
  for (index_t j = 0; j != N; ++j) number[j] = g.first + i + (j < n ? j : 0);
  return simd::apply(g.op, simd::load<N>(number));
}
template <int N, class Op>
[[gnu::always_inline]] inline auto rest_at(numbered_generator<Op> const& g, index_t i, index_t n) {
  return simd::apply(g.op, pack_of_first<N>(g.number + i, n));
}
template <int N, bool Gpu, class Op, class... A>
[[gnu::always_inline]] inline auto rest_at(bound_expr<Gpu, Op, A...> const& f, index_t i,
                                           index_t n) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return simd::apply(f.op, rest_at<N>(f.args.template get<I>(), i, n)...);
  }(std::index_sequence_for<A...>{});
}
/// to[j] = f(i + j) for j below n < N. Where compilers fuse products and sums, numbers and packs
/// differ in their last bits. There the rest of a block is a pack, too, so that an element has the
/// same bits at each position.
template <int N, class R, class F>
[[gnu::always_inline]] inline void write_rest(R* to, index_t i, index_t n, F const& f) {
  if constexpr (PLACEMENT_FUSES_MULTIPLY_ADD) {
    if (n == 0) return;
    R some[static_cast<std::size_t>(N)];
    simd::store(some, rest_at<N>(f, i, n));
    for (index_t j = 0; j != n; ++j) to[j] = some[j];
  } else {
    for (index_t j = 0; j != n; ++j) to[j] = f(i + j);
  }
}

}}}  // namespace placement::v0_1::detail
