#pragma once
/// The gradient of a broadcast operand: summed over the dimensions that were broadcast.

#include <placement/expr/bind.hpp>
#include <placement/expr/decide.hpp>
#include <placement/expr/with_shape.hpp>
#include <placement/gradient/broadcast_sum.hpp>
#include <placement/gradient/relocate.hpp>
#include <placement/ops/broadcast_to.hpp>
#include <placement/ops/permute.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/sum.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The shape of the sum: that of `to`, with extent 1 where `from` has 1.
template <class X, class To> dextents<To::rank> summed_shape(X const& from, To const& to) {
  dextents<To::rank> y{};
  if constexpr (To::rank != 0) set_summed_shape(y.n, from, to);
  return y;
}
/// The order of dimensions for a sum of rank R.
template <std::size_t R> run_time_order<R> order_of(broadcast_sum const& s) {
  run_time_order<R> order;
  for (std::size_t d = 0; d != R; ++d) order.at[d] = s.order[d];
  return order;
}

/// g summed, then broadcast, to shape `to`, by a reduction. at: the line of the op whose operand
/// was broadcast.
template <class K, class G, class To> auto reduced_to_shape(G const& g, To const& to, site at) {
  constexpr std::size_t rank = G::extents_type::rank;
  broadcast_sum const s = broadcast_sum_of(g.shape(), to);
  using permuted = expr<permute_op<run_time_order<rank>>, K, node_operand_t<G const&>>;
  using grouped = expr<reshape_op<dextents<3>>, K, permuted>;
  using summed = expr<sum_op<along<axis_t<1>>>, K, grouped>;
  auto const shape = summed_shape(g.shape(), to);
  permuted const in_order{{order_of<rank>(s)}, at, g};
  summed const groups{{{axis<1>}}, at, grouped{{s.groups}, at, in_order}};
  return broadcast_to(reshape(groups, shape, at), to, at);
}
namespace no_adl {
/// The same where run-time extents decide whether a sum is needed: a gradient of that shape is
/// evaluated as it is.
template <class To> struct sum_to_shape_op {
  static constexpr std::string_view name = "Sum";
  using pattern = custom;
  template <class T> static constexpr bool has_gpu_kernel = true;  // those of what it chooses
  static constexpr bool is_chosen = true;
  static constexpr bool is_determined_by_type = false;
  static constexpr std::size_t max_ops = 5;  // of reduced_to_shape()

  To to;

  template <class X> constexpr To result(X const&) const { return to; }
  friend constexpr bool operator==(sum_to_shape_op const& a, sum_to_shape_op const& b) {
    return a.to == b.to;
  }
  template <class K, class G, class F>
  static void choose(expr<sum_to_shape_op, K, G> const& e, F const& f) {
    auto const& g = e.template arg<0>();
    if (g.shape() == e.op.to) return f(g);
    auto sum = reduced_to_shape<K>(g, e.op.to, e.from.where);
    relocate<G>(sum, e.from);
    f(sum);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K>
  static auto pullback(auto const& h, auto const&, auto const& g) {
    return broadcast_to(h, g.shape());
  }
};
}  // namespace no_adl
using no_adl::sum_to_shape_op;

/// g summed, then broadcast, to shape `to`, as an expression. The shapes broadcast with each other.
/// at: the line of the op whose operand was broadcast.
template <class K, class G, class To> auto sum_to_shape(G const& g, To const& to, site at) {
  using from = typename G::extents_type;
  if constexpr (To::is_static && std::is_same_v<from, To>) return g;
  else if constexpr (from::rank == 0) return broadcast_to(g, to, at);
  else if constexpr (To::rank == 0) return sum(g, at);
  else if constexpr (is_expr<G> && may_convert<from, To>())
    return expr<sum_to_shape_op<To>, K, G>{{to}, at, g};
  else return reduced_to_shape<K>(g, to, at);
}

/// The value of an expression now, at the line of the innermost scope.
template <class E> auto value_now(E const& e) {
  if constexpr (is_tensor<E>) {
    return tensor<typename E::value_type, typename E::extents_type>(e);
  } else {
    return evaluated(e, no_pin{}, site_of_scope());
  }
}

/// The sums over the second of three dimensions.
template <class K, class T>
[[gnu::noinline]] tensor<T, dextents<3>> summed_groups(tensor<T, dextents<3>> const& t) {
  using summed = expr<sum_op<along<axis_t<1>>>, K, tensor<T, dextents<3>>>;
  auto y = value_now(summed{{{axis<1>}}, {}, t});
  dextents<3> const kept{{y.extent(0), 1, y.extent(1)}};
  return with_shape(std::move(y), kept);
}
/// A tensor with its dimensions in another order.
template <class K, class T, std::size_t R, class X>
[[gnu::noinline]] tensor<T, X> permuted(tensor<T, X> const& t, broadcast_sum const& s) {
  using in_order = expr<permute_op<run_time_order<R>>, K, tensor<T, X>>;
  return value_now(in_order{{order_of<R>(s)}, {}, t});
}
/// A tensor broadcast to a shape. K: the kernels of this file.
template <class K, class T, class X, class To>
[[gnu::noinline]] tensor<T, To> repeated(tensor<T, X> const& t, To const& to) {
  return value_now(broadcast_to(t, to, site_of_scope()));
}
/// summed_to_shape() for shapes of a run-time size.
template <class K, bool Covers, class T, class X, class To>
[[gnu::noinline]] tensor<T, To> summed_at_run_time(tensor<T, X> const& t, To const& to) {
  dextents<To::rank> const mid = summed_shape(t.shape(), to);
  broadcast_sum const s = broadcast_sum_of(t.shape(), to);
  tensor<T, dextents<3>> grouped = with_shape(t, s.groups);
  if constexpr (X::rank > 2)  // the dimensions of a matrix need no other order
    if (s.is_permuted) grouped = with_shape(permuted<K, T, X::rank>(t, s), s.groups);
  if (s.is_needed) grouped = summed_groups<K>(grouped);
  if (mid.count() == to.count()) return with_shape(std::move(grouped), to);
  if constexpr (Covers) throw_smaller_gradient(t.shape(), to);
  else return repeated<K>(with_shape(std::move(grouped), mid), to);
}

/// A tensor summed, then broadcast, to shape `to`. Covers: it has no smaller shape. Cost: nothing
/// for a tensor of that shape.
template <class K, bool Covers, class T, class X, class To>
tensor<T, To> summed_to_shape(tensor<T, X> const& t, To const& to) {
  if constexpr (X::rank == To::rank)
    if (t.shape() == to) return with_shape(t, to);
  return with_shape(
      summed_at_run_time<K, Covers>(with_run_time_shape(t), converted<dextents<To::rank>>(to)), to);
}

}}}  // namespace placement::v0_1::detail
