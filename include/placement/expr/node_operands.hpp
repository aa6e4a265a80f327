#pragma once
/// The operands of an expression node.

#include <placement/fwd.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/pack.hpp>
#include <placement/memory/small_blocks.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// The number of ops in the expression X.
template <class X> inline constexpr std::size_t ops_of = 0;
template <class Op, class K, class... A>
inline constexpr std::size_t ops_of<expr<Op, K, A...>> = (std::size_t{1} + ... + ops_of<A>);

/// Whether X contains an op that is a kernel of its own: a product, a reduction or a custom op.
template <class X> inline constexpr bool has_kernel_of_its_own = false;
template <class Op, class K, class... A>
inline constexpr bool has_kernel_of_its_own<expr<Op, K, A...>> =
    std::is_same_v<typename Op::pattern, gemm> || std::is_same_v<typename Op::pattern, reduce> ||
    std::is_same_v<typename Op::pattern, custom> || (has_kernel_of_its_own<A> || ... || false);
/// Whether X is such an expression of a file whose expressions may be used once.
template <class X> inline constexpr bool is_for_one_use = false;
template <class Op, class K, class... A>
inline constexpr bool is_for_one_use<expr<Op, K, A...>> =
    allows_one_use<K> && has_kernel_of_its_own<expr<Op, K, A...>>;

/// Asserts that a use of E may be its only one: E is no expression for one use, a temporary, or
/// moved.
template <class E> constexpr bool check_used_once() {
  static_assert(!std::is_lvalue_reference_v<E> || !is_for_one_use<std::remove_cvref_t<E>>,
                "placement: each use of this variable computes its expression again, with a "
                "product, a reduction or a custom op. Make it a tensor, or write std::move at its "
                "only use.");
  return true;
}

/// Whether A has a constructor that makes a handle for a node. Checked for tensors only: nvcc also
/// accepts an aggregate, and then fails to initialise its first member.
template <class A> inline constexpr bool makes_handles = false;
template <class T, class X, class D>
inline constexpr bool makes_handles<tensor<T, X, D>> =
    std::is_constructible_v<tensor<T, X, D>, tensor<T, X, D> const&, handle_for_node>;

/// An operand as a node stores it: a named tensor becomes a handle.
template <class A, class X> PLACEMENT_ALWAYS_INLINE constexpr A make_node_operand(X&& x) {
  if constexpr (std::is_lvalue_reference_v<X> && makes_handles<A>) return A(x, handle_for_node{});
  else return A(std::forward<X>(x));
}

/// The operands of a small node, always inlined. A statement builds nodes, moves them into others,
/// and destroys them. Without calls the nodes stay in registers. In memory, a move waits for the
/// preceding stores, which took half of the time for five small operands. Members in place of base
/// classes are fewer functions to compile without optimisation.
template <class... A> struct inlined_operands;
template <> struct inlined_operands<> {
  constexpr explicit inlined_operands(std::in_place_t) {}
};
template <class A> struct inlined_operands<A> {
  template <class X>
  PLACEMENT_ALWAYS_INLINE constexpr inlined_operands(std::in_place_t, X&& x)
      : first(make_node_operand<A>(std::forward<X>(x))) {
    static_assert(check_used_once<X>());
  }
  inlined_operands(inlined_operands const& o) : first(make_node_operand<A>(o.first)) {}
  PLACEMENT_ALWAYS_INLINE constexpr inlined_operands(inlined_operands&&) = default;
  PLACEMENT_ALWAYS_INLINE constexpr ~inlined_operands() = default;
  template <std::size_t> PLACEMENT_ALWAYS_INLINE constexpr auto const& get() const noexcept {
    return first;
  }

  A first;
};
template <class A, class B> struct inlined_operands<A, B> {
  template <class X, class Y>
  PLACEMENT_ALWAYS_INLINE constexpr inlined_operands(std::in_place_t, X&& x, Y&& y)
      : first(make_node_operand<A>(std::forward<X>(x))),
        second(make_node_operand<B>(std::forward<Y>(y))) {
    static_assert(check_used_once<X>() && check_used_once<Y>());
  }
  inlined_operands(inlined_operands const& o)
      : first(make_node_operand<A>(o.first)), second(make_node_operand<B>(o.second)) {}
  PLACEMENT_ALWAYS_INLINE constexpr inlined_operands(inlined_operands&&) = default;
  PLACEMENT_ALWAYS_INLINE constexpr ~inlined_operands() = default;
  template <std::size_t N> PLACEMENT_ALWAYS_INLINE constexpr auto const& get() const noexcept {
    if constexpr (N == 0) return first;
    else return second;
  }

  A first;
  B second;
};
template <class A, class... B> requires(sizeof...(B) > 1)
struct inlined_operands<A, B...> {
  template <class X, class... Y>
  PLACEMENT_ALWAYS_INLINE constexpr inlined_operands(std::in_place_t tag, X&& x, Y&&... y)
      : first(make_node_operand<A>(std::forward<X>(x))), others(tag, std::forward<Y>(y)...) {
    static_assert(check_used_once<X>());
  }
  inlined_operands(inlined_operands const& o)
      : first(make_node_operand<A>(o.first)), others(o.others) {}
  PLACEMENT_ALWAYS_INLINE constexpr inlined_operands(inlined_operands&&) = default;
  PLACEMENT_ALWAYS_INLINE constexpr ~inlined_operands() = default;
  template <std::size_t N> PLACEMENT_ALWAYS_INLINE constexpr auto const& get() const noexcept {
    if constexpr (N == 0) return first;
    else return others.template get<N - 1>();
  }

  A first;
  inlined_operands<B...> others;
};

/// The number of ops of X that its node contains. The others are in heap operands.
template <class X> inline constexpr std::size_t contained_ops = 0;
/// Whether a node has operand A on the heap. False for operands without handles, whose expressions
/// are constants and inlined loops.
template <class A>
inline constexpr bool is_on_heap = contained_ops<A> >= 4 && !std::is_trivially_destructible_v<A> &&
                                   alignof(A) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
template <class Op, class K, class... A>
inline constexpr std::size_t contained_ops<expr<Op, K, A...>> =
    (std::size_t{1} + ... + (is_on_heap<A> ? 0 : contained_ops<A>));

/// An operand in a block of the heap, so that its node is moved by a pointer. Without it an
/// expression of n ops copies O(n^2) bytes, as each op moves the ops below.
template <class A> class heap_operand {
 public:
  /// Throws: out_of_memory.
  template <class X> [[gnu::noinline]] explicit heap_operand(X&& x) : block_(sizeof(A)) {
    new (block_.data()) A(make_node_operand<A>(std::forward<X>(x)));
  }
  heap_operand(heap_operand const& o) : heap_operand(o.get()) {}
  heap_operand(heap_operand&&) noexcept = default;
  [[gnu::noinline]] ~heap_operand() {
    if (block_.data() != nullptr) get().~A();
  }
  A const& get() const noexcept { return *static_cast<A const*>(block_.data()); }

 private:
  heap_block block_;
};

template <class A> inline constexpr bool is_heap_operand = false;
template <class A> inline constexpr bool is_heap_operand<heap_operand<A>> = true;

/// The operands of a large node. Inlining all nodes would make the code grow with the square of
/// their number.
template <class Numbers, class... A> struct many_operands;
template <std::size_t... I, class... A>
struct many_operands<std::index_sequence<I...>, A...>
    : pack<std::conditional_t<is_on_heap<A>, heap_operand<A>, A>...> {
  template <class... X> requires(sizeof...(X) == sizeof...(A))
  constexpr explicit many_operands(std::in_place_t, X&&... x)
      : pack<std::conditional_t<is_on_heap<A>, heap_operand<A>, A>...>{
            {make_operand<A>(std::forward<X>(x))}...} {
    static_assert((check_used_once<X>() && ...));
  }
  template <std::size_t N> constexpr auto const& get() const noexcept {
    auto const& stored = slot_value<N>(*this);
    if constexpr (is_heap_operand<std::remove_cvref_t<decltype(stored)>>) return stored.get();
    else return stored;
  }

 private:
  template <class B, class X> static constexpr auto make_operand(X&& x) {
    if constexpr (is_on_heap<B>) return heap_operand<B>(std::forward<X>(x));
    else return make_node_operand<B>(std::forward<X>(x));
  }
};

/// Whether there are fewer than 8 ops below a node with these operands, so that its code is
/// inlined.
template <class... A> inline constexpr bool is_small = (std::size_t{0} + ... + ops_of<A>) < 8;

template <class... A>
using node_operands = std::conditional_t<is_small<A...>, inlined_operands<A...>,
                                         many_operands<std::index_sequence_for<A...>, A...>>;

}}}  // namespace placement::v0_1::detail
