#pragma once
/// Stages of block kernels with complex elements. ops/complex.hpp includes it.

#include <placement/cpu/block_stages.hpp>
#include <placement/cpu/complex_loops.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The loop of an op over complex numbers with parts of type R: a function of (to, x..., n).
template <class Op, class R> inline constexpr auto complex_loop_of = nullptr;

/// Elements of an operand that a stage computes, on their way to a loop.
template <class C> struct complex_stage_memory {
  alignas(64) unsigned char bytes[static_cast<std::size_t>(stage_length) * sizeof(C)];

  C* elements() { return reinterpret_cast<C*>(bytes); }
};

template <class Loop, bool Gpu, class Op, class A, class... More>
requires is_complex_loop<Op, A, More...>
struct stage_of<Loop, bound_expr<Gpu, Op, A, More...>> {
  using expression = bound_expr<Gpu, Op, A, More...>;
  using T = decltype(std::declval<expression const&>()(index_t{}));
  using C = decltype(std::declval<A const&>()(index_t{}));
  static constexpr auto loop = complex_loop_of<Op, typename C::value_type>;

  pack<stage_of<Loop, A>, stage_of<Loop, More>...> below;
  complex_stage_memory<C> operand[1 + sizeof...(More)];

  /// The results for n elements from i on; `to` may be an operand of the block.
  PLACEMENT_ALWAYS_INLINE void write(T* to, expression const& f, index_t i, index_t n) {
    [&]<std::size_t... I>(std::index_sequence<I...>) PLACEMENT_ALWAYS_INLINE {
      loop(to,
           stage_operand<Loop>(operand[I].elements(), n,
                               slot_value<I>(below).at(slot_value<I>(f.args), i, n))...,
           n);
    }(std::make_index_sequence<1 + sizeof...(More)>{});
  }
  PLACEMENT_ALWAYS_INLINE dense_leaf<T> at(expression const& f, index_t i, index_t n) {
    T* const to = reinterpret_cast<T*>(operand[0].bytes);
    write(to, f, i, n);
    return {to};
  }
};

}}}  // namespace placement::v0_1::detail
