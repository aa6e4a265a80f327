#pragma once
/// The errors for invalid shapes and for shapes that do not broadcast.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/shape/broadcast.hpp>
#include <placement/shape/extents.hpp>
#include <placement/src/place/location.ipp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE index_t const* row_major_strides(any_shape const& x, index_t* stride) {
  index_t next = 1;
  for (std::size_t d = x.rank; d-- > 0;) {
    stride[d] = next;
    next *= x.extent[d];
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
  constexpr std::size_t max = static_cast<std::size_t>(std::numeric_limits<index_t>::max());
  std::size_t bytes = element_bytes, count = 1;
  bool empty = false;
  for (std::size_t d = 0; d != x.rank; ++d) {
    if (x.extent[d] < 0) negative_extent(x, op, at);
    empty = empty || x.extent[d] == 0;
    count *= static_cast<std::size_t>(x.extent[d]);
  }
  for (std::size_t d = 0; d != x.rank && !empty; ++d) {
    auto const n = static_cast<std::size_t>(x.extent[d]);
    if (n > max / bytes) too_many_bytes(x, op, at);
    bytes *= n;
  }
  return count;
}

[[noreturn]] PLACEMENT_INLINE void no_broadcast(any_shape const& a, any_shape const& b) {
  throw shape_error(
      "placement: shapes " + text_of(a) + " and " + text_of(b) +
      " do not broadcast. Aligned at the right, extents must be equal or 1: reshape, slice or transpose one side.");
}

}}}  // namespace placement::v0_1::detail
