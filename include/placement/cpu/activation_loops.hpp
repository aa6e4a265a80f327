#pragma once
/// Loops of activations, which call those of their functions (cpu/math_loops.hpp) and one for the
/// rest. Block kernels of files for plain x86-64 call them (cpu/block_stages.hpp).

#include <placement/cpu/element_loops.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// to[i] = f(x[i]) for i below n, as the op's formula. `to` may be x. T: float or double.
template <class T> struct activation_loops {
  static void elu(T* to, T const* x, T alpha, index_t n);
  static void gelu_by_erf(T* to, T const* x, index_t n);
  static void gelu_by_tanh(T* to, T const* x, index_t n);
  static void leaky_relu(T* to, T const* x, T alpha, index_t n);
  static void silu(T* to, T const* x, index_t n);
  static void softplus(T* to, T const* x, index_t n);
};

}}}  // namespace placement::v0_1::detail
