#pragma once
/// Lists the operands of a bound expression for block kernels, which take them as an array.

#include <placement/cpu/block_call.hpp>
#include <placement/kernels/bound_expr.hpp>

#include <cstddef>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// How many layouts a bound expression has, with those of reshapes.
template <class F> inline constexpr unsigned levels_in = 0;
template <class Reader, std::size_t R>
inline constexpr unsigned levels_in<strided_load<Reader, R>> = 1 + levels_in<Reader>;
template <class Child, class X>
inline constexpr unsigned levels_in<reshaped_expr<Child, X>> = levels_in<Child>;
template <bool Gpu, class Op, class... A>
inline constexpr unsigned levels_in<bound_expr<Gpu, Op, A...>> = (0U + ... + levels_in<A>);

/// Lists the operands of a contiguous bound expression as inputs of its first block.
struct input_lister {
  block_input* in;

  template <class T> void add(scalar<T> const&) {}
  template <class T> void add(dense_leaf<T> const& l) { *in++ = {l.p, 0}; }
  template <class T> void add(single_leaf<T> const& l) { *in++ = {l.p, 0}; }
  template <class Op> void add(index_generator<Op> const&) { *in++ = {nullptr, 0}; }
  template <bool Gpu, class Op, class... A> void add(bound_expr<Gpu, Op, A...> const& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add(slot_value<I>(f.args)), ...);
    }(std::index_sequence_for<A...>{});
  }
};

/// Lists the operands of a bound expression in the order of its slots.
struct operand_lister {
  block_operand* operand;
  layout_level* level;

  /// at: the layout of what is added. extent: the shape that its coordinates count in; nullptr for
  /// the result's.
  template <class T> void add(scalar<T> const&, layout_level const*, index_t const*) {}
  template <class T> void add(dense_leaf<T> const& l, layout_level const* at, index_t const*) {
    *operand++ = {l.p, at, sizeof(T), false};
  }
  template <class T> void add(single_leaf<T> const& l, layout_level const*, index_t const*) {
    *operand++ = {l.p, nullptr, sizeof(T), true};
  }
  template <class Op> void add(index_generator<Op> const&, layout_level const* at, index_t const*) {
    *operand++ = {nullptr, at, 0, false};
  }
  template <class Reader, std::size_t R>
  void add(strided_load<Reader, R> const& l, layout_level const* outer, index_t const* extent) {
    *level = {l.where.base, l.where.stride, R, extent, outer};
    add(l.read, level++, nullptr);
  }
  template <class Child, class X>
  void add(reshaped_expr<Child, X> const& r, layout_level const* at, index_t const*) {
    add(r.child, at, any_shape(r.shape).extent);
  }
  template <bool Gpu, class Op, class... A>
  void add(bound_expr<Gpu, Op, A...> const& f, layout_level const* at, index_t const* extent) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add(slot_value<I>(f.args), at, extent), ...);
    }(std::index_sequence_for<A...>{});
  }
};

}}}  // namespace placement::v0_1::detail
