#pragma once

#include <placement/cpu/sort_numbers.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/ops/sort_key.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <utility>

namespace placement { inline namespace v0_1 {

/// Orders of sort and argsort. NaN comes last in both.
struct ascending_t {
  template <class T> using key = detail::sort_key<T>;
  static constexpr bool is_descending = false;
  static constexpr auto direction = detail::sort_direction::ascending;
  template <class T> PLACEMENT_HD static constexpr bool before(T x, T y) noexcept {
    return x < y || (x == x && y != y);
  }
};
struct descending_t {
  template <class T> using key = detail::descending_key<T>;
  static constexpr bool is_descending = true;
  static constexpr auto direction = detail::sort_direction::descending;
  template <class T> PLACEMENT_HD static constexpr bool before(T x, T y) noexcept {
    return x > y || (x == x && y != y);
  }
};
inline constexpr ascending_t ascending{};
inline constexpr descending_t descending{};

template <class O> concept sort_order =
    std::same_as<O, ascending_t> || std::same_as<O, descending_t>;

namespace detail {

/// Room for n elements of host memory while this lives. Throws: out_of_memory.
template <class T> class host_scratch {
 public:
  explicit host_scratch(index_t n, call_site const& caller = {})
      : room_(buffer::make(cpu0, static_cast<std::size_t>(n) * sizeof(T), caller)) {}
  T* data() const noexcept { return static_cast<T*>(room_->data()); }
  /// The memory, of which this object keeps nothing.
  buffer_ref release() noexcept { return std::move(room_); }

 private:
  buffer_ref room_;
};

}  // namespace detail

/// The elements along one axis in order; the last axis unless said. Equal elements keep their
/// order; NaN comes last. `sort(x)`, `sort(x, descending)`, `sort(x, 0, descending)`.
/// Shape: unchanged, rank 1 or more.  Type: any.
/// Kernels: CPU all types; GPU all but bool (pattern custom).
/// Cost: on the CPU partitions and networks of comparisons with AVX2, else a radix sort. Memory for
/// two fibers, for 18 along another axis than the last. On a GPU n log n comparisons.
/// Throws: out_of_memory.
template <class Axis, class Order> struct sort_op {
  static constexpr std::string_view name = "Sort";
  using pattern = custom;
  using gpu_lowering = lowered::sort;
  using order = Order;
  template <class T> static constexpr bool has_gpu_kernel = !std::is_same_v<T, bool>;

  [[no_unique_address]] Axis axis;

  template <class X> constexpr X result(X const& x) const {
    static_cast<void>(detail::dimension_of<X::rank>(axis));
    return x;
  }
  template <class T, class X>
  void operator()(dense_view<T, X> out, dense_view<T const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(axis);
    if constexpr (detail::sorts_as_number<T>) sort_as_numbers(out, in, d);
    else sort_by_keys(out, in, d);
  }

 private:
  template <class T, class X>
  static void sort_by_keys(dense_view<T, X> out, dense_view<T const, X> in, std::size_t d) {
    index_t const n = in.shape.at(d);
    using key = typename Order::template key<T>;
    detail::host_scratch<typename key::type> const scratch(2 * n);
    auto* const keys = scratch.data();
    detail::for_each_fiber(in.shape, d, [&](index_t first, index_t step) {
      for (index_t i = 0; i != n; ++i) keys[i] = key::of(in[first + i * step]);
      detail::sort_keys(keys, keys + n, n);
      detail::restore_equal<key, T>(keys, n, n, [&](index_t i) { return in[first + i * step]; });
      for (index_t i = 0; i != n; ++i) out[first + i * step] = key::element(keys[i]);
    });
  }
  template <class T, class X>
  static void sort_as_numbers(dense_view<T, X> out, dense_view<T const, X> in, std::size_t d) {
    constexpr detail::number_order order{sizeof(T), detail::kind_of_number<T>, Order::direction};
    index_t const n = in.shape.at(d), most = detail::numbers_of_line(sizeof(T));
    auto const [before, after] = detail::sides_of(in.shape, d);
    if (n == 0 || after == 0) return;
    detail::host_scratch<T> const scratch((after == 1 ? 2 : 2 + (after < most ? after : most)) * n);
    for (index_t i = 0; i != before; ++i)
      for (index_t j = 0; j < after; j += most) {
        T* const to = out.data + i * n * after + j;
        T const* const from = in.data + i * n * after + j;
        if (after == 1) detail::sort_numbers(to, from, scratch.data(), n, order);
        else
          detail::sort_columns(to, from, scratch.data(), n, after,
                               after - j < most ? after - j : most, order);
      }
  }
};
template <operand X, sort_order O = ascending_t>
auto sort(X&& x, O = {}, site at = site::here()) -> node<sort_op<axis_t<-1>, O>, X> {
  static_assert(detail::check_not_complex<typename bare<X>::value_type>());
  return {{}, at, std::forward<X>(x)};
}
template <operand X, axis_like A, sort_order O = ascending_t>
auto sort(X&& x, A along, O = {}, site at = site::here())
    -> node<sort_op<decltype(detail::as_axis(along)), O>, X> {
  static_assert(detail::check_not_complex<typename bare<X>::value_type>());
  return {{detail::as_axis(along)}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
