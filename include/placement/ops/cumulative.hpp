#pragma once
/// Cumulative products, maxima and minima. placement.hpp does not include this header; cumsum has a
/// header of its own.

#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/wrap.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {

namespace no_adl {
/// The product so far. State: 64 bits of integers, double of floating point.
struct cumulative_product {
  static constexpr std::string_view name = "Cumprod";
  template <class T> using result = std::conditional_t<std::is_integral_v<T>, integer_result<T>, T>;
  template <class T> using state = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
  template <class S> PLACEMENT_HD static constexpr S start() { return static_cast<S>(1); }
  template <class S> PLACEMENT_HD static constexpr S join(S a, S b) { return a * b; }
};
/// The largest element so far; NaN from the first NaN on.
struct cumulative_maximum {
  static constexpr std::string_view name = "Cummax";
  template <class T> using result = T;
  template <class T> using state = T;
  template <class T> PLACEMENT_HD static constexpr T start() { return below_all<T>(); }
  template <class T> PLACEMENT_HD static constexpr T join(T a, T b) {
    return a >= b || a != a ? a : b;
  }
};
/// The smallest element so far; NaN from the first NaN on.
struct cumulative_minimum {
  static constexpr std::string_view name = "Cummin";
  template <class T> using result = T;
  template <class T> using state = T;
  template <class T> PLACEMENT_HD static constexpr T start() { return above_all<T>(); }
  template <class T> PLACEMENT_HD static constexpr T join(T a, T b) {
    return a <= b || a != a ? a : b;
  }
};
}  // namespace no_adl
using no_adl::cumulative_maximum;
using no_adl::cumulative_minimum;
using no_adl::cumulative_product;

}  // namespace detail

/// Each element joined with those before it, along one axis. T: the result's element type.
template <class Rule, class T, class Axis> struct cumulative_op {
  static constexpr std::string_view name = Rule::name;
  using pattern = custom;
  using rule = Rule;
  using gpu_lowering = lowered::cumulative;
  template <class> static constexpr bool has_gpu_kernel = true;
  using value_type = T;

  [[no_unique_address]] Axis axis;

  template <class X> constexpr X result(X const& x) const {
    static_cast<void>(detail::dimension_of<X::rank>(axis));
    return x;
  }
  /// Fibers advance side by side, so that memory is read in order.
  template <class From, class X>
  void operator()(dense_view<T, X> out, dense_view<From const, X> in) const noexcept {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    index_t const n = in.shape.at(d);
    auto const [before, after] = detail::sides_of(in.shape, d);
    if (n == 0) return;
    for (index_t b = 0; b != before; ++b)
      for (index_t j = 0; j < after; j += together)
        join_fibers(out.data + b * n * after + j, in.data + b * n * after + j, n, after,
                    after - j < together ? after - j : together);
  }

 private:
  static constexpr index_t together = 64;

  template <class From>
  static void join_fibers(T* out, From const* in, index_t n, index_t step, index_t fibers) {
    using state = typename Rule::template state<From>;
    state s[together];
    for (index_t j = 0; j != fibers; ++j) {
      s[j] = static_cast<state>(in[j]);
      out[j] = static_cast<T>(s[j]);
    }
    for (index_t i = 1; i != n; ++i) {
      in += step;
      out += step;
      for (index_t j = 0; j != fibers; ++j) {
        s[j] = Rule::join(s[j], static_cast<state>(in[j]));
        out[j] = static_cast<T>(s[j]);
      }
    }
  }
};
namespace detail {
template <class Rule, class X, class A>
using cumulative_of =
    node<cumulative_op<Rule, typename Rule::template result<typename bare<X>::value_type>,
                       decltype(as_axis(A{}))>,
         X>;
}  // namespace detail

/// The product of each element and those before it, along one axis; the first one unless said.
/// Shape: unchanged, rank 1 or more.  Type: integers and bool to int64, which wraps; floating point
/// to its own type, carried in double.  Kernels: CPU, GPU (pattern custom).  Cost: one pass.
template <operand X, axis_like A = axis_t<0>>
auto cumprod(X&& x, A along = {}, site at = site::here())
    -> detail::cumulative_of<detail::cumulative_product, X, A> {
  return {{detail::as_axis(along)}, at, std::forward<X>(x)};
}
/// The largest of each element and those before it, along one axis; the first one unless said. NaN
/// from the first NaN on.
/// Shape, Type: unchanged, rank 1 or more.  Kernels: CPU, GPU (pattern custom).  Cost: one pass.
template <operand X, axis_like A = axis_t<0>>
auto cummax(X&& x, A along = {}, site at = site::here())
    -> detail::cumulative_of<detail::cumulative_maximum, X, A> {
  return {{detail::as_axis(along)}, at, std::forward<X>(x)};
}
/// The smallest of each element and those before it, as cummax.
template <operand X, axis_like A = axis_t<0>>
auto cummin(X&& x, A along = {}, site at = site::here())
    -> detail::cumulative_of<detail::cumulative_minimum, X, A> {
  return {{detail::as_axis(along)}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
