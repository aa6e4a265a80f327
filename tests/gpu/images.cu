// Convolutions, pools and their gradients on a GPU, against the CPU.
#include <placement/nets.hpp>
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace placement;

namespace {

/// Whole numbers from -4 to 4, whose sums of products are exact in float.
tensor<float, dextents<4>> whole_numbers(dextents<4> const& x, std::uint32_t seed) {
  with_device const on_host(cpu0);
  return floor(plain_tensor<float>(x, seed) * 0.5f);
}

void check_convolution(dextents<4> const& images, dextents<4> const& filter,
                       conv2d_options const& options) {
  INFO(to_string(images) << " with " << to_string(filter));
  auto const x = whole_numbers(images, 1), w = whole_numbers(filter, 2);
  auto const positive_x = abs(plain_tensor<float>(images, 3));
  auto const positive_w = abs(plain_tensor<float>(filter, 4));
  auto const g = whole_numbers(conv2d(x, w, options).shape(), 5);
  check_expression(0, [&] { return conv2d(x, w, options); });
  check_expression(0, [&] { return conv2d_input_gradient(w, g, x.shape(), options); });
  check_expression(0, [&] { return conv2d_filter_gradient(x, g, w.shape(), options); });
  check_expression(16, [&] { return conv2d(positive_x, positive_w, options); });
}

}  // namespace

TEST_CASE(
    "convolutions and their gradients on a GPU match the CPU: whole numbers exactly, sums of "
    "positive numbers within 16 ulp",
    "[small]") {
  need_gpu();
  check_convolution(shape(2, 9, 11, 3), shape(3, 2, 3, 5), {.strides = {2, 1}});
  check_convolution(shape(1, 12, 10, 6), shape(3, 3, 2, 21),
                    {.padding = same_padding, .dilations = {2, 3}, .groups = 3});
  check_convolution(shape(2, 7, 9, 18), shape(2, 3, 18, 33),
                    {.padding = {1, 0, 2, 3}, .strides = {2, 3}, .dilations = {3, 2}});
  check_convolution(shape(4, 14, 14, 1), shape(5, 5, 1, 12), {});
  check_convolution(shape(1, 4, 4, 130), shape(3, 3, 130, 7), {.padding = same_padding});
}

TEST_CASE("depthwise convolutions and their gradients on a GPU match the CPU", "[small]") {
  need_gpu();
  check_convolution(shape(2, 9, 11, 12), shape(3, 3, 1, 12),
                    {.padding = same_padding, .groups = 12});
  check_convolution(shape(2, 8, 9, 7), shape(3, 2, 1, 7),
                    {.padding = {1, 0, 2, 3}, .strides = {2, 3}, .dilations = {3, 2}, .groups = 7});
}

TEST_CASE("a convolution by a filter of one pixel on a GPU is a product of matrices", "[small]") {
  need_gpu();
  check_convolution(shape(2, 9, 11, 20), shape(1, 1, 20, 33), {});
}

TEST_CASE(
    "a large convolution on a GPU differs from the CPU by 16 * 2^-24 times the largest sum of "
    "magnitudes at most") {
  need_gpu();
  dextents<4> const images = shape(19, 15, 17, 80), filter = shape(3, 3, 80, 80);
  conv2d_options const same{.padding = same_padding};
  REQUIRE(
      placement::detail::uses_winograd(placement::detail::conv2d_sizes_of(images, filter, same)));
  auto const x = plain_tensor<float>(images, 1), w = plain_tensor<float>(filter, 2),
             g = plain_tensor<float>(images, 3);
  auto const check = [](auto const& of, auto const& a, auto const& b) {
    tensor const expected = on("/cpu:0", of(a, b)), bound = on("/cpu:0", of(abs(a), abs(b)));
    tensor const result = on("/gpu:0", of(a, b)), again = on("/gpu:0", of(a, b));
    CHECK(item(max(abs(result - expected))) <= std::ldexp(16.f, -24) * item(max(bound)));
    CHECK(item(all(result == again)));
  };
  check([&](auto const& a, auto const& b) { return conv2d(a, b, same); }, x, w);
  check([&](auto const& a, auto const& b) { return conv2d_input_gradient(a, b, images, same); }, w,
        g);
  check([&](auto const& a, auto const& b) { return conv2d_filter_gradient(a, b, filter, same); }, x,
        g);
}

TEST_CASE("a transposed convolution on a GPU is that of the CPU", "[small]") {
  need_gpu();
  auto const x = whole_numbers(shape(2, 4, 5, 6), 1), w = whole_numbers(shape(3, 3, 4, 6), 2);
  check_expression(0, [&] { return conv2d_transpose(x, w, {.strides = {2, 2}}); });
}

TEST_CASE("a convolution of 16 bits on a GPU is summed in float, as on the CPU") {
  need_gpu();
  auto const x = whole_numbers(shape(1, 5, 6, 4), 1), w = whole_numbers(shape(3, 3, 4, 5), 2);
  check_expression(
      0, [&] { return cast<float>(conv2d(cast<bfloat16>(x * 0.1f), cast<bfloat16>(w))); });
}

TEST_CASE("pools and their gradients on a GPU have the bits of the CPU's", "[small]") {
  need_gpu();
  auto const check = [](dextents<4> const& images, pool2d_options const& options) {
    INFO(to_string(images));
    auto const x = plain_tensor<float>(images);
    auto const ties = whole_numbers(images, 2);
    tensor const y = on("/cpu:0", max_pool2d(ties, options));
    auto const g = plain_tensor<float>(y.shape(), 3);
    check_expression(0, [&] { return max_pool2d(x, options); });
    check_expression(0, [&] { return max_pool2d_gradient(ties, y, g, options); });
    check_expression(0, [&] { return avg_pool2d(x, options); });
    check_expression(0, [&] { return avg_pool2d_gradient(g, x.shape(), options); });
  };
  check(shape(3, 12, 14, 5), {});
  check(shape(2, 11, 9, 8), {.window = {3, 2}, .strides = {2, 1}, .padding = same_padding});
  check(shape(1, 9, 10, 3), {.window = {4, 3}, .strides = {1, 2}, .padding = {3, 1, 0, 2}});
}

TEST_CASE("a convolution with bias, relu and max pool on a GPU is that of the CPU", "[small]") {
  need_gpu();
  auto const x = whole_numbers(shape(3, 9, 8, 3), 1), w = whole_numbers(shape(3, 3, 3, 7), 2);
  tensor<float, dextents<1>> const bias = floor(plain_tensor<float>(dextents<1>{{7}}, 3));
  auto const g = whole_numbers(conv2d_relu_max_pool2d(x, w, bias).shape(), 4);
  check_expression(0, [&] { return conv2d_relu_max_pool2d(x, w, bias); });
  using options = placement::detail::options_in_type<conv2d_options{}>;
  using pool = placement::detail::options_in_type<pool2d_options{}>;
  auto const gradient = [&](auto const& op) {
    return placement::detail::node_with<kernels_here>(op, x, w, bias, g);
  };
  check_expression(0, [&] { return gradient(conv2d_pool_input_gradient_op<options, pool>{}); });
  check_expression(0, [&] { return gradient(conv2d_pool_filter_gradient_op<options, pool>{}); });

  // Gradients read the positions that the forward pass kept, and not the bias.
  tensor<float, dextents<1>> const low = bias - 1000.f;
  check_on_gpu(0, [&] {
    auto node = conv2d_relu_max_pool2d(x, w, bias);
    node.op.kept.keep();
    tensor const y = node;
    conv2d_pool_input_gradient_op<options, pool> const op{{{}, {}, node.op.kept}};
    tensor const dx = placement::detail::node_with<kernels_here>(op, x, w, low, g);
    with_device const cpu(cpu0);
    CHECK(item(max(abs(dx))) > 0);
    return dx;
  });
}
