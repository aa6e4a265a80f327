#pragma once
/// What several bound regions have in common: regions of the same type over the same operands,
/// which need be computed once only.

#include <placement/kernels/bound.hpp>

#include <type_traits>

namespace placement::inline v0_1::detail {

// ---- are two regions of one type the same?

template <class Op> constexpr bool same_op(Op const& a, Op const& b) {
  if constexpr (std::is_empty_v<Op>) return true;
  else if constexpr (requires {
                       { a == b } -> std::convertible_to<bool>;
                     })
    return a == b;
  else return false;
}
template <std::size_t R> constexpr bool same_layout(layout<R> const& a, layout<R> const& b) {
  for (std::size_t d = 0; d != layout<R>::slots; ++d)
    if (a.stride[d] != b.stride[d]) return false;
  return a.base == b.base;
}
template <class T> constexpr bool same_region(scalar<T> const& a, scalar<T> const& b) {
  return a.v == b.v;
}
template <class T> constexpr bool same_region(dense_leaf<T> const& a, dense_leaf<T> const& b) {
  return a.p == b.p;
}
template <class T> constexpr bool same_region(single_leaf<T> const& a, single_leaf<T> const& b) {
  return a.p == b.p;
}
template <class Op> constexpr bool same_region(generated<Op> const& a, generated<Op> const& b) {
  return same_op(a.op, b.op);
}
template <class Reader, std::size_t R>
constexpr bool same_region(lane<Reader, R> const& a, lane<Reader, R> const& b);
template <class Child, class X>
constexpr bool same_region(renumbered<Child, X> const& a, renumbered<Child, X> const& b);
template <bool Gpu, class Op, class... A>
constexpr bool same_region(bound<Gpu, Op, A...> const& a, bound<Gpu, Op, A...> const& b) {
  return same_op(a.op, b.op) && [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (same_region(a.args.template get<I>(), b.args.template get<I>()) && ...);
  }(std::index_sequence_for<A...>{});
}
template <class Reader, std::size_t R>
constexpr bool same_region(lane<Reader, R> const& a, lane<Reader, R> const& b) {
  return same_layout(a.where, b.where) && same_region(a.read, b.read);
}
template <class Child, class X>
constexpr bool same_region(renumbered<Child, X> const& a, renumbered<Child, X> const& b) {
  return a.shape == b.shape && same_region(a.child, b.child);
}

// ---- regions that occur more than once, by type

template <class... B> struct regions {};

/// Does region B occur in F?
template <class B, class F> inline constexpr bool occurs = std::is_same_v<B, F>;
template <class B, bool Gpu, class Op, class... A>
inline constexpr bool occurs<B, bound<Gpu, Op, A...>> =
    std::is_same_v<B, bound<Gpu, Op, A...>> || (occurs<B, A> || ...);

template <class List, class B> struct with_region;
template <class... L, class B> struct with_region<regions<L...>, B> {
  using type = std::conditional_t<(std::is_same_v<L, B> || ...), regions<L...>, regions<L..., B>>;
};
/// Adds to List the largest regions of F that also occur in one of the regions `Earlier`.
template <class List, class F, class... Earlier> struct found_again {
  using type = List;
};
template <class List, class Args, class... Earlier> struct found_in_each {
  using type = List;
};
template <class List, class A, class... More, class... Earlier>
struct found_in_each<List, regions<A, More...>, Earlier...> {
  using type = typename found_in_each<typename found_again<List, A, Earlier...>::type,
                                      regions<More...>, Earlier...>::type;
};
template <class List, bool Gpu, class Op, class... A, class... Earlier>
requires(occurs<bound<Gpu, Op, A...>, Earlier> || ...)
struct found_again<List, bound<Gpu, Op, A...>, Earlier...>
    : with_region<List, bound<Gpu, Op, A...>> {};
template <class List, bool Gpu, class Op, class... A, class... Earlier>
requires(!(occurs<bound<Gpu, Op, A...>, Earlier> || ...))
struct found_again<List, bound<Gpu, Op, A...>, Earlier...>
    : found_in_each<List, regions<A...>, Earlier...> {};

template <class List, class Earlier, class... F> struct found_among {
  using type = List;
};
template <class List, class... Earlier, class F, class... More>
struct found_among<List, regions<Earlier...>, F, More...>
    : found_among<typename found_again<List, F, Earlier...>::type, regions<Earlier..., F>,
                  More...> {};
/// The largest regions that occur in more than one of F..., by type.
template <class... F> using shared_regions = typename found_among<regions<>, regions<>, F...>::type;

/// Is every occurrence of B in f the region `first`? Sets `first` where it is null.
template <class B, class F> constexpr bool always_same(F const& f, B const*& first) {
  if constexpr (std::is_same_v<B, F>) {
    if (first == nullptr) first = &f;
    return same_region(f, *first);
  } else if constexpr (occurs<B, F>) {
    return [&]<bool Gpu, class Op, class... A, std::size_t... I>(bound<Gpu, Op, A...> const& n,
                                                                 std::index_sequence<I...>) {
      return (always_same(n.args.template get<I>(), first) && ...);
    }(f, std::make_index_sequence<decltype(f.args)::size>{});
  } else {
    return true;
  }
}
template <class... B, class... F>
constexpr bool are_shared(regions<B...>, [[maybe_unused]] F const&... f) {
  auto const one = [&]<class Each>(Each const* first) { return (always_same(f, first) && ...); };
  return (one(static_cast<B const*>(nullptr)) && ...);
}

// ---- the value of a region where some were computed before

/// The value of one region.
template <class B, class V> struct known_value {
  V value;
};
/// Values of regions B...
template <class... K> struct known_values : K... {};

template <class B, class V> constexpr V const& value_known(known_value<B, V> const& k) {
  return k.value;
}
template <class B, class Known> concept is_known = requires(Known const& k) { value_known<B>(k); };

/// Element i of f. Known: values of regions in it, at i. F: the bound region that f reads: f
/// itself, or a window on it.
template <class F, class Seen, class Known>
[[gnu::always_inline]] constexpr auto value_of(Seen const& f, index_t i, Known const& known) {
  if constexpr (is_known<F, Known>) return value_known<F>(known);
  else return value_below(static_cast<F const*>(nullptr), f, i, known);
}
template <class F, class Seen, class Known>
[[gnu::always_inline]] constexpr auto value_below(F const*, Seen const& f, index_t i,
                                                  Known const&) {
  return f(i);
}
template <bool Gpu, class Op, class... A, class Seen, class Known>
[[gnu::always_inline]] constexpr auto value_below(bound<Gpu, Op, A...> const*, Seen const& f,
                                                  index_t i, Known const& known) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return f.op(value_of<A>(f.args.template get<I>(), i, known)...);
  }(std::index_sequence_for<A...>{});
}

/// Where region B is in f, which reads F.
template <class B, class F, std::size_t I = 0, class Seen>
constexpr auto const& region_in(Seen const& f) {
  if constexpr (std::is_same_v<B, F>) {
    return f;
  } else {
    using A = std::remove_cvref_t<decltype(std::declval<F const&>().args.template get<I>())>;
    if constexpr (occurs<B, A>) return region_in<B, A>(f.args.template get<I>());
    else return region_in<B, F, I + 1>(f);
  }
}
/// The same in the first of several that has it. Seen: f, or windows on them.
template <class B, std::size_t I = 0, class F, class... More, class Seen>
constexpr auto const& region_among(regions<F, More...>, Seen const& all) {
  if constexpr (occurs<B, F>) return region_in<B, F>(all.template get<I>());
  else return region_among<B, I + 1>(regions<More...>{}, all);
}

/// Element i of the shared regions.
template <class... B, class Of, class Seen>
[[gnu::always_inline]] constexpr auto values_known(regions<B...>, Of of, Seen const& all,
                                                   index_t i) {
  return known_values<known_value<B, decltype(region_among<B>(of, all)(i))>...>{
      {region_among<B>(of, all)(i)}...};
}

}  // namespace placement::inline v0_1::detail
