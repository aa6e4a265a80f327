// Convolutions and their gradients, against plain loops.
#include <placement/interop/cudnn.hpp>
#include <placement/ops/conv2d.hpp>
#include <placement/ops/conv2d_gradients.hpp>
#include <placement/placement.hpp>

#include <support/any_threads.hpp>
#include <support/convolutions.hpp>
#include <support/elementwise.hpp>
#include <support/image_loops.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <string>
#include <type_traits>
#include <utility>

using namespace placement;

namespace {

template <class E> std::string text(E const& e) { return to_string(tensor(e)); }

/// Images, a filter and options, drawn at random: extents from 0, strides larger than the filter.
conv_loops random_convolution(test_numbers& r) {
  conv2d_options o;
  o.strides = {r.next(1, 3), r.next(1, 3)};
  o.dilations = {r.next(1, 3), r.next(1, 2)};
  o.groups = r.next(0, 2) == 0 ? r.next(2, 3) : 1;
  if (r.next(0, 1) == 0) o.padding = same_padding;
  else if (r.next(0, 1) == 0) o.padding = {r.next(0, 2), r.next(0, 2), r.next(0, 2), r.next(0, 2)};
  index_t const depth = r.next(0, 7) == 0 ? 0 : r.next(1, 5);
  index_t const filters = r.next(0, 9) == 0 ? 0 : r.next(1, r.next(0, 3) == 0 ? 70 : 9);
  dextents<4> w{{r.next(1, 4), r.next(1, 4), depth, filters * o.groups}};
  dextents<4> x{{r.next(0, 4), r.next(0, 9), r.next(0, 9), depth * o.groups}};
  if (!o.padding.is_same) {  // so that the window fits
    index_t const rows = (w.n[0] - 1) * o.dilations.height + 1 - o.padding.top - o.padding.bottom;
    index_t const columns = (w.n[1] - 1) * o.dilations.width + 1 - o.padding.left - o.padding.right;
    if (x.n[1] != 0 && x.n[1] < rows) x.n[1] = rows;
    if (x.n[2] != 0 && x.n[2] < columns) x.n[2] = columns;
  }
  return {x, w, o};
}

}  // namespace

TEST_CASE("convolutions and their gradients equal plain loops for random shapes") {
  for (unsigned seed = 0; seed != 150; ++seed) {
    test_numbers r(seed);
    check_convolution<float>(random_convolution(r), r);
  }
}

TEST_CASE("convolutions of other element types equal plain loops") {
  for (unsigned seed = 150; seed != 190; ++seed) {
    test_numbers r(seed);
    conv_loops const c = random_convolution(r);
    check_convolution<double>(c, r);
    check_convolution<float16>(c, r);
    check_convolution<bfloat16>(c, r);
  }
}

TEST_CASE("convolutions of the layers of nets equal plain loops") {
  test_numbers r(7);
  check_convolution<float>({{{20, 12, 12, 1}}, {{5, 5, 1, 12}}, {}}, r);
  check_convolution<float>({{{17, 14, 14, 6}}, {{5, 5, 6, 12}}, {.padding = same_padding}}, r);
  check_convolution<float>(
      {{{2, 21, 19, 3}}, {{7, 7, 3, 64}}, {.padding = same_padding, .strides = {2, 2}}}, r);
  check_convolution<float>({{{3, 7, 7, 40}}, {{1, 1, 40, 130}}, {}}, r);
  check_convolution<float>(
      {{{1, 40, 40, 8}}, {{3, 3, 1, 16}}, {.padding = same_padding, .groups = 8}}, r);
  check_convolution<float>({{{1, 3, 300, 30}}, {{3, 3, 30, 33}}, {.padding = {1, 1, 1, 1}}}, r);
  check_convolution<float>(  // rows that read zeros alone
      {{{17, 3, 6, 2}}, {{3, 3, 2, 6}}, {.padding = {4, 5, 1, 1}, .dilations = {2, 1}}}, r);
}

TEST_CASE("convolutions with filters beyond the second cache equal plain loops") {
  test_numbers r(8);
  conv2d_options const same{.padding = same_padding};
  check_convolution<float>({{{2, 3, 7, 256}}, {{3, 3, 256, 128}}, same}, r);
  check_convolution<float>({{{2, 3, 7, 300}}, {{3, 3, 300, 120}}, same}, r);
  check_convolution<float>({{{3, 3, 4, 512}}, {{3, 3, 256, 128}}, {.groups = 2}}, r);
  check_convolution<float>({{{3, 4, 4, 1024}}, {{1, 1, 1024, 272}}, {}}, r);
  check_convolution<float>(  // images in two parts
      {{{9, 3, 3, 8192}}, {{1, 3, 8192, 16}}, {.padding = {0, 0, 1, 1}}}, r);
}

TEST_CASE("depthwise convolutions and their gradients equal plain loops for random shapes") {
  for (unsigned seed = 400; seed != 520; ++seed) {
    test_numbers r(seed);
    conv_loops const drawn = random_convolution(r);
    index_t const channels = r.next(2, r.next(0, 3) == 0 ? 90 : 9);
    conv2d_options o = drawn.o;
    o.groups = channels;
    conv_loops const c{{{drawn.x.n[0], drawn.x.n[1], drawn.x.n[2], channels}},
                       {{drawn.w.n[0], drawn.w.n[1], 1, channels}},
                       o};
    check_convolution<float>(c, r);
    if (seed % 4 == 0) check_convolution<double>(c, r);
    if (seed % 16 == 0) check_convolution<bfloat16>(c, r);
  }
}

TEST_CASE("depthwise convolutions of the layers of nets equal plain loops") {
  test_numbers r(10);
  conv2d_options same{.padding = same_padding, .groups = 75};
  check_convolution<float>({{{2, 15, 13, 75}}, {{3, 3, 1, 75}}, same}, r);
  check_convolution<float>({{{2, 15, 33, 75}}, {{5, 5, 1, 75}}, same}, r);
  check_convolution<float>({{{1, 9, 10, 75}}, {{7, 7, 1, 75}}, same}, r);
  same.strides = {2, 2};
  check_convolution<float>({{{2, 15, 30, 75}}, {{3, 3, 1, 75}}, same}, r);
  check_convolution<float>(  // 70 rows, so that the gradient of the filter has several slots
      {{{7, 10, 12, 130}}, {{3, 4, 1, 130}}, {.padding = {1, 1, 2, 1}, .groups = 130}}, r);
}

TEST_CASE("depthwise convolutions whose pixels share sets of a cache equal plain loops") {
  test_numbers r(11);
  conv2d_options same{.padding = same_padding, .groups = 512};
  check_convolution<float>({{{5, 7, 6, 512}}, {{3, 3, 1, 512}}, same}, r);
  same.strides = {3, 2};
  check_convolution<float>({{{2, 11, 9, 512}}, {{2, 3, 1, 512}}, same}, r);
  check_convolution<double>({{{3, 5, 4, 256}},
                             {{3, 2, 1, 256}},
                             {.padding = {2, 0, 1, 3}, .dilations = {2, 3}, .groups = 256}},
                            r);
  check_convolution<float>({{{1, 23, 24, 256}}, {{3, 3, 1, 256}}, {.groups = 256}}, r);
}

TEST_CASE("depthwise convolutions in blocks of channels equal plain loops") {
  test_numbers r(12);
  auto const check = [&]<class T>(T, dextents<4> const& x, conv2d_options o) {
    o.groups = x.n[3];
    check_convolution<T>({x, {{3, 3, 1, x.n[3]}}, o}, r);
  };
  conv2d_options const same{.padding = same_padding};
  check(0.f, {{3, 7, 7, 528}}, same);  // eight blocks and a part of one
  check(0.f, {{5, 6, 9, 272}}, same);
  check(0.f, {{2, 1, 15, 512}}, same);  // one row of taps reads the images
  check(0.f, {{2, 9, 3, 256}}, same);
  check(0.f, {{3, 8, 10, 512}}, {});
  check(0.f, {{3, 8, 10, 544}}, {.padding = {1, 2, 2, 0}});
  check(0.f, {{2, 5, 8, 512}}, {.padding = {4, 5, 0, 2}});  // rows that read zeros alone
  check(0.f, {{2, 5, 8, 512}}, {.padding = {0, 0, 1, 4}});  // columns that do
  check(0., {{2, 5, 9, 264}}, same);
  check(0., {{9, 7, 8, 128}}, {.padding = {2, 2, 2, 2}});
}

TEST_CASE("depthwise convolutions do not multiply infinities by padding") {
  double const infinity = std::numeric_limits<double>::infinity();
  conv_loops const c({{1, 7, 8, 512}}, {{3, 3, 1, 512}}, {.padding = same_padding, .groups = 512});
  image_array ones(c.x), w(c.w), g(c.y());
  for (image_array* const each : {&ones, &w, &g})
    for (double& x : each->v) x = 1;
  for (index_t k = 0; k != 512; ++k) w.at(0, 1, 0, k) = w.at(2, 2, 0, k) = infinity;
  for (index_t k = 0; k != 512; ++k) g.at(0, 0, 0, k) = g.at(0, 6, 7, k) = infinity;
  CHECK(image_difference(conv2d(ones.as<float>(), w.as<float>(), c.o), c.forward(ones, w)) == "");
  CHECK(image_difference(conv2d_input_gradient(w.as<float>(), ones.as<float>(), c.x, c.o),
                         c.input_gradient(w, ones)) == "");
  CHECK(image_difference(conv2d_filter_gradient(ones.as<float>(), g.as<float>(), c.w, c.o),
                         c.filter_gradient(ones, g)) == "");
}

TEST_CASE("gradients of images by filters that are transposed in registers equal plain loops") {
  test_numbers r(13);  // with channels and filters that fill no vector
  conv2d_options const same{.padding = same_padding};
  check_convolution<float>({{{2, 3, 5, 50}}, {{3, 2, 50, 37}}, same}, r);
  check_convolution<float>({{{2, 4, 5, 70}}, {{2, 3, 35, 74}}, {.groups = 2}}, r);
  check_convolution<float>({{{3, 5, 5, 33}}, {{1, 1, 33, 130}}, {}}, r);
  check_convolution<double>({{{2, 4, 7, 21}}, {{3, 3, 21, 19}}, same}, r);
  check_convolution<float>({{{2, 3, 7, 520}}, {{3, 1, 520, 209}}, same}, r);
}

TEST_CASE("gradients of filters with many channels equal plain loops") {
  test_numbers r(9);
  conv2d_options const same{.padding = same_padding};
  check_convolution<float>({{{5, 9, 6, 131}}, {{3, 3, 131, 150}}, {}}, r);
  check_convolution<float>({{{4, 7, 5, 129}}, {{3, 2, 129, 128}}, same}, r);
  check_convolution<float>(
      {{{2, 11, 8, 128}}, {{3, 3, 128, 130}}, {.padding = {2, 0, 1, 3}, .dilations = {2, 3}}}, r);
  check_convolution<float>({{{3, 10, 13, 137}}, {{1, 1, 137, 145}}, {}}, r);
  check_convolution<float>({{{1, 1, 300, 128}}, {{1, 4, 128, 128}}, same}, r);
  check_convolution<double>({{{3, 6, 7, 141}}, {{2, 3, 141, 129}}, same}, r);
}

TEST_CASE("convolutions of many images equal plain loops for random shapes") {
  for (unsigned seed = 200; seed != 240; ++seed) {
    test_numbers r(seed);
    conv_loops c = random_convolution(r);
    c.x.n[0] = r.next(16, 40);
    if (seed % 2 == 0) c.w.n[3] = c.o.groups * r.next(1, 12);
    check_convolution<float>(conv_loops(c.x, c.w, c.o), r);
    if (seed % 4 == 0) check_convolution<double>(conv_loops(c.x, c.w, c.o), r);
  }
}

TEST_CASE("convolutions of empty images with huge extents give zeros or nothing") {
  index_t const huge = index_t{1} << 40;
  tensor const none = zeros<float>(0, huge, huge, 3);
  CHECK(tensor(conv2d(none, ones<float>(2, 2, 3, 4))).size() == 0);
  tensor const g = zeros<float>(shape(0, huge - 1, huge - 1, 4));
  CHECK(text(flatten(conv2d_filter_gradient(none, g, shape(2, 2, 3, 4)))) ==
        text(zeros<float>(48)));
  CHECK(tensor(conv2d_input_gradient(ones<float>(2, 2, 3, 4), g, none.shape())).size() == 0);
  tensor const rows = zeros<float>(1, 0, huge, huge);
  CHECK(text(flatten(conv2d(rows, zeros<float>(1, 1, huge, 0),
                            {.padding = {1, 0}, .strides = {1, 1 << 30}}))) == "[]");
}

TEST_CASE("same_padding puts the odd row at the bottom, as TensorFlow does") {
  tensor const x = reshape(tensor{1.f, 2.f, 3.f, 4.f, 5.f}, shape(1, 5, 1, 1));
  tensor const w = reshape(tensor{1.f, 10.f}, shape(2, 1, 1, 1));
  CHECK(text(flatten(conv2d(x, w, {.padding = same_padding}))) == "[21 32 43 54 5]");
  CHECK(text(flatten(conv2d(x, w, {.padding = same_padding, .strides = {2, 1}}))) == "[21 43 5]");
  tensor const three = reshape(tensor{1.f, 10.f, 100.f}, shape(3, 1, 1, 1));
  CHECK(text(flatten(conv2d(x, three, {.padding = same_padding, .strides = {2, 1}}))) ==
        "[210 432 54]");
  CHECK(text(flatten(conv2d(x, three, {.padding = same_padding, .strides = {3, 1}}))) ==
        "[321 54]");
  CHECK(text(flatten(conv2d(slice(x, everything, range{0, 4}), three,
                            {.padding = same_padding, .strides = {2, 1}}))) == "[321 43]");
}

TEST_CASE("shapes of convolutions stay static where the options are in the type") {
  tensor const x = zeros<float>(extents<2, 8, 8, 3>{});
  tensor const w = zeros<float>(extents<3, 3, 3, 4>{});
  CHECK(std::is_same_v<decltype(conv2d(x, w))::extents_type, extents<2, 6, 6, 4>>);
  auto const y = conv2d<conv2d_options{.padding = same_padding, .strides = {2, 3}}>(x, w);
  CHECK(std::is_same_v<decltype(y)::extents_type, extents<2, 4, 3, 4>>);
  auto const z = conv2d(x, w, {.padding = same_padding});
  CHECK(std::is_same_v<decltype(z)::extents_type, extents<2, dyn, dyn, 4>>);
  auto const dx = conv2d_input_gradient(w, zeros<float>(extents<2, 6, 6, 4>{}), x.shape());
  CHECK(std::is_same_v<decltype(dx)::extents_type, extents<2, 8, 8, 3>>);
  auto const dw = conv2d_filter_gradient(x, zeros<float>(extents<2, 6, 6, 4>{}), w.shape());
  CHECK(std::is_same_v<decltype(dw)::extents_type, extents<3, 3, 3, 4>>);
}

TEST_CASE("operands of convolutions are expressions and views, and results may replace operands") {
  test_numbers r(3);
  conv_loops const c({{2, 5, 6, 3}}, {{3, 3, 3, 3}}, {.padding = same_padding});
  image_array const a = image_array(c.x).fill(r), w = image_array(c.w).fill(r);
  image_array const expected = c.forward(a, w);
  tensor x = a.as<float>();
  CHECK(image_difference(conv2d(x * 2.f - x, transpose(transpose(w.as<float>())), c.o), expected) ==
        "");
  tensor both = concat(axis<0>, x, x * 2.f);
  CHECK(image_difference(conv2d(slice(both, range{0, 2}), w.as<float>(), c.o), expected) == "");
  x = conv2d(x, w.as<float>(), c.o);
  CHECK(image_difference(x, expected) == "");
}

TEST_CASE("a convolution is reported as Conv2D, and runs on a GPU") {
  tensor const x = ones<float>(1, 3, 3, 1), w = ones<float>(2, 2, 1, 1);
  log_lines log;
  with_device const scope("/GPU:0", log_level::all);
  tensor const y = conv2d(x, w);
  tensor const dx = conv2d_input_gradient(w, y, x.shape());
  tensor const dw = conv2d_filter_gradient(x, y, w.shape());
  auto const lines = log.take_all();
  CHECK(text(flatten(dw)) == "[16 16 16 16]");
  CHECK(text(flatten(dx)) == "[4 8 4 8 16 8 4 8 4]");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("placement: Conv2D<float> [1, 2, 2, 1] on /GPU:0"));
  CHECK(lines[1].starts_with("placement: Conv2DBackpropInput<float> [1, 3, 3, 1] on /GPU:0"));
  CHECK(lines[2].starts_with("placement: Conv2DBackpropFilter<float> [2, 2, 1, 1] on /GPU:0"));
  CHECK(cudnn_version() == 0);
  CHECK(!is_cudnn_acceptable(x));
}

TEST_CASE("convolutions do not depend on the number of threads") {
  static any_threads one(1), three(3), many(16);
  conv2d_options const o{.padding = same_padding};
  for (conv_loops const& c :
       {conv_loops({{30, 12, 12, 5}}, {{5, 5, 5, 12}}, o),
        conv_loops({{5, 6, 7, 256}}, {{3, 3, 256, 128}}, o),
        conv_loops({{5, 9, 8, 528}}, {{3, 3, 1, 528}}, {.padding = same_padding, .groups = 528})}) {
    tensor const x = uniform<float>(c.x, -1.f, 1.f), w = uniform<float>(c.w, -1.f, 1.f);
    tensor const g = uniform<float>(c.y(), -1.f, 1.f);
    set_executor(&one);
    tensor const y = conv2d(x, w, c.o), dx = conv2d_input_gradient(w, g, x.shape(), c.o);
    tensor const dw = conv2d_filter_gradient(x, g, w.shape(), c.o);
    for (executor* threads : {static_cast<executor*>(&three), static_cast<executor*>(&many)}) {
      set_executor(threads);
      CHECK(item(all(conv2d(x, w, c.o) == y)));
      CHECK(item(all(conv2d_input_gradient(w, g, x.shape(), c.o) == dx)));
      CHECK(item(all(conv2d_filter_gradient(x, g, w.shape(), c.o) == dw)));
    }
    set_executor(nullptr);
  }
}

TEST_CASE("a transposed convolution has the shape that its convolution takes back") {
  auto const shape_of = [](index_t rows, index_t taps, conv2d_options const& o) {
    auto const y =
        conv2d_transpose(ones<float>(2, rows, rows, 3), ones<float>(taps, taps, 4, 3), o);
    CHECK(to_string(conv2d(y, ones<float>(taps, taps, 4, 3), o).shape()) ==
          to_string(shape(2, rows, rows, 3)));
    return to_string(y.shape());
  };
  CHECK(shape_of(4, 3, {}) == "[2, 6, 6, 4]");
  CHECK(shape_of(4, 3, {.strides = {2, 2}}) == "[2, 9, 9, 4]");
  CHECK(shape_of(4, 2, {.strides = {3, 3}}) == "[2, 12, 12, 4]");
  CHECK(shape_of(4, 3, {.padding = same_padding, .strides = {2, 2}}) == "[2, 8, 8, 4]");
  CHECK(shape_of(4, 3, {.padding = {1, 1, 1, 1}, .strides = {2, 2}}) == "[2, 7, 7, 4]");
  CHECK(shape_of(0, 3, {}) == "[2, 0, 0, 4]");
  tensor const x = reshape(tensor{1.f, 2.f}, shape(1, 2, 1, 1));
  tensor const w = reshape(tensor{1.f, 10.f, 100.f}, shape(3, 1, 1, 1));
  CHECK(text(flatten(conv2d_transpose(x, w, {.strides = {2, 1}}))) == "[1 10 102 20 200]");
  CHECK(
      error_of("",
               [] {
                 (void)conv2d_transpose(ones<float>(1, 1, 1, 1), ones<float>(1, 1, 1, 1),
                                        {.padding = {1, 1, 0, 0}});
               }) ==
      "elsewhere: placement: conv2d_transpose of images of shape [1, 1, 1, 1] with a filter of shape [1, 1, 1, 1]: "
      "windows, strides, dilations and groups are at least 1, and the padding is smaller than the result.");
}

TEST_CASE("wrong shapes and options of convolutions are errors with both shapes") {
  auto const conv = [](dextents<4> const& x, dextents<4> const& w, conv2d_options const& o = {}) {
    return error_of("Conv2D", [&] { (void)conv2d(zeros<float>(x), zeros<float>(w), o); });
  };
  std::string const images =
      "placement: conv2d of images of shape [1, 4, 4, 3] with a filter of shape ";
  CHECK(
      conv(shape(1, 4, 4, 3), shape(2, 2, 2, 5)) ==
      images +
          "[2, 2, 2, 5]: the filter's third extent is the number of channels divided by groups, 1. Check the shapes.");
  CHECK(
      conv(shape(1, 4, 4, 3), shape(2, 2, 1, 5), {.groups = 3}) ==
      images +
          "[2, 2, 1, 5]: groups, 3, must divide the number of filters, the filter's last extent.");
  CHECK(
      conv(shape(1, 4, 4, 3), shape(2, 2, 3, 5), {.groups = 0}) ==
      images +
          "[2, 2, 3, 5]: groups, 0, must be at least 1 and divide the number of channels, the images' last extent.");
  CHECK(
      conv(shape(1, 4, 4, 3), shape(2, 2, 1, 4), {.groups = 2}) ==
      images +
          "[2, 2, 1, 4]: groups, 2, must be at least 1 and divide the number of channels, the images' last extent.");
  CHECK(
      conv(shape(1, 4, 4, 3), shape(5, 2, 3, 5)) ==
      images +
          "[5, 2, 3, 5]: the window is larger than the images with their padding. Use a smaller one, or padding = same_padding.");
  std::string const range =
      "windows, strides and dilations are 1 to 2^31 - 1, and paddings 0 to 2^31 - 1.";
  CHECK(conv(shape(1, 4, 4, 3), shape(2, 2, 3, 5), {.strides = {0, 1}}) ==
        images + "[2, 2, 3, 5]: " + range);
  CHECK(conv(shape(1, 4, 4, 3), shape(2, 2, 3, 5), {.dilations = {1, index_t{1} << 40}}) ==
        images + "[2, 2, 3, 5]: " + range);
  CHECK(conv(shape(1, 4, 4, 3), shape(0, 2, 3, 5)) == images + "[0, 2, 3, 5]: " + range);
  CHECK(conv(shape(1, 4, 4, 3), shape(2, 2, 3, 5), {.padding = {-1}}) ==
        images + "[2, 2, 3, 5]: " + range);
  CHECK(
      error_of("Conv2DBackpropInput",
               [] {
                 (void)conv2d_input_gradient(zeros<float>(2, 2, 3, 5), zeros<float>(1, 4, 4, 5),
                                             shape(1, 4, 4, 3));
               }) ==
      "placement: a gradient of shape [1, 4, 4, 5], where images of shape [1, 4, 4, 3] with a filter of shape [2, 2, 3, 5] "
      "give a result of shape [1, 3, 3, 5]. Check the shapes and the options.");
  CHECK(
      error_of("Conv2DBackpropFilter",
               [] {
                 (void)conv2d_filter_gradient(zeros<float>(1, 4, 4, 3), zeros<float>(1, 3, 3, 4),
                                              shape(2, 2, 3, 5));
               }) ==
      "placement: a gradient of shape [1, 3, 3, 4], where images of shape [1, 4, 4, 3] with a filter of shape [2, 2, 3, 5] "
      "give a result of shape [1, 3, 3, 5]. Check the shapes and the options.");
}
