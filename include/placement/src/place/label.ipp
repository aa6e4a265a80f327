#pragma once
/// Definitions of label.hpp: the process's table of labels.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/place/label.hpp>
#include <placement/runtime/lock.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
struct label_table {
  lock guard;
  std::vector<std::string const*> names;
};
PLACEMENT_PROCESS_STATE inline label_table& all_labels() {
  static label_table& all = *new label_table;
  return all;
}
}  // namespace detail

PLACEMENT_INLINE label label_of(std::string_view text) try {
  auto& all = detail::all_labels();
  lock_guard const guard(all.guard);
  for (std::size_t i = 0; i != all.names.size(); ++i)
    if (*all.names[i] == text) return static_cast<label>(i + 1);
  all.names.reserve(all.names.size() + 1);
  all.names.push_back(new std::string(text));
  return static_cast<label>(all.names.size());
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string_view to_string(label l) {
  if (l == label::none) return {};
  auto& all = detail::all_labels();
  lock_guard const guard(all.guard);
  return *all.names[static_cast<std::size_t>(l) - 1];
}

}}  // namespace placement::v0_1
