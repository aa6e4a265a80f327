#pragma once
/// Views of an operand of a contraction: dimensions in another order, diagonals, and groups of
/// dimensions as one.

#include <placement/ops/reshape.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

namespace no_adl {
/// A view whose dimension d walks all dimensions of the operand in the bit mask Mask[d] at once:
/// one of them, a diagonal of several, or none, which is a new dimension of extent 1. Dimensions of
/// a diagonal have equal extents.
template <unsigned... Mask> struct walk_op {
  static constexpr std::string_view name = "Transpose";
  using pattern = view_op;

  template <class X> static constexpr auto result(X const& x) {
    extents<static_extent<X>(Mask)...> y{};
    if constexpr (!decltype(y)::is_static) {
      std::size_t d = 0;
      ((y.n[d++] = Mask == 0 ? 1 : x.at(lowest(Mask))), ...);
    }
    return y;
  }
  template <std::size_t R, class X>
  static constexpr layout<sizeof...(Mask)> moved(layout<R> const& where, X const&) {
    layout<sizeof...(Mask)> m;
    m.base = where.base;
    [[maybe_unused]] std::size_t d = 0;
    ((m.stride[d++] = stride<R>(where, Mask)), ...);
    return m;
  }

 private:
  static constexpr std::size_t lowest(unsigned mask) {
    std::size_t d = 0;
    while (mask != 0 && (mask >> d & 1) == 0) ++d;
    return d;
  }
  template <std::size_t R>
  static constexpr index_t stride([[maybe_unused]] layout<R> const& where, unsigned mask) {
    index_t s = 0;
    for (std::size_t d = 0; d != R; ++d)
      if ((mask >> d & 1) != 0) s += where.stride[d];
    return s;
  }
  template <class X> static constexpr index_t static_extent(unsigned mask) {
    index_t n = mask == 0 ? 1 : dyn;
    for (std::size_t d = 0; d != X::rank; ++d)
      if ((mask >> d & 1) != 0 && n == dyn) n = X::static_extent(d);
    return n;
  }
};

/// The shape with groups of consecutive dimensions as one each. Count: their numbers of dimensions;
/// a group of none has extent 1.
template <int... Count> struct dimension_groups {
  static constexpr std::size_t size = sizeof...(Count);
  static constexpr std::size_t count[size + 1] = {Count..., 0};

  static constexpr std::size_t first(std::size_t g) {
    std::size_t d = 0;
    for (std::size_t i = 0; i != g; ++i) d += count[i];
    return d;
  }
  template <class X> static constexpr auto merged(X const& x) {
    return [&]<std::size_t... G>(std::index_sequence<G...>) {
      extents<static_extent<X>(G)...> y{};
      if constexpr (!decltype(y)::is_static) ((y.n[G] = extent(x, G)), ...);
      return y;
    }(std::make_index_sequence<size>{});
  }

 private:
  template <class X> static constexpr index_t extent(X const& x, std::size_t g) {
    index_t n = 1;
    for (std::size_t i = 0; i != count[g]; ++i) n *= x.at(first(g) + i);
    return n;
  }
  template <class X> static constexpr index_t static_extent(std::size_t g) {
    index_t n = 1;
    for (std::size_t i = 0; i != count[g]; ++i) {
      index_t const k = X::static_extent(first(g) + i);
      if (k == dyn) return dyn;
      n *= k;
    }
    return n;
  }
};

/// Groups of consecutive dimensions as one each, where the operand's layout allows it: that is, of
/// each group's dimensions each stride is the next one's times its extent.
template <class Groups> struct merge_op {
  static constexpr std::string_view name = "Reshape";
  using pattern = view_op;

  template <class X> static constexpr auto result(X const& x) { return Groups::merged(x); }
  template <std::size_t R, class X>
  static constexpr layout<Groups::size> moved(layout<R> const& where, X const& x) {
    layout<Groups::size> m;
    m.base = where.base;
    for (std::size_t g = 0; g != Groups::size; ++g) {
      m.stride[g] = 0;
      for (std::size_t i = 0; i != Groups::count[g]; ++i) {
        std::size_t const d = Groups::first(g) + i;
        if (x.at(d) != 1) m.stride[g] = where.stride[d];
      }
    }
    return m;
  }
};
}  // namespace no_adl
using no_adl::dimension_groups;
using no_adl::merge_op;
using no_adl::walk_op;

/// The dimensions of an operand in the order of a contraction, and how many form each group.
struct regrouping {
  int dimensions = 0, groups = 0;
  unsigned mask[3 * max_rank]{};
  int count[3 * max_rank]{};

  constexpr void add(unsigned walked) { mask[dimensions++] = walked; }
  constexpr void end_group(int first) { count[groups++] = dimensions - first; }

  /// Whether the view is the operand itself, of rank R.
  constexpr bool is_identity(int rank) const {
    if (rank != dimensions) return false;
    for (int d = 0; d != rank; ++d)
      if (mask[d] != 1u << d) return false;
    return true;
  }
  constexpr bool has_one_each() const {
    for (int g = 0; g != groups; ++g)
      if (count[g] != 1) return false;
    return true;
  }
  /// Whether each group is of dimensions that follow each other in the operand.
  constexpr bool is_consecutive() const {
    int d = 0;
    for (int g = 0; g != groups; ++g) {
      for (int i = 1; i < count[g]; ++i)
        if ((mask[d + i - 1] & (mask[d + i - 1] - 1)) != 0 || mask[d + i] != mask[d + i - 1] << 1)
          return false;
      d += count[g];
    }
    return true;
  }
};

/// Views x as By describes, one dimension for each mask. K: the kernel set of the file.
template <class K, regrouping By, class X> auto walk_dimensions(X&& x, site at) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return node<walk_op<By.mask[D]...>, X>{{}, at, std::forward<X>(x)};
  }(std::make_index_sequence<static_cast<std::size_t>(By.dimensions)>{});
}
/// The same, or x itself where the view would be x.
template <class K, regrouping By, class X> decltype(auto) reorder(X&& x, site at) {
  if constexpr (By.is_identity(static_cast<int>(bare<X>::extents_type::rank)))
    return std::forward<X>(x);
  else return walk_dimensions<K, By>(std::forward<X>(x), at);
}
/// Each group as one dimension. That is a view where x is a tensor and the group's dimensions
/// follow each other in it. Otherwise it is a reshape, which a product computes first.
template <class K, regrouping By, class X> decltype(auto) regroup(X&& x, site at) {
  if constexpr (By.has_one_each()) {
    return reorder<K, By>(std::forward<X>(x), at);
  } else {
    using groups = decltype([]<std::size_t... G>(std::index_sequence<G...>) {
      return dimension_groups<By.count[G]...>{};
    }(std::make_index_sequence<static_cast<std::size_t>(By.groups)>{}));
    using ordered_type = decltype(reorder<K, By>(std::forward<X>(x), at));
    ordered_type&& ordered = reorder<K, By>(std::forward<X>(x), at);
    if constexpr (stored<X> && By.is_consecutive()) {
      return node<merge_op<groups>, ordered_type>{{}, at, std::forward<ordered_type>(ordered)};
    } else {
      auto const to = groups::merged(ordered.shape());
      return reshape(std::forward<ordered_type>(ordered), to, at);
    }
  }
}

}}}  // namespace placement::v0_1::detail
