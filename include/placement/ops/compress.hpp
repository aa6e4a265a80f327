#pragma once
/// Elements that a mask selects. placement.hpp does not include this header.

#include <placement/ops/host_operand.hpp>
#include <placement/ops/nonzero_numbers.hpp>

#include <cstring>
#include <utility>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_mask(std::string const& mask,
                                                                    std::string const& x,
                                                                    std::string_view op, site at) {
  throw shape_error("placement: " + std::string(op) + " by a mask of shape " + mask +
                    " of a tensor of shape " + x +
                    ". The mask of extract has the tensor's shape, that of compress one element " +
                    "for each of the axis." + location_text(op, at));
}
}  // namespace detail

/// The elements where the mask is true, in row-major order: `extract(x > 0.f, x)`, NumPy's
/// `x[x > 0]`.
/// Shape: (count). The count depends on the mask, so this computes at once and returns a tensor,
/// which is placed like the op Const.  Type: any.
/// Throws: shape_error unless the mask has the shape of x.
/// Cost: two passes on the host; from a GPU counted copies.
template <operand M, operand X, class K = kernels_here>
tensor<typename X::value_type, dextents<1>> extract(M const& mask, X const& x,
                                                    site at = site::here()) {
  detail::check_mask<M>();
  using T = typename X::value_type;
  if (!(mask.shape() == x.shape()))
    detail::throw_wrong_mask(to_string(mask.shape()), to_string(x.shape()), "Extract", at);
  auto const chosen = detail::host_operand(mask, "Extract", at);
  auto const elements = detail::host_values(x, "Extract", at);
  bool const* const m = chosen.data();
  index_t count = 0, k = 0;
  for (std::size_t i = 0; i != chosen.size(); ++i) count += m[i] ? 1 : 0;
  auto room = detail::host_room<T>(count, at);
  for (std::size_t i = 0; k != count; ++i) {  // without a branch that masks mispredict
    room.data()[k] = elements.data()[i];
    k += m[i] ? 1 : 0;
  }
  return detail::host_result<K>(std::move(room), dextents<1>{{count}}, at);
}

/// The slices along an axis where the mask is true; the first axis unless said:
/// `compress(rows, x)`, NumPy's `x[rows]`.
/// Shape: the operand's, with the extent count along the axis; at once, as extract.  Type: any.
/// Throws: shape_error unless the mask is a vector with an element for each slice.
template <operand M, operand X, axis_like A = axis_t<0>, class K = kernels_here>
tensor<typename X::value_type, dextents<X::rank>> compress(M const& mask, X const& x, A along = {},
                                                           site at = site::here()) {
  detail::check_mask<M>();
  static_assert(M::rank == 1, "placement: the mask of compress is a vector. See extract(mask, x).");
  using T = typename X::value_type;
  std::size_t const d = detail::dimension_of<X::rank>(detail::as_axis(along));
  if (mask.shape().at(0) != x.shape().at(d))
    detail::throw_wrong_mask(to_string(mask.shape()), to_string(x.shape()), "Compress", at);
  auto const found = detail::nonzero_of(detail::host_operand(mask, "Compress", at));
  auto const elements = detail::host_values(x, "Compress", at);
  dextents<X::rank> shape;
  for (std::size_t i = 0; i != X::rank; ++i) shape.n[i] = i == d ? found.count() : x.shape().at(i);
  auto const [before, after] = detail::sides_of(x.shape(), d);
  auto room = detail::host_room<T>(static_cast<index_t>(shape.count()), at);
  T* to = room.data();
  for (index_t b = 0; b != before; ++b)
    for (index_t i = 0; i != found.count(); ++i, to += after)
      std::memcpy(static_cast<void*>(to),
                  elements.data() + (b * x.shape().at(d) + found.data()[i]) * after,
                  static_cast<std::size_t>(after) * sizeof(T));
  return detail::host_result<K>(std::move(room), shape, at);
}

}}  // namespace placement::v0_1
