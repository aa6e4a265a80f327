#pragma once
/// The only element of an expression or a tensor, as a number.

#include <placement/expr/evaluate.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_single_item(std::string const& shape,
                                                                  site at) {
  throw shape_error("placement: item() of shape " + shape +
                    " is not one element. Reduce it first, as with sum(x), or use read()." +
                    location_text({}, at));
}
}  // namespace detail

/// The only element, for any rank: `float const loss = item(mean(square(a - b)))`. An expression is
/// computed immediately, where it is placed.
/// Throws: shape_error unless there is exactly one element (a compile error for static extents);
/// exceptions of the ops.
/// Cost: the loop alone for element-wise ops and reductions of tensors on CPU:0, without
/// allocation. Otherwise the cost of the evaluation; from a GPU also one counted copy of the
/// element, for which the host waits.
template <operand E> auto item(E&& e, site at = site::here()) -> typename bare<E>::value_type {
  using X = typename bare<E>::extents_type;
  if constexpr (X::is_static) {
    static_assert(
        X::count() == 1,
        "placement: item() is of one element. Reduce it first, as with sum(x), or use read().");
  } else if (auto const shape = e.shape(); shape.count() != 1) {
    detail::no_single_item(to_string(shape), at);
  }
  detail::gradient_pause const no_gradient;  // the result is a number
  if constexpr (is_reference<bare<E>>) {
    return detail::target_now(e, "item()", at).read(at)[0];
  } else if constexpr (stored<bare<E>>) {
    return e.read(at)[0];
  } else {
    if constexpr (detail::is_fused<bare<E>>()) {
      if constexpr (!detail::pinned_by_its_type<bare<E>, detail::no_pin>)
        return detail::item_of_fused(e, at);
    }
    auto const value = evaluate(std::forward<E>(e), at);
    return value.read(at)[0];
  }
}

}}  // namespace placement::v0_1
