#pragma once
/// Plans as text tables.

#include <placement/plan/plan_of.hpp>
#include <placement/plan/plan_rows.hpp>

#include <string>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
/// A table in which each column is as wide as its longest cell.
inline std::string table_text(std::vector<std::vector<std::string>> const& rows) {
  std::string text;
  std::vector<std::size_t> width;
  for (auto const& row : rows)
    for (std::size_t c = 0; c != row.size(); ++c) {
      if (width.size() <= c) width.push_back(0);
      if (row[c].size() > width[c]) width[c] = row[c].size();
    }
  for (auto const& row : rows) {
    for (std::size_t c = 0; c != row.size(); ++c) {
      text += row[c];
      if (c + 1 != row.size()) text.append(width[c] - row[c].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}
}  // namespace detail

/// The plan as a table: op, shape, device, kernel, bytes moved and reason; also the op that each op
/// is fused into. `simulated`: marks each GPU as simulated.
template <std::size_t N> std::string to_string(plan<N> const& p, bool simulated = false) try {
  return detail::table_text(detail::plan_rows(p, simulated));
} catch (...) { detail::rethrow_as_error(); }

/// The plan of evaluating e here, as a table. Computes nothing.
template <lazy E> std::string explain(E const& e) {
  machine const m = this_machine();
  return to_string(plan_of(e, m, detail::settings_here().policy()), !m.real);
}

}}  // namespace placement::v0_1
