#pragma once
/// The sum or mean of several tensors on one device: the averaging of towers.

#include <placement/ops/concat.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/mean.hpp>
#include <placement/ops/sum.hpp>
#include <placement/parallel/add_in_order.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

namespace detail {

/// The value of an op on operands, computed on the device of an addition.
template <class K, class Op, class... X> auto computed(addition const& a, Op const& op, X&&... x) {
  using node = expr<Op, K, bare<X>...>;
  node e{op, a.call.at, std::forward<X>(x)...};
  e.from = a.origin_of_ops();
  auto value =
      tensor_access::empty<tensor<typename node::value_type, typename node::extents_type>>();
  placement::detail::evaluate_pinned(value, e, a.where, true, a.call.at);
  return value;
}
/// The sum or mean along a first dimension that the tensors are joined along. As TensorFlow's mean,
/// this one is carried in a wider type, and may differ from the fused form in the last bit.
template <class K, class T>
vector_of<T> reduced_by_concat(std::vector<vector_of<T>> x, addition const& a) {
  using first_axis = placement::detail::along_t<axis_t<0>>;
  using row = tensor<T, extents<1, dyn>>;
  list<T, extents<1, dyn>> rows;
  rows.items.reserve(x.size());
  for (auto& each : x)
    rows.items.push_back(row(computed<K>(a, expand_dims_op<axis_t<0>>{}, std::move(each))));
  auto joined = computed<K>(a, concat_op<axis_t<0>>{}, std::move(rows));
  if constexpr (!std::is_integral_v<T>) {
    if (a.divisor != 1) return computed<K>(a, mean_op<first_axis>{}, std::move(joined));
    return computed<K>(a, sum_op<first_axis>{}, std::move(joined));
  } else {
    static_cast<void>(joined);
    return {};
  }
}

}  // namespace detail

/// The sum or mean of tensors on any devices, on one device. Several may be on one device.
/// Shape: unchanged.  Type: any arithmetic but bool. A mean and reduce_form::concat are of floating
/// point.
/// Placed like an op in a scope of `to`, with fallbacks as for an op.
/// Cost: one copy of each operand that is elsewhere, and one kernel for up to 4 operands. concat
/// takes one kernel per operand and two more. One operand is only copied.
/// Throws: invalid_argument for no operands, and for integers where they are not allowed. Also
/// shape_error for shapes that differ, and the errors of an op.
template <class T, class X, class K = kernels_here>
tensor<T, X> reduce_to(device_request to, std::vector<tensor<T, X>> const& parts,
                       reduction r = reduction::sum, reduce_form form = reduce_form::fused,
                       site at = site::here()) try {
  detail::collective_call const call{"reduce_to", at};
  detail::check_operands(call.function, parts, detail::shapes::equal, detail::devices::any, at);
  detail::addition const a{{placement::detail::requested_in(to.requested)},
                           detail::divisor_of<T>(r, parts.size(), call),
                           call};
  if (std::is_integral_v<T> && form == reduce_form::concat)
    detail::throw_floating_point_only(call.function, element_name<T>(), "reduce_form::concat",
                                      "reduce_form::fused", at);
  auto out = detail::tensor_access::empty<tensor<T, X>>();
  if (parts.size() == 1) {
    placement::detail::store_copy(out, parts[0], a.where, at);
    return out;
  }
  auto sum = detail::tensor_access::empty<detail::vector_of<T>>();
  if (form == reduce_form::concat) sum = detail::reduced_by_concat<K>(detail::all_flat(parts), a);
  else detail::add_in_order<K>(sum, detail::all_flat(parts), a);
  out = detail::tensor_of<tensor<T, X>>(detail::tensor_access::elements(sum), parts[0].shape());
  detail::tensor_access::requested(out) = a.where.requested;
  return out;
} catch (...) { placement::detail::rethrow_as_error(); }

}}}  // namespace placement::v0_1::parallel
