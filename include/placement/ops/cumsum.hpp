#pragma once

#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/wrap.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

/// The sum of each element and those before it, along one axis; the first one unless said.
/// Shape: unchanged, rank 1 or more.
/// Type: as sum: integers and bool to int64, uint64 to uint64, which wrap; floating point to its
/// own type, carried in double. On a CPU four elements are added to each other first.
/// Kernels: CPU, GPU (pattern custom).  Cost: one pass.  T: the result's element type.
template <class T, class Axis> struct cumsum_op {
  static constexpr std::string_view name = "Cumsum";
  using pattern = custom;
  using gpu_lowering = lowered::cumsum;
  using value_type = T;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Axis axis;

  template <class X> constexpr X result(X const& x) const {
    static_cast<void>(detail::dimension_of<X::rank>(axis));
    return x;
  }
  template <class From, class X>
  void operator()(dense_view<T, X> out, dense_view<From const, X> in) const noexcept {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    detail::for_each_fiber(in.shape, d, [&](index_t first, index_t step) {
      index_t const end = first + in.shape.at(d) * step;
      if constexpr (std::is_integral_v<T>) {
        std::uint64_t sum = 0;
        for (index_t i = first; i != end; i += step)
          out[i] = static_cast<T>(sum += static_cast<std::uint64_t>(in[i]));
      } else {
        sum_up(out.data + first, in.data + first, in.shape.at(d), step);
      }
    });
  }

  /// Adds four elements to each other before the sum so far. So the next four wait for one
  /// addition. The order depends on the number of the element alone.
  template <class From>
  static void sum_up(T* out, From const* in, index_t n, index_t step) noexcept {
    using carried = detail::carried_in<T>;
    auto const at = [&](index_t k) { return detail::to_carried<carried>(in[k * step]); };
    carried sum{};
    index_t left = n;
    for (; left >= 4; left -= 4, in += 4 * step, out += 4 * step) {
      carried const a = at(0), ab = a + at(1), c = at(2), abc = ab + c, abcd = ab + (c + at(3));
      out[0] = detail::to_carried<T>(sum + a);
      out[step] = detail::to_carried<T>(sum + ab);
      out[2 * step] = detail::to_carried<T>(sum + abc);
      out[3 * step] = detail::to_carried<T>(sum += abcd);
    }
    for (; left != 0; --left, in += step, out += step) *out = detail::to_carried<T>(sum += at(0));
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&...) const {
    return reverse(cumsum(reverse(g, axis), axis), axis);
  }
};
template <operand X, axis_like A = axis_t<0>>
auto cumsum(X&& x, A along = {}, site at = site::here())
    -> node<cumsum_op<std::conditional_t<std::is_integral_v<typename bare<X>::value_type>,
                                         detail::integer_result<typename bare<X>::value_type>,
                                         typename bare<X>::value_type>,
                      decltype(detail::as_axis(along))>,
            X> {
  return {{detail::as_axis(along)}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
