#pragma once
/// The op of basic indexing, as in NumPy: `slice(x, ...)`, and `x[i]` and `x(i, j)` of views.

#include <placement/fwd.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/indexing.hpp>
#include <placement/shape/layout.hpp>

#include <utility>

namespace placement { inline namespace v0_1 {

/// Part of each dimension. A view: of memory it costs nothing.
/// Shape: an index drops its dimension, newaxis adds one, and those not named are whole. Static
/// extents of whole dimensions stay static.
/// Type: any.  Kernels: CPU, GPU (pattern view_op).  Assignable through view().
/// Throws: shape_error for an index outside of its dimension, or a step of 0.
template <detail::slice_kind... Kinds> struct slice_op {
  static constexpr std::string_view name = "StridedSlice";
  using pattern = view_op;
  using kind = detail::slice_kind;

  range items[sizeof...(Kinds)];

  template <class X> constexpr auto result(X const& x) const {
    for (std::size_t s = 0; s != steps<X::rank>.count; ++s) {
      auto const [what, item, d] = steps<X::rank>.step[s];
      if (what == kind::index && !detail::is_index(items[item].first, x.at(d)))
        detail::throw_no_such_index(items[item].first, d, x);
    }
    return detail::make_shape<decltype(steps_of<X::rank>())::rank>(
        [](std::size_t d) { return static_extent<X>(steps<X::rank>.kept[d]); },
        [&](std::size_t d) { return extent(x, steps<X::rank>.kept[d]); });
  }
  template <std::size_t R, class X> constexpr auto moved(layout<R> const& where, X const& x) const {
    layout<decltype(steps_of<R>())::rank> m;
    m.base = where.base;
    std::size_t to = 0;
    for (std::size_t s = 0; s != steps<R>.count; ++s) {
      auto const [what, item, d] = steps<R>.step[s];
      if (what == kind::index) {
        m.base += detail::from_start(items[item].first, x.at(d)) * where.stride[d];
      } else if (what == kind::part) {
        m.base += detail::resolve_range(items[item], x.at(d)).start * where.stride[d];
        m.stride[to++] = where.stride[d] * items[item].step;
      } else {
        m.stride[to++] = what == kind::whole ? where.stride[d] : 0;
      }
    }
    return m;
  }

 private:
  template <std::size_t R> static constexpr auto steps_of() {
    return detail::slice_steps<R, Kinds...>{};
  }
  template <std::size_t R> static constexpr detail::slice_steps<R, Kinds...> steps = steps_of<R>();

  template <class X> static constexpr index_t static_extent(detail::slice_step const& s) {
    return s.kind == kind::new_axis ? 1
           : s.kind == kind::part   ? dyn
                                    : X::static_extent(s.dimension);
  }
  template <class X> constexpr index_t extent(X const& x, detail::slice_step const& s) const {
    return s.kind == kind::new_axis ? 1
           : s.kind == kind::part   ? detail::resolve_range(items[s.item], x.at(s.dimension)).count
                                    : x.at(s.dimension);
  }
};

namespace detail {

template <class> inline constexpr slice_kind index_kind = slice_kind::index;

/// The node of `x[i]` for an operand A.
template <class K, class A> using row_of = expr<slice_op<slice_kind::index>, K, A>;
template <class K, class A, class X> constexpr row_of<K, A> make_row(X&& x, located_index i) {
  static_assert(A::rank > 0, "placement: a scalar has no rows. Write item(x).");
  return {slice_op<slice_kind::index>{{{i.value}}}, i.where, std::forward<X>(x)};
}
/// The node of `x(i, j)` for an operand A.
template <class K, class A, class... Index>
using element_node = expr<slice_op<slice_kind::index, index_kind<Index>...>, K, A>;
template <class K, class A, class X, class... Index>
constexpr element_node<K, A, Index...> make_element(X&& x, located_index i, Index... more) {
  static_assert(1 + sizeof...(Index) == A::rank,
                "placement: one index per dimension. Check the rank.");
  return {{{{i.value}, {located_index(more, i.where).value}...}}, i.where, std::forward<X>(x)};
}

/// Positions first to first + count of dimension d; all of the other dimensions.
template <class K, class X>
auto make_part_along(X const& x, std::size_t d, index_t first, index_t count) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    using op = slice_op<(static_cast<void>(D), slice_kind::part)...>;
    return expr<op, K, typename node_operand<X const&>::type>{
        op{{(D == d ? range{first, first + count} : range{})...}}, {}, x};
  }(std::make_index_sequence<X::rank>{});
}

}  // namespace detail
}}  // namespace placement::v0_1
