#pragma once
/// Element-wise expressions and full reductions of tensors that are all contiguous and on CPU:0,
/// with nothing to log: the block kernel is called where the expression is written, without an
/// operand table. evaluate_fused() gives the same result for any operands.

#include <placement/cpu/block_kernel.hpp>
#include <placement/cpu/block_reader.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/cpu/small_results.hpp>
#include <placement/exec/fused_call.hpp>
#include <placement/expr/decide.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/expr/noexcept.hpp>
#include <placement/expr/slot_expr.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/kernels/op_of_loops.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Whether the types allow an expression to be computed by one call of its block kernel.
template <class E> constexpr bool may_be_contiguous() {
  if constexpr (!is_fused<E>()) return false;
  else if constexpr (!reads_tensors_only<input_type<E>>) return false;
  else if constexpr (!kernel_is_noexcept<E, false>) return false;
  else if constexpr (form_of<input_type<E>, fused_nodes::all,
                             typename input_type<E>::extents_type>() == form::strided)
    return false;
  else if constexpr (reduce_node<E>) return E::op_type::reduces_all;
  else return true;
}

/// A function of the number that a reduction of all elements gives, as the root of a norm. The
/// function has the same bits in a register and alone.
template <class E> constexpr bool is_function_of_total() {
  if constexpr (requires { requires E::op_type::is_same_alone && E::arity == 1; }) {
    using R = operand_type<E, 0>;
    if constexpr (!reduce_node<R> || !std::is_floating_point_v<typename R::value_type>)
      return false;
    else return may_be_contiguous<R>();
  } else {
    return false;
  }
}
/// Whether the types allow an expression to be computed as may_be_contiguous() says, or as a
/// function of such a reduction.
template <class E> constexpr bool may_be_computed_contiguously() {
  if constexpr (is_function_of_total<E>()) return true;
  else return may_be_contiguous<E>();
}
/// The reduction of a function of one, else e.
template <class E> constexpr auto const& without_function(E const& e) {
  if constexpr (is_function_of_total<E>()) return e.template arg<0>();
  else return e;
}

/// The operands of an expression of `count` elements, as inputs of one block.
template <unsigned N> struct contiguous_inputs {
  std::size_t count;
  buffer const* out;
  bool are_contiguous = true;  ///< on CPU:0, with as many elements as the expression
  bool are_external = false;   ///< one of them, at least
  int handles_out = 0;         ///< of the buffer that is written
  unsigned inputs = 0;
  block_input in[N + 1];

  template <class X> PLACEMENT_ALWAYS_INLINE void add(X const& x) {
    if constexpr (is_tensor<X>) {
      constexpr std::size_t element = sizeof(typename X::value_type);
      buffer const* const b = tensor_access::elements(x).get();
      are_contiguous = are_contiguous && b != nullptr && b->where() == cpu0 &&
                       b->size() == (X::rank == 0 ? 1 : count) * element;
      handles_out += b == out ? 1 : 0;
      if (are_contiguous) {
        in[inputs++].data = b->data();
        are_external = are_external || b->is_external();
      }
    } else if constexpr (is_expr<X>) {
      add_operands(x, std::make_index_sequence<X::arity>{});
    }
  }

 private:
  template <class X, std::size_t... I>
  PLACEMENT_ALWAYS_INLINE void add_operands([[maybe_unused]] X const& x,
                                            std::index_sequence<I...>) {
    (add(x.template arg<I>()), ...);
  }
};

/// The kinds of an expression's operands: bytes of an element, and whether it has rank 0.
template <class E> struct operand_kinds {
  block_operand all[facts_of_kernel<E, false>.size.operands + 1]{};

  constexpr operand_kinds() {
    block_operand* next = all;
    add<input_type<E>>(next);
  }

 private:
  template <class X> static constexpr void add(block_operand*& next) {
    if constexpr (is_tensor<X>)
      *next++ = {nullptr, nullptr, sizeof(typename X::value_type), X::rank == 0};
    else if constexpr (is_expr<X>) add_operands(next, std::type_identity<X>{});
  }
  template <class Op, class K, class... A>
  static constexpr void add_operands([[maybe_unused]] block_operand*& next,
                                     std::type_identity<expr<Op, K, A...>>) {
    (add<A>(next), ...);
  }
};
template <class E> inline constexpr operand_kinds<E> kinds_of_operands{};

/// Whether an operand shares bytes with `out`, as external memory can. in_place: elements of the
/// same memory as a whole, each at its own index, do not count.
bool overlaps_inputs(buffer const& out, block_operand const* kinds, block_input const* in,
                     unsigned inputs, std::size_t count, bool in_place);

/// Reduces n elements that a block kernel computes from operands that begin at `in`. T: their type.
template <class T, class K = cpu_kernels, class Op, class R>
[[gnu::noinline]] void reduce_contiguous(Op const& op, R* out, block_call const& call,
                                         block_input const* in, index_t n) {
  using loops = kernel<cpu_kernels, reduce, Op, T>;
  if (loops::reads_at_once(call, n)) return loops::reduce_inputs(op, out, call, in, n);
  local_array<block_operand> operands(call.operands);
  loops::contiguous_blocks({}, op, out, call_of_inputs(call, in, operands.data()), n);
}
/// Computes e into out by its block kernel.
template <class E, class T, class Inputs>
PLACEMENT_ALWAYS_INLINE inline void run_contiguously(E const& e, Inputs const& inputs, T* out) {
  using slots = slot_expr<E, false>;
  using element = typename input_type<E>::value_type;
  slots const s = slot_expr_of<fused_nodes::all>(input_of(e));
  auto const n = static_cast<index_t>(inputs.count);
  block_call const call{
      &run_block<element, slots>,     &s,  kinds_of_operands<E>.all, inputs.inputs, sizeof(element),
      facts_of_kernel<E, false>.cost, out, form_of_slots<slots>};
  if constexpr (reduce_node<E>)
    reduce_contiguous<element>(op_of_loops<typename E::op_type>::of(e.op), out, call, inputs.in, n);
  else if (n <= block_length) call.run(&s, out, inputs.in, n);
  else run_long_contiguous(call, inputs.in, n);
}

/// The same where e may be a function of a reduction.
template <class E, class T, class Inputs>
PLACEMENT_ALWAYS_INLINE inline void compute_contiguously(E const& e, Inputs const& inputs, T* out) {
  run_contiguously(without_function(e), inputs, out);
  if constexpr (is_function_of_total<E>()) *out = e.op(*out);
}

/// Whether e is computed quietly on CPU:0 from contiguous operands. Lists them.
template <class E, class Pin, class Inputs>
PLACEMENT_ALWAYS_INLINE inline bool lists_contiguous(E const& e, requested_device const& requested,
                                                     Pin const&, Inputs& inputs) {
  if (!runs_quietly_on_cpu0(requested, change_of(typename Pin::policies{}),
                            logs_ops<typename E::kernels>))
    return false;
  inputs.add(input_of(without_function(e)));
  return inputs.are_contiguous;
}

template <class E> using total_of = bare<decltype(without_function(std::declval<E const&>()))>;
template <class E>
using inputs_of = contiguous_inputs<facts_of_kernel<total_of<E>, false>.size.operands>;

/// Computes e, of shape `shape`, into out; false, and no effect, if the operands do not allow it.
/// Strong: writing in place cannot fail.
template <class T, class X, class E, class Pin>
PLACEMENT_ALWAYS_INLINE inline bool computed_contiguously(tensor<T, X>& out, X const& shape,
                                                          E const& e, Pin const& pin,
                                                          bool is_rvalue) {
  requested_device const requested = request_of(e, pin);
  buffer_ref& elements = tensor_access::elements(out);
  inputs_of<E> inputs;
  inputs.count = input_of(without_function(e)).shape().count();
  inputs.out = elements.get();
  if (!lists_contiguous(e, requested, pin, inputs)) return false;

  std::size_t const bytes = shape.count() * sizeof(T);
  if (!elements) {
    if (e.from.name != label::none) [[unlikely]]
      return false;  // its memory has that name
    site const at = e.from.where;
    buffer_ref made{buffer::make(cpu0, bytes, {E::op_type::name, at.file, at.line})};
    compute_contiguously(e, inputs, static_cast<T*>(made->data()));
    elements = std::move(made);
  } else {
    constexpr bool in_place = !reduce_node<E> && !is_function_of_total<E>();
    if (!in_place && inputs.handles_out != 0) return false;
    if (elements->is_external()) [[unlikely]] {
      if (!elements->is_rewritten(cpu0, bytes) || !(tensor_access::shape(out) == shape))
        return false;
    } else if (!elements->is_free_to_write(cpu0, bytes, is_rvalue ? inputs.handles_out : 0)) {
      return false;
    }
    if (inputs.are_external || elements->is_external()) [[unlikely]] {
      auto const& kinds = kinds_of_operands<total_of<E>>.all;
      if (overlaps_inputs(*elements.get(), kinds, inputs.in, inputs.inputs, inputs.count, in_place))
        return false;
    }
    compute_contiguously(e, inputs, static_cast<T*>(elements->data()));
  }
  tensor_access::requested(out) = requested.requested;
  tensor_access::shape(out) = shape;
  return true;
}
/// The same into elements of a tensor that lie one after another and are no operands.
template <class E, class Pin>
PLACEMENT_ALWAYS_INLINE inline bool computed_contiguously(result_view& to, E const& e,
                                                          Pin const& pin) {
  buffer& b = *to.elements.get();
  inputs_of<E> inputs;
  inputs.count = input_of(without_function(e)).shape().count();
  inputs.out = &b;
  if (!is_row_major(to.where, e.shape()) || !lists_contiguous(e, request_of(e, pin), pin, inputs) ||
      inputs.handles_out != 0 || inputs.are_external || !b.is_free_to_write(cpu0, b.size(), 0))
    return false;
  compute_contiguously(e, inputs, static_cast<typename E::value_type*>(b.data()) + to.where.base);
  to.is_written = true;
  return true;
}
/// The same into host memory that belongs to no tensor. Cost: no allocation.
template <class T, class E, class Pin>
PLACEMENT_ALWAYS_INLINE inline bool computed_contiguously(T* out, E const& e, Pin const& pin) {
  inputs_of<E> inputs;
  inputs.count = input_of(without_function(e)).shape().count();
  inputs.out = nullptr;
  if (!lists_contiguous(e, request_of(e, pin), pin, inputs)) return false;
  compute_contiguously(e, inputs, out);
  return true;
}

}}}  // namespace placement::v0_1::detail
