#pragma once

#include <placement/cpu/loop.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void bad_depth(std::string const& depth) {
  throw shape_error("placement: one_hot with a depth of " + depth + ". A depth is zero or more.");
}
template <class Index> constexpr void check_labels() {
  static_assert(std::is_integral_v<Index> && !std::is_same_v<Index, bool>,
                "placement: one_hot takes integers. Write cast<int>(x).");
}
}  // namespace detail

/// For each index a row of `depth` values: `on` at the index, else `off`. An index outside of the
/// row is off everywhere. `one_hot<float>(labels, 10)`; with `extents<10>{}` the depth is in the
/// type.
/// Shape: (...) -> (..., depth).  Type: any integer -> T.
/// Kernels: CPU, GPU (pattern custom).  Throws: shape_error.
template <class T, class Depth> struct one_hot_op {
  static constexpr std::string_view name = "OneHot";
  using pattern = custom;
  using gpu_lowering = lowered::one_hot;
  using value_type = T;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Depth depth;
  T on, off;

  template <class X> constexpr auto result(X const& x) const {
    if (depth.at(0) < 0) detail::bad_depth(std::to_string(depth.at(0)));
    return detail::make_shape<X::rank + 1>(
        [](std::size_t d) { return d == X::rank ? Depth::static_extent(0) : X::static_extent(d); },
        [&](std::size_t d) { return d == X::rank ? depth.at(0) : x.at(d); });
  }
  template <class Y, class Index, class X>
  void operator()(dense_view<T, Y> out, dense_view<Index const, X> in) const noexcept {
    index_t const n = depth.at(0), rows = n < 4096 ? 4096 / (n + 1) + 1 : 1;  // within a cache
    T const other = off;
    for (index_t first = 0; first < in.size(); first += rows) {
      index_t const past = in.size() - first < rows ? in.size() : first + rows;
      detail::write_each(out.data + first * n, (past - first) * n, [&](index_t) { return other; });
      for (index_t i = first; i != past; ++i) {
        index_t const hot = static_cast<index_t>(in[i]);
        if (hot >= 0 && hot < n) out[i * n + hot] = on;
      }
    }
  }
};
template <element T, operand X>
auto one_hot(X&& indices, index_t depth, T on = T{1}, T off = T{0}, site at = site::here())
    -> node<one_hot_op<T, dextents<1>>, X> {
  detail::check_labels<typename bare<X>::value_type>();
  return {{{{depth}}, on, off}, at, std::forward<X>(indices)};
}
template <element T, operand X, index_t N>
auto one_hot(X&& indices, extents<N> depth, T on = T{1}, T off = T{0}, site at = site::here())
    -> node<one_hot_op<T, extents<N>>, X> {
  detail::check_labels<typename bare<X>::value_type>();
  return {{depth, on, off}, at, std::forward<X>(indices)};
}

}}  // namespace placement::v0_1
