#pragma once
/// The number of elements of a bound expression per vector access, and whether they are aligned.

#include <placement/kernels/bound_expr.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The bytes of the widest element that an expression reads from memory; 1 for none.
template <class F> inline constexpr std::size_t widest = 1;
template <class T> inline constexpr std::size_t widest<dense_leaf<T>> = sizeof(T);
template <class Reader, std::size_t R>
inline constexpr std::size_t widest<strided_load<Reader, R>> = widest<Reader>;
template <bool Gpu, class Op, class... A>
inline constexpr std::size_t widest<bound_expr<Gpu, Op, A...>> = [] {
  std::size_t max = 1;
  ((max = widest<A> > max ? widest<A> : max), ...);
  return max;
}();

/// How many operands of an expression are read from memory, element by element.
template <class F> inline constexpr int operands_in_memory = 0;
template <class T> inline constexpr int operands_in_memory<dense_leaf<T>> = 1;
template <class Reader, std::size_t R>
inline constexpr int operands_in_memory<strided_load<Reader, R>> = operands_in_memory<Reader>;
template <bool Gpu, class Op, class... A>
inline constexpr int operands_in_memory<bound_expr<Gpu, Op, A...>> =
    (0 + ... + operands_in_memory<A>);

}  // namespace detail

/// The elements per access such that the widest operand, or the result of type R, takes one access.
template <class R, class F>
inline constexpr int vector_width = static_cast<int>(
    (sizeof(R) > detail::widest<F> ? sizeof(R) : detail::widest<F>) >= access_bytes
        ? 1
        : access_bytes / (sizeof(R) > detail::widest<F> ? sizeof(R) : detail::widest<F>));

/// Whether f can be read in vectors of V from each multiple of V on. In the strided form: from each
/// multiple of V in a row.
template <int V, class T> constexpr bool aligned_for(scalar<T> const&) { return true; }
template <int V, class T> constexpr bool aligned_for(single_leaf<T> const&) { return true; }
template <int V, class Op> constexpr bool aligned_for(index_generator<Op> const&) { return true; }
template <int V, class T> constexpr bool aligned_for(dense_leaf<T> const& leaf) {
  return detail::is_aligned<V>(leaf.p);
}
/// Elements at a step other than 1 are loaded one by one, which is always allowed.
template <int V, class Reader, std::size_t R>
constexpr bool aligned_for(strided_load<Reader, R> const& leaf) {
  if constexpr (requires { typename Reader::element; }) {
    if (leaf.where.step() != 1) return true;
    for (std::size_t d = 0; d + 1 < layout<R>::slots; ++d)
      if (leaf.where.stride[d] % V != 0) return false;
    return detail::is_aligned<V>(leaf.read.p + leaf.where.base);
  } else {
    return true;
  }
}
template <int V, bool Gpu, class Op, class... A>
constexpr bool aligned_for(bound_expr<Gpu, Op, A...> const& f) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (aligned_for<V>(f.args.template get<I>()) && ...);
  }(std::index_sequence_for<A...>{});
}

}}  // namespace placement::v0_1
