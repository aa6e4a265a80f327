#pragma once
/// Bodies: an assignment whose target is on a GPU that has no kernel for it.

#include <placement/expr/assign.hpp>
#include <placement/kernels/extents_bodies.hpp>
#include <placement/place/log_bodies.hpp>

#include <string_view>

namespace placement::inline v0_1::detail {

template <class Once>
void report_assignment(device wanted, std::string_view element, any_shape const& shape) {
  settings_word const how = settings_here();
  op_record r;
  r.op = assign_op::name;
  r.element = element;
  r.shape = text_of(shape);
  r.decision = {cpu0, reason::not_compiled_here, true,
                !how.policy().soft || !how.policy().fall_back};
  r.asked = wish{wanted};
  r.where = this_scope.where;
  if (r.decision.refused) refuse(r, how);
  log_fallback(r);
}

}  // namespace placement::inline v0_1::detail
