#pragma once
/// The sum or mean of one tensor per device, of which each device gets its part.

#include <placement/parallel/add_in_order.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

/// Part k of the sum or mean of all operands along the first dimension, on the device of operand k.
/// Its bits are those of all_reduce.
/// Shape: (n, ...) -> (n / K, ...).  Type: any arithmetic but bool; a mean is of floating point.
/// Cost: K - 1 copies of a part to each of K devices, and one kernel there.
/// Throws: invalid_argument for no operands, for two on one device, for a mean of integers. Also
/// shape_error for shapes that differ and for an extent that K does not divide, placement_error for
/// a copy that a budget forbids, and out_of_memory.
template <class T, class X, class K = kernels_here> requires(X::rank != 0)
std::vector<tensor<T, dextents<X::rank>>> reduce_scatter(std::vector<tensor<T, X>> const& parts,
                                                         reduction r = reduction::sum,
                                                         site at = site::here()) try {
  detail::collective_call const call{"reduce_scatter", at};
  detail::check_operands(call.function, parts, detail::shapes::equal, detail::devices::distinct,
                         at);
  std::size_t const count = parts.size(), divisor = detail::divisor_of<T>(r, count, call);
  dextents<X::rank> shape{};
  for (std::size_t d = 0; d != X::rank; ++d) shape.n[d] = parts[0].extent(d);
  if (shape.n[0] % static_cast<index_t>(count) != 0)
    detail::throw_no_equal_parts(call.function, detail::name_of(parts, 0), count, at);
  shape.n[0] /= static_cast<index_t>(count);

  std::vector<tensor<T, dextents<X::rank>>> all;
  all.reserve(count);
  std::size_t const each = shape.count();
  for (std::size_t i = 0; i != count; ++i) {
    auto sum = detail::tensor_access::empty<detail::vector_of<T>>();
    if (count == 1) {
      sum = detail::flat(parts[0]);
    } else if (each != 0) {
      std::vector<detail::vector_of<T>> x;
      x.reserve(count);
      for (auto const& part : parts)
        x.push_back(detail::part_of<T>(detail::tensor_access::elements(part), {i * each, each}));
      detail::add_in_order<K>(sum, std::move(x), {{device_spec{parts[i].where()}}, divisor, call});
    }
    device const where = parts[i].where();
    auto elements = detail::brought_to(where, detail::tensor_access::elements(sum), call);
    if (!elements) elements = detail::new_elements(where, 0, call);
    all.push_back(detail::tensor_of<tensor<T, dextents<X::rank>>>(std::move(elements), shape));
  }
  return all;
} catch (...) { placement::detail::rethrow_as_error(); }

}}}  // namespace placement::v0_1::parallel
