#pragma once
/// User-defined ops: one without a GPU kernel, one that throws, one with its own loop.

#include <placement/expr/evaluate.hpp>

#include <stdexcept>
#include <utility>

/// x + 1, on the CPU only.
struct next_op {
  static constexpr std::string_view name = "Next";
  using pattern = placement::map;
  using kernels = placement::cpu_only;
  template <class T> constexpr T operator()(T x) const noexcept { return static_cast<T>(x + T{1}); }
};
template <placement::operand X>
auto next(X&& x, placement::site at = placement::site::here()) -> placement::unary<next_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// x. Throws std::runtime_error for a value above 2.
struct at_most_two_op {
  static constexpr std::string_view name = "AtMostTwo";
  using pattern = placement::map;
  template <class T> T operator()(T x) const {
    if (x > T{2}) throw std::runtime_error("above 2");
    return x;
  }
};
template <placement::operand X>
auto at_most_two(X&& x, placement::site at = placement::site::here())
    -> placement::unary<at_most_two_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// Reverses the elements in its own loop. Throws std::runtime_error when it reaches a value above
/// 2.
struct reversed_op {
  static constexpr std::string_view name = "Reversed";
  using pattern = placement::custom;
  template <class T> static constexpr bool has_gpu_kernel = true;

  template <class X> static constexpr X result(X const& x) { return x; }
  template <class T, class X>
  void operator()(placement::dense_view<T, X> out, placement::dense_view<T const, X> in) const {
    placement::index_t const n = in.size();
    for (placement::index_t i = 0; i != n; ++i) {
      out[n - 1 - i] = in[i];
      if (in[i] > T{2}) throw std::runtime_error("above 2");
    }
  }
};
template <placement::operand X>
auto reversed(X&& x, placement::site at = placement::site::here())
    -> placement::unary<reversed_op, X> {
  return {{}, at, std::forward<X>(x)};
}
