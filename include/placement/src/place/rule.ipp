#pragma once
/// Definitions: the request of an op by the rules of its scopes, and the lines of rules.

#include <placement/config.hpp>
#include <placement/place/rule.hpp>
#include <placement/place/scope_stack.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/place/scope_stack.ipp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// The lines of rules that ops were placed by.
struct rule_lines {
  lock guard;
  std::vector<site> lines;
};
PLACEMENT_PROCESS_STATE inline rule_lines& all_rule_lines() {
  static rule_lines& all = *new rule_lines;
  return all;
}
/// The number of a rule's line, from 1; 0 beyond 65535 lines.
inline std::uint16_t number_of_rule(site at) {
  auto& all = all_rule_lines();
  lock_guard const guard(all.guard);
  std::size_t i = 0;
  while (i != all.lines.size() && !(all.lines[i] == at)) ++i;
  if (i >= 0xffff) return 0;
  if (i == all.lines.size()) all.lines.push_back(at);
  return static_cast<std::uint16_t>(i + 1);
}
PLACEMENT_INLINE site site_of_rule(std::uint16_t number) {
  if (number == 0) return {};
  auto& all = all_rule_lines();
  lock_guard const guard(all.guard);
  return all.lines[number - 1u];
}

PLACEMENT_INLINE requested_device requested_by_rules(op_facts const& op) {
  repair_scopes();
  device_spec merged{};
  scope_entry const* rule = nullptr;  // the one that gave the device
  scope_entry const* const innermost = this_scope.innermost;
  for (scope_chunk* c = &this_scope.record->bottom;; c = c->above.get()) {
    scope_entry* e = c->first();
    for (;; ++e) {
      if (e != c->first() && !e->ended) {
        bool const is_rule = e->own.has_rule();
        device_spec const own = is_rule ? e->rule.ask(e->rule.object, op) : e->own;
        merged = nest(merged, own);
        if (own.is_absolute() || !own.is_local() || own.local_device().has_value())
          rule = is_rule ? e : nullptr;
      }
      if (e == innermost || e == c->last()) break;
    }
    if (e == innermost) break;
  }
  requested_device made = merged_with_current_device(merged);
  if (rule != nullptr && made.requested_by == request_source::scope) {
    made.requested_by = request_source::rule;
    made.rule = number_of_rule({rule->file, rule->line});
  }
  return made;
}

}}}  // namespace placement::v0_1::detail
