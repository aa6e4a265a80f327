#pragma once

#include <placement/ops/contract.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_axis_of_tensordot(std::string_view side,
                                                                           std::size_t rank,
                                                                           std::string const& axis,
                                                                           site at) {
  throw shape_error("placement: tensordot's " + std::string(side) + " operand of rank " +
                    std::to_string(rank) + " has " + axis +
                    ". Name each axis to sum over once: 0 to rank - 1, or -1 for the last." +
                    location_text({}, at));
}

/// The dimensions of an operand of rank R: those in `summed`, in its order, from position `first`
/// on, and the others in theirs. first: 0 or R - N.
template <std::size_t R, std::size_t N>
run_time_order<R> order_for_tensordot(std::string_view side, int const (&summed)[N],
                                      std::size_t first, site at) {
  run_time_order<R> order;
  bool is_summed[R]{};
  std::size_t to = first;
  for (int axis : summed) {
    int const d = axis < 0 ? axis + static_cast<int>(R) : axis;
    if (d < 0 || d >= static_cast<int>(R))
      throw_axis_of_tensordot(side, R, "no axis " + std::to_string(axis), at);
    if (is_summed[d])
      throw_axis_of_tensordot(side, R, "axis " + std::to_string(axis) + " twice in its list", at);
    is_summed[d] = true;
    order.at[to++] = d;
  }
  to = first == 0 ? N : 0;
  for (std::size_t d = 0; d != R; ++d)
    if (!is_summed[d]) order.at[to++] = static_cast<int>(d);
  return order;
}
/// Throws: shape_error if extents that are summed over differ.
template <std::size_t N>
void check_axes_of_tensordot(any_shape const& a, int const (&of_a)[N], any_shape const& b,
                             int const (&of_b)[N], site at) {
  auto const dimension = [](int axis, any_shape const& x) {
    return axis < 0 ? axis + static_cast<int>(x.rank) : axis;
  };
  for (std::size_t i = 0; i != N; ++i) {
    int const d = dimension(of_a[i], a), e = dimension(of_b[i], b);
    if (a.extent[d] != b.extent[e]) throw_contraction("tensordot", a, d, b, e, at);
  }
}
template <class A, class B, int N> constexpr contraction tensordot_contraction() {
  return contraction_of(rank_of<A>, rank_of<B>, rank_of<A> - N, 0, N);
}
template <class A, class B, int N> constexpr void check_tensordot() {
  static_assert(N >= 0 && N <= rank_of<A> && N <= rank_of<B>,
                "placement: tensordot sums over as many axes as both operands have, or fewer.");
}

}  // namespace detail

/// NumPy's tensordot: sums over the last N dimensions of a and the first N of b, which correspond
/// in order. tensordot<0> is the product of all elements with all.
/// Shape: (p..., k...), (k..., q...) -> (p..., q...).
/// Type: any number, the same on both sides; integers wrap.
/// Kernels: those of matmul; without p and q a sum of products.  Cost: tensors are not copied.
/// Throws: shape_error if extents summed over differ.
template <int N = 2, operand A, operand B, class K = kernels_here>
auto tensordot(A&& a, B&& b, site at = site::here()) {
  detail::check_tensordot<A, B, N>();
  if constexpr (N >= 0 && N <= detail::rank_of<A> && N <= detail::rank_of<B>)
    return detail::checked_contraction<K, detail::tensordot_contraction<A, B, N>()>(
        "tensordot", std::forward<A>(a), std::forward<B>(b), at);
  else return std::forward<A>(a);
}
/// `tensordot(a, b, {0, 2}, {1, 0})`: sums over axis 0 of a with axis 1 of b, and 2 with 0.
/// Cost: that of tensordot<N>. An operand with two or more dimensions of one kind is copied in that
/// order, unless it is there; einsum copies fewer.
/// Throws: shape_error for no such axis, one named twice, and different extents.
template <operand A, operand B, std::size_t N, class K = kernels_here>
auto tensordot(A&& a, B&& b, int const (&of_a)[N], int const (&of_b)[N], site at = site::here()) {
  constexpr int n = static_cast<int>(N);
  detail::check_tensordot<A, B, n>();
  if constexpr (n <= detail::rank_of<A> && n <= detail::rank_of<B>) {
    constexpr std::size_t R = bare<A>::extents_type::rank, S = bare<B>::extents_type::rank;
    auto const x = detail::order_for_tensordot<R>("left", of_a, R - N, at);
    auto const y = detail::order_for_tensordot<S>("right", of_b, 0, at);
    detail::check_axes_of_tensordot(a.shape(), of_a, b.shape(), of_b, at);
    return detail::contract<K, detail::tensordot_contraction<A, B, n>()>(
        node<permute_op<bare<decltype(x)>>, A>{{x}, at, std::forward<A>(a)},
        node<permute_op<bare<decltype(y)>>, B>{{y}, at, std::forward<B>(b)}, at);
  } else {
    return std::forward<A>(a);
  }
}

}}  // namespace placement::v0_1
