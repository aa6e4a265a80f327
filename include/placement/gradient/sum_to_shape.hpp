#pragma once
/// The gradient of a broadcast operand: summed over the dimensions that were broadcast.

#include <placement/expr/bind.hpp>
#include <placement/expr/decide.hpp>
#include <placement/ops/broadcast_to.hpp>
#include <placement/ops/permute.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/sum.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// How elements of shape `from` are summed to a shape that broadcasts with it. The dimensions are
/// permuted so that the summed ones are adjacent. They are the second of three groups.
template <std::size_t R> struct broadcast_sum {
  run_time_order<R == 0 ? 1 : R> order{};
  dextents<3> groups{};
  bool is_permuted = false;
  bool is_needed = false;

  template <class X, class To> broadcast_sum(X const& from, To const& to) {
    bool sums[R + 1]{};
    std::size_t first = R, last = 0;
    for (std::size_t d = 0; d != R; ++d) {
      std::size_t const added = R - d;  // counted from the last dimension
      sums[d] = from.at(d) != 1 && (added > To::rank || to.at(To::rank - added) == 1);
      if (!sums[d]) continue;
      is_needed = true;
      if (first == R) first = d;
      last = d;
    }
    for (std::size_t d = first; d < last; ++d)
      is_permuted = is_permuted || (!sums[d] && from.at(d) != 1);
    groups = {{1, 1, 1}};
    std::size_t next = 0;
    auto const take = [&](std::size_t d, std::size_t group) {
      order.at[next++] = static_cast<int>(d);
      groups.n[group] *= from.at(d);
    };
    for (std::size_t d = 0; d != R; ++d)
      if (!sums[d] && (is_permuted || d < first)) take(d, 0);
    for (std::size_t d = 0; d != R; ++d)
      if (sums[d] || (!is_permuted && d >= first && d <= last)) take(d, 1);
    for (std::size_t d = 0; d != R; ++d)
      if (!sums[d] && !is_permuted && first != R && d > last) take(d, 2);
  }
};
/// The shape of the sum: that of `to`, with extent 1 where `from` has 1.
template <class X, class To> dextents<To::rank> summed_shape(X const& from, To const& to) {
  dextents<To::rank> y{};
  if constexpr (To::rank != 0) {
    for (std::size_t d = 0; d != To::rank; ++d) {
      std::size_t const counted = To::rank - d;
      y.n[d] = counted > X::rank || from.at(X::rank - counted) == 1 ? 1 : to.at(d);
    }
  }
  return y;
}

/// g summed, then broadcast, to shape `to`, as an expression. The shapes broadcast with each other.
template <class K, class G, class To> auto sum_to_shape(G const& g, To const& to) {
  using from = typename G::extents_type;
  if constexpr (To::is_static && std::is_same_v<from, To>) {
    return g;
  } else if constexpr (from::rank == 0) {
    return broadcast_to(g, to);
  } else if constexpr (To::rank == 0) {
    return sum(g);
  } else {
    broadcast_sum<from::rank> const s(g.shape(), to);
    using permuted = expr<permute_op<run_time_order<from::rank>>, K, node_operand_t<G const&>>;
    using grouped = expr<reshape_op<dextents<3>>, K, permuted>;
    using summed = expr<sum_op<along<axis_t<1>>>, K, grouped>;
    auto const shape = summed_shape(g.shape(), to);
    return broadcast_to(
        reshape(summed{{{axis<1>}}, {}, grouped{{s.groups}, {}, permuted{{s.order}, {}, g}}},
                shape),
        to);
  }
}

/// The same elements in another shape of as many elements.
template <class T, class X, class Y> tensor<T, Y> with_shape(tensor<T, X> const& t, Y const& as) {
  auto y = tensor_access::empty<tensor<T, Y>>();
  tensor_access::elements(y) = tensor_access::elements(t);
  tensor_access::requested(y) = t.requested();
  tensor_access::shape(y) = as;
  return y;
}

/// The value of an expression now, at the line of the innermost scope.
template <class E> auto value_now(E const& e) {
  if constexpr (is_tensor<E>) {
    return tensor<typename E::value_type, typename E::extents_type>(e);
  } else {
    return evaluated(e, no_pin{}, site_of_scope());
  }
}

/// A tensor summed, then broadcast, to shape `to`. Cost: nothing for a tensor of that shape.
template <class K, class T, class X, class To>
tensor<T, To> summed_to_shape(tensor<T, X> const& t, To const& to) {
  auto const from = t.shape();
  dextents<To::rank> const mid = summed_shape(from, to);
  broadcast_sum<X::rank> const s(from, to);
  tensor<T, dextents<3>> grouped = with_shape(t, s.groups);
  if constexpr (X::rank != 0) {
    if (s.is_permuted) {
      using permuted = expr<permute_op<run_time_order<X::rank>>, K, tensor<T, X>>;
      grouped = with_shape(value_now(permuted{{s.order}, {}, t}), s.groups);
    }
  }
  if (s.is_needed) {
    using summed = expr<sum_op<along<axis_t<1>>>, K, tensor<T, dextents<3>>>;
    auto const y = value_now(summed{{{axis<1>}}, {}, grouped});
    grouped = with_shape(y, dextents<3>{{y.extent(0), 1, y.extent(1)}});
  }
  if (mid.count() == to.count()) return with_shape(grouped, to);
  return value_now(broadcast_to(with_shape(grouped, mid), to));
}

}}}  // namespace placement::v0_1::detail
