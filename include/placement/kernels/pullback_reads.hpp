#pragma once
/// What the pullback of an op reads, beside the incoming gradient.
///
/// An op with a derivative has two members: `using pullback_reads = ...;` and
/// `template <std::size_t I, class K> static auto pullback(g, y, operands...)`. The function gives
/// the gradient of operand I as an expression. g: the gradient of the result, y: the result. K: the
/// kernels of the file that evaluates it. A gradient tape stores the values that are read.

#include <cstddef>

namespace placement { inline namespace v0_1 {

struct reads_nothing {
  static constexpr bool result = false;
  template <std::size_t I, std::size_t J> static constexpr bool operand = false;
};
struct reads_result : reads_nothing {
  static constexpr bool result = true;
};
struct reads_operands : reads_nothing {
  template <std::size_t I, std::size_t J> static constexpr bool operand = true;
};
struct reads_all : reads_operands {
  static constexpr bool result = true;
};
/// The gradient of each operand reads the other ones, as that of a product.
struct reads_other_operands : reads_nothing {
  template <std::size_t I, std::size_t J> static constexpr bool operand = I != J;
};
/// Operand J of the op only: a condition, or indices.
template <std::size_t Only> struct reads_operand : reads_nothing {
  template <std::size_t I, std::size_t J> static constexpr bool operand = J == Only;
};

/// The pullback of an operand that the result does not depend on, up to rounding.
struct zero_gradient {};

}}  // namespace placement::v0_1
