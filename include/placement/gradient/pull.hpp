#pragma once
/// The backward pass through one statement: the gradients of its tensors are computed, and given to
/// a sink.

#include <placement/gradient/cut.hpp>
#include <placement/gradient/relocate.hpp>
#include <placement/gradient/stop_gradient.hpp>
#include <placement/gradient/sum_to_shape.hpp>
#include <placement/ops/zeros.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// g as a tensor of exactly shape `to`.
template <class K, gradient_shape S, class G, class To>
auto tensor_of_shape(G const& g, To const& to) {
  if constexpr (S == gradient_shape::exact) return value_now(g);
  else return summed_to_shape < K, S == gradient_shape::covers > (value_now(g), to);
}

/// The op that a view applies, as a view of a tensor that can be written to.
template <class K, class View, class T, class X>
auto view_through(View const& v, tensor<T, X>& to) {
  return expr<View, K, reference<T, X>>{v, {}, view(to)};
}
/// The gradient of the operand of view e: zeros, to which g is written through the view.
template <class E, class G> auto view_gradient_now(E const& e, G const& g) {
  using K = typename E::kernels;
  using T = typename E::value_type;
  auto const shape = e.template arg<0>().shape();
  tensor<T, bare<decltype(shape)>> whole = value_now(zeros<T>(shape, e.from.where));
  assign_elements<K>(view_through<K>(e.op, whole), g, false);
  return whole;
}

/// Sink: `reaches(x)`: whether gradients by a tensor in x are wanted; `add<S>(t, g)`: adds to that
/// of tensor t. S: the shape of g, beside that of e.
template <gradient_shape S, class E, class Y, class G, class Sink>
void pull(E const& e, Y const& y, G const& g, Sink& sink);

template <std::size_t I, gradient_shape S, class E, class Y, class G, class Sink>
void pull_operand(E const& e, Y const& y, G const& g, Sink& sink) {
  using op = typename E::op_type;
  using X = operand_type<E, I>;
  if constexpr (has_path<X>) {
    auto const& x = e.template arg<I>();
    if (!sink.reaches(x)) return;
    if constexpr (!has_derivative<E>) {
      sink.no_derivative(op::name, e.from.where);
    } else if constexpr (moves_elements<op>) {
      pull<gradient_shape::exact>(x, x, view_gradient_now(e, g), sink);
    } else if constexpr (is_list<X>) {
      for (std::size_t k = 0; k != x.items.size(); ++k) {
        if (!sink.reaches(x.items[k])) continue;
        auto h = e.op.template pullback_of_item<typename E::kernels>(k, g, x.items);
        relocate<G>(h, origin_of_gradient<op>({e.from.where}));
        sink.template add<gradient_shape::broadcasts>(x.items[k], h);
      }
    } else {
      auto h = pulled_back<I>(e, g, y);
      if constexpr (!std::is_same_v<decltype(h), zero_gradient>) {
        relocate_pullback<E, G, Y>(h, origin_of_gradient<op>({e.from.where}),
                                   std::make_index_sequence<E::arity>{});
        pull<shape_of_pullback<I, S, E, G, decltype(h)>()>(x, x, h, sink);
      }
    }
  }
}
template <gradient_shape S, class E, class Y, class G, class Sink, std::size_t... I>
PLACEMENT_ALWAYS_INLINE inline void pull_each(E const& e, Y const& y, G const& g, Sink& sink,
                                              std::index_sequence<I...>) {
  (pull_operand<I, S>(e, y, g, sink), ...);
}
template <gradient_shape S, class E, class Y, class G, class Sink>
PLACEMENT_ALWAYS_INLINE inline void pull_operands(E const& e, Y const& y, G const& g, Sink& sink) {
  pull_each<S>(e, y, g, sink, std::make_index_sequence<E::arity>{});
}
/// More ops than that are computed once, and stored, rather than again in each pullback of a node.
inline constexpr std::size_t max_repeated_ops = 3;
/// Whether g is computed once, as a tensor, before the pullbacks of E.
template <class E, class G> constexpr bool stores_gradient() {
  constexpr bool has_several = pullbacks_of<E>::paths > 1 || custom_node<E>;
  if constexpr (is_tensor<G>) return false;
  else if constexpr (map_node<E>)
    return has_several &&
           (has_costly<G> || pullbacks_of<E>::has_costly_below || ops_of<G> > max_repeated_ops);
  else return has_several || matmul_node<E>;
}
template <gradient_shape S, class E, class Y, class G, class Sink>
void pull(E const& e, Y const& y, G const& g, Sink& sink) {
  if constexpr (is_tensor<E>) {
    sink.template add<S>(e, g);
  } else if constexpr (is_reference<E>) {
    sink.template add<S>(e.target(), g);
  } else if constexpr (is_expr<E>) {
    using K = typename E::kernels;
    if constexpr (S != gradient_shape::exact && !takes_as_it_is<E, G>())
      pull_operands<gradient_shape::exact>(e, y, tensor_of_shape<K, S>(g, e.shape()), sink);
    else if constexpr (stores_gradient<E, G>()) pull_operands<S>(e, y, value_now(g), sink);
    else pull_operands<S>(e, y, g, sink);
  }
}

}}}  // namespace placement::v0_1::detail
