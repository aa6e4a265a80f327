#pragma once
/// Definitions of gradient/relocate.hpp.

#include <placement/config.hpp>
#include <placement/gradient/relocate.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE void relocate_node(origin& node, origin const& from) {
  node.where = from.where;
  node.gradient_of = from.gradient_of;
  node.name = scope_of(from.name);
  if (from.requested.has_value()) {
    node.requested = from.requested;
    node.requested_by = from.requested_by;
    node.rule = from.rule;
  }
}

}}}  // namespace placement::v0_1::detail
