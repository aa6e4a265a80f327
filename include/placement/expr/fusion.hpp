#pragma once
/// What fuses with what: which nodes of an expression become one kernel. Decided by types alone, so
/// that an expression has one set of kernels; only whether an extent of 1 is broadcast is left to
/// the value.
///
/// A region is a root and the element-wise nodes (map, reindex, fill) that it reaches without
/// crossing a boundary. Boundaries: on(), products, reductions, custom ops, and, when the region
/// goes to a GPU (`Split`), ops whose having a GPU kernel differs from the root's. A reduction also
/// takes in the element-wise nodes below it; a product or reduction takes the element-wise nodes
/// above it as its epilogue.

#include <placement/expr/expr.hpp>

namespace placement::inline v0_1::detail {

template <class X> concept fusible_node =
    is_expr<X> &&
    (has_pattern<typename X::op_type, map> || has_pattern<typename X::op_type, view_op> ||
     has_pattern<typename X::op_type, fill>);
template <class X> concept map_node = is_expr<X> && has_pattern<typename X::op_type, map>;
template <class X> concept reduce_node = is_expr<X> && has_pattern<typename X::op_type, reduce>;
template <class X> concept matmul_node = is_expr<X> && has_pattern<typename X::op_type, gemm>;
template <class X> concept literal_node = is_expr<X> && has_pattern<typename X::op_type, immediate>;
template <class X> concept custom_node = is_expr<X> && has_pattern<typename X::op_type, custom>;

/// A reindex that only changes a layout; the others renumber elements (reshape).
template <class X> concept relayout = fusible_node<X> &&
                                      has_pattern<typename X::op_type, view_op> &&
                                      !requires { X::op_type::reshapes; };
template <class X> concept reshaping_node = fusible_node<X> &&
                                            has_pattern<typename X::op_type, view_op> &&
                                            requires { X::op_type::reshapes; };

/// Memory, or a chain of relayouts over memory.
template <class X> inline constexpr bool is_viewable = stored<X>;
template <relayout X>
inline constexpr bool is_viewable<X> =
    is_viewable<bare<decltype(std::declval<X const&>().template arg<0>())>>;

template <class X, std::size_t I>
using operand_type = bare<decltype(std::declval<X const&>().template arg<I>())>;

/// Calls f.template operator()<Child>() for each operand type of a node.
template <class X> struct operands_of;
template <class Op, class K, class... A> struct operands_of<expr<Op, K, A...>> {
  template <class F> static constexpr void each([[maybe_unused]] F f) {
    (f.template operator()<A>(), ...);
  }
};
template <class X, class F, std::size_t... I>
constexpr void call_with_operands(X const& e, F& f, std::index_sequence<I...>) {
  (f(e.template arg<I>()), ...);
}
/// Calls f(child) for each operand of a node.
template <class X, class F> constexpr void for_each_operand(X const& e, F f) {
  call_with_operands(e, f, std::make_index_sequence<X::arity>{});
}

// ---- which kernels there are

/// The element type that an op's kernel is looked up by: its first operand's, or its own without
/// operands.
template <class X> struct kernel_element {
  using type = typename X::value_type;
};
template <class Op, class K, class A, class... B> struct kernel_element<expr<Op, K, A, B...>> {
  using type = typename A::value_type;
};
template <class Op, class K, class A, class B, class C>
requires has_pattern<Op, map> && (sizeof(typename A::value_type) != 0)
struct kernel_element<expr<Op, K, A, B, C>> {  // where(condition, x, y): by the values
  using type = typename B::value_type;
};
template <class X> using element_of = typename kernel_element<X>::type;

template <class X>
inline constexpr bool declared = gpu_declared<typename X::op_type, element_of<X>>;

template <class K> struct gpu_part {
  using type = void;
};
template <class C, class G> struct gpu_part<kernel_set<C, G>> {
  using type = G;
};
template <class X>
using kernel_pattern = std::conditional_t<fusible_node<X>, map, pattern_of<typename X::op_type>>;
template <class X>
using cpu_kernel = kernel<cpu_kernels, kernel_pattern<X>, typename X::op_type, element_of<X>>;
template <class X>
using gpu_kernel = kernel<typename gpu_part<typename X::kernels>::type, kernel_pattern<X>,
                          typename X::op_type, element_of<X>>;

/// The same where it is one that this file can launch.
template <class X>
using gpu_kernel_here =
    std::conditional_t<declared<X> && launches_gpu<typename X::kernels>, gpu_kernel<X>, no_kernel>;

template <class X>
inline constexpr kernels_for kernels_of{declared<X>,
                                        launches_gpu<typename X::kernels>&& gpu_kernel<X>::exists};

// ---- what fuses

/// Does element-wise child C join the region whose root is R?
template <class C, class R, bool Split> inline constexpr bool joins = false;
template <fusible_node C, class R> inline constexpr bool joins<C, R, false> = true;
template <fusible_node C, class R>
inline constexpr bool joins<C, R, true> = declared<C> == declared<R>;  // a fusing root joins itself

/// Can product or reduction C write its result where the region R writes, and R then rework it in
/// place?
template <class C, class R, bool Split> inline constexpr bool takes_epilogue = false;
template <class C, class R, bool Split> requires(matmul_node<C> || reduce_node<C>)
inline constexpr bool takes_epilogue<C, R, Split> =
    std::is_same_v<typename C::value_type, typename R::value_type> &&
    may_convert<typename C::extents_type, typename R::extents_type>() &&
    (!Split || declared<C> == declared<R>);

/// Does any node that would be in the kernel of R, below X, differ from R in having a GPU kernel?
/// The question of X itself is asked of its operands.
template <class X, class R> inline constexpr bool differs_below = false;
template <class C, class R> constexpr bool differs_from() {
  if constexpr (fusible_node<C>) return declared<C> != declared<R> || differs_below<C, R>;
  else if constexpr (reduce_node<C>)
    return declared<C> != declared<R> || (takes_epilogue<C, R, false> && differs_below<C, C>);
  else if constexpr (matmul_node<C>) return declared<C> != declared<R>;
  else return false;
}
template <class Op, class K, class... A, class R>
inline constexpr bool differs_below<expr<Op, K, A...>, R> = (differs_from<A, R>() || ...);
/// Is the region another one on a GPU than on a CPU?
template <class E>
inline constexpr bool splits = (fusible_node<E> || reduce_node<E>) && differs_below<E, E>;

/// Is this form of a region also for GPUs? Of one that splits, the whole is for CPUs only.
template <class R, bool Split>
inline constexpr bool for_gpus = declared<R> && (Split || !splits<R>);
/// The kernel for GPUs of this form, where it is one that this file can launch.
template <class X, bool Split>
using gpu_kernel_of_form = std::conditional_t<Split || !splits<X>, gpu_kernel_here<X>, no_kernel>;

/// Does the region below X see any of its operands in another layout than it has, apart from being
/// repeated?
template <class X, class R, bool Split> inline constexpr bool changes_layouts = false;
template <class Op, class K, class... A, class R, bool Split>
inline constexpr bool changes_layouts<expr<Op, K, A...>, R, Split> =
    relayout<expr<Op, K, A...>> || ((joins<A, R, Split> && changes_layouts<A, R, Split>) || ...);

/// Operands of the region below X that are not part of it.
template <class X, class R, bool Split> inline constexpr std::size_t leaves_below = 0;
template <class C, class R, bool Split> constexpr std::size_t leaves_at() {
  if constexpr (is_scalar<C>) return 0;
  else if constexpr (joins<C, R, Split>) return leaves_below<C, R, Split>;
  else return 1;
}
template <class Op, class K, class... A, class R, bool Split>
inline constexpr std::size_t leaves_below<expr<Op, K, A...>, R, Split> =
    (std::size_t{0} + ... + leaves_at<A, R, Split>());

// ---- the epilogue

struct no_producer {};

/// Is there a product or reduction in X at all?
template <class X> inline constexpr bool has_producer = false;
template <class Op, class K, class... A>
inline constexpr bool has_producer<expr<Op, K, A...>> =
    matmul_node<expr<Op, K, A...>> || reduce_node<expr<Op, K, A...>> || (has_producer<A> || ...);

/// The first product or reduction below x, reached through maps only, that takes region R as its
/// epilogue: a pointer to its node, or no_producer. Whether it is taken is then left to the shapes:
/// they must be equal. X: the expression, or what x stands for.
template <class R, bool Split, class X = void, std::size_t I = 0, class N>
constexpr auto producer_of(N const& x) {
  if constexpr (std::is_void_v<X>) {
    return producer_of<R, Split, N>(x);
  } else if constexpr (!fusible_node<X> || !has_producer<X>) {
    return no_producer{};
  } else if constexpr (!has_pattern<typename X::op_type, map> || I == X::arity) {
    return no_producer{};
  } else {
    using C = operand_type<X, I>;
    if constexpr (takes_epilogue<C, R, Split>) {
      return &x.template arg<I>();
    } else if constexpr (joins<C, R, Split>) {
      auto const below = producer_of<R, Split, C>(x.template arg<I>());
      if constexpr (!std::is_same_v<bare<decltype(below)>, no_producer>) return below;
      else return producer_of<R, Split, X, I + 1>(x);
    } else {
      return producer_of<R, Split, X, I + 1>(x);
    }
  }
}
template <class E, bool Split>
using producer_type = decltype(producer_of<E, Split>(std::declval<E const&>()));
template <class E, bool Split>
inline constexpr bool has_epilogue = !std::is_same_v<producer_type<E, Split>, no_producer>;

// ---- which of the two forms

enum class form : signed char { strided, dynamic, contiguous };
constexpr form weaker(form a, form b) { return a < b ? a : b; }

/// Can the region below X be read by one flat index over shape S? By type; `dynamic`: the extents
/// decide.
template <class X, class S> constexpr form form_of_shape() {
  if constexpr (X::rank == 0) return form::contiguous;
  else if constexpr (!may_convert<X, S>()) return form::strided;
  else return X::is_static && S::is_static ? form::contiguous : form::dynamic;
}
template <class X, class R, bool Split, class S> constexpr form form_of();
template <class X, class R, bool Split, class S> struct form_of_operands;
template <class Op, class K, class... A, class R, bool Split, class S>
struct form_of_operands<expr<Op, K, A...>, R, Split, S> {
  static constexpr form get() {
    form f = form::contiguous;
    if constexpr (reshaping_node<expr<Op, K, A...>>)
      ((f = weaker(f, form_of<A, R, Split, typename A::extents_type>())), ...);
    else ((f = weaker(f, form_of<A, R, Split, S>())), ...);
    return f;
  }
};
template <class X, class R, bool Split, class S> constexpr form form_of() {
  if constexpr (is_scalar<X>) {
    return form::contiguous;
  } else if constexpr (joins<X, R, Split>) {
    // One element beside many: a flat index would number it as if it were as many.
    constexpr bool one_of_many =
        X::rank == 0 && S::rank != 0 && !has_pattern<typename X::op_type, map>;
    if constexpr (relayout<X> || one_of_many) {
      return form::strided;
    } else {
      return weaker(form_of_shape<typename X::extents_type, S>(),
                    form_of_operands<X, R, Split, S>::get());
    }
  } else {
    return form_of_shape<typename X::extents_type, S>();
  }
}
/// The same question about the value.
template <class R, bool Split, class X, class S>
constexpr bool is_contiguous(X const& x, S const& shape);
template <class R, bool Split, class X, class S, std::size_t... I>
constexpr bool are_contiguous(X const& x, [[maybe_unused]] S const& shape,
                              std::index_sequence<I...>) {
  if constexpr (reshaping_node<X>)
    return (is_contiguous<R, Split>(x.template arg<I>(), x.template arg<I>().shape()) && ...);
  else return (is_contiguous<R, Split>(x.template arg<I>(), shape) && ...);
}
template <class R, bool Split, class X, class S>
constexpr bool is_contiguous(X const& x, S const& shape) {
  if constexpr (is_scalar<X>) {
    return true;
  } else {
    if constexpr (X::extents_type::rank != 0) {
      if (!(x.shape() == shape)) return false;
    }
    if constexpr (!joins<X, R, Split>) return true;
    else if constexpr (relayout<X>) return false;
    else return are_contiguous<R, Split>(x, shape, std::make_index_sequence<X::arity>{});
  }
}

}  // namespace placement::inline v0_1::detail
