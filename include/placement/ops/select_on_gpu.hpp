#pragma once
/// Ops whose extents depend on values, on GPUs: a registered library computes them where their
/// operand is.

#include <placement/expr/evaluate.hpp>
#include <placement/kernels/select_engine.hpp>
#include <placement/ops/nonzero_numbers.hpp>

#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// The device, if the engine can compute there now; null where the host does. Work that is recorded
/// cannot depend on a count, and a program of several tasks keeps the host's order of messages.
inline logical_device const* select_device(device where) {
  if (where.is_cpu() || !registered_selects::is_registered()) [[likely]]
    return nullptr;
  if (where.has_task() || recorder_here != nullptr || tasks_of_process.peek() != nullptr)
    return nullptr;
  logical_device const& on = logical(where);
  return registered_selects::engine().supports(on) ? &on : nullptr;
}
/// Whether the engine computes a node E, written here, where its operand is: if the op is placed
/// there. largest: no extent of the result is larger.
template <class E>
bool is_selected_on(device where, typename E::extents_type const& largest, site at) {
  if (select_device(where) == nullptr) [[likely]]
    return false;
  origin const o = origin::here<E>(at, largest);
  requested_device const requested{o.requested, o.requested_by, o.rule};
  decision const d = decide<E>(requested, this_machine(), settings_here().policy()).decided;
  return d.device == where && !d.refused;
}
/// The value of a node whose extents are known. It has no derivative.
template <class E> auto selected(E e, site at) {
  gradient_pause const no_gradient;
  return tensor<typename E::value_type, typename E::extents_type>(std::move(e), at);
}
/// The elements on a device, for a node there. They are counted as copied, but not as an operand
/// of the program.
template <class T, class X> tensor<T, X> moved_for_node(tensor<T, X> t, device where, site at) {
  buffer_ref& elements = tensor_access::elements(t);
  if (!(t.where() == where)) elements = copied_to(where, *elements.get(), at.file, at.line);
  return t;
}

template <class T, class X> gpu_elements elements_there(tensor<T, X> const& x) {
  return elements_on_gpu(x.data(), static_cast<index_t>(x.size()));
}
/// How many elements are not zero. Cost: from a GPU a counted copy, of the count alone if the
/// engine has the device.
template <class T, class X>
index_t nonzero_count(tensor<T, X> const& x, std::string_view op, site at) {
  if (x.size() == 0) return 0;
  if (logical_device const* const on = select_device(x.where()))
    return registered_selects::engine().count_nonzero(*on, op, elements_there(x));
  auto const h = x.read(at);
  return count_of_nonzero(h.data(), static_cast<index_t>(h.size()));
}

}}}  // namespace placement::v0_1::detail
