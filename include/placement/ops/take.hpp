#pragma once
/// Elements at indices. placement.hpp does not include this header.

#include <placement/cpu/integer_loops.hpp>
#include <placement/ops/flatten.hpp>
#include <placement/ops/gather.hpp>
#include <placement/ops/host_operand.hpp>
#include <placement/ops/index_check.hpp>

namespace placement { inline namespace v0_1 {

/// An index of n positions: a negative one counts from the end. Others stay, so that an error shows
/// them.
/// Shape: unchanged.  Type: integers to int64.  Kernels: CPU, GPU (pattern map).
struct wrap_index_op {
  static constexpr std::string_view name = "WrapIndex";
  using pattern = map;
  index_t extent;
  template <detail::has_index_loops I>
  void array_loop(std::int64_t* to, I const* x, index_t n) const {
    detail::index_loops<I>::wrap(to, x, extent, n);
  }
  template <std::integral I> PLACEMENT_HD constexpr std::int64_t operator()(I i) const noexcept {
    auto const wide = static_cast<std::int64_t>(i);
    if constexpr (std::is_unsigned_v<I>) return wide;  // none counts from the end
    // -extent <= wide < 0, without a branch
    bool const is_from_end = static_cast<std::uint64_t>(wide) + static_cast<std::uint64_t>(extent) <
                             static_cast<std::uint64_t>(extent);
    return wide + (is_from_end ? extent : 0);
  }
};
namespace detail {
template <class K, class Index>
using wrapped_indices = expr<wrap_index_op, K, node_operand_t<Index>>;
}  // namespace detail

/// The slices of x at these indices of an axis: gather, with negative indices. Without an axis, the
/// elements with these row-major numbers.
/// Shape: x's, with the axis replaced by the shape of the indices.  Type: any; any integer for the
/// indices.
/// Throws: shape_error when evaluated, for an index outside of the axis.
/// Kernels: CPU, GPU (pattern custom).
template <operand X, operand I, axis_like A, class K = kernels_here>
auto take(X&& x, I&& indices, A along, site at = site::here()) {
  detail::check_indices<I>();
  std::size_t const d = detail::dimension_of<bare<X>::rank>(detail::as_axis(along));
  index_t const n = x.shape().at(d);
  return gather(std::forward<X>(x),
                detail::wrapped_indices<K, I>({n}, at, std::forward<I>(indices)), along, at);
}
template <operand X, operand I, class K = kernels_here>
auto take(X&& x, I&& indices, site at = site::here()) {
  if constexpr (bare<X>::rank == 1)  // the elements of a flattened vector would be copied
    return take<X, I, axis_t<0>, K>(std::forward<X>(x), std::forward<I>(indices), axis<0>, at);
  else
    return take<decltype(flatten(std::forward<X>(x), at)), I, axis_t<0>, K>(
        flatten(std::forward<X>(x), at), std::forward<I>(indices), axis<0>, at);
}

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_indices(std::string const& x,
                                                                       std::string const& i) {
  throw shape_error("placement: take_along_axis of a tensor of shape " + x +
                    " with indices of shape " + i +
                    ". All extents but that of the axis are equal.");
}
}  // namespace detail

/// The gradient of take_along_axis: the elements of g added where their indices point to, in order.
/// Shape: To, that of the first operand.  Type: floating point.  Kernels: CPU, GPU (pattern
/// custom).
template <class Axis, class To> struct take_along_axis_grad_op {
  static constexpr std::string_view name = "TakeAlongAxisGrad";
  using pattern = custom;
  using gpu_lowering = lowered::take_along_axis_gradient;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Axis axis;
  To to;

  template <class G, class I> constexpr To result(G const&, I const&) const { return to; }
  template <class T, class Y, class G, class Index, class I>
  void operator()(dense_view<T, Y> out, dense_view<T const, G> g,
                  dense_view<Index const, I> indices) const {
    std::size_t const d = detail::dimension_of<To::rank>(axis);
    index_t const n = out.shape.at(d), m = indices.shape.at(d);
    for (index_t i = 0; i != out.size(); ++i) out[i] = T{};
    auto const [before, after] = detail::sides_of(out.shape, d);
    for (index_t b = 0; b != before; ++b)
      for (index_t i = 0; i != m; ++i)
        for (index_t j = 0; j != after; ++j) {
          index_t const from = (b * m + i) * after + j;
          T& sum = out.data[(b * n + detail::wrapped_index(indices[from], n)) * after + j];
          sum = static_cast<T>(sum + g[from]);
        }
  }
};

/// Element (i, j, k) of the result is x's at (indices(i, j, k), j, k) for axis 0, and so on.
template <class Axis> struct take_along_axis_op {
  static constexpr std::string_view name = "TakeAlongAxis";
  using pattern = custom;
  using gpu_lowering = lowered::take_along_axis;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Axis axis;

  template <class X, class I> constexpr I result(X const& x, I const& indices) const {
    static_assert(X::rank == I::rank, "placement: take_along_axis takes indices of x's rank.");
    std::size_t const along = detail::dimension_of<X::rank>(axis);
    for (std::size_t d = 0; d != X::rank; ++d)
      if (d != along && x.at(d) != indices.at(d))
        detail::throw_wrong_indices(to_string(x), to_string(indices));
    return indices;
  }
  template <class T, class Y, class X, class Index, class I>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> x,
                  dense_view<Index const, I> indices) const {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    index_t const n = x.shape.at(d), m = indices.shape.at(d);
    detail::check_all(indices.data, indices.size(), n, name);
    auto const [before, after] = detail::sides_of(x.shape, d);
    for (index_t b = 0; b != before; ++b)
      for (index_t i = 0; i != m; ++i)
        for (index_t j = 0; j != after; ++j) {
          index_t const to = (b * m + i) * after + j;
          out[to] = x[(b * n + detail::wrapped_index(indices[to], n)) * after + j];
        }
  }

  using pullback_reads = reads_operand<1>;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const&, auto const& x, auto const& indices) const {
    return expr<take_along_axis_grad_op<Axis, bare<decltype(x.shape())>>, K,
                typename detail::node_operand<decltype(g)>::type,
                typename detail::node_operand<decltype(indices)>::type>{
        {axis, x.shape()}, {}, g, indices};
  }
};
/// The elements that indices along an axis name: `take_along_axis(x, argsort(x, 0), 0)` is sort(x,
/// 0).
/// Shape: that of the indices; x's but along the axis.  Type: any; any integer for the indices, of
/// which negative ones count from the end.
/// Throws: shape_error, for an index outside of the axis when evaluated.
/// Kernels: CPU, GPU (pattern custom).
template <operand X, operand I, axis_like A>
auto take_along_axis(X&& x, I&& indices, A along, site at = site::here())
    -> node<take_along_axis_op<decltype(detail::as_axis(along))>, X, I> {
  detail::check_indices<I>();
  return {{detail::as_axis(along)}, at, std::forward<X>(x), std::forward<I>(indices)};
}

}}  // namespace placement::v0_1
