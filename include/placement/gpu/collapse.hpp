#pragma once
/// Prepares a strided expression for a GPU. Dimensions are merged where the layouts allow it. The
/// shape is cut into pieces of fewer than 2^31 elements, which are read by one index.

#include <placement/gpu/vector_width.hpp>
#include <placement/shape/fast_division.hpp>

namespace placement { inline namespace v0_1 {

// ---- the layouts of an expression

/// The number of layouts in a strided expression.
template <class F> inline constexpr std::size_t layouts_in = 0;
template <class Reader, std::size_t R>
inline constexpr std::size_t layouts_in<strided_load<Reader, R>> = 1;
template <bool Gpu, class Op, class... A>
inline constexpr std::size_t layouts_in<bound_expr<Gpu, Op, A...>> =
    (std::size_t{0} + ... + layouts_in<A>);

/// Writes an expression's layouts from `to` on, and returns the end.
template <class T, std::size_t R>
constexpr layout<R>* put_layouts(scalar<T> const&, layout<R>* to) {
  return to;
}
template <class Reader, std::size_t R>
constexpr layout<R>* put_layouts(strided_load<Reader, R> const& leaf, layout<R>* to) {
  *to = leaf.where;
  return to + 1;
}
template <bool Gpu, class Op, class... A, std::size_t R>
constexpr layout<R>* put_layouts(bound_expr<Gpu, Op, A...> const& f, layout<R>* to) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((to = put_layouts(f.args.template get<I>(), to)), ...);
  }(std::index_sequence_for<A...>{});
  return to;
}

/// The expression with the layouts from `from` on; `from` moves to their end.
template <class T, std::size_t R>
constexpr scalar<T> with_layouts(scalar<T> const& s, layout<R> const*&) {
  return s;
}
template <class Reader, std::size_t R>
constexpr strided_load<Reader, R> with_layouts(strided_load<Reader, R> const& leaf,
                                               layout<R> const*& from) {
  return {leaf.read, *from++};
}
template <bool Gpu, class Op, class... A, std::size_t R>
constexpr bound_expr<Gpu, Op, A...> with_layouts(bound_expr<Gpu, Op, A...> const& f,
                                                 layout<R> const*& from) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return bound_expr<Gpu, Op, A...>{f.op, {{with_layouts(f.args.template get<I>(), from)}...}};
  }(std::index_sequence_for<A...>{});
}

// ---- merged dimensions

/// A shape after its dimensions are merged. The last slots hold the merged dimensions in order;
/// slots before `first` have extent 1.
template <std::size_t R> struct collapsed {
  static constexpr std::size_t slots = coordinates<R>::slots;
  index_t extent[slots]{};
  std::size_t from[slots]{};  ///< the innermost dimension that was merged into a slot
  std::size_t first = slots - 1;

  constexpr index_t count() const {
    index_t n = 1;
    for (index_t e : extent) n *= e;
    return n;
  }
  /// The layout `l` of the shape in terms of the slots, with its base moved to `start`.
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

/// Drops extents of 1, and merges neighbouring dimensions that all `count` layouts step through
/// with one stride. `alone`: the number of last dimensions that are never merged.
template <std::size_t R>
constexpr collapsed<R> collapse(dextents<R> const& x, layout<R> const* all, std::size_t count,
                                std::size_t alone = 0) {
  collapsed<R> c;
  for (index_t& e : c.extent) e = 1;
  std::size_t slot = collapsed<R>::slots;
  bool fresh = true;  // no dimension may be merged into the slot
  for (std::size_t d = R; d-- > 0;) {
    bool const stays = R - d <= alone;
    if (x.at(d) == 1 && !stays) continue;
    bool joins = !fresh;
    for (std::size_t k = 0; joins && k != count; ++k)
      joins = all[k].stride[d] == all[k].stride[c.from[slot]] * c.extent[slot];
    if (!joins) c.from[--slot] = d;
    c.extent[slot] *= x.at(d);
    fresh = stays;
  }
  if (slot == collapsed<R>::slots) c.from[--slot] = 0;  // a single element
  c.first = slot;
  return c;
}

/// A shape with run-time extents.
template <class X> constexpr dextents<X::rank> in_value(X const& x) {
  dextents<X::rank> y;
  if constexpr (X::rank != 0)
    for (std::size_t d = 0; d != X::rank; ++d) y.n[d] = x.at(d);
  return y;
}

// ---- pieces of fewer than 2^31 elements

/// The most elements that a kernel indexes with 32 bits; a multiple of each vector width.
inline constexpr index_t max_piece_elements = (index_t{1} << 31) - 64;
/// The limit of a grid; a grid in tests may set a smaller one.
template <class Grid> constexpr index_t max_piece_of([[maybe_unused]] Grid const& grid) {
  if constexpr (requires { grid.max_piece_elements; }) return grid.max_piece_elements;
  else return max_piece_elements;
}

/// Iterates over the pieces of a shape, of at most `max` elements each. A piece's elements are
/// consecutive in row-major order, and `first` is the index of the first one.
template <std::size_t N> class pieces {
 public:
  index_t start[N]{}, extent[N]{};  ///< of the current piece
  index_t first = 0;

  constexpr pieces(index_t const (&whole)[N], index_t max) {
    for (std::size_t d = 0; d != N; ++d) {
      whole_[d] = whole[d];
      more_ = more_ && whole[d] != 0;
    }
    if (!more_) return;
    while (cut_ > 0 && inner_ * whole_[cut_] <= max) inner_ *= whole_[cut_--];
    length_ = inner_ < max ? max / inner_ : 1;
    for (std::size_t d = 0; d != N; ++d) extent[d] = d > cut_ ? whole_[d] : 1;
    cut_here();
  }
  /// Whether there is a current piece.
  constexpr explicit operator bool() const { return more_; }
  constexpr index_t count() const { return extent[cut_] * inner_; }
  constexpr void next() {
    first += count();
    start[cut_] += extent[cut_];
    std::size_t d = cut_;
    while (start[d] == whole_[d]) {
      if (d == 0) {
        more_ = false;
        return;
      }
      start[d] = 0;
      ++start[--d];
    }
    cut_here();
  }

 private:
  constexpr void cut_here() {
    index_t const left = whole_[cut_] - start[cut_];
    extent[cut_] = left < length_ ? left : length_;
  }

  index_t whole_[N]{};
  index_t inner_ = 1;  // elements per step along the dimension that is cut
  index_t length_ = 1;
  std::size_t cut_ = N - 1;
  bool more_ = true;
};

// ---- linear indices

/// Converts the linear index of an element, or of a row, to coordinates. Fewer than 2^31 elements.
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
  /// The coordinates of the start of a row, by the row's index.
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

// ---- vectors of rows that no operand crosses: operands step by 0 or 1 along a row

template <int V, class T> PLACEMENT_HD scalar<T> untransposed_vec(scalar<T> const& s, index_t) {
  return s;
}
template <int V, class Reader>
PLACEMENT_HD auto untransposed_vec(strided_row<Reader> const& row, index_t j) {
  if constexpr (requires { typename Reader::element; }) {
    auto const* const p = row.read.p + row.start + j * row.step;
    return row.step == 1 ? load_vec<V>(p) : repeated<V>(*p);
  } else {
    return row.template vec<V>(j);
  }
}
template <int V, class Op, class... A>
PLACEMENT_HD auto untransposed_vec(bound_expr<true, Op, A...> const& f, index_t j) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return bound_expr<true, Op, decltype(untransposed_vec<V>(f.args.template get<I>(), j))...>{
        f.op, {{untransposed_vec<V>(f.args.template get<I>(), j)}...}};
  }(std::index_sequence_for<A...>{});
}

/// A strided expression read by linear index. `Untransposed`: its operands step by 0 or 1 along a
/// row.
template <class F, std::size_t R, bool Untransposed = false> struct numbered {
  F f;
  numbering<R> shape;

  PLACEMENT_HD auto operator()(index_t i) const {
    auto const c = shape.element(static_cast<std::uint32_t>(i));
    return f.row(c)(c.at[coordinates<R>::slots - 1]);
  }
  /// V divides the length of a row.
  template <int V> PLACEMENT_HD auto vec(index_t i) const {
    auto const c = shape.element(static_cast<std::uint32_t>(i));
    index_t const j = c.at[coordinates<R>::slots - 1];
    if constexpr (Untransposed) return untransposed_vec<V>(f.row(c), j);
    else return f.row(c).template vec<V>(j);
  }
};

/// Whether a row of length n consists of whole vectors of V elements that may be loaded.
template <int V, class F> constexpr bool rows_vectorizable(F const& f, index_t n) {
  return n % V == 0 && aligned_for<V>(f);
}

namespace detail {
template <class F, std::size_t R, bool U>
inline constexpr std::size_t widest<numbered<F, R, U>> = widest<F>;
template <class F, std::size_t R, bool U>
inline constexpr int operands_in_memory<numbered<F, R, U>> = operands_in_memory<F>;
}  // namespace detail

}}  // namespace placement::v0_1
