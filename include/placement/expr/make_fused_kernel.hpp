#pragma once
/// What an element-wise expression, a reduction or a product compiles: its block kernel, and
/// functions that list its operands and its ops.

#include <placement/cpu/block_epilogue.hpp>
#include <placement/cpu/block_kernel.hpp>
#include <placement/cpu/gemm.hpp>
#include <placement/expr/epilogue.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/expr/fused_on_gpu.hpp>
#include <placement/expr/list_operands.hpp>
#include <placement/expr/noexcept.hpp>
#include <placement/expr/shared_kernels.hpp>
#include <placement/kernels/op_of_loops.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The op of a reduction and the expression of its block kernel, or the latter alone, in one block
/// of memory.
template <class E, bool Split> struct fused_ops {
  using slots = slot_expr<E, Split>;
  using op_type = typename E::op_type;
  static constexpr std::size_t expr_at =
      reduce_node<E> ? (sizeof(op_type) + alignof(slots) - 1) / alignof(slots) * alignof(slots) : 0;
  static constexpr std::size_t bytes = expr_at + sizeof(slots);
  static_assert(
      alignof(slots) <= static_cast<std::size_t>(slot_alignment) &&
          alignof(op_type) <= static_cast<std::size_t>(slot_alignment),
      "placement: an op of this expression is aligned to more than 64 bytes. Let it point to "
      "such memory.");
  static constexpr bool is_trivial =
      is_trivially_copyable<slots> && (!reduce_node<E> || is_trivially_copyable<op_type>);

  static void write(void const* e, void* to) {
    E const& from = *static_cast<E const*>(e);
    ::new (static_cast<unsigned char*>(to) + expr_at)
        slots(slot_expr_of<nodes_of<E, Split>>(input_of(from)));
    copy_op(to, &from.op);
  }
  /// A launch_copier.
  static void copy(void* to, void const* from) {
    if (from == nullptr) {
      static_cast<slots*>(part(to))->~slots();
      if constexpr (reduce_node<E>) static_cast<op_type*>(to)->~op_type();
    } else {
      auto const* const s = static_cast<unsigned char const*>(from) + expr_at;
      ::new (part(to)) slots(*reinterpret_cast<slots const*>(s));
      copy_op(to, from);
    }
  }

 private:
  static void* part(void* to) { return static_cast<unsigned char*>(to) + expr_at; }
  /// Copies the op of a reduction. If that throws, it destroys the expression.
  static void copy_op([[maybe_unused]] void* to, [[maybe_unused]] void const* from) {
    if constexpr (!reduce_node<E>) {
      return;
    } else if constexpr (std::is_nothrow_copy_constructible_v<op_type>) {
      ::new (to) op_type(*static_cast<op_type const*>(from));
    } else {
      try {
        ::new (to) op_type(*static_cast<op_type const*>(from));
      } catch (...) {
        static_cast<slots*>(part(to))->~slots();
        throw;
      }
    }
  }
};

/// The producer_function of a reduction: for elements of type T and results of type R.
template <class Op, class T, class R, class K = cpu_kernels>
void reduce_fused(fused_call const& c, block_epilogue const* epilogue, par on) {
  using loops = kernel<cpu_kernels, reduce, typename op_of_loops<Op>::type, T>;
  auto const& op = op_of_loops<Op>::of(*static_cast<Op const*>(c.op));
  R* const out = static_cast<R*>(c.blocks.out);
  if constexpr (!Op::reduces_all) {
    loops::axis_blocks(on, op, out, c.blocks, c.shape, c.axis, callback_of(epilogue));
  } else {
    if (c.is_contiguous) loops::contiguous_blocks(on, op, out, c.blocks, c.elements);
    else loops::strided_blocks(on, op, out, c.blocks, c.shape);
    callback_of(epilogue)({0, 1, 0, 1, 1});
  }
}

/// The product that a call describes.
template <class T> strided_product<T> product_of(fused_call const& c) {
  auto const first = [](block_operand const& o) {
    return static_cast<T const*>(o.data) + o.level->base;
  };
  block_operand const& a = c.blocks.operand[0];
  block_operand const& b = c.blocks.operand[1];
  return {static_cast<T*>(c.blocks.out),
          c.shape,
          c.depth,
          first(a),
          a.level->stride,
          first(b),
          b.level->stride};
}
/// The producer_function of a product.
template <class T, class K = cpu_kernels>
void multiply_fused(fused_call const& c, block_epilogue const* epilogue, par on) {
  multiply(on, product_of<T>(c),
           epilogue == nullptr ? recognized_epilogue{true} : epilogue->recognized,
           callback_of(epilogue));
}
/// The same for a small static number of rows and columns.
template <class T, class X, class K = cpu_kernels>
void multiply_short_fused(fused_call const& c, block_epilogue const* epilogue, par) {
  multiply_short<X>(product_of<T>(c));
  callback_of(epilogue)({0, X::at(0), 0, X::at(1), X::at(1)});
}

template <class E> inline constexpr bool is_short_product = false;
template <matmul_node E>
inline constexpr bool is_short_product<E> = has_short_loops<typename E::extents_type>();

/// The function set_extents of a fused_kernel whose root is the reduction or product E.
template <class E> void set_extents(void const* root, kernel_extents& to) {
  E const& e = *static_cast<E const*>(root);
  auto const shape = e.template arg<0>().shape();
  if constexpr (reduce_node<E>) {
    to.set_shape(shape);
    if constexpr (!E::op_type::reduces_all) to.axis = e.op.axis_of(shape);
  } else {
    to.depth = shape.at(bare<decltype(shape)>::rank - 1);
  }
}
/// Gives a kernel its operands. Pin: for operands that are kernels of their own.
template <class Pin> struct pinned_operands {
  operand_binder& to;
  Pin const& pin;

  template <class X> void bring(unsigned k, X const& x) const { to.bring(k, x); }
  template <class X> void compute(unsigned k, X const& x) const {
    if (to.is_produced(k)) return;
    auto value = evaluated(x, pin, to.at());
    to.keep(k, std::move(tensor_access::elements(value)));
  }
};
/// The function compute of a fused_kernel.
template <class E, bool Split, class Pin>
void compute_operands_of(void const* root, void const* pin, operand_binder& to) {
  compute_kernel<E, Split>(*static_cast<E const*>(root),
                           pinned_operands<Pin>{to, *static_cast<Pin const*>(pin)});
}
/// The function find of a producer_kernel, whose epilogue is E.
template <class E, bool Split> void const* find_producer(void const* root, decision const&) {
  E const& e = *static_cast<E const*>(root);
  auto const* const node = producer_of<E, Split>(e);
  return node->shape() == e.shape() ? node : nullptr;
}

/// The kernel of E, as far as it needs no launch of its own. BringsByType: operands are brought by
/// their types, as kernels that run between their listing and their transfer may change them.
template <class E, bool Split, class Pin, bool BringsByType = computes_operands<E, Split>()>
constexpr fused_kernel make_kernel_without_launchers() {
  using ops = fused_ops<E, Split>;
  using input = input_type<E>;
  using T = typename input::value_type;
  using R = typename E::value_type;
  constexpr group_facts const& facts = facts_of_kernel<E, Split>;
  fused_kernel k{.type = type_of_kernel<E>,
                 .root = facts_of_op<E>,
                 .list = &list_kernel<E, Split>,
                 .write = &ops::write,
                 .size = table_size_of_kernel<E, Split>(),
                 .element_bytes = sizeof(T),
                 .result_bytes = sizeof(R),
                 .cost_per_element = facts.cost,
                 .cost_of_reshapes = facts.cost_of_reshapes,
                 .form = form_of_slots<slot_expr<E, Split>>,
                 .run_rows = row_loop_of<R, slot_expr<E, Split>>,
                 .logs = logs_ops<typename E::kernels>,
                 .launch = {ops::bytes, ops::expr_at, false}};
  if constexpr (!matmul_node<E>) {
    k.run = &run_block<T, slot_expr<E, Split>>;
    k.launch.may_throw = !kernel_is_noexcept<E, Split>;
  }
  if constexpr (!fusible_node<E>) k.set_extents = &set_extents<E>;
  if constexpr (BringsByType) k.compute = &compute_operands_of<E, Split, Pin>;
  if constexpr (reduce_node<E>)
    k.launch.produce = &reduce_fused<typename E::op_type, element_of<E>, R>;
  else if constexpr (is_short_product<E>)
    k.launch.produce = &multiply_short_fused<R, typename E::extents_type>;
  else if constexpr (matmul_node<E>) k.launch.produce = &multiply_fused<R>;
  if constexpr (!ops::is_trivial) k.launch.copy = &ops::copy;
  return k;
}

/// Of the product or reduction C, whose epilogue is E.
template <class E, bool Split, class Pin, class C>
inline constexpr fused_kernel kernel_of_producer =
    make_kernel_without_launchers<C, Split, Pin,
                                  computes_operands<C, Split>() ||
                                      (facts_below<E, nodes_of<E, Split>>.computed > 1)>();
template <class E, bool Split, class Pin>
inline constexpr producer_kernel producer_kernel_of{
    kernel_of_producer<E, Split, Pin, bare<decltype(*std::declval<producer_type<E, Split>>())>>,
    &find_producer<E, Split>, producer_slot<E, Split, E>(), epilogue_form_of<E, Split, E>()};

template <class E, bool Split, class Pin> constexpr fused_kernel make_fused_kernel();
template <class E, bool Split, class Pin>
inline constexpr fused_kernel fused_kernel_of = make_fused_kernel<E, Split, Pin>();

template <class E, bool Split, class Pin> constexpr fused_kernel make_fused_kernel() {
  fused_kernel k = make_kernel_without_launchers<E, Split, Pin>();
  constexpr bool is_epilogue = has_epilogue_here<E, Split, Pin>;
  k.visit = &visit_ops_of_kernel<E, Split, is_epilogue>;
  if constexpr (gpu_kernel_of_form<E, Split>::exists) k.launch.own = &own_fused_launcher<E, Split>;
  else k.launch.others = &fused_launcher<typename kernel_signature<E, Split>::type>;
  if constexpr (splits<E> && !Split) k.split = &fused_kernel_of<E, true, Pin>;
  if constexpr (is_epilogue) k.producer = &producer_kernel_of<E, Split, Pin>;
  return k;
}

}}}  // namespace placement::v0_1::detail
