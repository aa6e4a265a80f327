// A convolution with a bias, relu and a max pool as one op, against the ops one by one.
#include <placement/nn.hpp>
#include <placement/placement.hpp>
#include <placement/tasks.hpp>

#include <support/any_threads.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
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

/// max_pool2d(relu(conv2d(x, w) + b)) in two statements, which are not fused.
template <conv2d_options Options = conv2d_options{}, pool2d_options Pool = pool2d_options{}>
images by_ops(images const& x, images const& w, row const& b) {
  images const y = relu(conv2d<Options>(x, w) + b);
  return max_pool2d<Pool>(y);
}
/// One op for all, and the ops one by one, with gradients of both.
template <conv2d_options Options, pool2d_options Pool>
void check_fused(dextents<4> const& of_x, dextents<4> const& of_w) {
  INFO("images " << to_string(of_x) << ", filter " << to_string(of_w));
  images const x = numbers(of_x), w = numbers(of_w);
  row const b = numbers(dextents<1>{{of_w.n[3]}});
  gradient_tape tape(persistent, x, w, b);
  images const one_by_one = by_ops<Options, Pool>(x, w, b),
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
  // Pools that overlap, with padding, and that leave pixels out.
  check_fused<same, pool2d_options{{3, 3}, {2, 2}, same_padding}>({{5, 9, 10, 3}}, {{3, 3, 3, 19}});
  check_fused<same, pool2d_options{{2, 1}, {3, 2}}>({{18, 9, 8, 2}}, {{3, 3, 2, 5}});
  // Windows with as many pixels as a byte has values, and more.
  check_fused<same, pool2d_options{{15, 17}}>({{33, 15, 34, 1}}, {{3, 3, 1, 2}});
  check_fused<same, pool2d_options{{16, 16}}>({{33, 16, 32, 1}}, {{3, 3, 1, 2}});
  // Rows whose windows read some taps only, or one.
  check_fused<same, pool2d_options{{1, 2}}>({{19, 2, 6, 3}}, {{5, 3, 3, 4}});
}

TEST_CASE("fused convolution.Ties go to the first maximum, and NaN has no gradient") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  auto const text = [](auto const& t) {
    no_gradient const pause;
    return to_string(tensor(flatten(t)));
  };
  images x = floor(numbers(shape(20, 6, 6, 2)) * 1.5f);  // small integers, so windows have ties
  slice(view(x), range{3, 4}, range{2, 3}, range{2, 3}) = nan;
  images const w = floor(numbers(shape(3, 3, 2, 5)) * 1.5f);
  row const b = floor(numbers(shape(5)) * 2.f);
  gradient_tape tape(persistent, x, w, b);
  images const one_by_one = by_ops(x, w, b), at_once = conv2d_relu_max_pool2d(x, w, b);
  CHECK(text(one_by_one) == text(at_once));
  images const weight = floor(numbers(at_once.shape()) * 4.f);
  auto const expected = tape.gradient(single(sum(one_by_one * weight)), x, w, b);
  auto const got = tape.gradient(single(sum(at_once * weight)), x, w, b);
  CHECK(text(std::get<0>(expected)) == text(std::get<0>(got)));
  CHECK(text(std::get<1>(expected)) == text(std::get<1>(got)));
  CHECK(text(std::get<2>(expected)) == text(std::get<2>(got)));
}

TEST_CASE("fused convolution.Each evaluation keeps positions of its own") {
  images const x = numbers(shape(18, 6, 6, 1)), y = numbers(shape(18, 6, 6, 1)) * -1.f,
               w = numbers(shape(3, 3, 1, 4));
  row const b = numbers(shape(4));
  gradient_tape tape(persistent, w);
  images z = x;
  auto const pooled = conv2d_relu_max_pool2d(z, w, b);
  images const first = pooled;
  z = y;
  images const second = conv2d_relu_max_pool2d(z, w, b), again = pooled;
  images const of_x = by_ops(x, w, b), of_y = by_ops(y, w, b);
  auto const gradient = [&](images const& a) { return tape.gradient(single(sum(square(a))), w); };
  CHECK(distance(gradient(of_x), gradient(first)) < 1e-6f);
  CHECK(distance(gradient(of_y), gradient(second)) < 1e-6f);
  CHECK(distance(gradient(images(pooled)), gradient(again)) == 0);
}

TEST_CASE("fused convolution.Values of each simulated task have gradients of their own") {
  tasks const all(simulated_tasks{2});
  images const x = each_task(
      [](task t) { return images(numbers(shape(20, 6, 6, 1)) * (t.index == 0 ? 1.f : -1.f)); });
  images const w = numbers(shape(3, 3, 1, 4));
  row const b = numbers(shape(4));
  auto const gradient = [&](auto const& op) {
    gradient_tape tape(w);
    images const y = op();
    return images(all_sum(tape.gradient(single(sum(square(y))), w)));
  };
  images const fused = gradient([&] { return conv2d_relu_max_pool2d(x, w, b); });
  CHECK(distance(gradient([&] { return by_ops(x, w, b); }), fused) < 1e-5f);
}

namespace {
/// Gradients read the positions that the forward pass kept, and not the bias.
template <conv2d_options Options, pool2d_options Pool>
void check_kept(dextents<4> const& of_x, dextents<4> const& of_w) {
  INFO("images " << to_string(of_x));
  images const x = numbers(of_x), w = numbers(of_w);
  row const b = numbers(dextents<1>{{of_w.n[3]}});
  row const low = b - 1000.f;  // where all gradients would be 0
  auto node = conv2d_relu_max_pool2d<Options, Pool>(x, w, b);
  node.op.kept.keep();
  images const y = node, g = numbers(y.shape());
  auto const of_images = [&](auto const& op, row const& bias) {
    return images(op.template pullback<0, kernels_here>(g, y, x, w, bias));
  };
  auto const of_filter = [&](auto const& op, row const& bias) {
    return images(op.template pullback<1, kernels_here>(g, y, x, w, bias));
  };
  auto const op = node.op;
  auto const without = conv2d_relu_max_pool2d<Options, Pool>(x, w, b).op;
  CHECK(item(max(abs(of_images(without, low)))) == 0);
  CHECK(item(max(abs(of_filter(without, low)))) == 0);
  CHECK(distance(of_images(without, b), of_images(op, low)) == 0);
  CHECK(distance(of_filter(without, b), of_filter(op, low)) == 0);
}
}  // namespace

TEST_CASE("fused convolution.Gradients read the positions that the forward pass kept") {
  constexpr conv2d_options same{.padding = same_padding};
  with_device const cpu("/cpu:0");  // kernels of the CPU on a simulated GPU keep them, too
  check_kept<conv2d_options{}, pool2d_options{}>({{20, 6, 6, 2}}, {{3, 3, 2, 5}});
  check_kept<conv2d_options{}, pool2d_options{}>({{2, 6, 6, 2}}, {{3, 3, 2, 19}});
  check_kept<same, pool2d_options{{3, 3}, {2, 2}, same_padding}>({{5, 9, 10, 3}}, {{3, 3, 3, 18}});
  check_kept<conv2d_options{.strides = {2, 1}}, pool2d_options{{2, 1}, {3, 2}}>({{18, 19, 8, 2}},
                                                                                {{3, 3, 2, 5}});
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

namespace {
/// The lines of the log while f runs, with /CPU:0 as the device where scopes name none.
template <class F> std::string logged(F const& f) {
  log_lines log;
  with_device const cpu("/cpu:0", log_placement{});
  f();
  std::string ops;
  for (std::string const& line : log.take_all()) ops += line + "\n";
  return ops;
}
bool contains(std::string const& text, char const* part) { return text.find(part) != text.npos; }
}  // namespace

TEST_CASE("fused convolution.Evaluations, plans and tapes choose it for the ops of one statement") {
  images const x = numbers(shape(18, 6, 6, 2)), w = numbers(shape(3, 3, 2, 5));
  row const b = numbers(shape(5));
  images const expected = by_ops(x, w, b);
  images got = expected;
  std::string ops = logged([&] {
    auto const e = max_pool2d(relu(conv2d(x, w) + b));
    CHECK(contains(explain(e), "_FusedConv2D"));
    CHECK(!contains(explain(e), "Relu"));
    got = e;
  });
  CHECK(distance(got, expected) == 0);
  CHECK(contains(ops, "_FusedConv2D<float> [18, 2, 2, 5] on /CPU:0"));
  CHECK(!contains(ops, "MaxPool"));

  ops = logged([&] {  // in a part of a statement, under a tape
    gradient_tape tape(w);
    tensor<float, dextents<2>> const rows =
        reshape(max_pool2d(relu(conv2d(x, w) + b)), shape(18, -1));
    images const dw = tape.gradient(single(sum(rows)), w);
  });
  CHECK(contains(ops, "_FusedConv2DBackpropFilter"));

  using e = decltype(max_pool2d(relu(conv2d(x, w) + b)));
  constexpr auto open = plan_of<e>(machine{.gpus = 1});
  static_assert(open.size == 1 && open.nodes[0].op == "_FusedConv2D");
  constexpr auto known = plan_of<e>(machine{.gpus = 1}, {}, {}, extents<18, 6, 6, 2>{},
                                    extents<3, 3, 2, 5>{}, extents<5>{});
  static_assert(known.size == 1 && known.nodes[0].extent[1] == 2);
  constexpr auto broadcast = plan_of<e>(machine{.gpus = 1}, {}, {}, extents<18, 6, 6, 2>{},
                                        extents<3, 3, 2, 5>{}, extents<1>{});
  static_assert(broadcast.size == 4 && broadcast.nodes[3].op == "MaxPool");
}

TEST_CASE(
    "fused convolution.A bias that is broadcast, other names and other types run one by one") {
  images const x = numbers(shape(18, 6, 6, 2)), w = numbers(shape(3, 3, 2, 5));
  auto const check = [](auto const& e, auto const& expected) {
    bare<decltype(expected)> got = expected;
    std::string const ops = logged([&] { got = e; });
    CHECK(contains(ops, "MaxPool"));
    CHECK(!contains(ops, "_FusedConv2D"));
    CHECK(item(all(got == expected)));
  };
  row const one = numbers(shape(1)), five = numbers(shape(5));
  row const all_one = broadcast_to(one, shape(5));
  check(max_pool2d(relu(conv2d(x, w) + one)), by_ops(x, w, all_one));
  images const first = slice(w, ellipsis, range{0, 1});
  images const five_times = concat(3, first, first, first, first, first);
  check(max_pool2d(relu(conv2d(x, first) + five)), by_ops(x, five_times, five));
  check(max_pool2d(relu(named("sums", conv2d(x, w)) + five)), by_ops(x, w, five));
  auto const sums = [&] {
    with_device const any("/device:cpu");
    return relu(conv2d(x, w) + five);
  }();
  check(max_pool2d(sums), by_ops(x, w, five));  // their scopes have other requests
  tensor<double, dextents<4>> const x2 = cast<double>(x), w2 = cast<double>(w);
  tensor<double, dextents<1>> const five2 = cast<double>(five);
  tensor<double, dextents<4>> const y2 = relu(conv2d(x2, w2) + five2);
  tensor<double, dextents<4>> const pooled2 = max_pool2d(y2);
  check(max_pool2d(relu(conv2d(x2, w2) + five2)), pooled2);
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
