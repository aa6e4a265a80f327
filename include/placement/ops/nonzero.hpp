#pragma once
/// Where elements are not zero. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>
#include <placement/ops/nonzero_numbers.hpp>

#include <array>
#include <cstdint>

namespace placement { inline namespace v0_1 {

/// The row-major numbers of the elements that are not zero, in order: `flatnonzero(x > 0.f)`. NaN
/// is not zero.
/// Shape: (...) -> (count). The count depends on the values, so this computes at once and returns a
/// tensor, which is placed like the op Const.  Type: any -> int64.
/// Cost: two passes on the host; from a GPU a counted copy.
template <operand X, class K = kernels_here>
tensor<std::int64_t, dextents<1>> flatnonzero(X const& x, site at = site::here()) {
  auto found = detail::nonzero_of(detail::host_operand(x, "FlatNonzero", at));
  dextents<1> const shape{{found.count()}};
  return detail::host_result<K>(found.release(), shape, at);
}
/// The indices of the elements that are not zero: one vector for each dimension.
/// Shape, Type, Cost: those of flatnonzero.
template <operand X, class K = kernels_here>
std::array<tensor<std::int64_t, dextents<1>>, X::rank> nonzero(X const& x, site at = site::here()) {
  static_assert(X::rank > 0, "placement: nonzero takes a vector or more. A scalar has no indices.");
  auto const h = detail::host_operand(x, "Nonzero", at);
  auto const found = detail::nonzero_of(h);
  detail::host_scratch<std::int64_t> const scratch(found.count() + 1);
  auto const along = [&](std::size_t d) {
    index_t const n = h.shape().at(d), after = detail::sides_of(h.shape(), d).after;
    for (index_t i = 0; i != found.count(); ++i) scratch.data()[i] = found.data()[i] / after % n;
    return detail::host_result<K>(static_cast<std::int64_t const*>(scratch.data()), found.count(),
                                  at);
  };
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return std::array<tensor<std::int64_t, dextents<1>>, X::rank>{along(D)...};
  }(std::make_index_sequence<X::rank>{});
}

}}  // namespace placement::v0_1
