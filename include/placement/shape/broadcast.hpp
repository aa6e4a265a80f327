#pragma once
/// NumPy's broadcasting: shapes are aligned at the right, and an extent of 1 is repeated.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The d-th extent of X after padding its rank to R with ones at the left.
template <class X, std::size_t R> constexpr index_t padded_static_extent(std::size_t d) {
  return R - d > X::rank ? 1 : X::static_extent(d + X::rank - R);
}
template <std::size_t R, class X> constexpr index_t padded_extent(X const& x, std::size_t d) {
  return R - d > X::rank ? 1 : x.at(d + X::rank - R);
}

/// The static extent that two static extents broadcast to; -2 if they do not broadcast.
constexpr index_t joined_static(index_t a, index_t b) {
  if (a == 1) return b;
  if (b == 1) return a;
  if (a == dyn) return b;
  if (b == dyn) return a;
  return a == b ? a : -2;
}

template <class A, class B>
inline constexpr std::size_t joined_rank = A::rank > B::rank ? A::rank : B::rank;

/// One non-recursive check, so that the compiler's error is one sentence with both shapes.
template <class A, class B> constexpr bool shapes_broadcast() {
  for (std::size_t d = 0; d != joined_rank<A, B>; ++d)
    if (joined_static(padded_static_extent<A, joined_rank<A, B>>(d),
                      padded_static_extent<B, joined_rank<A, B>>(d)) == -2)
      return false;
  return true;
}

template <class A, class B, std::size_t... D>
auto joined_type(std::index_sequence<D...>)
    -> extents<joined_static(padded_static_extent<A, joined_rank<A, B>>(D),
                             padded_static_extent<B, joined_rank<A, B>>(D))...>;

// `op`, `at`: the location for the message, if known.

[[noreturn, gnu::cold]] void no_broadcast(any_shape const& a, any_shape const& b,
                                          std::string_view op = {}, site at = {});

/// The extent D of a result of shapes a and b. Throws: shape_error if theirs do not broadcast.
template <std::size_t D, std::size_t R, class A, class B>
PLACEMENT_ALWAYS_INLINE constexpr index_t broadcast_extent(std::string_view op, site at, A const& a,
                                                           B const& b) {
  index_t const m = padded_extent<R>(a, D), n = padded_extent<R>(b, D);
  if (m != n && m != 1 && n != 1) no_broadcast(a, b, op, at);
  return m == 1 ? n : m;
}
/// All of them. Without a loop, so that the shapes of nodes stay in registers.
template <class Result, class A, class B, std::size_t... D>
PLACEMENT_ALWAYS_INLINE constexpr Result broadcast_each(std::string_view op, site at, A const& a,
                                                        B const& b, std::index_sequence<D...>) {
  if constexpr (Result::is_static) {
    (static_cast<void>(broadcast_extent<D, sizeof...(D)>(op, at, a, b)), ...);
    return {};
  } else {
    return {{broadcast_extent<D, sizeof...(D)>(op, at, a, b)...}};
  }
}

/// broadcast(a, b) of `op`, which was written at `at`.
template <class A, class B>
constexpr auto broadcast_for(std::string_view op, site at, A const& a, B const& b) {
  static_assert(
      shapes_broadcast<A, B>(),
      "placement: these shapes do not broadcast. Aligned at the right, extents must be equal or 1: reshape, "
      "slice or transpose one side.");
  if constexpr (!shapes_broadcast<A, B>()) {
    return a;
  } else if constexpr (B::rank == 0) {
    return a;
  } else if constexpr (A::rank == 0) {
    return b;
  } else {
    constexpr std::size_t R = joined_rank<A, B>;
    using result = decltype(joined_type<A, B>(std::make_index_sequence<R>{}));
    if constexpr (A::is_static && B::is_static) return result{};
    else return broadcast_each<result>(op, at, a, b, std::make_index_sequence<R>{});
  }
}
template <class A> constexpr A broadcast_for(std::string_view, site, A const& a) { return a; }
template <class A, class B, class... More> requires(sizeof...(More) > 0)
constexpr auto broadcast_for(std::string_view op, site at, A const& a, B const& b,
                             More const&... more) {
  return broadcast_for(op, at, broadcast_for(op, at, a, b), more...);
}

}  // namespace detail

/// The shape of an element-wise result of operands of these shapes.
/// Throws: shape_error if they do not broadcast; a compile error if static extents show it.
/// Source: NumPy's broadcasting rules.
template <class A, class... More> constexpr auto broadcast(A const& a, More const&... more) {
  return detail::broadcast_for({}, {}, a, more...);
}

}}  // namespace placement::v0_1
