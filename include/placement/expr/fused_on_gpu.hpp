#pragma once
/// Launches fused kernels on real GPUs. The file that has the kernel makes the typed
/// arguments from the operand table of any file.

#include <placement/exec/fused_call.hpp>
#include <placement/expr/launchable.hpp>
#include <placement/expr/slot_expr.hpp>
#include <placement/kernels/bound_expr.hpp>
#include <placement/kernels/kernel_launch.hpp>
#include <placement/shape/strided_view.hpp>

#include <cassert>

namespace placement { inline namespace v0_1 { namespace detail {

/// Reads an operand table from its begin.
struct table_reader {
  block_operand const* operand;
  table_level const* level;

  /// The next layout, of a shape of rank R.
  template <std::size_t R> layout<R> next_layout() {
    table_level const& from = *level++;
    layout<R> l;
    l.base = from.layout.base;
    for (std::size_t d = 0; d != R; ++d) l.stride[d] = from.stride[d];
    return l;
  }
};
/// The shape with these extents.
template <class X> X shape_from([[maybe_unused]] index_t const* extent) {
  X x{};
  if constexpr (!X::is_static)
    for (std::size_t d = 0; d != X::rank; ++d) x.n[d] = extent[d];
  return x;
}

/// The slot expression s over contiguous operands.
template <bool Gpu, class T> scalar<T> contiguous_args(scalar<T> const& s, table_reader&) {
  return s;
}
template <bool Gpu, class T> dense_leaf<T> contiguous_args(memory_slot<T>, table_reader& from) {
  return {static_cast<T const*>((from.operand++)->data)};
}
template <bool Gpu, class T> single_leaf<T> contiguous_args(single_slot<T>, table_reader& from) {
  return {static_cast<T const*>((from.operand++)->data)};
}
template <bool Gpu, class Op>
index_generator<Op> contiguous_args(generator_slot<Op> const& g, table_reader& from) {
  ++from.operand;
  return {g.op};
}
template <bool Gpu, class Op, class... A>
auto contiguous_args(bound_expr<false, Op, A...> const& s, table_reader& from) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return bound_expr<Gpu, Op, decltype(contiguous_args<Gpu>(s.args.template get<I>(), from))...>{
        s.op, {{contiguous_args<Gpu>(s.args.template get<I>(), from)}...}};
  }(std::index_sequence_for<A...>{});
}

/// An operand in memory with the shape of X, broadcast to a shape of rank Rank.
template <class X, std::size_t Rank>
strided_load<dense_leaf<typename X::value_type>, Rank> strided_operand_of(table_reader& from) {
  auto const* const p = static_cast<typename X::value_type const*>((from.operand++)->data);
  if constexpr (X::extents_type::rank == 0) return {{p}, {}};
  else return {{p}, from.template next_layout<Rank>()};
}
/// The slot expression s of node X over strided operands. Rank: of the shape that the layouts count
/// in.
template <bool Gpu, fused_nodes N, class X, std::size_t Rank, class S>
auto strided_args([[maybe_unused]] S const& s, table_reader& from) {
  if constexpr (is_scalar<X>) {
    return s;
  } else if constexpr (!joins<X, N>) {
    return strided_operand_of<X, Rank>(from);
  } else if constexpr (relayout<X>) {
    return strided_args<Gpu, N, operand_type<X, 0>, Rank>(s, from);
  } else if constexpr (map_node<X>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using result = bound_expr<Gpu, typename X::op_type,
                                decltype(strided_args<Gpu, N, operand_type<X, I>, Rank>(
                                    s.args.template get<I>(), from))...>;
      return result{
          s.op,
          {{strided_args<Gpu, N, operand_type<X, I>, Rank>(s.args.template get<I>(), from)}...}};
    }(std::make_index_sequence<X::arity>{});
  } else if constexpr (reshapes_expression<X, N>) {
    using C = typename operand_type<X, 0>::extents_type;
    auto const shape = shape_from<C>(from.level->extent);
    auto const where = from.template next_layout<Rank>();
    auto const inner = strided_args<Gpu, N, operand_type<X, 0>, C::rank>(s, from);
    return strided_load<reshaped_expr<bare<decltype(inner)>, C>, Rank>{{shape, inner}, where};
  } else if constexpr (reshaping_node<X>) {
    return strided_operand_of<X, Rank>(from);
  } else {
    ++from.operand;
    return strided_load<index_generator<typename X::op_type>, Rank>{
        {s.op}, from.template next_layout<Rank>()};
  }
}

/// Whether E is a reduction along an axis.
template <class E> inline constexpr bool is_axis_reduction = false;
template <reduce_node E> inline constexpr bool is_axis_reduction<E> = !E::op_type::reduces_all;

/// The form of E's kernels. Nothing broadcasts the only operand, so it needs no strided kernel.
template <class E, bool Split> constexpr form form_on_gpu() {
  using input = input_type<E>;
  if constexpr (is_axis_reduction<E>) return form::strided;
  constexpr form by_type = form_of<input, nodes_of<E, Split>, typename input::extents_type>();
  constexpr bool is_only = facts_of_kernel<E, Split>.with_extents == 1;
  return by_type == form::dynamic && is_only ? form::contiguous : by_type;
}

/// The next operand of a product, of rank Rank.
template <class T, std::size_t Rank> strided_view<T const, Rank> factor_from(table_reader& from) {
  auto const* const p = static_cast<T const*>((from.operand++)->data);
  return {p, from.template next_layout<Rank>()};
}
/// Launches the product or reduction E; `epilogue` follows.
template <class E, bool Split, class Epilogue>
void produce_on_gpu(logical_device const& on, fused_call const& c, Epilogue const& epilogue) {
  using Kernel = gpu_kernel_here<E>;
  using input = input_type<E>;
  using X = typename input::extents_type;
  auto* const out = static_cast<typename E::value_type*>(c.blocks.out);
  auto const shape = shape_from<X>(c.shape.extent);
  table_reader from{c.blocks.operand, c.level};
  if constexpr (matmul_node<E>) {
    using T = typename E::value_type;
    auto const a = factor_from<T, X::rank>(from), b = factor_from<T, X::rank>(from);
    Kernel::run(on, out, shape, c.depth, a, b, epilogue);
  } else {
    auto const& op = *static_cast<typename E::op_type const*>(c.op);
    auto const& s = *static_cast<slot_expr<E, Split> const*>(c.blocks.expr);
    constexpr form by_type = form_on_gpu<E, Split>();
    assert(by_type != form::contiguous || c.is_contiguous);
    if constexpr (by_type != form::strided) {
      if (by_type == form::contiguous || c.is_contiguous)
        return Kernel::contiguous(on, op, out, c.elements,
                                  contiguous_args<for_gpus<E, Split>>(s, from), epilogue);
    }
    if constexpr (by_type != form::contiguous) {
      auto const args =
          strided_args<for_gpus<E, Split>, nodes_of<E, Split>, input, X::rank>(s, from);
      if constexpr (!is_axis_reduction<E>) Kernel::strided(on, op, out, shape, args, epilogue);
      else if (c.axis + 1 == X::rank) Kernel::last_axis(on, op, out, shape, args, epilogue);
      else Kernel::inner_axis(on, op, out, shape, c.axis, args, epilogue);
    }
  }
}
/// Calls f(contiguous_form{}, args) with the typed arguments of an element-wise kernel if all
/// operands are contiguous, else f(strided_form{}, args).
template <class E, bool Split, class F> void with_args(fused_call const& c, F const& f) {
  using X = typename E::extents_type;
  auto const& s = *static_cast<slot_expr<E, Split> const*>(c.blocks.expr);
  constexpr form by_type = form_on_gpu<E, Split>();
  assert(by_type != form::contiguous || c.is_contiguous);
  table_reader from{c.blocks.operand, c.level};
  if constexpr (by_type != form::strided) {
    if (by_type == form::contiguous || c.is_contiguous)
      return f(contiguous_form{}, contiguous_args<for_gpus<E, Split>>(s, from));
  }
  if constexpr (by_type != form::contiguous)
    f(strided_form{}, strided_args<for_gpus<E, Split>, nodes_of<E, Split>, E, X::rank>(s, from));
}

/// Launches the kernel of E on a GPU. call: a fused_call of any file.
template <class E, bool Split>
void launch_fused_on_gpu(logical_device const& on, void const* call) {
  fused_call const& c = *static_cast<fused_call const*>(call);
  if constexpr (!fusible_node<E>) {
    produce_on_gpu<E, Split>(on, c, no_epilogue{});
  } else {
    using T = typename E::value_type;
    using X = typename E::extents_type;
    auto* const out = static_cast<T*>(c.blocks.out);
    auto const shape = shape_from<X>(c.shape.extent);
    if constexpr (has_epilogue<E, Split>) {
      if (c.producer != nullptr)
        return with_args<E, Split>(c, [&]<class Form, class F>(Form in_form, F const& f) {
          produce_on_gpu<bare<decltype(*std::declval<producer_type<E, Split>>())>, Split>(
              on, *c.producer->call, make_epilogue(in_form, out, f, shape));
        });
    }
    with_args<E, Split>(c, [&]<class Form, class F>(Form, F const& f) {
      using Kernel = gpu_kernel_of_form<E, Split>;
      if constexpr (std::is_same_v<Form, contiguous_form>) {
        Kernel::contiguous(on, out, c.elements, f);
      } else {
        using where = std::conditional_t<changes_layouts<E, nodes_of<E, Split>>, layout<X::rank>,
                                         untransposed_layout<X::rank>>;
        Kernel::strided(on, out, where{row_major(shape)}, shape, f);
      }
    });
  }
}

/// The launcher of another file with the same kernel; nullptr if no file of the program has it.
template <class Signature>
PLACEMENT_PROCESS_STATE inline constinit shared_word<launcher> fused_launcher{nullptr};

/// Registers the kernel during static initialisation.
template <class E, bool Split, kernel_source Source> struct fused_launcher_registration {
  static inline bool const registered =
      register_launcher(fused_launcher<typename kernel_signature<E, Split>::type>,
                        &launch_fused_on_gpu<E, Split>, Source);
};
template <class E, bool Split, kernel_source Source = kernel_source::another_file>
launcher own_fused_launcher() noexcept {
  static_cast<void>(&fused_launcher_registration<E, Split, Source>::registered);
  static_cast<void>(&has_kernels<E, Split, Source>::registered);
  return &launch_fused_on_gpu<E, Split>;
}

}}}  // namespace placement::v0_1::detail
