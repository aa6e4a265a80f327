#pragma once
/// Assignment through a view: the right side is computed first, then its elements are written at
/// the view's positions.

#include <placement/exec/kernels.hpp>
#include <placement/exec/launch_on.hpp>
#include <placement/expr/bind.hpp>
#include <placement/expr/destination.hpp>
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

/// The op of an assignment through a view.
struct assign_op {
  static constexpr std::string_view name = "Assign";
  using pattern = map;
};

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

/// The kernel launch that writes a bound expression of the view's shape.
template <class View, class F>
using assign_launch =
    strided_map_launch<assign_op, typename View::value_type, typename View::value_type,
                       decltype(std::declval<View const&>().shape()), F>;
template <class K, class T>
using assign_kernel =
    std::conditional_t<launches_gpu<K>, kernel<typename gpu_part<K>::type, map, assign_op, T>,
                       no_kernel>;

/// Handles a target on a GPU without a kernel in this program: logs a fallback to the CPU or
/// throws.
[[gnu::cold]] void report_assignment(device wanted, std::string_view element,
                                     any_shape const& shape);
/// The device that writes the expression: the target's, or the CPU.
/// Throws: placement_error if a fallback is not allowed.
template <class K, class View, class F> device where_to_write(View const& to) {
  using T = typename View::value_type;
  device const there = target_of(to).where();
  if (there.is_cpu() || !this_machine().real) return there;
  if (launcher_of<assign_kernel<K, T>, assign_launch<View, F>>() != nullptr) return there;
  report_assignment(there, element_name<T>(), to.shape());
  return cpu0;
}

/// Writes a bound expression of the view's shape on the device of its operands. `released_handles`:
/// handles of the target that are destroyed with the right side. The elements are not copied for
/// them.
template <class K, class View, class F>
void write_rows(View const& to, device where, int released_handles, F const& f) {
  using T = typename View::value_type;
  auto& target = target_of(to);
  buffer_ref& elements = tensor_access::elements(target);
  if (!elements) return;
  assign_launch<View, F> kernel_launch{nullptr, target_layout(to), to.shape(), f};
  if (!(elements->where() == where)) {
    buffer_ref const here = copied_to(where, *elements.get());
    kernel_launch.out = static_cast<T*>(here->data());
    kernel_launch.template run<cpu_kernel_of<assign_launch<View, F>>>(par{});
    static_cast<void>(target.data());  // other owners keep the old elements
    copy_into(*elements.get(), {here->data(), where, here->size(), here.get()});
  } else {
    if (elements->owners() == 1 + released_handles)
      kernel_launch.out = static_cast<T*>(elements->data());
    else kernel_launch.out = target.data();
    elements->await_readers();
    launch_on{where}.template operator()<assign_kernel<K, T>, false>(assign_op::name,
                                                                     kernel_launch);
  }
  elements->written();
}

/// Whether a write to tensor t also changes elements in buffer b.
template <class T, class X> bool is_written_with(buffer const& b, tensor<T, X> const& t) {
  buffer const* const written = tensor_access::elements(t).get();
  if (written == nullptr) return false;
  return written == &b ? b.is_external() : written->overlaps(b);
}

/// Writes x through the view. `is_rvalue`: x's own handles are released with it. Strong exception
/// guarantee: if computing x throws, nothing is written. Cost: one temporary for the value of an
/// expression.
template <class K, class View, class X>
void assign_elements(View const& to, X const& x, bool is_rvalue) try {
  using T = typename View::value_type;
  static_cast<void>(target_now(*reference_in(to), assign_op::name, site_of_scope()));
  if constexpr (number<X>) {
    using same = stored_t<X, View>;  // asserts that the types go together
    same const value{as_element<T>(x)};
    write_rows<K>(to, where_to_write<K, View, same>(to), 0, value);
  } else {
    static_assert(
        std::is_same_v<T, typename X::value_type>,
        "placement: the value has another element type than the view. Write cast<T>(...).");
    static_assert(X::extents_type::rank <= View::extents_type::rank,
                  "placement: the value has a higher rank than the view. Slice or reshape it.");
    auto const shape = to.shape();
    check_assigned_shape(shape, x);
    auto value = tensor_access::empty<tensor<T, typename X::extents_type>>();
    evaluate_into(value, x, false, {});
    buffer_ref& elements = tensor_access::elements(value);
    if (elements &&
        is_written_with(*elements.get(), target_of(to)))  // shares memory with the target
      elements = copied_to(elements->where(), *elements.get());
    int const released_handles =
        is_rvalue && lazy<X> ? reads_of<X, false>(x, target_of(to)).handles : 0;
    kernel_facts facts;
    facts.root = assign_op::name;
    facts.at = site_of_scope();
    no_pin const free;
    using leaf = strided_load<dense_leaf<T>, View::extents_type::rank>;
    device const where = where_to_write<K, View, leaf>(to);
    operand_slots<1> slots;
    operand_set<no_pin> set(slots, where, settings_here(), free, facts);
    leaf const source{{set.bring(value)}, as_shape(row_major(value.shape()), value.shape(), shape)};
    write_rows<K>(to, where, released_handles, source);
  }
} catch (...) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
