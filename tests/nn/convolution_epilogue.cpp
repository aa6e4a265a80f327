// Element-wise ops as the epilogue of a convolution, against the ops one by one.
#include <placement/nn.hpp>
#include <placement/placement.hpp>

#include <support/any_threads.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace placement;

namespace {

template <class T = float> using images = tensor<T, dextents<4>>;

/// Numbers from -1 to 1.
template <class T = float, class X> tensor<T, X> numbers(X const& shape) {
  std::vector<T> x(shape.count());
  for (std::size_t i = 0; i != x.size(); ++i)
    x[i] = static_cast<T>(static_cast<float>(std::sin(static_cast<double>(i * 7919 % 10007))));
  return from(x, shape);
}
template <class T> bool are_equal(T const& a, T const& b) { return item(all(a == b)); }

/// relu((conv2d(x, w) + b) * g) of all pixels of g: with an epilogue, and one by one.
template <class T>
void check_values(dextents<4> const& of_x, dextents<4> const& of_w, conv2d_options const& o) {
  with_device const cpu("/cpu:0");
  INFO("images " << to_string(of_x) << ", filter " << to_string(of_w));
  images<T> const x = numbers<T>(of_x), w = numbers<T>(of_w), y = conv2d(x, w, o);
  tensor<T, dextents<1>> const b = numbers<T>(dextents<1>{{of_w.n[3]}});
  images<T> const g = numbers<T>(y.shape());
  images<T> const with_row = relu(y + b), with_image = relu((y + b) * g), with_number = y * T(2);
  CHECK(are_equal<images<T>>(relu(conv2d(x, w, o) + b), with_row));
  CHECK(are_equal<images<T>>(relu((b + conv2d(x, w, o)) * g), with_image));
  CHECK(are_equal<images<T>>(conv2d(x, w, o) * T(2), with_number));
}

/// Throws for numbers above 20.
struct limited_op {
  static constexpr std::string_view name = "Limited";
  using pattern = map;
  template <class T> static constexpr bool has_gpu_kernel = false;

  float operator()(float x) const { return x > 20 ? throw std::runtime_error("above 20") : x; }
};
template <operand A> auto limited(A&& a, site at = site::here()) -> node<limited_op, A> {
  return {{}, at, std::forward<A>(a)};
}

/// The lines of the log while f runs, without those of copies.
template <class F> std::vector<std::string> logged(char const* device, F const& f) {
  log_lines log;
  with_device const scope(device, log_placement{});
  f();
  auto lines = log.take_all();
  std::erase_if(lines, [](auto const& line) { return line.starts_with("placement: copy"); });
  return lines;
}
bool names(std::string const& line, char const* op) {
  return line.starts_with(std::string("placement: ") + op + "<float>");
}

}  // namespace

TEST_CASE("convolution epilogue.Values are those of the ops one by one") {
  static any_threads one(1), three(3);
  for (executor* const threads : {static_cast<executor*>(&one), static_cast<executor*>(&three)}) {
    set_executor(threads);
    check_values<float>(shape(2, 9, 11, 3), shape(3, 3, 3, 32), {.padding = same_padding});
    check_values<float>(shape(1, 40, 50, 8), shape(1, 1, 8, 64), {});  // pixels of joined rows
    check_values<float>(shape(17, 8, 7, 2), shape(3, 2, 2, 5), {});    // images in vectors
    check_values<float>(shape(40, 30, 30, 1), shape(5, 5, 1, 4), {});
    check_values<float>(shape(2, 7, 7, 512), shape(1, 1, 512, 512), {});  // blocks of filters first
    check_values<float>(shape(2, 9, 8, 16), shape(3, 3, 1, 16),
                        {.padding = same_padding, .groups = 16});
    check_values<float>(shape(2, 9, 8, 7), shape(3, 2, 1, 7), {.strides = {2, 1}, .groups = 7});
    check_values<float>(shape(2, 9, 8, 6), shape(3, 3, 2, 9),
                        {.padding = same_padding, .dilations = {1, 2}, .groups = 3});
    check_values<float>(shape(0, 9, 8, 6), shape(3, 3, 6, 9), {});
    check_values<float>(shape(2, 5, 5, 0), shape(3, 3, 0, 4), {});  // sums of nothing
    check_values<double>(shape(3, 10, 9, 3), shape(3, 3, 3, 20), {.strides = {2, 2}});
    check_values<float16>(shape(2, 6, 6, 3), shape(3, 3, 3, 8), {});
    set_executor(nullptr);
  }
}

TEST_CASE("convolution epilogue.Normalisation by known moments and a residual are part of it") {
  with_device const cpu("/cpu:0");
  images<> const w = numbers(shape(1, 1, 4, 4)), x = numbers(shape(2, 6, 6, 4));
  images<> const sums = conv2d(x, w);
  channel_moments<float> const m = batch_moments(sums);
  tensor<float, dextents<1>> const scale = numbers(shape(4)), offset = numbers(shape(4));
  images<> const expected = relu(batch_norm(sums, m, scale, offset) + x);
  auto const e = relu(batch_norm(conv2d(x, w), m, scale, offset) + x);
  CHECK(explain(relu(batch_norm(conv2d(x, w), m, scale, offset) + x)).find("1, in") ==
        std::string::npos);
  images<> y;
  y = e;
  CHECK(are_equal<images<>>(y, expected));
}

TEST_CASE("convolution epilogue.The result may replace an operand, or part of a tensor") {
  with_device const cpu("/cpu:0");
  images<> const w = numbers(shape(3, 3, 4, 4)), x = numbers(shape(2, 6, 6, 4));
  images<> const sums = conv2d(x, w, {.padding = same_padding});
  images<> const expected = relu(sums + x);
  images<> y = x;
  y = relu(conv2d(y, w, {.padding = same_padding}) + y);
  CHECK(are_equal<images<>>(y, expected));
  CHECK(are_equal<images<>>(x, numbers(shape(2, 6, 6, 4))));
  images<> both = zeros<float>(4, 6, 6, 4);
  slice(view(both), range{1, 3}) = relu(conv2d(x, w, {.padding = same_padding}) + x);
  CHECK(are_equal<images<>>(slice(both, range{1, 3}), expected));
  CHECK(item(sum(slice(both, range{0, 1}))) == 0);
  // Another shape than that of the convolution: no epilogue.
  images<> const one = numbers(shape(1, 6, 6, 4)),
                 of_one = conv2d(one, w, {.padding = same_padding});
  images<> const broadcast = of_one + x;
  CHECK(are_equal<images<>>(conv2d(one, w, {.padding = same_padding}) + x, broadcast));
  // The first of two convolutions has the epilogue.
  images<> const two = sums + sums * 2.f;
  CHECK(are_equal<images<>>(
      conv2d(x, w, {.padding = same_padding}) + conv2d(x, w, {.padding = same_padding}) * 2.f,
      two));
  auto const [a, b] = std::pair{relu(sums), sums + 1.f};
  images<> r, s;
  evaluate(into(r) = relu(conv2d(x, w, {.padding = same_padding})),
           into(s) = conv2d(x, w, {.padding = same_padding}) + 1.f);
  CHECK(are_equal<images<>>(r, a));
  CHECK(are_equal<images<>>(s, b));
}

TEST_CASE("convolution epilogue.Logs and plans have one kernel on a CPU, and two on a GPU") {
  images<> const x = numbers(shape(2, 6, 6, 3)), w = numbers(shape(3, 3, 3, 4));
  tensor<float, dextents<1>> const b = numbers(shape(4));
  auto const kernels_of = [&](char const* device) {
    std::string text;
    auto const lines = logged(device, [&] {
      images<> const y = relu(conv2d(x, w) + b);
      text = explain(relu(conv2d(x, w) + b));
    });
    REQUIRE(lines.size() == 3);
    CHECK(names(lines[0], "Conv2D"));
    CHECK(names(lines[1], "Add"));
    CHECK(names(lines[2], "Relu"));
    return text;
  };
  CHECK(kernels_of("/cpu:0").find("0, in Relu") != std::string::npos);
  std::string const on_gpu = kernels_of("/gpu:0");
  CHECK(on_gpu.find("1, in Relu") != std::string::npos);
  CHECK(on_gpu.find("0, in") == std::string::npos);

  using e = decltype(relu(conv2d(x, w) + b));
  auto const kernels = [](auto const& plan) {
    int most = 0;
    for (std::size_t i = 0; i != plan.size; ++i) most = std::max(most, plan.nodes[i].kernel + 1);
    return most;
  };
  CHECK(kernels(plan_of<e>(machine{.gpus = 0})) == 1);
  CHECK(kernels(plan_of<e>(machine{.gpus = 1})) == 2);
  CHECK(kernels(plan_of<e>(machine{.gpus = 0, .tasks = 2})) == 2);
  // A rule that sends one of the ops to another device.
  auto const by_rule = [](op_facts const& op) {
    return op.name == "Conv2D" ? device_spec{gpu0} : device_spec{cpu0};
  };
  CHECK(kernels(plan_of<e>(machine{.gpus = 1}, by_rule, extents<2, 6, 6, 3>{},
                           extents<3, 3, 3, 4>{}, extents<4>{})) == 2);
}

TEST_CASE("convolution epilogue.A convolution for another device is a kernel of its own") {
  images<> const x = numbers(shape(2, 6, 6, 3)), w = numbers(shape(3, 3, 3, 4));
  auto const lines = logged("/cpu:0", [&] {
    auto const sums = [&] {
      with_device const scope("/gpu:0");
      return conv2d(x, w);
    }();
    images<> const y = relu(sums);
  });
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("placement: Conv2D<float> [2, 4, 4, 4] on /GPU:0"));
  CHECK(lines[1].starts_with("placement: Relu<float> [2, 4, 4, 4] on /CPU:0"));
}

TEST_CASE("convolution epilogue.Gradients are those of the ops one by one") {
  with_device const cpu("/cpu:0");
  images<> const x = numbers(shape(2, 6, 6, 3)), w = numbers(shape(3, 3, 3, 4));
  tensor<float, dextents<1>> const b = numbers(shape(4));
  gradient_tape tape(persistent, x, w, b);
  images<> const sums = conv2d(x, w), apart = relu(sums + b), together = relu(conv2d(x, w) + b);
  CHECK(are_equal<images<>>(apart, together));
  tensor<float, extents<>> const of_apart = sum(apart * apart), of_both = sum(together * together);
  auto const [ax, aw, ab] = tape.gradient(of_apart, x, w, b);
  auto const [bx, bw, bb] = tape.gradient(of_both, x, w, b);
  CHECK(are_equal<images<>>(ax, bx));
  CHECK(are_equal<images<>>(aw, bw));
  CHECK(are_equal<tensor<float, dextents<1>>>(ab, bb));
}

TEST_CASE("convolution epilogue.An error leaves the tensor as it was") {
  with_device const cpu("/cpu:0");
  images<> const x = numbers(shape(2, 6, 6, 3)), w = numbers(shape(3, 3, 2, 4));
  images<> y = x;
  CHECK_THROWS_AS(y = relu(conv2d(x, w)), shape_error);
  CHECK(are_equal<images<>>(y, x));
  images<> const ones_of_x = ones<float>(2, 6, 6, 3), ones_of_w = ones<float>(3, 3, 3, 4);
  images<> z = zeros<float>(2, 4, 4, 4);
  CHECK_THROWS_AS(z = limited(conv2d(ones_of_x, ones_of_w)), std::runtime_error);  // 27 each
  CHECK(item(sum(z)) == 0);
}
