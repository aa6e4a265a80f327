#pragma once
/// A memory history as a page: HTML with a diagram for each device. Not part of placement.hpp.

#include <placement/interop/memory_lanes.hpp>
#include <placement/memory/report.hpp>
#include <placement/runtime/html.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The diagram of one device; lengths are in pixels.
class memory_diagram {
 public:
  static constexpr int left = 80, right = 20, top = 10, height = 220, below = 30;
  static constexpr int column_width = 2, columns = 440;
  static constexpr int width = columns * column_width;

  memory_diagram(memory_history const& h, memory_lane const& lane)
      : history_(h), lane_(lane), scale_(rounded_up(std::max(lane.peak, lane.most_reserved))) {}

  /// The colour of the area with this number; the last one is that of all others.
  static std::string_view colour(std::size_t area, std::size_t shown) {
    constexpr std::string_view colours[] = {"#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f",
                                            "#edc948", "#b07aa1", "#ff9da7", "#9c755f"};
    return area == shown ? "#bab0ac" : colours[area % std::size(colours)];
  }

  std::string svg() const {
    std::string out = xml_tag("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                                      {"width", left + width + right},
                                      {"height", top + height + below},
                                      {"font-family", "system-ui, sans-serif"},
                                      {"font-size", 12}}) +
                      ">\n";
    for (int i = 0; i <= 4; ++i) out += bytes_line(i);
    for (int i = 0; i <= 4; ++i) out += time_label(i);
    for (std::size_t a = 0; a <= lane_.shown; ++a) out += area(a);
    out += reserved_line();
    for (lane_failure const& f : lane_.failures) out += failure(f);
    return out + "</svg>\n";
  }

 private:
  /// A round number not below the bytes, whose quarters are round, too.
  static std::size_t rounded_up(std::size_t bytes) {
    std::size_t unit = 1;
    while (unit <= bytes >> 10) unit <<= 10;
    for (std::size_t const steps : {4u, 8u, 12u, 16u, 20u, 40u, 60u, 80u, 100u, 200u, 400u, 800u})
      if (steps * unit >= bytes) return steps * unit;
    return unit << 10;
  }
  int y_of(std::size_t bytes) const {
    double const share = static_cast<double>(bytes) / static_cast<double>(scale_);
    return top + height - static_cast<int>(std::lround(share * height));
  }
  static int x_of(std::size_t column) { return left + static_cast<int>(column) * column_width; }
  static std::string titled(std::string const& tag, std::string const& title) {
    std::string const name = tag.substr(1, tag.find(' ') - 1);
    return tag + "><title>" + xml_text(title) + "</title></" + name + ">\n";
  }

  std::string bytes_line(int i) const {
    std::size_t const bytes = scale_ / 4 * static_cast<std::size_t>(i);
    int const y = y_of(bytes);
    return xml_tag("line",
                   {{"x1", left}, {"x2", left + width}, {"y1", y}, {"y2", y}, {"stroke", "#ddd"}}) +
           "/>\n" +
           xml_tag("text",
                   {{"x", left - 8}, {"y", y + 4}, {"text-anchor", "end"}, {"fill", "#555"}}) +
           '>' + readable(bytes) + "</text>\n";
  }
  std::string time_label(int i) const {
    return xml_tag("text", {{"x", left + width / 4 * i},
                            {"y", top + height + 20},
                            {"text-anchor", i == 4 ? "end" : "middle"},
                            {"fill", "#555"}}) +
           '>' + seconds(history_.end / 4 * i) + "</text>\n";
  }
  static std::string seconds(std::int64_t ns) {
    char text[32];
    if (ns < 1'000'000) std::snprintf(text, sizeof text, "%.1f us", static_cast<double>(ns) / 1e3);
    else if (ns < 1'000'000'000)
      std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(ns) / 1e6);
    else std::snprintf(text, sizeof text, "%.2f s", static_cast<double>(ns) / 1e9);
    return text;
  }

  /// The bytes below area `a` in a column, and with it.
  std::size_t below_area(std::size_t column, std::size_t a) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i != a; ++i) sum += lane_.columns[column][i];
    return sum;
  }
  /// A step for each column in which the height changes.
  template <class Height> std::string steps(Height height_at) const {
    std::string path;
    int y = -1;
    for (std::size_t c = 0; c != lane_.columns.size(); ++c) {
      int const now = y_of(height_at(c));
      if (now == y) continue;
      path += (c == 0 ? "M" : " H") + std::to_string(x_of(c)) + (c == 0 ? " " : " V") +
              std::to_string(now);
      y = now;
    }
    return path + " H" + std::to_string(left + width);
  }
  /// The same from right to left.
  template <class Height> std::string steps_back(Height height_at) const {
    std::string path;
    int y = -1;
    for (std::size_t c = lane_.columns.size(); c-- != 0;) {
      int const now = y_of(height_at(c));
      if (now != y) path += " H" + std::to_string(x_of(c + 1)) + " V" + std::to_string(now);
      y = now;
    }
    return path + " H" + std::to_string(left) + " Z";
  }

  std::string area(std::size_t a) const {
    std::size_t most = 0;
    for (auto const& column : lane_.columns) most = std::max(most, column[a]);
    if (most == 0) return {};
    std::string const path = steps([&](std::size_t c) { return below_area(c, a + 1); }) +
                             steps_back([&](std::size_t c) { return below_area(c, a); });
    std::string const who = a == lane_.shown
                                ? "all others"
                                : to_string(history_.series[lane_.holders[a].series].caller);
    return titled(xml_tag("path", {{"d", path}, {"fill", std::string(colour(a, lane_.shown))}}),
                  who + ": at most " + readable(most));
  }
  std::string reserved_line() const {
    if (lane_.most_reserved == 0) return {};
    return titled(xml_tag("path", {{"d", steps([&](std::size_t c) { return lane_.reserved[c]; })},
                                   {"fill", "none"},
                                   {"stroke", "#222"},
                                   {"stroke-dasharray", "4 3"}}),
                  "reserved, at most " + readable(lane_.most_reserved));
  }
  std::string failure(lane_failure const& f) const {
    int const x = x_of(f.column) + column_width / 2;
    return titled(
        xml_tag("line", {{"x1", x},
                         {"x2", x},
                         {"y1", top},
                         {"y2", top + height},
                         {"stroke", "#c22"},
                         {"stroke-width", 2}}),
        "no memory for " + readable(f.size) + ": " + to_string(history_.series[f.series].caller));
  }

  memory_history const& history_;
  memory_lane const& lane_;
  std::size_t scale_;
};

/// The call sites of a device: the colour, and what each held.
inline std::string memory_table(memory_history const& h, memory_lane const& lane) {
  constexpr std::size_t most_rows = 100;
  std::string text =
      "<table>\n<tr><th></th><th>op and line</th><th class=\"number\">at the peak</th>"
      "<th class=\"number\">at most</th><th class=\"number\">allocations</th></tr>\n";
  std::size_t const rows = std::min(most_rows, lane.holders.size());
  for (std::size_t i = 0; i != rows; ++i) {
    memory_holder const& m = lane.holders[i];
    std::size_t const area = std::min(i, lane.shown);
    text += R"(<tr><td class="colour" style="background: )" +
            std::string(memory_diagram::colour(area, lane.shown)) + "\">&nbsp;</td><td>" +
            xml_text(to_string(h.series[m.series].caller)) + "</td>";
    for (std::string const& number :
         {readable(m.at_peak), readable(m.most), std::to_string(m.allocations)})
      text += "<td class=\"number\">" + number + "</td>";
    text += "</tr>\n";
  }
  text += "</table>\n";
  if (rows != lane.holders.size())
    text += "<p>" + std::to_string(lane.holders.size() - rows) + " more.</p>\n";
  return text;
}

}  // namespace detail

/// The history as a page that a browser opens from the disk: for each device a diagram of who held
/// how much, and a table of ops and source lines. In a column of the diagram the device may have
/// held different amounts; the largest is shown. Cost: linear in the events.
inline std::string to_html(memory_history const& h, std::string_view title = "Memory") try {
  std::string body;
  for (detail::memory_lane const& lane :
       detail::memory_lanes_of(h, detail::memory_diagram::columns)) {
    body += "<h2>" + to_string(lane.where) + "</h2>\n<p>Peak " + detail::readable(lane.peak);
    if (lane.most_reserved != 0)
      body += ", reserved at most " + detail::readable(lane.most_reserved) + " (dashed)";
    if (!lane.failures.empty())
      body += ", " + std::to_string(lane.failures.size()) +
              (lane.failures.size() == 1 ? " failed request (red)" : " failed requests (red)");
    body += lane.where.is_cpu() ? ". Tensors below 1 MiB are the heap's, and not shown.</p>\n"
                                : ".</p>\n";
    body += detail::memory_diagram(h, lane).svg() + detail::memory_table(h, lane);
  }
  if (body.empty()) body = "<p>No memory of a device was allocated.</p>\n";
  if (h.dropped != 0)
    body += "<p class=\"alarm\">" + std::to_string(h.dropped) +
            " later events were dropped. Record fewer, or allow more.</p>\n";
  return detail::html_page(title, body);
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
