#pragma once

#include <placement/expr/list.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>

#include <cstring>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void cannot_join(std::string_view op,
                                                               std::string const& a,
                                                               std::string const& b) {
  throw shape_error("placement: " + std::string(op) + " of shapes " + a + " and " + b +
                    ". Their extents must be equal" + (op == "stack" ? "" : " but along the axis") +
                    ": slice or reshape one.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void nothing_to_join(std::string_view op) {
  throw invalid_argument("placement: " + std::string(op) + " of no tensors. Give at least one.");
}

/// Puts operands side by side: `rows` rows of `width` elements, each row a chunk of each operand in
/// turn.
template <class T> class row_joiner {
 public:
  row_joiner(T* out, index_t rows, index_t width) : out_(out), rows_(rows), width_(width) {}
  void put(T const* from, index_t chunk) {
    if (chunk == 1) put_elements(from);
    else
      for (index_t r = 0; r != rows_ && chunk != 0; ++r)
        std::memcpy(out_ + r * width_ + done_, from + r * chunk,
                    static_cast<std::size_t>(chunk) * sizeof(T));
    done_ += chunk;
  }

 private:
  /// Without a call of memcpy for each element.
  void put_elements(T const* from) {
    T* to = out_ + done_;
    for (index_t r = 0; r != rows_; ++r, to += width_) *to = from[r];
  }

  T* out_;
  index_t rows_, width_, done_ = 0;
};

/// The extent that several shapes have in common, as their types say it; -2 where two of them
/// clash.
template <class... X> constexpr index_t common_static_extent(std::size_t d) {
  index_t n = dyn;
  for (index_t const m : {X::static_extent(d)...}) {
    if (m == dyn) continue;
    if (n != dyn && n != m) return -2;
    n = m;
  }
  return n;
}
/// Their extents one after another, as their types say it.
template <class... X> constexpr index_t added_static_extent(std::size_t d) {
  index_t n = 0;
  for (index_t const m : {X::static_extent(d)...}) {
    if (m == dyn) return dyn;
    n += m;
  }
  return n;
}

}  // namespace detail

/// Tensors one after another along an axis: `concat(0, a, b, c)`, `concat(axis<1>, a, b)`,
/// `concat(0, vector_of_tensors)`.
/// Shape: equal but along the axis, where the extents are added.  Type: any, the same in all.
/// Kernels: CPU, GPU (pattern custom).  Cost: one pass.
/// Throws: shape_error for shapes that do not fit; invalid_argument for an empty vector.
template <class Axis> struct concat_op {
  static constexpr std::string_view name = "ConcatV2";
  using pattern = custom;
  using gpu_lowering = lowered::concat;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Axis axis;

  template <index_t... N, class... More>
  constexpr auto result(extents<N...> const& first, More const&... more) const {
    using X = extents<N...>;
    static_assert(X::rank > 0, "placement: concat takes vectors or more. Use stack for scalars.");
    static_assert(((More::rank == X::rank) && ...),
                  "placement: concat takes tensors of one rank. Use expand_dims, or stack.");
    static_assert(
        ((More::rank != X::rank) || ...) || may_join<X, More...>(),
        "placement: these shapes cannot be joined. Their extents must be equal but along the "
        "axis: slice or reshape one.");
    if constexpr (((More::rank == X::rank) && ...)) {
      std::size_t const a = detail::dimension_of<X::rank>(axis);
      (check(first, more, a), ...);
      return detail::make_shape<X::rank>(
          [](std::size_t d) { return extent_in_type<X, More...>(d); },
          [&](std::size_t d) { return d == a ? (first.at(d) + ... + more.at(d)) : first.at(d); });
    }
  }
  template <class X> constexpr auto result(shape_list<X> const& shapes) const {
    static_assert(X::rank > 0, "placement: concat takes vectors or more. Use stack for scalars.");
    if (shapes.all.empty()) detail::nothing_to_join("concat");
    std::size_t const a = detail::dimension_of<X::rank>(axis);
    index_t along = 0;
    for (X const& x : shapes.all) {
      check(shapes.all.front(), x, a);
      along += x.at(a);
    }
    return detail::make_shape<X::rank>(
        [](std::size_t d) { return is_axis<X::rank>(d) ? dyn : X::static_extent(d); },
        [&](std::size_t d) { return d == a ? along : shapes.all.front().at(d); });
  }

  template <class T, class Y, class... In>
  void operator()(dense_view<T, Y> out, In const&... in) const noexcept {
    std::size_t const a = detail::dimension_of<Y::rank>(axis);
    auto const sides = detail::sides_of(out.shape, a);
    index_t const after = sides.after;
    detail::row_joiner<T> to(out.data, sides.before, out.shape.at(a) * after);
    auto put = [&]<class V>(V const& v) {
      if constexpr (requires {
                      v.data;
                      v.shape;
                    })
        to.put(v.data, v.shape.at(a) * after);
      else
        for (auto const& each : v) to.put(each.data, each.shape.at(a) * after);
    };
    (put(in), ...);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const&, auto const&... x) const {
    std::size_t const a = detail::dimension_of<bare<decltype(g)>::rank>(axis);
    index_t const extent[]{x.shape().at(a)...};
    index_t first = 0;
    for (std::size_t i = 0; i != I; ++i) first += extent[i];
    return detail::make_part_along<K>(g, a, first, extent[I]);
  }
  /// The gradient of tensor k of a list.
  template <class K> auto pullback_of_item(std::size_t k, auto const& g, auto const& items) const {
    std::size_t const a = detail::dimension_of<bare<decltype(g)>::rank>(axis);
    index_t first = 0;
    for (std::size_t i = 0; i != k; ++i) first += items[i].shape().at(a);
    return detail::make_part_along<K>(g, a, first, items[k].shape().at(a));
  }

 private:
  /// Might dimension d be the axis, as far as the type says?
  template <std::size_t R> static constexpr bool is_axis(std::size_t d) {
    if constexpr (std::is_same_v<Axis, run_time_axis>) return true;
    else return d == detail::dimension_of<R>(Axis{});
  }
  template <class X, class... More> static constexpr index_t extent_in_type(std::size_t d) {
    if constexpr (std::is_same_v<Axis, run_time_axis>) return dyn;
    else
      return is_axis<X::rank>(d) ? detail::added_static_extent<X, More...>(d)
                                 : detail::common_static_extent<X, More...>(d);
  }
  template <class X, class... More> static constexpr bool may_join() {
    for (std::size_t d = 0; d != X::rank; ++d)
      if (!is_axis<X::rank>(d) && detail::common_static_extent<X, More...>(d) == -2) return false;
    return true;
  }
  template <class X, class Y> static constexpr void check(X const& x, Y const& y, std::size_t a) {
    for (std::size_t d = 0; d != X::rank; ++d)
      if (d != a && x.at(d) != y.at(d)) detail::cannot_join("concat", to_string(x), to_string(y));
  }
};
template <axis_like A, operand... X> requires(sizeof...(X) > 0)
auto concat(A along, X&&... x) -> node<concat_op<decltype(detail::as_axis(along))>, X...> {
  static_assert(
      detail::one_element_type<typename bare<X>::value_type...>,
      "placement: these operands have different element types. Write cast<T>(x) on one of them.");
  return {{detail::as_axis(along)}, {}, std::forward<X>(x)...};
}
/// The same for a number of tensors that only the program knows.
template <axis_like A, class T, class X>
auto concat(A along, std::vector<tensor<T, X>> x, site at = site::here())
    -> node<concat_op<decltype(detail::as_axis(along))>, list<T, X>> try {
  return {{detail::as_axis(along)}, at, list<T, X>{std::move(x)}};
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
