#pragma once
/// What += and its kin write to.

#include <placement/expr/evaluate.hpp>

namespace placement::inline v0_1 {

/// A tensor with a name, or a view of one: `x += e`, `slice(view(x), range{0, 2}) += e`.
template <class X> concept updatable = (is_tensor<bare<X>> && std::is_lvalue_reference_v<X> &&
                                        !std::is_const_v<std::remove_reference_t<X>>) ||
                                       is_reference<bare<X>> ||
                                       requires { requires bare<X>::is_view; };

/// What an update gives back: the tensor, or the view.
template <updatable X>
using updated = std::conditional_t<is_tensor<bare<X>>, bare<X>&, bare<X> const&>;

}  // namespace placement::inline v0_1
