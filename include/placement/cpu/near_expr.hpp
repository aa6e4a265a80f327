#pragma once
/// Ops that are slow for some numbers, which a block kernel computes apart from all others.

#include <placement/kernels/bound_expr.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// Does the op call a function for some numbers of type T, which no vector loop can do? Such an op
/// declares `template <class T> static constexpr bool has_far`, the test `far(x) != 0` of those
/// numbers, and an op for all others, `near_op`.
template <class Op, class... A> inline constexpr bool has_far_op = false;
template <class Op, class A> requires requires { typename Op::near_op; }
inline constexpr bool has_far_op<Op, A> =
    Op::template has_far<std::remove_cvref_t<decltype(std::declval<A const&>()(index_t{}))>>;

template <class F> inline constexpr bool has_far = false;
template <bool Gpu, class Op, class... A>
inline constexpr bool has_far<bound_expr<Gpu, Op, A...>> =
    has_far_op<Op, A...> || (has_far<A> || ...);

template <class Op, bool HasFar> struct near_op_of {
  using type = Op;
};
template <class Op> struct near_op_of<Op, true> {
  using type = typename Op::near_op;
};

/// The expression with the ops for near numbers.
template <class F> constexpr F near_expr(F const& f) { return f; }
template <bool Gpu, class Op, class... A> requires(has_far<bound_expr<Gpu, Op, A...>>)
constexpr auto near_expr(bound_expr<Gpu, Op, A...> const& f) {
  using near = typename near_op_of<Op, has_far_op<Op, A...>>::type;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    near op{};
    if constexpr (std::is_same_v<near, Op>) op = f.op;
    return bound_expr<Gpu, near, decltype(near_expr(slot_value<I>(f.args)))...>{
        op, {{near_expr(slot_value<I>(f.args))}...}};
  }(std::index_sequence_for<A...>{});
}

/// Not 0 where an op of the expression has a far number at i.
template <class F> PLACEMENT_ALWAYS_INLINE constexpr std::uint64_t far_at(F const&, index_t) {
  return 0;
}
template <bool Gpu, class Op, class... A> requires(has_far<bound_expr<Gpu, Op, A...>>)
PLACEMENT_ALWAYS_INLINE constexpr std::uint64_t far_at(bound_expr<Gpu, Op, A...> const& f,
                                                       index_t i) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) PLACEMENT_ALWAYS_INLINE {
    std::uint64_t const below = (far_at(slot_value<I>(f.args), i) | ...);
    if constexpr (has_far_op<Op, A...>) return below | Op::far(slot_value<0>(f.args)(i));
    else return below;
  }(std::index_sequence_for<A...>{});
}

}}}  // namespace placement::v0_1::detail
