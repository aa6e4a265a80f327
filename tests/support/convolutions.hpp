#pragma once
// Convolutions and their gradients, against plain loops.

#include <placement/ops/conv2d.hpp>
#include <placement/ops/conv2d_gradients.hpp>
#include <placement/placement.hpp>

#include <support/image_loops.hpp>

#include <catch2/catch_test_macros.hpp>

/// Checks a convolution and its two gradients of numbers drawn by r.
template <class T> void check_convolution(conv_loops const& c, test_numbers& r) {
  image_array const x = image_array(c.x).fill(r), w = image_array(c.w).fill(r);
  image_array const g = image_array(c.y()).fill(r);
  INFO(placement::element_name<T>()
       << " images " << to_string(c.x) << ", filter " << to_string(c.w) << ", strides "
       << c.o.strides.height << ' ' << c.o.strides.width << ", dilations " << c.o.dilations.height
       << ' ' << c.o.dilations.width << ", same " << c.o.padding.is_same << ", top "
       << c.o.padding.top << ", bottom " << c.o.padding.bottom << ", left " << c.o.padding.left
       << ", right " << c.o.padding.right << ", groups " << c.o.groups);
  CHECK(image_difference(placement::conv2d(x.as<T>(), w.as<T>(), c.o), c.forward(x, w)) == "");
  CHECK(image_difference(placement::conv2d_input_gradient(w.as<T>(), g.as<T>(), c.x, c.o),
                         c.input_gradient(w, g)) == "");
  CHECK(image_difference(placement::conv2d_filter_gradient(x.as<T>(), g.as<T>(), c.w, c.o),
                         c.filter_gradient(x, g)) == "");
}
