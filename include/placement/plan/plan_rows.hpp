#pragma once
/// The cells of a plan's table, for text and for pages.

#include <placement/plan/plan.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

inline std::string shape_text(plan_node const& n) {
  std::string text = "[";
  for (std::size_t d = 0; d != n.rank; ++d)
    text += (d == 0 ? "" : ", ") +
            (n.extent[d] == dyn ? std::string("?") : std::to_string(n.extent[d]));
  return text + "]";
}

/// The cells of a plan's table, after a row of titles.
template <std::size_t N>
std::vector<std::vector<std::string>> plan_rows(plan<N> const& p, bool simulated) {
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
    if (!n.gradient_of.empty()) why.append("; gradient of ").append(n.gradient_of);
    std::string const moved = n.copies == 0 ? "-"
                              : n.exact     ? std::to_string(n.bytes) + " B"
                                            : "? B";
    std::string const scope = n.scope.empty() ? "" : std::string(n.scope) + '/';
    rows.push_back({scope + std::string(n.op) + '<' + std::string(n.element) + '>', shape_text(n),
                    device, kernel, moved, why});
  }
  return rows;
}

}}}  // namespace placement::v0_1::detail
