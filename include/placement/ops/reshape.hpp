#pragma once

#include <placement/expr/operand.hpp>

#include <limits>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_reshape(std::string const& from,
                                                              std::string const& to) {
  throw shape_error("placement: a tensor of shape " + from + " cannot be reshaped to " + to +
                    ": the number of elements must stay the same.");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void no_inferred_extent(std::string const& from,
                                                                      std::string const& to) {
  throw shape_error(
      "placement: a tensor of shape " + from + " cannot be reshaped to " + to +
      ": one extent may be -1, which is inferred if the others divide the number of elements.");
}

/// The extent for the one that is -1, from `count` elements. -2: there is none.
template <class To> constexpr index_t inferred_extent(To const& to, std::size_t count) {
  constexpr std::size_t max = static_cast<std::size_t>(std::numeric_limits<index_t>::max());
  std::size_t others = 1;
  int inferred = 0;
  for (std::size_t d = 0; d != To::rank; ++d) {
    index_t const n = to.at(d);
    inferred += n == -1;
    if (n == -1) continue;
    if (n <= 0 || static_cast<std::size_t>(n) > max / others) return -2;
    others *= static_cast<std::size_t>(n);
  }
  return inferred != 1 || count % others != 0 ? -2 : static_cast<index_t>(count / others);
}
/// The one extent that is -1 replaced. Throws: shape_error.
template <class X, class To> constexpr To with_inferred(X const& x, To to) {
  if constexpr (!To::is_static) {
    bool infers = false;
    for (index_t const n : to.n) infers = infers || n == -1;
    if (!infers) return to;
    index_t const inferred = inferred_extent(to, x.count());
    if (inferred < 0) no_inferred_extent(to_string(x), to_string(to));
    for (index_t& n : to.n)
      if (n == -1) n = inferred;
  }
  return to;
}

/// The shape of `reshape<N...>`, where -1 is inferred: by the compiler for a static shape.
template <class X, index_t... N> constexpr auto inferred_in_type() {
  using To = extents<N...>;
  if constexpr (To::is_static) {
    return To{};
  } else if constexpr (X::is_static) {
    constexpr index_t inferred = inferred_extent(To{{N...}}, X::count());
    static_assert(
        inferred >= 0,
        "placement: this extent of reshape cannot be inferred. One may be -1, and the others divide the "
        "number of elements.");
    if constexpr (inferred < 0) return To{{N...}};
    else return extents<(N == dyn ? inferred : N)...>{};
  } else {
    return To{{N...}};
  }
}
}  // namespace detail

/// The same elements in the same order under another shape. To: the shape, extents<...>. One extent
/// may be -1: it is inferred from the number of elements.
/// Shape: as given.  Type: any.  Kernels: CPU, GPU (pattern view_op).
/// Throws: shape_error when the numbers of elements differ, or no extent for -1 is right.
template <class To> struct reshape_op {
  static constexpr std::string_view name = "Reshape";
  using pattern = view_op;
  static constexpr bool reshapes = true;  // element i stays element i

  [[no_unique_address]] To to;

  template <class X> constexpr To result(X const& x) const {
    if constexpr (X::is_static && To::is_static)
      static_assert(X::count() == To::count(),
                    "placement: reshape keeps the number of elements. Check the extents.");
    To const y = detail::with_inferred(x, to);
    if (x.count() != detail::checked_count(y, 1)) detail::no_reshape(to_string(x), to_string(y));
    return y;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return reshape(g, x.shape());
  }
};
/// `reshape<2, 3>(x)`, `reshape<2, -1>(x)`: extents in the type.
template <index_t... N, operand X> requires(sizeof...(N) > 0)
auto reshape(X&& x, site at = site::here())
    -> node<reshape_op<decltype(detail::inferred_in_type<typename bare<X>::extents_type, N...>())>,
            X> {
  return {
      {detail::inferred_in_type<typename bare<X>::extents_type, N...>()}, at, std::forward<X>(x)};
}
/// `reshape(x, shape(2, 3))`, `reshape(x, shape(2, -1))`: a shape as a value.
template <operand X, index_t... N>
auto reshape(X&& x, extents<N...> to, site at = site::here())
    -> node<reshape_op<extents<N...>>, X> {
  return {{to}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
