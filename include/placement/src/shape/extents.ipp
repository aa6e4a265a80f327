#pragma once
/// The errors for invalid shapes and for shapes that do not broadcast.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/place/location.hpp>
#include <placement/shape/broadcast.hpp>
#include <placement/shape/extents.hpp>
#include <placement/shape/indexing.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE index_t const* row_major_strides(any_shape const& x, index_t* stride) {
  std::size_t next = 1;  // unsigned: the product of an empty shape's other extents can overflow
  for (std::size_t d = x.rank; d-- > 0;) {
    stride[d] = static_cast<index_t>(next);
    next *= static_cast<std::size_t>(x.extent[d]);
  }
  return stride;
}

PLACEMENT_INLINE std::string text_of(any_shape const& x) { return list_text(x.extent, x.rank); }

[[noreturn]] PLACEMENT_INLINE void negative_extent(any_shape const& x, std::string_view op,
                                                   site at) {
  std::size_t d = 0;
  while (x.extent[d] >= 0) ++d;
  throw shape_error("placement: extent " + std::to_string(d) + " is " +
                    std::to_string(x.extent[d]) + ". Extents are zero or more." +
                    location_text(op, at));
}

[[noreturn]] PLACEMENT_INLINE void too_many_bytes(any_shape const& x, std::string_view op,
                                                  site at) {
  throw shape_error("placement: a tensor of shape " + text_of(x) +
                    " has more bytes than can be addressed. Split it." + location_text(op, at));
}

[[noreturn]] PLACEMENT_INLINE void does_not_fit(any_shape const& x, std::size_t d, index_t extent,
                                                std::string_view op, site at) {
  throw shape_error("placement: a tensor of shape " + text_of(x) +
                    " does not fit a type that says extent " + std::to_string(d) + " is " +
                    std::to_string(extent) + "." + location_text(op, at));
}

PLACEMENT_INLINE std::size_t checked_count(any_shape const& x, std::size_t element_bytes,
                                           std::string_view op, site at) {
  std::size_t count = 1;
  index_t bytes = static_cast<index_t>(element_bytes);
  bool empty = false, overflows = false;
  for (std::size_t d = 0; d != x.rank; ++d) {
    index_t const n = x.extent[d];
    if (n < 0) negative_extent(x, op, at);
    empty = empty || n == 0;
    count *= static_cast<std::size_t>(n);
    overflows = overflows || (n != 0 && __builtin_mul_overflow(bytes, n, &bytes));
  }
  if (overflows && !empty) too_many_bytes(x, op, at);
  return count;
}

[[noreturn]] PLACEMENT_INLINE void throw_no_such_index(index_t i, std::size_t d, any_shape const& x,
                                                       std::string_view op, site at) {
  std::string const n = std::to_string(x.extent[d]);
  throw shape_error("placement: index " + std::to_string(i) + " is outside of dimension " +
                    std::to_string(d) + " of a tensor of shape " + text_of(x) +
                    ". Indices are at least -" + n + " and below " + n + '.' +
                    (op.empty() ? std::string() : location_text(op, at)));
}

[[noreturn]] PLACEMENT_INLINE void no_broadcast(any_shape const& a, any_shape const& b,
                                                std::string_view op, site at) try {
  throw shape_error(
      "placement: shapes " + text_of(a) + " and " + text_of(b) +
      " do not broadcast. Aligned at the right, extents must be equal or 1: reshape, slice or transpose one side." +
      (op.empty() ? std::string() : location_text(op, at)));
} catch (...) { rethrow_as_error(); }

}}}  // namespace placement::v0_1::detail
