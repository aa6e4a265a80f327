// A convolution with a bias, relu and a max pool as one op, against the ops one by one.
#include <placement/nn.hpp>
#include <placement/placement.hpp>

#include <support/any_threads.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

using namespace placement;

namespace {

using images = tensor<float, dextents<4>>;
using row = tensor<float, dextents<1>>;
using single = tensor<float, extents<>>;

/// Numbers from -1 to 1.
template <class X> auto numbers(X const& shape) {
  std::vector<float> x(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i != x.size(); ++i)
    x[i] = static_cast<float>(std::sin(static_cast<double>(i * 7919 % 10007)));
  return tensor<float, X>(from(x, shape));
}
/// The largest difference, in parts of the largest number.
template <class T> float distance(T const& a, T const& b) {
  return item(max(abs(a - b))) / item(max(abs(a)));
}

/// One op for all, and the ops one by one, with gradients of both.
template <conv2d_options Options, pool2d_options Pool>
void check_fused(dextents<4> const& of_x, dextents<4> const& of_w) {
  INFO("images " << to_string(of_x) << ", filter " << to_string(of_w));
  images const x = numbers(of_x), w = numbers(of_w);
  row const b = numbers(dextents<1>{{of_w.n[3]}});
  gradient_tape tape(persistent, x, w, b);
  images const one_by_one = max_pool2d<Pool>(relu(conv2d<Options>(x, w) + b)),
               at_once = conv2d_relu_max_pool2d<Options, Pool>(x, w, b);
  CHECK(distance(one_by_one, at_once) == 0);
  images const weight = numbers(at_once.shape());
  auto const expected = tape.gradient(single(sum(one_by_one * weight)), x, w, b);
  auto const got = tape.gradient(single(sum(at_once * weight)), x, w, b);
  CHECK(distance(std::get<0>(expected), std::get<0>(got)) < 1e-6f);
  CHECK(distance(std::get<1>(expected), std::get<1>(got)) < 1e-6f);
  CHECK(distance(std::get<2>(expected), std::get<2>(got)) < 1e-6f);
}

}  // namespace

TEST_CASE("fused convolution.Values and gradients are those of the ops one by one") {
  constexpr conv2d_options same{.padding = same_padding};
  for (index_t const n : {3, 16, 37})  // with fewer images than a vector has lanes, a rest of them
    check_fused<conv2d_options{}, pool2d_options{}>({{n, 8, 12, 5}}, {{3, 3, 5, 13}});
  check_fused<same, pool2d_options{{2, 3}}>({{17, 6, 9, 1}}, {{5, 4, 1, 6}});
  check_fused<conv2d_options{.strides = {2, 1}, .groups = 2}, pool2d_options{{2, 2}, {1, 1}}>(
      {{17, 7, 7, 4}}, {{2, 2, 2, 6}});
}

TEST_CASE("fused convolution.Results do not depend on the number of threads") {
  static any_threads one(1), three(3);
  images const x = numbers(shape(64, 12, 12, 3)), w = numbers(shape(3, 3, 3, 8));
  row const b = numbers(shape(8));
  auto const run = [&](executor& threads) {
    set_executor(&threads);
    gradient_tape tape(x, w, b);
    single const loss = sum(square(conv2d_relu_max_pool2d(x, w, b)));
    auto all = tape.gradient(loss, x, w, b);
    set_executor(nullptr);
    return all;
  };
  auto const a = run(one), c = run(three);
  CHECK(item(all(std::get<0>(a) == std::get<0>(c))));
  CHECK(item(all(std::get<1>(a) == std::get<1>(c))));
  CHECK(item(all(std::get<2>(a) == std::get<2>(c))));
}

TEST_CASE("fused convolution.Layers choose it, and the log says so") {
  auto net = nn::sequential(extents<6, 6, 1>{}, nn::conv2d<2, 3, 3>{}, nn::relu, nn::max_pool2d{});
  images const x = numbers(shape(16, 6, 6, 1));
  log_lines log;
  with_device const cpu("/cpu:0", log_placement{});
  gradient_tape tape;
  nn::watch(tape, net);
  images const y = net(x, nn::training);
  single const loss = sum(y);
  static_cast<void>(nn::gradients_of(tape, loss, net));
  std::string ops;
  for (std::string const& line : log.take_all()) ops += line + "\n";
  CHECK(ops.find("_FusedConv2D<float>") != ops.npos);
  CHECK(ops.find("_FusedConv2DBackpropFilter<float>") != ops.npos);
  CHECK(ops.find("MaxPool") == ops.npos);
  CHECK(ops.find("sequential.hpp") == ops.npos);  // the line of the call, not of the model
  CHECK(ops.find("fused_convolution.cpp:") != ops.npos);
}

TEST_CASE("fused convolution.A bias of another size is an error") {
  images const x = numbers(shape(1, 4, 4, 1)), w = numbers(shape(3, 3, 1, 2));
  std::string what;
  try {
    static_cast<void>(conv2d_relu_max_pool2d(x, w, numbers(shape(3))));
  } catch (shape_error const& e) { what = e.what(); }
  CHECK(what.starts_with(
      "placement: conv2d_relu_max_pool2d with a bias of shape [3] for 2 filters. Give one number per filter."));
}
