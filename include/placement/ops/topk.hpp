#pragma once
/// The largest elements. placement.hpp does not include this header.

#include <placement/ops/sort.hpp>

#include <algorithm>
#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_k(std::string_view op, index_t k,
                                                                 index_t extent) {
  throw shape_error("placement: " + std::string(op) + " of " + std::to_string(k) +
                    " elements of an axis of extent " + std::to_string(extent) +
                    ". Ask for 0 to as many.");
}
}  // namespace detail

/// The k largest elements along an axis, or their indices. R: the result's element type.
template <class R, bool Indices, class Axis> struct topk_op {
  static constexpr std::string_view name = "TopKV2";
  using pattern = custom;
  using order = descending_t;
  static constexpr bool gives_indices = Indices;
  using gpu_lowering = lowered::topk;
  template <class T> static constexpr bool has_gpu_kernel = !std::is_same_v<T, bool>;
  using value_type = R;

  [[no_unique_address]] Axis axis;
  index_t k;

  template <class X> constexpr dextents<X::rank> result(X const& x) const {
    std::size_t const along = detail::dimension_of<X::rank>(axis);
    if (k < 0 || k > x.at(along)) detail::throw_wrong_k(name, k, x.at(along));
    dextents<X::rank> y;
    for (std::size_t d = 0; d != X::rank; ++d) y.n[d] = d == along ? k : x.at(d);
    return y;
  }
  template <class T, class Y, class X>
  void operator()(dense_view<R, Y> out, dense_view<T const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    index_t const n = in.shape.at(d);
    if (k == 0) return;
    detail::host_scratch<item<T>> const scratch(n);
    item<T>* const items = scratch.data();
    detail::for_each_fiber(in.shape, d, [&](index_t first, index_t step) {
      auto const item_at = [&](index_t i) { return item<T>{in[first + i * step], i}; };
      if (k < n / 8) {
        keep_best(items, n, item_at);
      } else {
        for (index_t i = 0; i != n; ++i) items[i] = item_at(i);
        if (k != n) std::nth_element(items, items + k - 1, items + n, comes_first<T>);
      }
      std::sort(items, items + k, comes_first<T>);
      index_t const row = first / (n * step), column = first % (n * step);
      for (index_t i = 0; i != k; ++i) {
        R& to = out[(row * k + i) * step + column];
        if constexpr (Indices) to = items[i].index;
        else to = items[i].value;
      }
    });
  }

 private:
  template <class T> struct item {
    T value;
    index_t index;
  };
  /// Keeps the k first items in a heap, whose front is the last of them.
  template <class T, class ItemAt>
  void keep_best(item<T>* items, index_t n, ItemAt const& item_at) const {
    for (index_t i = 0; i != k; ++i) items[i] = item_at(i);
    std::make_heap(items, items + k, comes_first<T>);
    for (index_t i = k; i != n; ++i) {
      item<T> const next = item_at(i);
      if (!descending_t::before(next.value, items[0].value)) continue;
      std::pop_heap(items, items + k, comes_first<T>);
      items[k - 1] = next;
      std::push_heap(items, items + k, comes_first<T>);
    }
  }
  template <class T> static bool comes_first(item<T> const& a, item<T> const& b) {
    if (descending_t::before(a.value, b.value)) return true;
    return !descending_t::before(b.value, a.value) && a.index < b.index;
  }
};

/// The k largest elements along an axis, the largest first; the last axis unless said. NaN comes
/// last, as in sort(x, descending).
/// Shape: the operand's, with extent k along the axis.  Type: any.  Throws: shape_error for a k
/// below 0 or above the extent.
/// Kernels: CPU all types; GPU all but bool (pattern custom).
/// Cost: on the CPU linear on average, and the sort of k elements; on a GPU a sort of all.
template <operand X, axis_like A = axis_t<-1>>
auto topk(X&& x, index_t k, A along = {}, site at = site::here())
    -> node<topk_op<typename bare<X>::value_type, false, decltype(detail::as_axis(along))>, X> {
  return {{detail::as_axis(along), k}, at, std::forward<X>(x)};
}
/// The indices along the axis of the elements of topk(x, k). Of equal elements the first come
/// first.
/// Type: any -> int64.  Shape, Throws, Kernels, Cost: those of topk.
template <operand X, axis_like A = axis_t<-1>>
auto argtopk(X&& x, index_t k, A along = {}, site at = site::here())
    -> node<topk_op<std::int64_t, true, decltype(detail::as_axis(along))>, X> {
  return {{detail::as_axis(along), k}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
