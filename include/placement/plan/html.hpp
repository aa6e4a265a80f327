#pragma once
/// Plans as pages: HTML that a browser opens from the disk, with a diagram and a table. Not part of
/// placement.hpp.

#include <placement/plan/json.hpp>
#include <placement/plan/plan_rows.hpp>
#include <placement/plan/svg.hpp>
#include <placement/runtime/html.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

/// The plan as a page: its counts, the diagram of to_svg(), and the table of explain(). The page
/// needs nothing but a browser.
template <std::size_t N>
std::string to_html(plan<N> const& p, std::string_view title = "Plan") try {
  auto const count = [](std::size_t n, char const* what) {
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
  };
  std::string body = "<p>" + count(static_cast<std::size_t>(p.kernels), "kernel") + ", " +
                     count(static_cast<std::size_t>(p.fallbacks()), "fallback") + ", ";
  body += std::to_string(p.copies()) + (p.copies() == 1 ? " copy" : " copies");
  if (detail::is_exact(p)) body += " of " + std::to_string(p.bytes_moved()) + " bytes";
  body += ", " + count(p.temporaries(), "temporary value") + ".</p>\n";
  body += detail::drawing(p.begin(), p.end()).svg();
  body += "<h2>Ops</h2>\n" + detail::html_table(detail::plan_rows(p, false));
  return detail::html_page(title, body);
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
