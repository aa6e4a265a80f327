#pragma once
/// Fusion: decides which nodes of an expression become one kernel. Types alone decide, so that an
/// expression has one set of kernels. Only whether an extent of 1 is broadcast depends on run-time
/// extents.
///
/// A fusion group is a root and the element-wise nodes (map, view_op, fill) that it reaches without
/// crossing a boundary. Boundaries are on(), products, reductions and custom ops. If the group goes
/// to a GPU (`Split`), an op is also a boundary if only one of op and root has a GPU kernel. A
/// reduction also fuses the element-wise nodes below it. A product or reduction fuses the
/// element-wise nodes above it as its epilogue.

#include <placement/expr/expr.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

template <class X> concept fusible_node =
    is_expr<X> &&
    (has_pattern<typename X::op_type, map> || has_pattern<typename X::op_type, view_op> ||
     has_pattern<typename X::op_type, fill>);
template <class X> concept map_node = is_expr<X> && has_pattern<typename X::op_type, map>;
template <class X> concept reduce_node = is_expr<X> && has_pattern<typename X::op_type, reduce>;
template <class X> concept matmul_node = is_expr<X> && has_pattern<typename X::op_type, gemm>;
template <class X> concept literal_node = is_expr<X> && has_pattern<typename X::op_type, immediate>;
template <class X> concept custom_node = is_expr<X> && has_pattern<typename X::op_type, custom>;

/// A view op that only changes a layout; the others (reshape) change the linear index of elements.
template <class X> concept relayout = fusible_node<X> &&
                                      has_pattern<typename X::op_type, view_op> &&
                                      !requires { X::op_type::reshapes; };
template <class X> concept reshaping_node = fusible_node<X> &&
                                            has_pattern<typename X::op_type, view_op> &&
                                            requires { X::op_type::reshapes; };

/// Memory, or a chain of relayouts of memory.
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

// ---- kernels of nodes

/// Are elements of the op complex? No GPU kernel has such elements; values of the program are
/// copied.
template <class X>
inline constexpr bool computes_complex =
    !literal_node<X> && (is_complex<element_of<X>> || is_complex<typename X::value_type>);
template <class X>
inline constexpr bool declared =
    gpu_declared<typename X::op_type, element_of<X>> && !computes_complex<X>;

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

/// The GPU kernel if this file can launch it, else `no_kernel`.
template <class X>
using gpu_kernel_here = std::conditional_t<
    has_gpu_library<typename X::op_type>, library_kernel,
    std::conditional_t<declared<X> && launches_gpu<typename X::kernels>, gpu_kernel<X>, no_kernel>>;

/// Whether the kernel exists in files that launch GPU kernels. Values written in the program need
/// none: they are copied to the GPU.
template <class X>
inline constexpr bool gpu_kernel_exists = literal_node<X> || gpu_kernel<X>::exists;

template <class X>
inline constexpr kernels_for kernels_of{declared<X>,
                                        launches_gpu<typename X::kernels>&& gpu_kernel_exists<X>};

// ---- fusion

/// The element-wise nodes of a fusion group: all, or, where it is split, those with or without a
/// GPU kernel. Functions of nodes have it as a parameter in place of the group's root, so that
/// groups share them.
enum class fused_nodes : signed char { all, with_gpu_kernel, without_gpu_kernel };
/// The nodes that the kernel with root R fuses.
template <class R, bool Split>
inline constexpr fused_nodes nodes_of = !Split        ? fused_nodes::all
                                        : declared<R> ? fused_nodes::with_gpu_kernel
                                                      : fused_nodes::without_gpu_kernel;

/// Whether the element-wise child C joins a fusion group.
template <class C, fused_nodes N> inline constexpr bool joins = false;
template <fusible_node C, fused_nodes N>
inline constexpr bool joins<C, N> =
    N == fused_nodes::all || declared<C> == (N == fused_nodes::with_gpu_kernel);

/// Whether product or reduction C can write its result where R writes, with R as an epilogue in
/// place.
template <class C, class R, bool Split> inline constexpr bool takes_epilogue = false;
template <class C, class R, bool Split> requires(matmul_node<C> || reduce_node<C>)
inline constexpr bool takes_epilogue<C, R, Split> =
    std::is_same_v<typename C::value_type, typename R::value_type> &&
    may_convert<typename C::extents_type, typename R::extents_type>() &&
    (!Split || declared<C> == declared<R>);

/// Whether any node below X that could join R's kernel differs from R in having a GPU kernel. X
/// itself is not checked, only its operands.
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
/// Whether the fusion group is split on a GPU, but not on a CPU.
template <class E>
inline constexpr bool splits = (fusible_node<E> || reduce_node<E>) && differs_below<E, E>;

/// Whether this form of a fusion group can run on GPUs. If a group splits, its whole form is for
/// CPUs only.
template <class R, bool Split>
inline constexpr bool for_gpus = declared<R> && (Split || !splits<R>);
/// The GPU kernel of this form if this file can launch it, else `no_kernel`.
template <class X, bool Split>
using gpu_kernel_of_form = std::conditional_t<Split || !splits<X>, gpu_kernel_here<X>, no_kernel>;

/// Whether an op below X in the fusion group changes the layout of an operand, other than by
/// broadcasting.
template <class X, fused_nodes N> inline constexpr bool changes_layouts = false;
template <class Op, class K, class... A, fused_nodes N>
inline constexpr bool changes_layouts<expr<Op, K, A...>, N> =
    relayout<expr<Op, K, A...>> || ((joins<A, N> && changes_layouts<A, N>) || ...);

/// Whether an element-wise expression reads only tensors and numbers. A tensor of rank 0 is not
/// reshaped to another rank: one element would be read as many.
template <class X> inline constexpr bool reads_tensors_only = is_scalar<X> || is_tensor<X>;
template <map_node X>
inline constexpr bool reads_tensors_only<X> = [] {
  bool all = true;
  operands_of<X>::each([&]<class C>() { all = all && reads_tensors_only<C>; });
  return all;
}();
template <reshaping_node X>
inline constexpr bool reads_tensors_only<X> = [] {
  using C = operand_type<X, 0>;
  if constexpr (is_tensor<C>) return (C::rank == 0) == (X::extents_type::rank == 0);
  else return reads_tensors_only<C>;
}();

// ---- the epilogue

struct no_producer {};

/// Whether X contains a product or reduction.
template <class X> inline constexpr bool has_producer = false;
template <class Op, class K, class... A>
inline constexpr bool has_producer<expr<Op, K, A...>> =
    matmul_node<expr<Op, K, A...>> || reduce_node<expr<Op, K, A...>> || (has_producer<A> || ...);

/// The first product or reduction below x, reached through maps only, that can take the fusion
/// group R as its epilogue. Returns a pointer to its node, or `no_producer`. At run time, it takes
/// the epilogue only if the shapes are equal. X: the expression that x is or stands for.
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
    } else if constexpr (joins<C, nodes_of<R, Split>>) {
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
template <class E, bool Split> inline constexpr bool has_epilogue = false;
template <fusible_node E, bool Split> requires has_producer<E>
inline constexpr bool has_epilogue<E, Split> =
    !std::is_same_v<producer_type<E, Split>, no_producer>;

/// Whether E is evaluated as a fused kernel: element-wise ops, a reduction of them, or a product.
template <class E> constexpr bool is_fused() {
  return fusible_node<E> || reduce_node<E> || matmul_node<E>;
}

// ---- contiguous or strided

enum class form : signed char { strided, dynamic, contiguous };
constexpr form weaker(form a, form b) { return a < b ? a : b; }

/// Whether an operand can be read by one linear index over shape S, by type. `dynamic`: the
/// run-time extents decide.
template <class X, class S> constexpr form form_of_shape() {
  if constexpr (X::rank == 0) return form::contiguous;
  else if constexpr (!may_convert<X, S>()) return form::strided;
  else return X::is_static && S::is_static ? form::contiguous : form::dynamic;
}
template <class X, fused_nodes N, class S> constexpr form form_of();
template <class X, fused_nodes N, class S>
inline constexpr form form_of_operands = form::contiguous;
template <class Op, class K, class... A, fused_nodes N, class S>
inline constexpr form form_of_operands<expr<Op, K, A...>, N, S> = [] {
  form f = form::contiguous;
  if constexpr (reshaping_node<expr<Op, K, A...>>)
    ((f = weaker(f, form_of<A, N, typename A::extents_type>())), ...);
  else ((f = weaker(f, form_of<A, N, S>())), ...);
  return f;
}();
template <class X, fused_nodes N, class S> constexpr form form_of() {
  if constexpr (is_scalar<X>) {
    return form::contiguous;
  } else if constexpr (joins<X, N>) {
    // A scalar read by a linear index would be treated as if it had the other elements' indices.
    constexpr bool one_of_many =
        X::rank == 0 && S::rank != 0 && !has_pattern<typename X::op_type, map>;
    if constexpr (relayout<X> || one_of_many) {
      return form::strided;
    } else {
      return weaker(form_of_shape<typename X::extents_type, S>(), form_of_operands<X, N, S>);
    }
  } else {
    return form_of_shape<typename X::extents_type, S>();
  }
}
/// Whether the fusion group is contiguous, by run-time extents.
template <fused_nodes N, class X, class S> constexpr bool is_contiguous(X const& x, S const& shape);
template <fused_nodes N, class X, class S, std::size_t... I>
constexpr bool are_contiguous(X const& x, [[maybe_unused]] S const& shape,
                              std::index_sequence<I...>) {
  if constexpr (reshaping_node<X>)
    return (is_contiguous<N>(x.template arg<I>(), x.template arg<I>().shape()) && ...);
  else return (is_contiguous<N>(x.template arg<I>(), shape) && ...);
}
template <fused_nodes N, class X, class S>
constexpr bool is_contiguous(X const& x, S const& shape) {
  if constexpr (is_scalar<X>) {
    return true;
  } else {
    if constexpr (X::extents_type::rank != 0) {
      if (!(x.shape() == shape)) return false;
    }
    if constexpr (!joins<X, N>) return true;
    else if constexpr (relayout<X>) return false;
    else return are_contiguous<N>(x, shape, std::make_index_sequence<X::arity>{});
  }
}

}}}  // namespace placement::v0_1::detail
