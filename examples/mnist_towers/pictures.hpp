#pragma once
/// Two pictures: the devices of one step as a page, and the loss over the steps as SVG.

#include "models.hpp"

#include <placement/plan/html.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace mnist {

/// The loss of each step of one model.
struct curve {
  std::string_view model;
  std::vector<float> loss;
};

/// The plan of one step of softmax_regression: the gradient of the weights on two towers, half of a
/// batch each, and the update on CPU:0. The step is not evaluated.
inline std::string page_of_step(pl::device first, pl::device second, pl::index_t batch) {
  pl::with_device scope("/cpu:0");
  matrix const w = pl::zeros<float>(pixels, digit_count), b = pl::zeros<float>(1, digit_count);
  matrix const x = pl::zeros<float>(batch / 2, pixels),
               target = pl::zeros<float>(batch / 2, digit_count);
  auto const gradient_on = [&](pl::device tower) {
    return pl::on(tower, pl::matmul(pl::transpose(x), pl::softmax(pl::matmul(x, w) + b) - target));
  };
  float const rate = softmax_regression::rate / static_cast<float>(batch);
  auto const update = w - (gradient_on(first) + gradient_on(second)) * rate;
  return pl::to_html(pl::plan_of(update), "One step on two towers");
}

namespace detail {

/// The means of consecutive groups of `width` values. An incomplete last group is left out.
inline std::vector<float> means(std::vector<float> const& values, std::size_t width) {
  std::vector<float> all;
  for (std::size_t i = 0; i + width <= values.size(); i += width) {
    float sum = 0;
    for (std::size_t k = 0; k != width; ++k) sum += values[i + k];
    all.push_back(sum / static_cast<float>(width));
  }
  return all;
}

/// Maps to pixels of a picture with a linear axis of steps and a logarithmic axis of the loss.
class loss_axes {
 public:
  loss_axes(std::size_t steps, float least, float max)
      : steps_(static_cast<double>(steps)),
        low_(std::floor(std::log10(static_cast<double>(least)))),
        high_(std::ceil(std::log10(static_cast<double>(max)))) {}

  static constexpr int width = 640, height = 360, left = 60, right = 20, top = 20, bottom = 40;

  double x(double step) const { return left + (width - left - right) * step / steps_; }
  double y(double loss) const {
    double const part = (std::log10(loss) - low_) / std::max(high_ - low_, 1.0);
    return height - bottom - (height - top - bottom) * part;
  }
  /// Lines and labels: one per power of ten, and four numbers of steps.
  std::string drawn() const {
    std::string svg;
    char text[256];
    for (double power = low_; power <= high_; ++power) {
      double const at = y(std::pow(10., power));
      std::snprintf(text, sizeof text,
                    "<path d=\"M %d %.1f H %d\" stroke=\"#ddd\"/>\n"
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#222\">%g</text>\n",
                    left, at, width - right, left - 6, at + 4, std::pow(10., power));
      svg += text;
    }
    for (int quarter = 0; quarter <= 4; ++quarter) {
      std::snprintf(text, sizeof text,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#222\">%.0f</text>\n",
                    x(steps_ * quarter / 4), height - bottom + 18, steps_ * quarter / 4);
      svg += text;
    }
    return svg;
  }

 private:
  double steps_, low_, high_;
};

}  // namespace detail

/// The loss over the steps, one line per model: means of 20 steps, on a logarithmic axis. Each
/// model needs at least 20 steps.
inline std::string picture_of_losses(std::vector<curve> const& curves) {
  constexpr std::size_t together = 20;
  constexpr char const* colors[] = {"#c60", "#268"};
  float least = 1e30f, max = 1e-30f;
  std::size_t steps = 1;
  for (curve const& c : curves) {
    steps = std::max(steps, c.loss.size());
    for (float v : detail::means(c.loss, together))
      least = std::min(least, v), max = std::max(max, v);
  }
  detail::loss_axes const axes(steps, least, max);
  char text[256];
  std::snprintf(text, sizeof text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "font-family=\"ui-monospace, monospace\" font-size=\"12\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                axes.width, axes.height);
  std::string svg = text + axes.drawn();
  for (std::size_t i = 0; i != curves.size(); ++i) {
    std::vector<float> const values = detail::means(curves[i].loss, together);
    svg += "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" + std::string(colors[i % 2]) +
           "\" points=\"";
    for (std::size_t k = 0; k != values.size(); ++k) {
      double const step = static_cast<double>((k + 1) * together);
      std::snprintf(text, sizeof text, "%.1f,%.1f ", axes.x(step),
                    axes.y(static_cast<double>(values[k])));
      svg += text;
    }
    std::snprintf(text, sizeof text,
                  "\"/>\n<text x=\"%d\" y=\"%zu\" text-anchor=\"end\" fill=\"%s\">%s</text>\n",
                  axes.width - axes.right - 8, axes.top + 16 * (i + 1), colors[i % 2],
                  std::string(curves[i].model).c_str());
    svg += text;
  }
  std::snprintf(
      text, sizeof text,
      "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#222\">steps (loss, means of %zu)</text>\n</svg>\n",
      axes.width / 2, axes.height - 6, together);
  return svg + text;
}

}  // namespace mnist
