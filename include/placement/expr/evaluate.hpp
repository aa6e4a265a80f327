#pragma once
/// The evaluation of an expression: resolve its device, choose the destination, copy the operands,
/// log, run the kernel, keep the result.

#include <placement/exec/kernels.hpp>
#include <placement/expr/assign.hpp>
#include <placement/expr/compute_here.hpp>
#include <placement/expr/constant.hpp>
#include <placement/expr/contiguous.hpp>
#include <placement/expr/contiguous_product.hpp>
#include <placement/expr/decide.hpp>
#include <placement/expr/destination.hpp>
#include <placement/expr/fused_form.hpp>
#include <placement/expr/make_custom_kernel.hpp>
#include <placement/expr/make_fused_kernel.hpp>
#include <placement/expr/pin.hpp>
#include <placement/expr/same_value.hpp>
#include <placement/expr/shared_kernels.hpp>

#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The kernel of E, which may be the epilogue of a custom op.
template <class E, class Pin> struct kernel_after_custom {
  using node = bare<decltype(*std::declval<custom_producer_type<E>>())>;

  static void const* find(void const* root, decision const& d) {
    return custom_producer_in(*static_cast<E const*>(root), d);
  }
  [[gnu::cold]] static void visit(void const* root, kernel_facts const& k, op_visitor visit) {
    visit_node<fused_nodes::all, node>({find(root, k.decision), k, visit},
                                       *static_cast<E const*>(root), true);
  }
  static constexpr producer_kernel producer{
      custom_kernel_of<node, Pin>, &find, custom_producer_slot<E, E>(), {}};
  static constexpr fused_kernel value = [] {
    fused_kernel k = fused_kernel_of<E, false, Pin>;
    k.visit = &visit;
    k.producer = &producer;
    return k;
  }();
};

/// What evaluates an expression whose root is E.
template <class E, class Pin> constexpr fused_kernel const& kernel_constant_of() {
  if constexpr (has_custom_epilogue_here<E, Pin>) {
    return kernel_after_custom<E, Pin>::value;
  } else if constexpr (is_fused<E>()) {
    constexpr bool computes = computes_operands<E, false>() || splits<E>;
    return fused_kernel_of<E, false, std::conditional_t<computes, Pin, no_pin>>;
  } else {
    return custom_kernel_of<E, Pin>;
  }
}
/// Evaluates the kernel whose root is e. Strong: when it throws, `out` is unchanged.
template <class T, class X, class E, class Pin>
[[gnu::noinline]] void evaluate_kernel(tensor<T, X>& out, X const& shape, E const& e,
                                       Pin const& pin, bool is_rvalue, site at, T* host = nullptr,
                                       result_view* view = nullptr) {
  evaluate_fused(kernel_constant_of<E, Pin>(),
                 {&e, e.from, shape, request_of(e, pin), change_of(typename Pin::policies{}), &pin,
                  copies_for_kernels(pin), is_rvalue, e.from.where.known() ? e.from.where : at},
                 {tensor_access::elements(out), tensor_access::requested(out),
                  tensor_access::shape(out), host, view});
  tensor_access::shape(out) = shape;
}

/// Whether E is a view of a product that only drops a dimension, as of a matrix and a vector: its
/// elements are those of the product, in the same order. The op of such a view declares it.
template <class E> inline constexpr bool is_squeezed_product = false;
template <class Op, class K, matmul_node P> requires Op::only_drops_dimension
inline constexpr bool is_squeezed_product<expr<Op, K, P>> = true;

/// Gives the elements of one tensor to another at the end of a scope.
class giving_elements {
 public:
  giving_elements(buffer_ref& from, buffer_ref& to) : from_(from), to_(to) {}
  ~giving_elements() { to_ = std::move(from_); }
  giving_elements(giving_elements const&) = delete;
  giving_elements& operator=(giving_elements const&) = delete;

 private:
  buffer_ref& from_;
  buffer_ref& to_;
};
/// Computes such a product to the memory of its view. False, and no effect, if something is to be
/// logged, or if `out` has elements of another shape. Strong: when it throws, `out` is unchanged.
template <class T, class X, class E, class Pin>
bool squeezed_in_place(tensor<T, X>& out, X const& shape, E const& e, Pin const& pin, site at) {
  auto const& product = e.template arg<0>();
  using P = bare<decltype(product)>;
  requested_device const requested = request_of(e, pin);
  buffer_ref& elements = tensor_access::elements(out);
  if (elements && !(tensor_access::shape(out) == shape)) return false;
  if (e.from.name != label::none ||
      !runs_quietly_on_cpu0(requested, change_of(typename Pin::policies{}), true))
    return false;
  auto whole = tensor_access::empty<tensor<T, typename P::extents_type>>();
  tensor_access::shape(whole) = product.shape();
  std::swap(tensor_access::elements(whole), elements);
  giving_elements const at_end(tensor_access::elements(whole), elements);
  bool is_computed = false;
  if constexpr (may_be_contiguous_product<P>())
    is_computed = multiplied_contiguously(whole, product.shape(), product, pin);
  if (!is_computed)
    evaluate_kernel(whole, product.shape(), product, pin, false,
                    e.from.where.known() ? e.from.where : at);
  tensor_access::requested(out) = requested.requested;
  tensor_access::shape(out) = shape;
  return true;
}

/// The element of a fused kernel of one element. Cost: no allocation on CPU:0.
template <class E> typename E::value_type item_of_fused(E const& e, site at) {
  using T = typename E::value_type;
  T value;
  if constexpr (may_be_computed_contiguously<E>())
    if (computed_contiguously(&value, e, no_pin{})) return value;
  auto other = tensor_access::empty<tensor<T, typename E::extents_type>>();
  if constexpr (begins_sharing<E, no_pin>) {
    computed_values known;
    sharing_pin<E, no_pin, computed_values> const pin{{}, known};
    evaluate_kernel(other, e.shape(), e, pin, false, at, &value);
  } else {
    evaluate_kernel(other, e.shape(), e, no_pin{}, false, at, &value);
  }
  return tensor_access::elements(other) ? other.read(at)[0] : value;
}

/// Computes e into out. `is_rvalue`: e's handles end with it, so out may be overwritten in place.
/// Strong: when it throws, `out` is unchanged.
template <class T, class X, class E, class Pin>
void evaluate_pinned(tensor<T, X>& out, E const& e, Pin const& pin, bool is_rvalue, site at) {
  if constexpr (begins_sharing<E, Pin>) {
    computed_values known;
    sharing_pin<E, Pin, computed_values> const sharing{pin, known};
    evaluate_pinned(out, e, sharing, is_rvalue, at);
  } else if constexpr (is_placed<E>) {
    auto const inner = [&] {
      evaluate_pinned(out, e.inner, pin_below(pin, pin_of(e)), is_rvalue, e.where);
    };
    using P = typename decltype(pin_of(e))::policies;
    if constexpr (has_budget<P>) {
      settings_scope const budget(change_of(P{}));
      inner();
    } else {
      inner();
    }
  } else if constexpr (stored<E>) {
    store_copy(out, e, pin, at);
  } else if constexpr (chooses_expression<E>) {
    E::op_type::choose(e, [&](auto const& chosen) {
      with_chosen<E>(pin, chosen, [&](auto const& x) { evaluate_pinned(out, x, pin, false, at); });
    });
  } else if constexpr (pinned_by_its_type<E, Pin>) {
    evaluate_pinned(out, e, pin_below(pin, pinned_by_type<device_in_type<E>>{}), is_rvalue, at);
  } else {
    if constexpr (takes_fused_form<E, Pin>)
      if (fused_form<E>::matches(e)) return evaluate_pinned(out, fused(e), pin, false, at);
    X const shape =
        converted<X>(e.shape(), E::op_type::name, e.from.where.known() ? e.from.where : at);
    if constexpr (may_be_computed_contiguously<E>())
      if (computed_contiguously(out, shape, e, pin, is_rvalue)) return;
    if constexpr (may_be_contiguous_product<E>())
      if (multiplied_contiguously(out, shape, e, pin)) return;
    if constexpr (is_squeezed_product<E>)
      if (squeezed_in_place(out, shape, e, pin, at)) return;
    evaluate_kernel(out, shape, e, pin, is_rvalue, at);
  }
}

/// Computes an element-wise expression into a view, or else into out. view: null for none.
template <class T, class X, class E, class Pin>
void evaluate_to_view(result_view* view, tensor<T, X>& out, E const& e, Pin const& pin,
                      bool is_rvalue) {
  if constexpr (pinned_by_its_type<E, Pin>) {
    evaluate_to_view(view, out, e, pinned_by_type<device_in_type<E>>{}, is_rvalue);
  } else {
    X const shape = converted<X>(e.shape(), E::op_type::name, e.from.where);
    if constexpr (may_be_computed_contiguously<E>()) {
      if (view == nullptr ? computed_contiguously(out, shape, e, pin, is_rvalue)
                          : computed_contiguously(*view, e, pin))
        return;
    }
    evaluate_kernel(out, shape, e, pin, is_rvalue, site_of_scope(), static_cast<T*>(nullptr), view);
  }
}

/// Whether a gradient tape sees evaluations of E: it has operands, and was written in a file that
/// includes gradient.hpp.
template <class E> inline constexpr bool is_recorded = false;
template <class Op, class K, class... A> requires is_recorded_set<K>
inline constexpr bool is_recorded<expr<Op, K, A...>> = sizeof...(A) != 0;
template <class E, class D, class P>
inline constexpr bool is_recorded<placed<E, D, P>> = is_recorded<E>;

/// evaluate_pinned() under a gradient tape, which records it. Defined in gradient/record.hpp.
template <class T, class X, class E, class Pin>
void record_gradient(tensor<T, X>& out, E const& e, Pin const& pin, bool is_rvalue, site at);
/// The same for what no tape can record. Throws: invalid_argument if it reads watched tensors.
template <class E> void refuse_gradient(E const& e, site at);

template <class T, class X, class E>
void evaluate_into(tensor<T, X>& out, E const& e, bool is_rvalue, site at) {
  if constexpr (is_recorded<E>)
    if (gradients_here != nullptr) [[unlikely]]
      return record_gradient(out, e, no_pin{}, is_rvalue, at.known() ? at : site_of_scope());
  evaluate_pinned(out, e, no_pin{}, is_rvalue, at.known() ? at : site_of_scope());
}

/// evaluate_into() for a tensor whose device is in its type.
template <class D, class T, class X, class E>
void evaluate_onto(tensor<T, X>& out, E const& e, bool is_rvalue, site at) {
  if constexpr (is_recorded<E>)
    if (gradients_here != nullptr) [[unlikely]]
      return record_gradient(out, e, pinned_by_type<D>{}, is_rvalue,
                             at.known() ? at : site_of_scope());
  if constexpr (std::is_same_v<D, dev<kind::cpu, 0>> && is_here<E>) compute_here(out, e, is_rvalue);
  else evaluate_pinned(out, e, pinned_by_type<D>{}, is_rvalue, at.known() ? at : site_of_scope());
}
template <class T, class X, class E>
PLACEMENT_ALWAYS_INLINE inline void compute_inline(inline_tensor<T, X>& out, E const& e) {
  if constexpr (is_here<E> && X::is_static) {
    compute_here(out, e);
  } else {
    auto value = tensor_access::empty<tensor<T, X>>();
    evaluate_pinned(value, e, pinned_by_type<dev<kind::cpu, 0>>{}, false, site_of_scope());
    move_bytes(out.data(), cpu0, std::as_const(value).data(), cpu0, value.size() * sizeof(T));
  }
}
template <class T, class X, class E>
inline void evaluate_inline(inline_tensor<T, X>& out, E const& e) {
  if constexpr (is_recorded<E>) {
    if (gradients_here != nullptr) [[unlikely]] {
      refuse_gradient(e, site_of_scope());
      gradient_pause const no_gradient;
      return compute_inline(out, e);
    }
  }
  compute_inline(out, e);
}

/// The value of a subexpression, as a temporary. One that occurs several times in the evaluation is
/// computed once.
template <class E, class Pin> auto evaluated(E const& e, Pin const& pin, site at) {
  auto t = tensor_access::empty<tensor<typename E::value_type, typename E::extents_type>>();
  if constexpr (is_shared<E, Pin>) {
    using P = typename Pin::pin;
    buffer_ref& elements = tensor_access::elements(t);
    elements = pin.known.template find<P>(e, device_of_pin(pin));
    if (elements) {
      tensor_access::shape(t) = e.shape();
    } else {
      evaluate_pinned(t, e, pin, false, at);
      pin.known.template add<P>(e, device_of_pin(pin), elements);
    }
  } else {
    evaluate_pinned(t, e, pin, false, at);
  }
  return t;
}

}  // namespace detail

/// The value of an expression, computed now. `tensor t = e` does the same.
template <lazy E> auto evaluate(E&& e, site at = site::here()) -> detail::result_of<E> {
  if constexpr (is_inline<detail::result_of<E>>) return {std::forward<E>(e)};
  else return {std::forward<E>(e), at};
}
/// evaluate() under settings that apply to this evaluation only: `evaluate(e, no_copies)`.
/// Throws: placement_error for what the settings forbid. It does not compile where types show that.
template <lazy E, scope_setting First, scope_setting... More>
auto evaluate(E&& e, First first, More... more) -> detail::result_of<E> {
  using policies = detail::policy_of<First, More...>;
  using where = detail::device_in_type<E>;
  detail::check_kernels<policies, where, typename detail::first_missing<bare<E>>::type>();
  detail::check_budget<policies, where, typename detail::typed_operands<bare<E>>::type>();
  detail::settings_change all = detail::change_of(first);
  ((all = all.then(detail::change_of(more))), ...);
  detail::settings_scope const scope(all);
  return {std::forward<E>(e)};
}

}}  // namespace placement::v0_1
