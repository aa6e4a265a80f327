#pragma once
/// What += and its kin write to.

#include <placement/expr/operand.hpp>

namespace placement { inline namespace v0_1 {

/// A tensor with a name, or a view of one: `x += e`, `slice(view(x), range{0, 2}) += e`.
template <class X> concept updatable =
    ((is_tensor<bare<X>> || is_inline<bare<X>>) && std::is_lvalue_reference_v<X> &&
     !std::is_const_v<std::remove_reference_t<X>>) ||
    is_reference<bare<X>> || requires { requires bare<X>::is_view; };

/// The result type of an update: the tensor, or the view.
template <updatable X>
using updated =
    std::conditional_t<is_tensor<bare<X>> || is_inline<bare<X>>, bare<X>&, bare<X> const&>;

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_shape_growth(std::string const& has,
                                                                      std::string const& grown,
                                                                      std::string const& location) {
  throw shape_error("placement: an update keeps the shape " + has +
                    " of what it writes to, and this one would make it " + grown +
                    ". Broadcast it first: x = broadcast_to(x, shape), or write x = x + y." +
                    location);
}
}  // namespace detail

/// x = e for an e that was made of x, without growing it. Throws: shape_error when e has another
/// shape; what its ops throw.
template <updatable X, lazy E> auto update(X&& x, E&& e) -> updated<X> {
  if constexpr (is_tensor<bare<X>> && bare<X>::rank == bare<E>::extents_type::rank)
    if (!(e.shape() == x.shape()))
      detail::throw_shape_growth(to_string(x.shape()), to_string(e.shape()),
                                 detail::location_text(bare<E>::op_type::name, e.from.where));
  return x = std::forward<E>(e);
}

}}  // namespace placement::v0_1
