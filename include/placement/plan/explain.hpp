#pragma once
/// Plans as text tables.

#include <placement/plan/plan_of.hpp>

#include <string>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {
inline std::string shape_text(plan_node const& n) {
  std::string text = "[";
  for (std::size_t d = 0; d != n.rank; ++d)
    text += (d == 0 ? "" : ", ") +
            (n.extent[d] == dyn ? std::string("?") : std::to_string(n.extent[d]));
  return text + "]";
}
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
  std::vector<std::vector<std::string>> rows{{"op", "shape", "device", "kernel", "moved", "why"}};
  for (plan_node const& n : p) {
    std::string device = to_string(n.device);
    if (simulated && n.device.is_gpu()) device += " (simulated)";
    std::string kernel = n.kernel < 0 ? std::string("-") : std::to_string(n.kernel);
    if (!n.root && n.kernel >= 0)
      for (plan_node const& root : p)
        if (root.root && root.kernel == n.kernel) kernel.append(", in ").append(root.op);
    std::string why(to_string(n.why));
    if (n.fell_back && n.requested.has_value())
      why.insert(0, "asked for " + to_string(n.requested) + ": ");
    if (n.refused) why += " (refused)";
    if (n.root && !to_string(n.source).empty()) why.append("; ").append(to_string(n.source));
    if (n.moved)
      why += "; written in " +
             (n.written.has_value() ? to_string(n.written) : std::string("no scope"));
    std::string const moved = n.copies == 0 ? "-"
                              : n.exact     ? std::to_string(n.bytes) + " B"
                                            : "? B";
    std::string const scope = n.scope.empty() ? "" : std::string(n.scope) + '/';
    rows.push_back({scope + std::string(n.op) + '<' + std::string(n.element) + '>',
                    detail::shape_text(n), device, kernel, moved, why});
  }
  return detail::table_text(rows);
} catch (...) { detail::rethrow_as_error(); }

/// The plan of evaluating e here, as a table. Computes nothing.
template <lazy E> std::string explain(E const& e) {
  machine const m = this_machine();
  return to_string(plan_of(e, m, detail::settings_here().policy()), !m.real);
}

}}  // namespace placement::v0_1
