#pragma once

#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/sort.hpp>

#include <cstdint>
#include <limits>

namespace placement { inline namespace v0_1 {

/// Where along its axis each element of sort(x) comes from. Equal elements keep their order; NaN
/// comes last.
/// Shape: unchanged, rank 1 or more.  Type: any -> int64.
/// Kernels: CPU all types; GPU all but bool (pattern custom).
/// Cost: that of sort, with twice the memory.  Throws: out_of_memory.
template <class Axis, class Order> struct argsort_op {
  static constexpr std::string_view name = "ArgSort";
  using pattern = custom;
  using gpu_lowering = lowered::argsort;
  using order = Order;
  using value_type = std::int64_t;
  template <class T> static constexpr bool has_gpu_kernel = !std::is_same_v<T, bool>;

  [[no_unique_address]] Axis axis;

  template <class X> constexpr X result(X const& x) const {
    static_cast<void>(detail::dimension_of<X::rank>(axis));
    return x;
  }
  template <class T, class X>
  void operator()(dense_view<std::int64_t, X> out, dense_view<T const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    index_t const n = in.shape.at(d);
    using key = typename Order::template key<T>;
    detail::host_scratch<detail::keyed_index> const scratch(2 * n);
    if (sizeof(typename key::type) == 4 && n <= std::numeric_limits<detail::key32>::max())
      return sort_short_keys<key>(out, in, d, static_cast<void*>(scratch.data()));
    detail::keyed_index* const items = scratch.data();
    detail::for_each_fiber(in.shape, d, [&](index_t first, index_t step) {
      for (index_t i = 0; i != n; ++i) items[i] = {key::of_value(in[first + i * step]), i};
      detail::sort_keyed(items, items + n, n);
      for (index_t i = 0; i != n; ++i) out[first + i * step] = items[i].index;
    });
  }

 private:
  /// By keys of 8 bytes, of which the lower half is the index.
  template <class Key, class T, class X>
  static void sort_short_keys(dense_view<std::int64_t, X> out, dense_view<T const, X> in,
                              std::size_t d, void* scratch) {
    index_t const n = in.shape.at(d);
    auto* const keys = static_cast<detail::key64*>(scratch);
    detail::for_each_fiber(in.shape, d, [&](index_t first, index_t step) {
      for (index_t i = 0; i != n; ++i)
        keys[i] = detail::key64{Key::of_value(in[first + i * step])} << 32 |
                  static_cast<detail::key64>(i);
      detail::sort_numbered(keys, keys + n, n);
      for (index_t i = 0; i != n; ++i)
        out[first + i * step] = static_cast<std::int64_t>(keys[i] & ~detail::key32{0});
    });
  }
};
template <operand X, sort_order O = ascending_t>
auto argsort(X&& x, O = {}, site at = site::here()) -> node<argsort_op<axis_t<-1>, O>, X> {
  static_assert(detail::check_not_complex<typename bare<X>::value_type>());
  return {{}, at, std::forward<X>(x)};
}
template <operand X, axis_like A, sort_order O = ascending_t>
auto argsort(X&& x, A along, O = {}, site at = site::here())
    -> node<argsort_op<decltype(detail::as_axis(along)), O>, X> {
  static_assert(detail::check_not_complex<typename bare<X>::value_type>());
  return {{detail::as_axis(along)}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
