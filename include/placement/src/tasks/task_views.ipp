#pragma once
/// Definitions of cluster.hpp: assignments through views to elements of tasks, or from them.

#include <placement/config.hpp>
#include <placement/expr/assign.hpp>
#include <placement/src/tasks/cluster.ipp>

#include <cstddef>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The same assignment of other elements, to the part that a task has.
inline view_assignment with_value(view_assignment const& a, buffer_ref const& value) {
  view_assignment here = a;
  if (a.has_elements) here.value = value.get();
  here.released_handles = 0;
  return here;
}
/// Other handles of the elements keep their parts.
inline void own_parts(buffer_ref& elements, int released_handles) {
  if (elements->owners() == 1 + released_handles) return;
  std::vector<buffer_ref> parts = elements->parts().of;
  elements = cluster::elements_of(elements->where(), elements->size(), std::move(parts));
}

PLACEMENT_INLINE void cluster::write(buffer_ref& elements, view_assignment const& a, site at) {
  call_site const caller{assign_op::name, at.file, at.line};
  int const home = elements->is_of_tasks() ? elements->where().task : every_task;
  int const owner =
      a.value != nullptr && a.value->is_of_tasks() ? a.value->where().task : every_task;
  if (is_alone() && home != every_task) throw_alone(assign_op::name, at);
  if (owner == per_task && home != per_task && !is_alone()) throw_per_task(assign_op::name, at);
  if (is_alone() || home == every_task) {
    buffer_ref const value =
        owner == every_task ? shared(*a.value) : copied_to(cpu0, *a.value, at.file, at.line);
    view_assignment const here = with_value(a, value);
    return write_view(elements, here);
  }
  stream_.count(assign_op::name, home, at, a.shape, a.bytes);
  buffer_ref value;
  if (a.has_elements && owner == every_task) value = shared(*a.value);
  else if (a.has_elements && owner != home)
    value = moved(home >= 0 ? device{kind::cpu, 0, home} : cpu0, *a.value, caller);
  own_parts(elements, a.released_handles);
  std::vector<buffer_ref>& parts = elements->parts().of;
  for (std::size_t i = 0; i != parts.size(); ++i) {
    buffer_ref part = value;
    if (a.has_elements && owner == home) part = a.value->parts().of[i];
    else if (part && part->is_of_tasks()) part = value->parts().of[i];
    write_view(parts[i], with_value(a, part));
  }
}

}}}  // namespace placement::v0_1::detail
