#pragma once
/// The errors for tensors that were moved from and for stale views.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/expr/tensor.hpp>
#include <placement/src/place/log.ipp>
#include <placement/src/shape/extents.ipp>

#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace detail {

[[noreturn]] PLACEMENT_INLINE void moved_from(std::string_view op, site at) {
  std::string const what =
      op.empty() ? "this tensor" : std::string(op) + place_text(at) + " uses a tensor that";
  throw shape_error("placement: " + what +
                    " has no elements: it was moved from. Assign to it before it is read.");
}

[[noreturn]] PLACEMENT_INLINE void stale_view(any_shape const& made_for, any_shape const& now,
                                              site made, std::string_view op, site at) {
  throw shape_error("placement: " + std::string(op) + place_text(at) + " uses a view made" +
                    place_text(made) + " for a tensor of shape " + text_of(made_for) +
                    ", which now has shape " + text_of(now) +
                    ". Make the view again after the tensor has got another shape.");
}

}}}  // namespace placement::v0_1::detail
