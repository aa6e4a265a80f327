#pragma once
/// Plans as diagrams: a lane per device, a box per kernel, an edge from each result to its reader.

#include <placement/plan/plan.hpp>
#include <placement/runtime/xml.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The layout of a plan's boxes; lengths are in pixels.
class drawing {
 public:
  static constexpr int line_height = 18, gap = 34, header = 44, margin = 20;

  drawing(plan_node const* first, plan_node const* last) {
    for (plan_node const* n = first; n != last; ++n) {
      if (lane_of(n->device) == lanes_.size()) lanes_.push_back(n->device);
      box& b = box_of(*n);
      b.lane = lane_of(n->device);
      b.lines.push_back(line_of(*n));
      b.dashed = n->kernel < 0;
      if (!n->root && n->kernel >= 0) continue;
      b.into = n->into;
      b.bytes = n->bytes;
      b.copies = n->copies;
      b.exact = n->exact;
      b.alarm = n->fell_back || n->refused;
      if (b.alarm)
        b.lines.push_back(std::string(n->refused ? "refused: " : "fallback: ") +
                          std::string(to_string(n->why)));
      if (b.copies != 0)
        b.lines.push_back(std::to_string(b.copies) + (b.copies == 1 ? " copy, " : " copies, ") +
                          (b.exact ? std::to_string(b.bytes) : std::string("?")) + " B");
    }
    for (box const& b : boxes_)
      for (std::string const& line : b.lines) {
        int const width = static_cast<int>(line.size()) * 75 / 10 + margin;  // 12 px, monospaced
        if (width > box_width_) box_width_ = width;
      }
    stack();
  }

  std::string svg() const {
    int const width = lane_width() * static_cast<int>(lanes_.empty() ? 1 : lanes_.size());
    std::string out = xml_tag("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                                      {"width", width},
                                      {"height", height_},
                                      {"font-family", "ui-monospace, monospace"},
                                      {"font-size", 12}}) +
                      ">\n";
    for (std::size_t i = 0; i != lanes_.size(); ++i) out += lane(i);
    for (box const& b : boxes_) out += edge(b);
    for (box const& b : boxes_) out += frame(b);
    return out + "</svg>\n";
  }

 private:
  struct box {
    int kernel = -1, into = -1, level = 0, y = 0;
    std::size_t lane = 0, copies = 0, bytes = 0;
    bool exact = true, alarm = false, dashed = false;
    std::vector<std::string> lines{};
  };

  /// Independent kernels are side by side; those of one lane are stacked.
  void stack() {
    for (box const& from : boxes_)  // readers come after the kernels whose results they read
      for (box& to : boxes_)
        if (from.into >= 0 && to.kernel == from.into && to.level <= from.level)
          to.level = from.level + 1;
    std::vector<int> free(lanes_.size());
    int top = header;
    for (int level = 0, placed = 0; placed != static_cast<int>(boxes_.size()); ++level) {
      int bottom = top;
      for (int& y : free) y = top;
      for (box& b : boxes_) {
        if (b.level != level) continue;
        b.y = free[b.lane];
        free[b.lane] += height_of(b) + gap;
        if (free[b.lane] > bottom) bottom = free[b.lane];
        ++placed;
      }
      top = bottom;
    }
    height_ = top;
  }
  std::size_t lane_of(device d) const {
    std::size_t i = 0;
    while (i != lanes_.size() && !(lanes_[i] == d)) ++i;
    return i;
  }
  box& box_of(plan_node const& n) {
    if (n.kernel >= 0)
      for (box& b : boxes_)
        if (b.kernel == n.kernel) return b;
    boxes_.push_back({n.kernel});
    return boxes_.back();
  }
  static std::string line_of(plan_node const& n) {
    std::string const scope = n.scope.empty() ? "" : std::string(n.scope) + '/';
    std::string text = scope + std::string(n.op) + '<' + std::string(n.element) + "> [";
    for (std::size_t d = 0; d != n.rank; ++d)
      text += (d == 0 ? "" : ", ") +
              (n.extent[d] == dyn ? std::string("?") : std::to_string(n.extent[d]));
    return text + ']';
  }
  static int height_of(box const& b) { return 12 + line_height * static_cast<int>(b.lines.size()); }
  int lane_width() const { return box_width_ + 2 * margin; }
  int left_of(std::size_t lane) const { return static_cast<int>(lane) * lane_width() + margin; }
  static std::string point(int x, int y) { return std::to_string(x) + ' ' + std::to_string(y); }

  std::string lane(std::size_t i) const {
    int const x = static_cast<int>(i) * lane_width();
    return xml_tag("rect", {{"x", x + 4},
                            {"y", 4},
                            {"width", lane_width() - 8},
                            {"height", height_ - 8},
                            {"rx", 8},
                            {"fill", lanes_[i].is_gpu() ? "#eef7ee" : "#f3f3f8"}}) +
           "/>\n" +
           xml_tag("text", {{"x", x + lane_width() / 2},
                            {"y", 26},
                            {"text-anchor", "middle"},
                            {"font-weight", "bold"},
                            {"fill", "#222"}}) +
           '>' + to_string(lanes_[i]) + "</text>\n";
  }
  std::string frame(box const& b) const {
    int const x = left_of(b.lane);
    std::string out = xml_tag("rect", {{"x", x},
                                       {"y", b.y},
                                       {"width", box_width_},
                                       {"height", height_of(b)},
                                       {"rx", 4},
                                       {"fill", "#fff"},
                                       {"stroke", b.alarm ? "#c22" : "#456"},
                                       {"stroke-dasharray", b.dashed ? "4 3" : "none"}}) +
                      "/>\n";
    if (b.kernel >= 0)
      out += xml_tag("text", {{"x", x + box_width_ - 8},
                              {"y", b.y + line_height},
                              {"text-anchor", "end"},
                              {"fill", "#89a"}}) +
             '>' + std::to_string(b.kernel) + "</text>\n";
    int y = b.y + line_height;
    for (std::string const& line : b.lines) {
      out += xml_tag("text", {{"x", x + 10}, {"y", y}, {"fill", "#222"}}) + '>' + xml_text(line) +
             "</text>\n";
      y += line_height;
    }
    return out;
  }
  std::string edge(box const& from) const {
    for (box const& to : boxes_) {
      if (from.into < 0 || to.kernel != from.into) continue;
      int const x = left_of(from.lane) + box_width_ / 2, y = from.y + height_of(from);
      int const end = left_of(to.lane) + box_width_ / 2, middle = (y + to.y) / 2;
      std::string const path = "M " + point(x, y) + " C " + point(x, middle) + ' ' +
                               point(end, middle) + ' ' + point(end, to.y);
      bool const copied = from.lane != to.lane;
      return xml_tag("path", {{"d", path},
                              {"fill", "none"},
                              {"stroke", copied ? "#c60" : "#456"},
                              {"stroke-width", copied ? 2 : 1}}) +
             "/>\n";
    }
    return {};
  }

  std::vector<device> lanes_;
  std::vector<box> boxes_;
  int height_ = 0, box_width_ = 220;
};

}  // namespace detail

/// The plan as an SVG document. Each device is a lane. Each kernel is a box with its number and its
/// fused ops; a dashed box is a tensor that on() moves. Fallbacks are red; results copied to
/// another device are orange. Needs no other program.
template <std::size_t N> std::string to_svg(plan<N> const& p) {
  return detail::drawing(p.begin(), p.end()).svg();
}

}}  // namespace placement::v0_1
