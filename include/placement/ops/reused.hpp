#pragma once

#include <placement/expr/operand.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// An operand for one of several nodes: a named one itself, else a copy. X: the argument's type.
template <class X>
std::conditional_t<std::is_lvalue_reference_v<X>, X, bare<X>> reused(
    std::remove_reference_t<X>& x) {
  return x;
}

}}}  // namespace placement::v0_1::detail
