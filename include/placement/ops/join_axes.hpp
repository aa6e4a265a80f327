#pragma once
/// Reductions over several axes: the reduced dimensions of a view are made adjacent and joined, and
/// the op reduces along the joined one.

#include <placement/expr/operand.hpp>
#include <placement/ops/permute.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/shape/axes.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

namespace no_adl {
/// Base class of a reduction over several axes, which are joined in its operand. Shape: of the
/// result.
template <class Shape> struct over_axes {
  static constexpr bool reduces_all = false;
  [[no_unique_address]] Shape shape{};
  std::size_t axis = 0;  ///< of the operand

  template <class X> constexpr Shape result(X const&) const { return shape; }
  template <class X> constexpr std::size_t axis_of(X const&) const { return axis; }
};
}  // namespace no_adl
using no_adl::over_axes;

template <class A> inline constexpr bool axes_in_type = false;
template <int... D> inline constexpr bool axes_in_type<axes_t<D...>> = true;
template <class Axes> inline constexpr bool axes_in_type<keep_dims_t<Axes>> = axes_in_type<Axes>;

/// The extents of a reduction over several axes, as lists. Extents may be dyn.
template <std::size_t R> struct joined_extents {
  index_t operand[R + 1]{}, result[R + 1]{};

  /// Throws: shape_error if a joined extent overflows, which needs an extent of 0 elsewhere.
  constexpr joined_extents(index_t const* extent, adjacent_axes<R> const& a, std::size_t count,
                           bool keeps) {
    for (std::size_t d = 0, i = 0; d != R; ++i) {
      operand[i] = extent[a.order[d++]];
      if (i != a.first) continue;
      for (std::size_t k = 1; k != count; ++k)
        operand[i] = product(operand[i], extent[a.order[d++]], any_shape(R, extent));
    }
    for (std::size_t d = 0, i = 0; d != R; ++d)
      if (keeps || !a.reduced[d]) result[i++] = a.reduced[d] ? 1 : extent[d];
  }

 private:
  static constexpr index_t product(index_t a, index_t b, any_shape const& x) {
    if (a == dyn || b == dyn) return dyn;
    if (b != 0 && a > std::numeric_limits<index_t>::max() / b) too_many_bytes(x, {}, {});
    return a * b;
  }
};

/// The shapes of a reduction of shape X over the axes A.
template <class X, several_axes A> struct axes_rule {
  static constexpr std::size_t rank = X::rank, count = axes_in(A{}).count;
  static constexpr bool is_static = axes_in_type<A>, keeps = keeps_dim_of_axes<A>;
  static constexpr bool is_valid = count <= rank && (!is_static || valid_axes<rank>(axes_in(A{})));
  static_assert(count <= rank,
                "placement: a reduction names more axes than the tensor has. Name each axis once.");
  static_assert(
      is_valid || count > rank,
      "placement: there is no such axis in a tensor of this rank, or it is named twice. Axes are 0 to rank - 1, or -1 for the last.");

  static constexpr std::size_t joined_rank = is_valid ? rank + 1 - count : 1;
  static constexpr std::size_t result_rank = keeps ? rank : joined_rank - 1;
  using axes = adjacent_axes<rank>;
  using lists = joined_extents<rank>;

  static constexpr axes in_type() {
    if constexpr (is_static && is_valid) return axes(axes_in(A{}));
    else return axes(run_time_axes<0>{});
  }
  static constexpr lists extents_in_type() {
    index_t extent[rank + 1]{};
    for (std::size_t d = 0; d != rank; ++d) extent[d] = is_static ? X::static_extent(d) : dyn;
    return {extent, in_type(), is_static && is_valid ? count : 1, keeps};
  }
  static constexpr lists extents_of(X const& x, axes const& a) {
    return {any_shape(x).extent, a, count, keeps};
  }

  static constexpr auto joined_shape(lists const& l) {
    return make_shape<joined_rank>([](std::size_t d) { return extents_in_type().operand[d]; },
                                   [&l](std::size_t d) { return l.operand[d]; });
  }
  static constexpr auto result_shape(lists const& l) {
    return make_shape<result_rank>([](std::size_t d) { return extents_in_type().result[d]; },
                                   [&l](std::size_t d) { return l.result[d]; });
  }
  static constexpr auto order_of([[maybe_unused]] axes const& a) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      if constexpr (is_static) return static_order<in_type().order[I]...>{};
      else return run_time_order<rank>{{a.order[I]...}};
    }(std::make_index_sequence<rank>{});
  }

  using joined_type = decltype(joined_shape(std::declval<lists>()));
  using result_type = decltype(result_shape(std::declval<lists>()));
  using order_type = decltype(order_of(std::declval<axes>()));
};
template <class X, several_axes A>
using axes_rule_of = axes_rule<typename bare<X>::extents_type, A>;

template <int... D>
inline constexpr bool is_identity_order = [] {
  int next = 0;
  return ((D == next++) && ...);
}();
/// Operand X with its dimensions in this order. An order that changes nothing needs no node.
template <class Order, class X, class K> struct permuted_operand {
  using type = expr<permute_op<Order>, K, node_operand_t<X>>;
  static type of(Order const& order, X&& x, site at) { return {{order}, at, std::forward<X>(x)}; }
};
template <int... D, class X, class K> requires(is_identity_order<D...>)
struct permuted_operand<static_order<D...>, X, K> {
  using type = node_operand_t<X>;
  static type of(static_order<D...>, X&& x, site) { return store<type>(std::forward<X>(x)); }
};
/// The view of operand X in which the axes A are joined. K: the kernels of the caller's file.
template <class X, class A, class K>
using joined_axes =
    expr<reshape_op<typename axes_rule_of<X, A>::joined_type>, K,
         typename permuted_operand<typename axes_rule_of<X, A>::order_type, X, K>::type>;
/// The reduction of operand X over the axes A. R: further arguments of the op.
template <template <class...> class Op, class X, class A, class K, class... R>
using reduced_over =
    expr<Op<over_axes<typename axes_rule_of<X, A>::result_type>, R...>, K, joined_axes<X, A, K>>;

/// Throws: shape_error if the op has no result for no elements, and there are none.
template <class Op, class X, std::size_t R>
void check_joined(X const& x, adjacent_axes<R> const& a) {
  if constexpr (requires { requires Op::needs_elements; })
    for (std::size_t d = 0; d != R; ++d)
      if (a.reduced[d] && x.at(d) == 0) throw_nothing_to_reduce(Op::name, to_string(x));
}

/// The node of a reduction over several axes.
template <class Node, class X, class A> Node reduce_over(X&& x, A const& axes, site at) {
  using op_type = typename Node::op_type;
  using rule = axes_rule_of<X, A>;
  using view = bare<decltype(std::declval<Node const&>().template arg<0>())>;
  using order = permuted_operand<typename rule::order_type, X, typename Node::kernels>;
  try {
    auto const shape = x.shape();
    adjacent_axes<rule::rank> const a(axes_in(axes));
    check_joined<op_type>(shape, a);
    op_type op{};
    auto const extents = rule::extents_of(shape, a);
    op.shape = rule::result_shape(extents);
    op.axis = a.first;
    return Node(op, at,
                view({rule::joined_shape(extents)}, at,
                     order::of(rule::order_of(a), std::forward<X>(x), at)));
  } catch (...) { rethrow_from_rule(op_type::name, at); }
}
/// The same for axes known at run time, the first with the location of the call.
template <class... Axis>
constexpr run_time_axes<1 + sizeof...(Axis)> axes_of(located_axis const& first, Axis... more) {
  return {{first.value, run_time_axis::of(more).value...}};
}
/// Constrained, as clang substitutes a return type before it checks a function's constraints.
template <axis_number... Axis> requires(sizeof...(Axis) > 0)
using axes_of_t = run_time_axes<1 + sizeof...(Axis)>;

}}}  // namespace placement::v0_1::detail
