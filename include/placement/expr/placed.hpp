#pragma once
/// Expressions with a device of their own.

#include <placement/expr/expr.hpp>

namespace placement { inline namespace v0_1 {

/// A part of an expression with its own device: a kernel boundary in the type. D: a tag, or
/// `any_device` if the device is known at run time. P: soft_t or strict_t.
template <class E, class D, class P> struct placed {
  static_assert(
      operand<E>,
      "placement: a scope is called with an expression or a tensor. Write scope(matmul(a, b)).");
  using value_type = typename E::value_type;
  using extents_type = typename E::extents_type;
  static constexpr std::size_t rank = extents_type::rank;

  E inner;
  device_spec requested;
  site where;

  constexpr extents_type shape() const { return inner.shape(); }

  // Rejected, see rejected.hpp.
  explicit operator bool() const { return detail::reject_bool<placed>(); }
  template <std::same_as<value_type> B>
  operator B() const requires std::same_as<B, bool>
  {
    return detail::reject_bool<placed>();
  }
  operator detail::number_of<value_type>() const
      requires(rank == 0 && !std::is_same_v<value_type, bool>)
  {
    return detail::reject_number<placed>();
  }
};

}}  // namespace placement::v0_1
