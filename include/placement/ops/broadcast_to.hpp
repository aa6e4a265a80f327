#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_broadcast_to(std::string const& from,
                                                                   std::string const& to) {
  throw shape_error("placement: a tensor of shape " + from + " cannot be broadcast to " + to +
                    ". Aligned at the right, its extents must be those of the new shape, or 1.");
}
}  // namespace detail

/// The operand repeated to a larger shape, as operands of + are. Of memory it costs nothing; it is
/// read only, because several of its elements are one.  To: the shape, extents<...>.
/// Shape: as given.  Type: any.  Kernels: CPU, GPU (pattern view_op).
/// Throws: shape_error when it does not broadcast to that shape.
template <class To> struct broadcast_to_op {
  static constexpr std::string_view name = "BroadcastTo";
  using pattern = view_op;
  static constexpr bool broadcasts = true;

  [[no_unique_address]] To to;

  template <class X> constexpr To result(X const& x) const {
    static_assert(X::rank <= To::rank,
                  "placement: broadcast_to takes a shape of the operand's rank or a higher one.");
    if constexpr (X::is_static && To::is_static)
      static_assert(std::is_same_v<decltype(broadcast(x, to)), To>,
                    "placement: this operand cannot be broadcast to that shape. Aligned at the "
                    "right, its extents must be those of the new shape, or 1.");
    static_cast<void>(detail::checked_count(to, 1));
    if (!(broadcast(x, to) == to)) detail::no_broadcast_to(to_string(x), to_string(to));
    return to;
  }
  template <std::size_t R, class X>
  constexpr layout<To::rank> moved(layout<R> const& where, X const& x) const {
    return broadcast_layout(where, x, to);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> static auto pullback(auto const& g, auto const&...) {
    return g;
  }
};
/// `broadcast_to<2, 3>(x)`: extents in the type.
template <index_t... N, operand X> requires(sizeof...(N) > 0)
auto broadcast_to(X&& x, site at = site::here()) -> node<broadcast_to_op<extents<N...>>, X> {
  return {{}, at, std::forward<X>(x)};
}
/// `broadcast_to(x, shape(2, 3))`: a shape as a value.
template <operand X, index_t... N>
auto broadcast_to(X&& x, extents<N...> to, site at = site::here())
    -> node<broadcast_to_op<extents<N...>>, X> {
  return {{to}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
