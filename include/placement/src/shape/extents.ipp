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

[[noreturn]] PLACEMENT_INLINE void no_broadcast(any_shape const& a, any_shape const& b) {
  throw shape_error(
      "placement: shapes " + text_of(a) + " and " + text_of(b) +
      " do not broadcast. Aligned at the right, extents must be equal or 1: reshape, slice or transpose one side.");
}

}}}  // namespace placement::v0_1::detail
