#pragma once
/// One tensor on several devices.

#include <placement/device/registry.hpp>
#include <placement/parallel/operands.hpp>

#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

/// Copies of a tensor, one on each of these devices. Elements that are there already are shared.
/// Cost: one copy for each other device. GPUs copy in their queues; the host does not wait.
/// Throws: shape_error for a tensor that was moved from; placement_error for a missing device, and
/// for a copy that a budget forbids; out_of_memory.
template <class T, class X>
std::vector<tensor<T, X>> broadcast(tensor<T, X> const& x, std::vector<device> const& to,
                                    site at = site::here()) try {
  detail::collective_call const call{"broadcast", at};
  if (!detail::tensor_access::elements(x) && x.size() != 0)
    detail::throw_moved_from(call.function, {0, to_string(x.shape()), x.where()}, at);
  std::vector<tensor<T, X>> all;
  all.reserve(to.size());
  for (device const d : to) {
    device const there = logical(d).id;
    if (detail::tensor_access::elements(x))
      all.push_back(detail::tensor_of<tensor<T, X>>(
          detail::brought_to(there, detail::tensor_access::elements(x), call), x.shape()));
    else all.push_back(x);
  }
  return all;
} catch (...) { placement::detail::rethrow_as_error(); }

}}}  // namespace placement::v0_1::parallel
