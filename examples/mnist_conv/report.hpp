#pragma once
/// What training shows: the printed lines, the progress bar, the curves.

#include "nets.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace mnist {

/// The values of the printed steps.
struct curves {
  std::vector<int> step{};
  std::vector<float> loss{}, accuracy{};
};

inline void print_step(curves& printed, int step, scalar const& loss, scalar const& accuracy) {
  std::printf("Step:%d:%s %s\n", step, to_string(loss).c_str(), to_string(accuracy).c_str());
  std::fflush(stdout);
  printed.step.push_back(step);
  printed.loss.push_back(pl::item(loss));
  printed.accuracy.push_back(pl::item(accuracy));
}

/// Two lines in a square of 100 x 100: the loss from 0 to the largest, the accuracy from 0 to 1.
inline std::string picture_of(curves const& c) {
  float largest = 1e-6f;
  for (float l : c.loss) largest = l > largest ? l : largest;
  auto const line = [&](std::vector<float> const& y, float top, char const* color) {
    std::string points;
    for (std::size_t i = 0; i != y.size(); ++i) {
      double const x = 100. * c.step[i] / c.step.back(),
                   up = 100. * static_cast<double>(y[i] / top);
      points += std::to_string(x) + "," + std::to_string(100 - up) + " ";
    }
    return "<polyline fill=\"none\" stroke=\"" + std::string(color) + "\" points=\"" + points +
           "\"/>\n";
  };
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-4 -4 108 108\">\n"
         "<rect width=\"100\" height=\"100\" fill=\"none\" stroke=\"#888\"/>\n" +
         line(c.loss, largest, "#c60") + line(c.accuracy, 1, "#268") + "</svg>\n";
}
inline void write_picture(std::string const& file, curves const& c) {
  std::ofstream out(file);
  out << picture_of(c);
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot be written");
}

/// The progress in one line that is rewritten, on a terminal only.
inline void show_progress(int step, int steps) {
  if (!isatty(STDERR_FILENO)) return;
  constexpr int width = 40;
  int const done = width * step / steps;
  std::fprintf(stderr, "\r[%s%s] %d/%d%s", std::string(static_cast<std::size_t>(done), '=').c_str(),
               std::string(static_cast<std::size_t>(width - done), ' ').c_str(), step, steps,
               step == steps ? "\n" : "");
}

}  // namespace mnist
