#pragma once
/// The fast path of a full reduction. It applies where all operands are tensors on CPU:0, no view
/// op changes their layout, and nothing is logged or observed. It reads only the words of memory
/// that decide this. Where it does not apply it has no effect, and evaluate_slow_path() runs.

#include <placement/expr/destination.hpp>
#include <placement/expr/launch.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Does the expression reshape an operand? Repeated elements are then no rows of the result.
template <class X> inline constexpr bool reshapes_below = false;
template <class Op, class K, class... A>
inline constexpr bool reshapes_below<expr<Op, K, A...>> =
    reshaping_node<expr<Op, K, A...>> || (reshapes_below<A> || ...);

/// The expression that the kernel's loop computes: the operand of a full reduction.
template <class E> constexpr auto const& looped_over(E const& e) { return e.template arg<0>(); }
template <class E> using loop_of = bare<decltype(looped_over(std::declval<E const&>()))>;
template <class E>
inline constexpr form form_of_loop =
    form_of<loop_of<E>, E, false, typename loop_of<E>::extents_type>();
/// May operands be broadcast?
template <class E>
inline constexpr bool may_repeat =
    form_of_loop<E> != form::contiguous && !reshapes_below<loop_of<E>>;

/// Do the types allow the fast path? It needs one loop over tensors, which cannot throw.
template <class E> constexpr bool has_fast_path() {
  if constexpr (!reduce_node<E>) return false;
  else if constexpr (!reads_tensors_only<loop_of<E>>) return false;
  else if constexpr (form_of_loop<E> == form::strided && !may_repeat<E>) return false;
  else return E::op_type::reduces_all && ops_are_noexcept<E, E, false>();
}

/// The operands of an expression of `count` elements.
struct fast_path_operands {
  std::size_t count;
  buffer const* out;
  bool are_local = true;       ///< all on CPU:0
  bool are_contiguous = true;  ///< and as many elements as the expression
  int handles_out = 0;         ///< of the buffer that is written

  template <class X> void inspect(X const& x) {
    if constexpr (is_tensor<X>) {
      constexpr std::size_t element = sizeof(typename X::value_type);
      buffer const* const b = tensor_access::elements(x).get();
      are_local = are_local && b != nullptr && b->where() == cpu0;
      are_contiguous =
          are_contiguous && are_local && b->size() == (X::rank == 0 ? 1 : count) * element;
      handles_out += b == out ? 1 : 0;
    } else if constexpr (is_expr<X>) {
      for_each_operand(x, [this](auto const& below) { this->inspect(below); });
    }
  }
  template <class T, class X> static T const* bring(tensor<T, X> const& t) {
    return static_cast<T const*>(tensor_access::elements(t)->data());
  }
};

/// Runs the loop of e on contiguous operands and writes its elements to `out`.
template <class E, class T>
[[gnu::always_inline]] inline void run_contiguous(E const& e, fast_path_operands& set, T* out) {
  using Op = typename E::op_type;
  auto const n = static_cast<index_t>(set.count);
  auto const f = bind_contiguous<E, false>(looped_over(e), set);
  using F = bare<decltype(f)>;
  constexpr launch_on here{cpu0};
  here.run(contiguous_reduce_launch<Op, element_of<E>, T, F, no_epilogue>{e.op, out, n, f, {}});
}
/// The same for broadcast operands.
template <class E, class T>
[[gnu::noinline]] void run_strided(E const& e, fast_path_operands& set, T* out) {
  using Op = typename E::op_type;
  auto const shape = looped_over(e).shape();
  using X = bare<decltype(shape)>;
  auto const f = bind_strided<E, false>(looped_over(e), set, shape);
  using F = bare<decltype(f)>;
  constexpr launch_on here{cpu0};
  here.run(strided_reduce_launch<Op, element_of<E>, T, X, F, no_epilogue>{e.op, out, shape, f, {}});
}
template <class E, class T>
[[gnu::always_inline]] inline void run_loop(E const& e, fast_path_operands& set, T* out) {
  if constexpr (form_of_loop<E> == form::strided) run_strided(e, set, out);
  else if constexpr (!may_repeat<E>) run_contiguous(e, set, out);
  else if (set.are_contiguous) run_contiguous(e, set, out);
  else run_strided(e, set, out);
}

/// Does the fast path apply to these settings, operands and shapes? Inspects the operands. Throws:
/// shape_error for more elements than index_t counts.
template <class E, class Pin>
[[gnu::always_inline]] inline bool fast_path_applies(E const& e, requested_device const& requested,
                                                     Pin const&, fast_path_operands& set) {
  using kernels = typename E::kernels;
  if (!runs_quietly_on_cpu0(requested, change_of(typename Pin::policies{}), logs_ops<kernels>))
    return false;
  set.inspect(looped_over(e));
  if (!set.are_local) return false;
  if (!set.are_contiguous) {
    if constexpr (!may_repeat<E>) return false;
    else  // no operand is so large
      checked_count(looped_over(e).shape(), sizeof(typename E::value_type), E::op_type::name,
                    e.from.where);
  }
  return true;
}

/// Is an operand of x in an external buffer?
template <class X> [[gnu::always_inline]] inline bool reads_external(X const& x) {
  if constexpr (is_tensor<X>) {
    return tensor_access::elements(x)->is_external();
  } else if constexpr (is_expr<X>) {
    bool any = false;
    for_each_operand(x, [&any](auto const& below) { any = any || reads_external(below); });
    return any;
  } else {
    return false;
  }
}
/// Does e read elements of out through an external buffer?
template <class E, class T, class X>
[[gnu::cold, gnu::noinline]] bool reads_through_others(E const& e, tensor<T, X> const& out) {
  reads const r = reads_of<E, false>(e, out);
  return r.overlaps || r.named;
}
/// Computes e, of shape `shape`, into out where the fast path applies. Strong: writing in place
/// cannot fail.
template <class T, class X, class E, class Pin>
[[gnu::always_inline]] inline bool took_fast_path(tensor<T, X>& out, X const& shape, E const& e,
                                                  Pin const& pin, bool is_rvalue) {
  requested_device const requested = request_of(e, pin);
  buffer_ref& elements = tensor_access::elements(out);
  fast_path_operands set{looped_over(e).shape().count(), elements.get()};
  if (!fast_path_applies(e, requested, pin, set)) return false;

  std::size_t const bytes = shape.count() * sizeof(T);
  if (!elements) {
    if (e.from.name != label::none) [[unlikely]]
      return false;  // its memory has that name
    site const at = e.from.where;
    buffer_ref made{buffer::make(cpu0, bytes, {E::op_type::name, at.file, at.line})};
    run_loop(e, set, static_cast<T*>(made->data()));
    elements = std::move(made);
  } else {
    if (set.handles_out != 0) return false;
    if (external_memory_exists.peek() && reads_external(e) && reads_through_others(e, out))
        [[unlikely]]
      return false;
    if (!elements->is_free_to_write(cpu0, bytes, is_rvalue ? set.handles_out : 0)) return false;
    run_loop(e, set, static_cast<T*>(elements->data()));
  }
  tensor_access::requested(out) = requested.requested;
  tensor_access::shape(out) = shape;
  return true;
}
/// The same into host memory that belongs to no tensor. Cost: no allocation.
template <class T, class E, class Pin>
[[gnu::always_inline]] inline bool took_fast_path(T* out, E const& e, Pin const& pin) {
  fast_path_operands set{looped_over(e).shape().count(), nullptr};
  if (!fast_path_applies(e, request_of(e, pin), pin, set)) return false;
  run_loop(e, set, out);
  return true;
}

}}}  // namespace placement::v0_1::detail
