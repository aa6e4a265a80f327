// Convolutions and pools for arrays_images.py, which computes them by NumPy's sliding windows.
//
//   arrays_images FOLDER    writes operands and results, and cases.txt:
//   function|strides dilations groups window same padding|operands|result
#include "cases.hpp"

#include <placement/ops/conv2d.hpp>
#include <placement/ops/conv2d_gradients.hpp>
#include <placement/ops/pool2d.hpp>
#include <placement/placement.hpp>

#include <iostream>
#include <string>

namespace {

using namespace placement;

/// Small numbers whose products are exact, and repeat in no dimension.
tensor<float, dextents<4>> numbers(dextents<4> const& shape) {
  return cast<float>(iota(shape, 0) * 7 % 11 - 4);
}

std::string text(window2d const& w) {
  return std::to_string(w.height) + ' ' + std::to_string(w.width) + ' ';
}
std::string text(padding2d const& p) {
  return std::to_string(p.is_same ? 1 : 0) + ' ' + std::to_string(p.top) + ' ' +
         std::to_string(p.bottom) + ' ' + std::to_string(p.left) + ' ' + std::to_string(p.right);
}

void add_convolutions(cases& to, dextents<4> const& images, dextents<4> const& filter,
                      conv2d_options const& o) {
  std::string const options =
      text(o.strides) + text(o.dilations) + std::to_string(o.groups) + " 0 0 " + text(o.padding);
  auto const x = numbers(images), w = numbers(filter);
  tensor const y = conv2d(x, w, o);
  auto const g = numbers(y.shape());
  to.add("conv2d", options, y, x, w);
  to.add("input_gradient", options, conv2d_input_gradient(w, g, images, o), x, w, g);
  to.add("filter_gradient", options, conv2d_filter_gradient(x, g, filter, o), x, w, g);
}
void add_pools(cases& to, dextents<4> const& images, pool2d_options o) {
  if (o.strides.height == 0) o.strides = o.window;
  std::string const options = text(o.strides) + "1 1 1 " + text(o.window) + text(o.padding);
  auto const x = numbers(images);
  to.add("max_pool2d", options, max_pool2d(x, o), x);
  to.add("avg_pool2d", options, avg_pool2d(x, o), x);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: arrays_images FOLDER\n";
    return 2;
  }
  cases to(argv[1]);
  add_convolutions(to, shape(2, 9, 8, 3), shape(3, 2, 3, 5), {});
  add_convolutions(to, shape(18, 14, 14, 6), shape(5, 5, 6, 12), {.padding = same_padding});
  add_convolutions(to, shape(1, 11, 10, 4), shape(3, 3, 4, 33),
                   {.padding = same_padding, .strides = {2, 3}});
  add_convolutions(to, shape(1, 12, 12, 2), shape(4, 3, 2, 3),
                   {.padding = same_padding, .dilations = {2, 3}});
  add_convolutions(to, shape(2, 8, 7, 6), shape(3, 3, 2, 9),
                   {.padding = {1, 2, 0, 1}, .groups = 3});
  add_convolutions(to, shape(3, 7, 7, 2), shape(2, 1, 2, 2), {.strides = {3, 4}});
  add_convolutions(to, shape(0, 5, 5, 2), shape(3, 3, 2, 4), {});
  add_pools(to, shape(2, 9, 8, 5), {});
  add_pools(to, shape(2, 9, 8, 5), {.window = {3, 3}, .strides = {2, 2}, .padding = same_padding});
  add_pools(to, shape(1, 7, 7, 3), {.window = {3, 2}, .strides = {1, 3}, .padding = {1, 2, 0, 1}});
}
