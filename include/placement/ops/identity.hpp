#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// x itself, as an op: what gives a tensor a name in logs and messages.
/// Shape: unchanged.  Type: any.  Kernels: CPU, GPU (pattern map).
struct identity_op {
  static constexpr std::string_view name = "Identity";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <class T> static void array_loop(T* to, T const* x, index_t n) {
    std::memmove(to, x, static_cast<std::size_t>(n) * sizeof(T));
  }
  template <element_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return x;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> static auto pullback(auto const& g, auto const&, auto const&) {
    return g;
  }
};
template <operand X> auto identity(X&& x, site at = site::here()) -> unary<identity_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// A tensor with a name for logs and messages: `named("a", from(v, shape(2, 3)))`. The op Identity
/// under that name, as TensorFlow's tf.identity(x, name="a"). Cost: alone one copy of the elements;
/// in a larger expression none.
template <stored X>
auto named(std::string_view name, X&& x, site at = site::here()) -> unary<identity_op, X> {
  unary<identity_op, X> node{{}, at, std::forward<X>(x)};
  node.from.name = detail::label_named(node.from.name, name);
  return node;
}

}}  // namespace placement::v0_1
