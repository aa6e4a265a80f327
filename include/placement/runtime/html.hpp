#pragma once
/// Pages of HTML that need no other file. Not part of placement.hpp.

#include <placement/runtime/xml.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// A page with everything in it: no script, and nothing that is loaded from elsewhere. `body`:
/// HTML.
inline std::string html_page(std::string_view title, std::string_view body) {
  std::string const text = xml_text(title);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>";
  page += text;
  page +=
      "</title>\n<style>\n"
      "body { font: 14px/1.4 system-ui, sans-serif; margin: 24px; color: #222; background: #fff }\n"
      "h1 { font-size: 20px } h2 { font-size: 16px; margin-top: 32px }\n"
      "table { border-collapse: collapse; margin: 12px 0 }\n"
      "th, td { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; "
      "border-bottom: 1px solid #ddd }\n"
      "td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }\n"
      "td.colour { padding: 0 8px } td.colour + td { padding-left: 8px }\n"
      ".alarm { color: #c22 }\n"
      "svg { max-width: 100% }\n"
      "</style>\n</head>\n<body>\n<h1>";
  page += text;
  page += "</h1>\n";
  page += body;
  return page + "</body>\n</html>\n";
}

/// A table whose first row has the titles.
inline std::string html_table(std::vector<std::vector<std::string>> const& rows) {
  std::string text = "<table>\n";
  for (auto const& row : rows) {
    bool const is_first = &row == rows.data();
    text += "<tr>";
    for (std::string const& s : row) {
      text += is_first ? "<th>" : "<td>";
      text += xml_text(s);
      text += is_first ? "</th>" : "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

}}}  // namespace placement::v0_1::detail
