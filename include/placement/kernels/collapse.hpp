#pragma once
/// A region in rows made ready for a GPU: as few dimensions as its layouts allow, cut into pieces
/// of fewer than 2^31 elements, and read by one number.

#include <placement/kernels/chunk.hpp>
#include <placement/kernels/fast_division.hpp>

namespace placement::inline v0_1 {

// ---- fewer dimensions

/// Does every layout of a region in rows hold to what `rule` asks?
template <class T, class Rule> constexpr bool all_layouts(scalar<T> const&, Rule const&) {
  return true;
}
template <class Reader, std::size_t R, class Rule>
constexpr bool all_layouts(lane<Reader, R> const& leaf, Rule const& rule) {
  return rule(leaf.where);
}
template <std::size_t R, class Rule>
constexpr bool all_layouts(layout<R> const& where, Rule const& rule) {
  return rule(where);
}
template <bool Gpu, class Op, class... A, class Rule>
constexpr bool all_layouts(bound<Gpu, Op, A...> const& f, Rule const& rule) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (all_layouts(f.args.template get<I>(), rule) && ...);
  }(std::index_sequence_for<A...>{});
}

/// Where the dimensions of a shape went: the last slots hold what is left of them, in their order;
/// those before `first` have extent 1.
template <std::size_t R> struct collapsed {
  static constexpr std::size_t slots = coordinates<R>::slots;
  index_t extent[slots]{};
  std::size_t from[slots]{};  ///< the innermost of the dimensions that became a slot
  std::size_t first = slots - 1;

  constexpr index_t count() const {
    index_t n = 1;
    for (index_t e : extent) n *= e;
    return n;
  }
  /// The layout l of the shape, seen in the slots, from these coordinates on.
  constexpr layout<R> slotted(layout<R> const& l, index_t const (&start)[slots]) const {
    layout<R> to;
    to.base = l.base;
    for (std::size_t s = first; s != slots; ++s) {
      to.stride[s] = l.stride[from[s]];
      to.base += start[s] * to.stride[s];
    }
    return to;
  }
};

/// Drops extents of 1, and joins neighbours that every layout of the regions steps through as
/// through one. Alone: how many of the last dimensions stay slots of their own.
template <std::size_t Alone = 0, class X, class... F>
constexpr collapsed<X::rank> collapse(X const& x, F const&... f) {
  collapsed<X::rank> c;
  for (index_t& e : c.extent) e = 1;
  std::size_t slot = collapsed<X::rank>::slots;
  bool fresh = true;  // nothing may be joined to the slot
  for (std::size_t d = X::rank; d-- > 0;) {
    bool const alone = d + Alone >= X::rank;
    if (x.at(d) == 1 && !alone) continue;
    auto const steps_on = [&](auto const& l) {
      return l.stride[d] == l.stride[c.from[slot]] * c.extent[slot];
    };
    bool const joins = !fresh && (all_layouts(f, steps_on) && ...);
    if (!joins) {
      --slot;
      c.from[slot] = d;
    }
    c.extent[slot] *= x.at(d);
    fresh = alone;
  }
  if (slot == collapsed<X::rank>::slots) c.from[--slot] = 0;  // a single element
  c.first = slot;
  return c;
}

// ---- pieces of fewer than 2^31 elements

/// So many elements a kernel numbers in 32 bits. A multiple of every chunk's width.
inline constexpr index_t most_in_piece = (index_t{1} << 31) - 64;

/// Calls f(start, extents, first) for each piece of at most `most` elements. Together they are the
/// whole, in order: element `first` of the whole is a piece's first, and its elements follow on.
template <std::size_t N, class F>
constexpr void for_each_piece(index_t const (&extent)[N], index_t most, F const& f) {
  index_t inner = 1;  // elements of one step along the dimension that is cut
  std::size_t cut = N - 1;
  for (index_t e : extent)
    if (e == 0) return;
  while (cut > 0 && inner * extent[cut] <= most) inner *= extent[cut--];
  index_t const length = inner < most ? most / inner : 1;
  index_t start[N]{}, size[N];
  for (std::size_t d = 0; d != N; ++d) size[d] = d > cut ? extent[d] : 1;
  index_t first = 0;
  for (;;) {
    for (start[cut] = 0; start[cut] < extent[cut]; start[cut] += length) {
      size[cut] = extent[cut] - start[cut] < length ? extent[cut] - start[cut] : length;
      f(start, size, first);
      first += size[cut] * inner;
    }
    std::size_t d = cut;
    while (d > 0 && ++start[d - 1] == extent[d - 1]) start[--d] = 0;
    if (d == 0) return;
  }
}

// ---- numbers of elements

/// Gives the coordinates of an element, or of a row, by its number. Fewer than 2^31 elements.
template <std::size_t R> struct numbering {
  static constexpr std::size_t slots = coordinates<R>::slots;
  fast_divisor by[slots];
  std::size_t first = 0;  ///< slots before this one have extent 1

  constexpr numbering() = default;
  constexpr numbering(index_t const (&extent)[slots], std::size_t first_slot) : first(first_slot) {
    for (std::size_t d = 0; d != slots; ++d)
      by[d] = fast_divisor(static_cast<std::uint32_t>(extent[d] == 0 ? 1 : extent[d]));
  }
  PLACEMENT_HD constexpr coordinates<R> element(std::uint32_t number) const {
    coordinates<R> c;
    PLACEMENT_UNROLL
    for (std::size_t d = slots; d-- > 0;) place(c, d, number);
    return c;
  }
  /// The start of a row, by the row's number.
  PLACEMENT_HD constexpr coordinates<R> row(std::uint32_t number) const {
    coordinates<R> c;
    PLACEMENT_UNROLL
    for (std::size_t d = slots - 1; d-- > 0;) place(c, d, number);
    return c;
  }

 private:
  PLACEMENT_HD constexpr void place(coordinates<R>& c, std::size_t d, std::uint32_t& number) const {
    if (d > first) {
      std::uint32_t const q = by[d].quotient(number);
      c.at[d] = static_cast<index_t>(number - q * by[d].divisor);
      number = q;
    } else {
      c.at[d] = d == first ? static_cast<index_t>(number) : 0;
    }
  }
};

/// A region in rows, read as if it were flat.
template <class F, std::size_t R> struct numbered {
  F f;
  numbering<R> shape;

  PLACEMENT_HD auto operator()(index_t i) const {
    auto const c = shape.element(static_cast<std::uint32_t>(i));
    return f.row(c)(c.at[coordinates<R>::slots - 1]);
  }
  /// V divides the length of a row.
  template <int V> PLACEMENT_HD auto chunk(index_t i) const {
    auto const c = shape.element(static_cast<std::uint32_t>(i));
    return f.row(c).template chunk<V>(c.at[coordinates<R>::slots - 1]);
  }
};

/// Does a row of length n hold whole chunks of V, each of which may be loaded?
template <int V, class F> constexpr bool rows_in_chunks(F const& f, index_t n) {
  return n % V == 0 && aligned_for<V>(f);
}

namespace detail {
template <class F, std::size_t R> inline constexpr std::size_t widest<numbered<F, R>> = widest<F>;
template <class F, std::size_t R>
inline constexpr int operands_in_memory<numbered<F, R>> = operands_in_memory<F>;
}  // namespace detail

}  // namespace placement::inline v0_1
