#pragma once
/// How a thread of a GPU accumulates the elements that it loads for a reduction: one by one, in
/// groups that are first added in float, or as sums around a number near their mean.
///
/// `add(x, i)` of an accumulator takes an element and its index. `add_vectors<V>(x, i, step)` takes
/// N vectors of V elements, whose first elements have the indices i, i + step, ...

#include <placement/shape/extents.hpp>

#include <cstddef>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The vectors of V elements that a thread loads before it uses the first of them.
template <int V> inline constexpr int vectors_in_flight = V == 1 ? 8 : 4;
/// The most elements that are added in Op::partial_type, as sum() documents.
inline constexpr int partial_elements = 16;

/// Accumulates by Op::step().
template <class Op, class T> struct step_accumulator {
  Op const& op;
  typename Op::template state<T> s;

  template <class X> PLACEMENT_HD void add(X const& x, index_t i) { s = op.step(s, x, i); }
  template <int V, class Vector, std::size_t N>
  PLACEMENT_HD void add_vectors(Vector const (&x)[N], index_t i, index_t step) {
    PLACEMENT_UNROLL
    for (int k = 0; k < static_cast<int>(N); ++k) {
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) add(x[k](v), i + k * step + v);
    }
  }
};

/// Adds up to 16 elements in Op::partial_type, pairwise, and each such sum to the state.
template <class Op, class T> struct partial_accumulator : step_accumulator<Op, T> {
  using partial = typename Op::template partial_type<T>;

  template <int V, class Vector, std::size_t N>
  PLACEMENT_HD void add_vectors(Vector const (&x)[N], index_t, index_t) {
    constexpr int fit = partial_elements / V;
    constexpr int vectors = fit == 0 ? 1 : fit > static_cast<int>(N) ? static_cast<int>(N) : fit;
    PLACEMENT_UNROLL
    for (int k = 0; k < static_cast<int>(N); k += vectors)
      this->s = this->op.add(this->s, sum_of<V, vectors * V, 1, 0>(x, k));
  }

 private:
  /// The sum of elements E, E + Step, E + 2 Step, ... of Count from vector k on. The elements are
  /// template arguments: an array of partial sums would be in local memory.
  template <int V, int Count, int Step, int E, class Vector, std::size_t N>
  PLACEMENT_HD static partial sum_of(Vector const (&x)[N], int k) {
    if constexpr (Step == Count) return static_cast<partial>(x[k + E / V](E % V));
    else return sum_of<V, Count, 2 * Step, E>(x, k) + sum_of<V, Count, 2 * Step, E + Step>(x, k);
  }
};

/// Sums of the differences from `center`, which is one of the elements, and of their squares.
template <class Op, class T> struct around_accumulator {
  double center;
  double away = 0, squares = 0;
  index_t n = 0;

  template <class X> PLACEMENT_HD void add(X const& x, index_t) {
    double const d = static_cast<double>(x) - center;
    away += d;
    squares += d * d;
    ++n;
  }
  template <int V, class Vector, std::size_t N>
  PLACEMENT_HD void add_vectors(Vector const (&x)[N], index_t, index_t) {
    PLACEMENT_UNROLL
    for (int k = 0; k < static_cast<int>(N); ++k) {
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) add(x[k](v), 0);
    }
  }
  PLACEMENT_HD typename Op::template state<T> state() const {
    return Op::template around<T>::state_of(center, away, squares, n);
  }
};

/// Whether Op, which reduces elements of type T, has the members for these accumulators. A
/// reduction of states (`Element`) uses neither.
template <class Op, class T, class Element>
inline constexpr bool reduces_states = std::is_same_v<Element, typename Op::template state<T>>;
template <class Op, class T, class Element>
inline constexpr bool adds_partially =
    !reduces_states<Op, T, Element> && requires { typename Op::template partial_type<T>; };
template <class Op, class T, class Element>
inline constexpr bool sums_around =
    !reduces_states<Op, T, Element> && requires { typename Op::template around<T>; };

}}}  // namespace placement::v0_1::detail
