#pragma once

#include <placement/cpu/integer_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <cstring>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_such_slice(std::string const& index,
                                                                 index_t extent) {
  throw shape_error("placement: gather of index " + index + " in a dimension of extent " +
                    std::to_string(extent) + ". Each index is at least 0 and below the extent.");
}
}  // namespace detail

/// The gradient of gather: the slices of g added at their indices, in the order of the indices.
/// Shape: To, that of gather's first operand.  Type: floating point.
/// Kernels: CPU, GPU (pattern custom).
template <class Axis, class To> struct gather_grad_op {
  static constexpr std::string_view name = "GatherV2Grad";
  using pattern = custom;
  using gpu_lowering = lowered::gather_gradient;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Axis axis;
  To to;

  template <class G, class I> constexpr To result(G const&, I const&) const { return to; }
  template <class T, class Y, class G, class Index, class I>
  void operator()(dense_view<T, Y> out, dense_view<T const, G> g,
                  dense_view<Index const, I> indices) const {
    std::size_t const d = detail::dimension_of<To::rank>(axis);
    index_t const n = out.shape.at(d), count = indices.size();
    for (index_t i = 0; i != out.size(); ++i) out[i] = T{};
    auto const [before, after] = detail::sides_of(out.shape, d);
    for (index_t b = 0; b != before; ++b)
      for (index_t i = 0; i != count; ++i) {
        T* const sum = out.data + (b * n + static_cast<index_t>(indices[i])) * after;
        T const* const from = g.data + (b * count + i) * after;
        for (index_t j = 0; j != after; ++j) sum[j] = static_cast<T>(sum[j] + from[j]);
      }
  }

  using pullback_reads = reads_operand<1>;
  template <std::size_t I, class K>
  auto pullback(auto const& h, auto const&, auto const&, auto const& indices) const {
    return gather(h, indices, axis);
  }
};

/// The slices of x at these indices of one axis; the first one unless said: `gather(table, rows)`.
/// Shape: x's, with the axis replaced by the shape of the indices.
/// Type: any; any integer for the indices.
/// Kernels: CPU, GPU (pattern custom).
/// Throws: shape_error when evaluated, for an index outside of the axis; the tensor that is
/// assigned to stays as it was.
template <class Axis> struct gather_op {
  static constexpr std::string_view name = "GatherV2";
  using pattern = custom;
  using gpu_lowering = lowered::gather;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Axis axis;

  template <class X, class I> constexpr auto result(X const& x, I const& indices) const {
    static_assert(X::rank > 0, "placement: gather takes a vector or more. A scalar has no slices.");
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    return detail::make_shape<X::rank - 1 + I::rank>(
        [](std::size_t d) {
          if constexpr (std::is_same_v<Axis, run_time_axis>) {
            return static_cast<void>(d), dyn;
          } else {
            constexpr std::size_t at = detail::dimension_of<X::rank>(Axis{});
            return d + 1 <= at        ? X::static_extent(d)  // d < 0 would be a warning of nvcc's
                   : d < at + I::rank ? I::static_extent(d - at)
                                      : X::static_extent(d - I::rank + 1);
          }
        },
        [&](std::size_t d) {
          return d < a ? x.at(d) : d < a + I::rank ? indices.at(d - a) : x.at(d - I::rank + 1);
        });
  }
  template <class T, class Y, class X, class Index, class I>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> x,
                  dense_view<Index const, I> indices) const {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    index_t const n = x.shape.at(d), count = indices.size();
    check(indices.data, count, n);
    auto const [before, after] = detail::sides_of(x.shape, d);
    if (after == 0) return;
    for (index_t b = 0; b != before; ++b) {
      if (after == 1) {
        for (index_t i = 0; i != count; ++i)
          out[b * count + i] = x[b * n + static_cast<index_t>(indices[i])];
        continue;
      }
      for (index_t i = 0; i != count; ++i)
        std::memcpy(out.data + (b * count + i) * after,
                    x.data + (b * n + static_cast<index_t>(indices[i])) * after,
                    static_cast<std::size_t>(after) * sizeof(T));
    }
  }

  /// Throws: shape_error for an index outside of the axis.
  template <class Index> static void check(Index const* indices, index_t count, index_t n) {
    if (are_below(indices, count, n)) [[likely]]
      return;
    for (index_t i = 0; i != count; ++i)
      if (static_cast<std::size_t>(indices[i]) >= static_cast<std::size_t>(n))
        detail::no_such_slice(std::to_string(indices[i]), n);
  }

  /// Whether each index is at least 0 and below n.
  template <class Index> static bool are_below(Index const* indices, index_t count, index_t n) {
    if constexpr (detail::has_index_loops<Index>)
      return detail::index_loops<Index>::are_below(indices, n, count);
    bool are = true;
    for (index_t i = 0; i != count; ++i) are &= std::cmp_less(indices[i], n) && indices[i] >= 0;
    return are;
  }

  using pullback_reads = reads_operand<1>;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const&, auto const& x, auto const& indices) const {
    return expr<gather_grad_op<Axis, bare<decltype(x.shape())>>, K,
                typename detail::node_operand<decltype(g)>::type,
                typename detail::node_operand<decltype(indices)>::type>{
        {axis, x.shape()}, {}, g, indices};
  }
};
template <operand X, operand I, axis_like A = axis_t<0>>
auto gather(X&& x, I&& indices, A along = {}, site at = site::here())
    -> node<gather_op<decltype(detail::as_axis(along))>, X, I> {
  using Index = typename bare<I>::value_type;
  static_assert(std::is_integral_v<Index> && !std::is_same_v<Index, bool>,
                "placement: the indices of gather are integers. Write cast<int>(x).");
  return {{detail::as_axis(along)}, at, std::forward<X>(x), std::forward<I>(indices)};
}

}}  // namespace placement::v0_1
