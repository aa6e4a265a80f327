#pragma once
/// Assignment through a view: the right side is computed first, then its elements are written at
/// the view's positions.

#include <placement/cpu/block_kernel.hpp>
#include <placement/expr/destination.hpp>
#include <placement/expr/fused_kernel.hpp>
#include <placement/expr/fused_on_gpu.hpp>
#include <placement/expr/operand.hpp>
#include <placement/expr/shared_kernels.hpp>
#include <placement/place/location.hpp>
#include <placement/shape/reshaped_layout.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The reference that a view is based on.
template <class T, class X> reference<T, X> const* reference_in(reference<T, X> const& r) {
  return &r;
}
template <class Op, class K, class A> auto const* reference_in(expr<Op, K, A> const& v) {
  return reference_in(v.template arg<0>());
}
/// The tensor that a view writes to. `target_layout()` gives the view's layout in that tensor.
template <class View> auto& target_of(View const& v) { return reference_in(v)->target(); }
template <class T, class X> auto target_layout(reference<T, X> const& r) {
  return row_major(r.shape());
}
/// Throws the error for an assignment to a reshaped view that has no layout.
[[noreturn, gnu::cold]] void throw_reshaped_view(any_shape const& from, any_shape const& to,
                                                 site at);
/// Throws: shape_error for a reshape that the strides of the viewed memory do not allow.
template <class Op, class K, class A> auto target_layout(expr<Op, K, A> const& v) {
  auto const& child = v.template arg<0>();
  auto const below = target_layout(child);
  if constexpr (requires { Op::reshapes; }) {
    auto const reshaped = reshaped_layout(below, child.shape(), v.shape());
    if (!reshaped.exists) throw_reshaped_view(child.shape(), v.shape(), v.from.where);
    return reshaped.where;
  } else {
    return v.op.moved(below, child.shape());
  }
}

namespace no_adl {
/// The op of an assignment through a view.
struct assign_op {
  static constexpr std::string_view name = "Assign";
  using pattern = map;
};
}  // namespace no_adl
using no_adl::assign_op;

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_assignment(std::string const& to,
                                                                          std::string const& from) {
  throw shape_error("placement: a value of shape " + from +
                    " cannot be written to a view of shape " + to +
                    ". Its extents must be those of the view, or 1.");
}

/// Throws: shape_error if x does not broadcast to the view's shape.
template <class Shape, class X> void check_assigned_shape(Shape const& to, X const& x) {
  try {
    if (!(broadcast(x.shape(), to) == to))
      throw_wrong_assignment(to_string(to), to_string(x.shape()));
  } catch (shape_error& e) {
    site at{};
    if constexpr (is_expr<X>) at = x.from.where;
    add_location(e, assign_op::name, at);
    throw;
  }
}

template <class K, class T>
using assign_kernel =
    std::conditional_t<launches_gpu<K>, kernel<typename gpu_part<K>::type, map, assign_op, T>,
                       no_kernel>;

// ---- the launch. T, X: the elements and the shape of the view. S: what is written, a number or
// elements in any layout.

template <class T, class X, class S> struct assign_signature {};

/// Launches an assignment on a GPU. call: a fused_call of any file.
template <class K, class T, class X, class S>
void launch_assignment_on_gpu(logical_device const& on, void const* call) {
  fused_call const& c = *static_cast<fused_call const*>(call);
  auto* const out = static_cast<T*>(c.blocks.out);
  layout<X::rank> where;
  where.base = c.where.base;
  for (std::size_t d = 0; d != X::rank; ++d) where.stride[d] = c.where.stride[d];
  auto const shape = shape_from<X>(c.shape.extent);
  if constexpr (is_scalar<S>) {
    assign_kernel<K, T>::strided(on, out, where, shape, *static_cast<S const*>(c.blocks.expr));
  } else {
    table_reader from{c.blocks.operand, c.level};
    auto const* const value = static_cast<T const*>(from.operand->data);
    strided_load<dense_leaf<T>, X::rank> const f{{value}, from.template next_layout<X::rank>()};
    assign_kernel<K, T>::strided(on, out, where, shape, f);
  }
}
/// Registers the kernel for other files. Source: of the kernel.
template <class K, class T, class X, class S, kernel_source Source> struct assign_registration {
  static inline bool const registered = register_launcher(
      fused_launcher<assign_signature<T, X, S>>, &launch_assignment_on_gpu<K, T, X, S>, Source);
};
template <class K, class T, class X, class S, kernel_source Source = kernel_source::another_file>
launcher own_assign_launcher() noexcept {
  static_cast<void>(&assign_registration<K, T, X, S, Source>::registered);
  return &launch_assignment_on_gpu<K, T, X, S>;
}
template <class K, class T, class X, class S> constexpr fused_launch_type make_assign_type() {
  fused_launch_type t{sizeof(S), 0, false};
  if constexpr (assign_kernel<K, T>::exists) t.own = &own_assign_launcher<K, T, X, S>;
  else t.others = &fused_launcher<assign_signature<T, X, S>>;
  return t;
}
template <class K, class T, class X, class S>
inline constexpr fused_launch_type assign_type = make_assign_type<K, T, X, S>();

/// An assignment through a view, without its types.
struct view_assignment {
  fused_launch_type const& type;
  block_function run;
  void const* expr;  ///< what is written: a number, or a slot for elements
  unsigned bytes;    ///< of an element
  std::string_view element;
  any_shape shape;     ///< of the view
  layout_level where;  ///< of the view in its tensor
  bool has_elements;   ///< false: a number is written
  buffer const* value = nullptr;
  any_shape value_shape{0, nullptr};
  int released_handles = 0;  ///< of the target, which are destroyed with the right side
};
/// Writes to the elements of the view's tensor. It runs on their device, or on the CPU if this
/// program has no kernel for that device, which is logged.
/// Throws: placement_error if a fallback is not allowed; out_of_memory.
void write_view(buffer_ref& elements, view_assignment const& a);

/// The assignment to a view of what S describes.
template <class K, class S, class View>
view_assignment assignment_to(View const&, typename View::extents_type const& shape,
                              layout<View::extents_type::rank> const& where, S const& expr) {
  using T = typename View::value_type;
  return {assign_type<K, T, typename View::extents_type, S>,
          &run_block<T, S>,
          &expr,
          sizeof(T),
          element_name<T>(),
          shape,
          {where.base, where.stride, View::extents_type::rank, nullptr, nullptr},
          !is_scalar<S>};
}

/// Whether a write to tensor t also changes elements in buffer b.
template <class T, class X> bool is_written_with(buffer const& b, tensor<T, X> const& t) {
  buffer const* const written = tensor_access::elements(t).get();
  if (written == nullptr) return false;
  return written == &b ? b.is_external() : written->overlaps(b);
}

/// Whether the value of X may be computed in the elements of a view: an element-wise expression.
/// Those with leaves share kernels in evaluate_pinned().
template <class X> inline constexpr bool may_skip_temporary = false;
template <class Op, class K, class... A>
inline constexpr bool may_skip_temporary<expr<Op, K, A...>> =
    fusible_node<expr<Op, K, A...>> && !has_fused_form<expr<Op, K, A...>> &&
    !has_leaf<expr<Op, K, A...>>;

template <class T, class X, class E, class Pin>
void evaluate_to_view(result_view* view, tensor<T, X>& out, E const& e, Pin const& pin,
                      bool is_rvalue);

/// Writes x through the view, and a gradient tape records it.
template <class K, class View, class X>
void record_assignment(View const& to, X const& x, bool is_rvalue);

/// Writes x through the view. `is_rvalue`: x's own handles are released with it. Strong exception
/// guarantee: if computing x throws, nothing is written. Cost: an element-wise expression of the
/// view's shape is one pass. Others take a temporary. So do those that read the view's elements at
/// other indices, may throw, or have another device.
template <class K, class View, class X>
void assign_elements(View const& to, X const& x, bool is_rvalue) try {
  using T = typename View::value_type;
  static_cast<void>(target_now(*reference_in(to), assign_op::name, site_of_scope()));
  if constexpr (is_recorded_set<K> && real_number<T>)
    if (gradients_here != nullptr) [[unlikely]]
      return record_assignment<K>(to, x, is_rvalue);
  if constexpr (number<X>) {
    using same = stored_t<X, View>;  // asserts that the types go together
    same const value{as_element<T>(x)};
    auto const shape = to.shape();
    auto const where = target_layout(to);
    write_view(tensor_access::elements(target_of(to)), assignment_to<K>(to, shape, where, value));
  } else {
    static_assert(
        std::is_same_v<T, typename X::value_type>,
        "placement: the value has another element type than the view. Write cast<T>(...).");
    static_assert(X::extents_type::rank <= View::extents_type::rank,
                  "placement: the value has a higher rank than the view. Slice or reshape it.");
    auto const shape = to.shape();
    check_assigned_shape(shape, x);
    auto const where = target_layout(to);
    auto value = tensor_access::empty<tensor<T, typename X::extents_type>>();
    if constexpr (may_skip_temporary<X>) {
      result_view direct{tensor_access::elements(target_of(to)),
                         {where.base, where.stride, View::extents_type::rank, nullptr, nullptr}};
      if (gradients_here == nullptr) [[likely]] {
        bool const fits = shape.count() != 0 && same_extents(x.shape(), shape);
        evaluate_to_view(fits ? &direct : nullptr, value, x, no_pin{}, is_rvalue);
        if (direct.is_written) return;
      } else {
        evaluate_into(value, x, false, {});
      }
    } else {
      evaluate_into(value, x, false, {});
    }
    buffer_ref& elements = tensor_access::elements(value);
    if (elements &&
        is_written_with(*elements.get(), target_of(to)))  // shares memory with the target
      elements = copied_to(elements->where(), *elements.get());
    memory_slot<T> const slot;
    view_assignment a = assignment_to<K>(to, shape, where, slot);
    auto const value_shape = value.shape();
    a.value = elements.get();
    a.value_shape = value_shape;
    if constexpr (lazy<X>)
      if (is_rvalue) a.released_handles = reads_of(x, target_of(to)).handles;
    write_view(tensor_access::elements(target_of(to)), a);
  }
} catch (...) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
