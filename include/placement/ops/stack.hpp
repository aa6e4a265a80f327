#pragma once

#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/concat.hpp>

namespace placement { inline namespace v0_1 {

/// Tensors of one shape beside each other along a new axis: `stack(0, a, b)`,
/// `stack(axis<-1>, a, b)`, `stack(0, vector_of_tensors)`.
/// Shape: the operands', with a new dimension where the axis says.  Type: any, the same in all.
/// Kernels: CPU, GPU (pattern custom).  Cost: one pass.
/// Throws: shape_error for shapes that differ; invalid_argument for an empty vector.
template <class Axis> struct stack_op {
  static constexpr std::string_view name = "Pack";
  using pattern = custom;
  using gpu_lowering = lowered::stack;
  template <class> static constexpr bool has_gpu_kernel = true;

  [[no_unique_address]] Axis axis;

  template <index_t... N, class... More>
  constexpr auto result(extents<N...> const& first, More const&... more) const {
    using X = extents<N...>;
    static_assert(
        (detail::may_convert<X, More>() && ...),
        "placement: stack takes tensors of one shape. Slice or reshape one, or use concat.");
    (check(first, more), ...);
    return stacked(first, static_cast<index_t>(1 + sizeof...(More)),
                   [](std::size_t) { return static_cast<index_t>(1 + sizeof...(More)); });
  }
  template <class X> constexpr auto result(shape_list<X> const& shapes) const {
    if (shapes.all.empty()) detail::nothing_to_join("stack");
    for (X const& x : shapes.all) check(shapes.all.front(), x);
    return stacked(shapes.all.front(), static_cast<index_t>(shapes.all.size()),
                   [](std::size_t) { return dyn; });
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
        to.put(v.data, after);
      else
        for (auto const& each : v) to.put(each.data, after);
    };
    (put(in), ...);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const&, auto const& x, auto const&...) const {
    std::size_t const a = detail::dimension_of<bare<decltype(g)>::rank>(axis);
    return reshape(detail::make_part_along<K>(g, a, static_cast<index_t>(I), 1), x.shape());
  }
  /// The gradient of tensor k of a list.
  template <class K> auto pullback_of_item(std::size_t k, auto const& g, auto const& items) const {
    std::size_t const a = detail::dimension_of<bare<decltype(g)>::rank>(axis);
    auto const part = detail::make_part_along<K>(g, a, static_cast<index_t>(k), 1);
    return reshape(part, items[k].shape());
  }

 private:
  template <class X, class Count> constexpr auto stacked(X const& x, index_t count, Count) const {
    std::size_t const a = detail::dimension_of<X::rank + 1>(axis);
    return detail::make_shape<X::rank + 1>(
        [](std::size_t d) {
          if constexpr (std::is_same_v<Axis, run_time_axis>) {
            return static_cast<void>(d), dyn;
          } else {
            constexpr std::size_t at = detail::dimension_of<X::rank + 1>(Axis{});
            return d == at ? Count{}(d) : X::static_extent(d > at ? d - 1 : d);
          }
        },
        [&](std::size_t d) { return d == a ? count : x.at(d < a ? d : d - 1); });
  }
  template <class X, class Y> static constexpr void check(X const& x, Y const& y) {
    if (!(x == y)) detail::cannot_join("stack", to_string(x), to_string(y));
  }
};
template <axis_like A, operand... X> requires(sizeof...(X) > 0)
auto stack(A along, X&&... x) -> node<stack_op<decltype(detail::as_axis(along))>, X...> {
  static_assert(
      detail::one_element_type<typename bare<X>::value_type...>,
      "placement: these operands have different element types. Write cast<T>(x) on one of them.");
  return {{detail::as_axis(along)}, {}, std::forward<X>(x)...};
}
/// The same for a number of tensors that only the program knows.
template <axis_like A, class T, class X>
auto stack(A along, std::vector<tensor<T, X>> x, site at = site::here())
    -> node<stack_op<decltype(detail::as_axis(along))>, list<T, X>> try {
  return {{detail::as_axis(along)}, at, list<T, X>{std::move(x)}};
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
