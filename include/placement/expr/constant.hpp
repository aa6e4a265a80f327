#pragma once
/// Values written in the program: the op Const, which is placed like any other op.

#include <placement/expr/tensor.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

namespace no_adl {
/// Host memory as an op. `keep` owns the memory; if null, the caller owns it during evaluation.
template <class T, class X> struct const_op {
  static constexpr std::string_view name = "Const";
  using pattern = immediate;
  using value_type = T;

  T const* from;
  [[no_unique_address]] X shape;
  buffer_ref keep;

  T const* data() const noexcept { return from; }
  constexpr X result() const { return shape; }
};
}  // namespace no_adl
using no_adl::const_op;

/// The op with its own copy of the values.
template <class T, class X> const_op<T, X> owned_constant(T const* from, X const& shape) {
  std::size_t const size = shape.count() * sizeof(T);
  buffer_ref keep{buffer::make(cpu0, size, {"Const"})};
  std::memcpy(keep->data(), from, size);
  return {static_cast<T const*>(keep->data()), shape, keep};
}

template <class K, class T, class X>
void constant_into(tensor<T, X>& out, T const* from, X const& shape, site at) {
  evaluate_into(out, expr<const_op<T, X>, K>{{from, shape, {}}, at}, true, at);
}

}}}  // namespace placement::v0_1::detail
