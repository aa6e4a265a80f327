#pragma once
/// A fusion group bound to memory: one function of the index, passed to a kernel by value.
///
/// Each node has two forms. *Contiguous*: `f(i)`, for operands that are dense in the result's
/// shape. *Strided*: `f.row(c)(j)`, for all others. The start of a row is computed once; then only
/// the last coordinate changes.
///
/// GPUs read both forms also as vectors: `f.vec<V>(i)` is the function with the V elements from i
/// on already loaded, and `(j)` gives element i + j. Adjacent elements are loaded in one access,
/// for which pointers must be aligned (gpu/vector_width.hpp).

#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/pack.hpp>
#include <placement/kernels/scalar.hpp>
#include <placement/kernels/vec.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

// ---- contiguous leaves

/// A dense operand of the result's shape.
template <class T> struct dense_leaf {
  using element = T;
  T const* p;
  PLACEMENT_HD T operator()(index_t i) const noexcept { return p[i]; }
  template <int V> PLACEMENT_HD access_of<T, V> vec(index_t i) const noexcept {
    return load_vec<V>(p + i);
  }
};
/// A rank-0 operand in memory.
template <class T> struct single_leaf {
  T const* p;
  PLACEMENT_HD T operator()(index_t) const noexcept { return *p; }
  template <int> PLACEMENT_HD scalar<T> vec(index_t) const noexcept { return {*p}; }
};
/// A fill op, whose value depends on the element's index. `first` keeps the class from being empty:
/// see docs/decisions/0033-parameters-of-kernels.md.
template <class Op> struct index_generator {
  [[no_unique_address]] Op op;
  index_t first = 0;
  PLACEMENT_HD auto operator()(index_t i) const requires(!declares_cpu_only<Op>)
  {
    return op(first + i);
  }
  PLACEMENT_HD_AS_GIVEN auto operator()(index_t i) const requires declares_cpu_only<Op>
  {
    return op(first + i);
  }
  template <int> PLACEMENT_HD index_generator vec(index_t i) const { return {op, first + i}; }
};

// ---- strided leaves: a reader of positions and a layout

template <class Reader> struct strided_row {
  Reader read;
  index_t start, step;
  PLACEMENT_HD auto operator()(index_t j) const { return read(start + j * step); }
  template <int V> PLACEMENT_HD auto vec(index_t j) const {
    if constexpr (requires { typename Reader::element; }) {
      auto const* const p = read.p + start + j * step;
      if (step == 1) return load_vec<V>(p);
      if (step == 0) return repeated<V>(*p);
      return load_each<V>(p, step);
    } else {
      return strided_row{read, start + j * step, step};
    }
  }
};
/// Reads `read(position)` at the positions of a layout.
template <class Reader, std::size_t R> struct strided_load {
  Reader read;
  layout<R> where;
  PLACEMENT_HD strided_row<Reader> row(coordinates<R> const& c) const {
    return {read, where.row(c), where.step()};
  }
};

/// Reads a strided child by the row-major index of an element. Used for reshaped operands.
template <class Child, class X> struct reshaped_expr {
  [[no_unique_address]] X shape;  // first: see docs/decisions/0033-parameters-of-kernels.md
  Child child;
  PLACEMENT_HD_AS_GIVEN auto operator()(index_t number) const {
    auto c = coordinates_of(number, shape);
    index_t const j = X::rank == 0 ? 0 : c.at[coordinates<X::rank>::slots - 1];
    return child.row(c)(j);
  }
};

// ---- ops

/// An op on bound operands. `Gpu`: each op of the fusion group declares a GPU kernel, so device
/// code may call it. The other specialization is for the host only, because an op without a GPU
/// kernel may call host functions.
template <bool Gpu, class Op, class... A> struct bound_expr;

template <class Op, class... A> struct bound_expr<true, Op, A...> {
  [[no_unique_address]] Op op;
  pack<A...> args;

  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(index_t i) const {
    return call(i, std::index_sequence_for<A...>{});
  }
  template <class C> PLACEMENT_HD constexpr auto row(C const& c) const {
    return row_of(c, std::index_sequence_for<A...>{});
  }
  template <int V> PLACEMENT_HD constexpr auto vec(index_t i) const {
    return vec_of<V>(i, std::index_sequence_for<A...>{});
  }

 private:
  template <int V, std::size_t... I>
  PLACEMENT_HD constexpr auto vec_of(index_t i, std::index_sequence<I...>) const {
    return bound_expr<true, Op, decltype(detail::slot_value<I>(args).template vec<V>(i))...>{
        op, {{detail::slot_value<I>(args).template vec<V>(i)}...}};
  }
  template <std::size_t... I>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto call(index_t i,
                                                           std::index_sequence<I...>) const {
    return op(detail::slot_value<I>(args)(i)...);
  }
  template <class C, std::size_t... I>
  PLACEMENT_HD constexpr auto row_of(C const& c, std::index_sequence<I...>) const {
    return bound_expr<true, Op, decltype(detail::slot_value<I>(args).row(c))...>{
        op, {{detail::slot_value<I>(args).row(c)}...}};
  }
};

template <class Op, class... A> struct bound_expr<false, Op, A...> {
  [[no_unique_address]] Op op;
  pack<A...> args;

  PLACEMENT_ALWAYS_INLINE constexpr auto operator()(index_t i) const {
    return call(i, std::index_sequence_for<A...>{});
  }
  template <class C> constexpr auto row(C const& c) const {
    return row_of(c, std::index_sequence_for<A...>{});
  }

 private:
  template <std::size_t... I>
  PLACEMENT_ALWAYS_INLINE constexpr auto call(index_t i, std::index_sequence<I...>) const {
    return op(detail::slot_value<I>(args)(i)...);
  }
  template <class C, std::size_t... I>
  constexpr auto row_of(C const& c, std::index_sequence<I...>) const {
    return bound_expr<false, Op, decltype(detail::slot_value<I>(args).row(c))...>{
        op, {{detail::slot_value<I>(args).row(c)}...}};
  }
};

// ---- changing the layouts of a bound expression

/// The same expression with each leaf's layout replaced by change(layout).
template <class T, class F> constexpr scalar<T> relaid(scalar<T> const& s, F const&) { return s; }
template <class Reader, std::size_t R, class F>
constexpr auto relaid(strided_load<Reader, R> const& leaf, F const& change) {
  auto moved = change(leaf.where);
  return strided_load<Reader, decltype(moved)::rank>{leaf.read, moved};
}
template <bool Gpu, class Op, class... A, class F>
constexpr auto relaid(bound_expr<Gpu, Op, A...> const& n, F const& change) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return bound_expr<Gpu, Op, decltype(relaid(detail::slot_value<I>(n.args), change))...>{
        n.op, {{relaid(detail::slot_value<I>(n.args), change)}...}};
  }(std::index_sequence_for<A...>{});
}

}}  // namespace placement::v0_1
