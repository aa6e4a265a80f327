#pragma once
/// Element-wise expressions as the epilogue of a custom op on the CPU, whose loops call it for
/// finished elements.

#include <placement/expr/device_in_type.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/memory/buffer_copy.hpp>
#include <placement/place/placer.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// A node whose op declares `applies_epilogue`: its run() takes an epilogue_callback, and calls it
/// once for each element.
template <class X> concept custom_producer =
    custom_node<X> && requires { requires X::op_type::applies_epilogue; };

/// Whether the fusion group R may be the epilogue of custom op C.
template <class C, class R> inline constexpr bool takes_custom_epilogue = false;
template <custom_producer C, class R>
inline constexpr bool takes_custom_epilogue<C, R> =
    std::is_same_v<typename C::value_type, typename R::value_type> &&
    may_convert<typename C::extents_type, typename R::extents_type>() && declared<C> == declared<R>;

template <class X> inline constexpr bool has_custom_producer = custom_producer<X>;
template <class Op, class K, class... A> requires has_pattern<Op, map>
inline constexpr bool has_custom_producer<expr<Op, K, A...>> = (has_custom_producer<A> || ...);

/// The first custom op below x, reached through maps only, that can take the fusion group R as its
/// epilogue. Returns a pointer to its node, or `no_producer`. X: the expression that x stands for.
template <class R, class X = R, std::size_t I = 0, class N>
constexpr auto custom_producer_of(N const& x) {
  if constexpr (!map_node<X> || !has_custom_producer<X>) {
    return no_producer{};
  } else if constexpr (I == X::arity) {
    return no_producer{};
  } else {
    using C = operand_type<X, I>;
    if constexpr (takes_custom_epilogue<C, R>) {
      return &x.template arg<I>();
    } else {
      auto const below = custom_producer_of<R, C>(x.template arg<I>());
      if constexpr (!std::is_same_v<bare<decltype(below)>, no_producer>) return below;
      else return custom_producer_of<R, X, I + 1>(x);
    }
  }
}
template <class E>
using custom_producer_type = decltype(custom_producer_of<E>(std::declval<E const&>()));
/// The epilogue of a product or reduction goes before that of a custom op. Expressions that are
/// resolved at compile time have none of a custom op.
template <class E> inline constexpr bool has_custom_epilogue = false;
template <map_node E> requires(has_custom_producer<E> && !has_epilogue<E, false> && !is_here<E>)
inline constexpr bool has_custom_epilogue<E> =
    !std::is_same_v<custom_producer_type<E>, no_producer>;

/// Whether every kernel with the same request goes to the CPU, too, and is not one of other tasks.
constexpr bool keeps_to_cpu(decision const& d) {
  bool const is_request = !d.fell_back && d.why <= reason::thread_device;
  return d.device.is_cpu() && !d.device.has_task() && (is_request || d.why == reason::no_gpu);
}
/// The node of the custom op whose epilogue e is under a decision; nullptr if e is a kernel of its
/// own. Programs of several tasks have no such epilogue.
template <class E> auto const* custom_producer_in(E const& e, decision const& d) {
  auto const* const node = custom_producer_of<E>(e);
  bool const is_one = keeps_to_cpu(d) && tasks_of_process.peek() == nullptr &&
                      node->shape() == e.shape() && node->from.requested == e.from.requested &&
                      node->from.requested_by == e.from.requested_by;
  return is_one ? node : nullptr;
}

}}}  // namespace placement::v0_1::detail
