#pragma once
/// User-defined ops for cases that the library's ops do not cover: each pattern without a GPU
/// kernel, and a map op that may throw.

#include <placement/placement.hpp>

namespace generated {

namespace pl = placement;

/// x + x, on CPUs only.
struct host_twice_op {
  static constexpr std::string_view name = "HostTwice";
  using pattern = pl::map;
  using kernels = pl::cpu_only;
  template <class T> constexpr T operator()(T x) const noexcept { return pl::add_op{}(x, x); }
};
template <pl::operand X>
auto host_twice(X&& x, pl::site at = pl::site::here()) -> pl::unary<host_twice_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// x. Not noexcept, so a result is never written in place.
struct careful_op {
  static constexpr std::string_view name = "Careful";
  using pattern = pl::map;
  template <class T> PLACEMENT_HD constexpr T operator()(T x) const { return x; }
};
template <pl::operand X>
auto careful(X&& x, pl::site at = pl::site::here()) -> pl::unary<careful_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// The sum, on CPUs only.
template <class Where = pl::detail::over_all> struct host_total_op : pl::sum_op<Where> {
  static constexpr std::string_view name = "HostTotal";
  using kernels = pl::cpu_only;
};
template <pl::operand X>
auto host_total(X&& x, pl::site at = pl::site::here()) -> pl::node<host_total_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <pl::operand X, pl::axis_like A>
auto host_total(X&& x, A along, pl::site at = pl::site::here())
    -> pl::node<host_total_op<pl::detail::along_t<A>>, X> {
  return {{{{pl::detail::as_axis(along)}}}, at, std::forward<X>(x)};
}

/// Reverses all elements in a loop of its own, on CPUs only.
struct host_flip_op {
  static constexpr std::string_view name = "HostFlip";
  using pattern = pl::custom;
  template <class X> static constexpr X result(X const& x) { return x; }
  template <class T, class X>
  void operator()(pl::dense_view<T, X> out, pl::dense_view<T const, X> in) const noexcept {
    for (pl::index_t n = in.size(), i = 0; i != n; ++i) out[n - 1 - i] = in[i];
  }
};
template <pl::operand X>
auto host_flip(X&& x, pl::site at = pl::site::here()) -> pl::unary<host_flip_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}  // namespace generated
