#pragma once
/// The tensors of several devices one after another, on each of these devices.

#include <placement/parallel/operands.hpp>

#include <cstddef>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

namespace detail {

/// The shape of operands that are joined along their first dimension.
/// Throws: shape_error for other extents that differ.
template <class T, class X>
dextents<X::rank> joined_shape(std::vector<tensor<T, X>> const& x, collective_call const& call) {
  dextents<X::rank> all{};
  for (std::size_t d = 0; d != X::rank; ++d) all.n[d] = x[0].extent(d);
  for (std::size_t k = 1; k != x.size(); ++k) {
    all.n[0] += x[k].extent(0);
    for (std::size_t d = 1; d != X::rank; ++d)
      if (x[k].extent(d) != all.n[d])
        throw_different_shapes(call.function, name_of(x, 0), name_of(x, k), call.at);
  }
  return all;
}

}  // namespace detail

/// All operands, joined along their first dimension in their order, on the device of each operand.
/// Shape: (n0, ...), (n1, ...) -> (n0 + n1, ...).  Type: any.
/// Cost: K - 1 copies to each of K devices, and no kernel.
/// Throws: invalid_argument for no operands, and for two on one device. Also shape_error for
/// extents that differ, placement_error for a copy that a budget forbids, and out_of_memory.
template <class T, class X> requires(X::rank != 0)
std::vector<tensor<T, dextents<X::rank>>> all_gather(std::vector<tensor<T, X>> const& parts,
                                                     site at = site::here()) try {
  detail::collective_call const call{"all_gather", at};
  detail::check_operands(call.function, parts, detail::shapes::any, detail::devices::distinct, at);
  dextents<X::rank> const shape = detail::joined_shape(parts, call);
  std::vector<tensor<T, dextents<X::rank>>> all;
  all.reserve(parts.size());
  for (auto const& to : parts) {
    auto whole = detail::new_elements(to.where(), shape.count() * sizeof(T), call);
    std::size_t first = 0;
    for (auto const& x : parts) {
      if (x.size() == 0) continue;
      detail::copy_elements(
          detail::tensor_access::elements(detail::part_of<T>(whole, {first, x.size()})),
          detail::tensor_access::elements(x), call);
      first += x.size();
    }
    whole->written();
    all.push_back(detail::tensor_of<tensor<T, dextents<X::rank>>>(std::move(whole), shape));
  }
  return all;
} catch (...) { placement::detail::rethrow_as_error(); }

}}}  // namespace placement::v0_1::parallel
