// Max pools of relu(batch normalisation): layers normalise the maxima alone.
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

/// The layer, and the ops one by one, with gradients of both.
template <pool2d_options Pool> void check_pool(dextents<4> const& of_x) {
  INFO("images " << to_string(of_x));
  images const x = numbers(of_x);
  row const offset = numbers(dextents<1>{{of_x.n[3]}});
  gradient_tape tape(persistent, x, offset);
  auto const m = [&] {
    no_gradient const pause;
    return batch_moments(x);
  }();
  images const one_by_one = max_pool2d<Pool>(relu(batch_norm_training(x, m, 1.f, offset))),
               of_maxima = nn::max_pool2d<Pool>{}(
                   relu(batch_norm_training(x, m, without_scale_t{}, offset)));
  CHECK(distance(one_by_one, of_maxima) == 0);
  images const weight = numbers(of_maxima.shape());
  auto const expected = tape.gradient(single(sum(one_by_one * weight)), x, offset);
  auto const got = tape.gradient(single(sum(of_maxima * weight)), x, offset);
  CHECK(distance(std::get<0>(expected), std::get<0>(got)) < 2e-6f);
  CHECK(distance(std::get<1>(expected), std::get<1>(got)) < 1e-6f);
}

}  // namespace

TEST_CASE("normalised pools.Values and gradients are those of the ops one by one") {
  for (index_t const channels : {1, 6, 12, 19}) check_pool<pool2d_options{}>({{3, 8, 6, channels}});
  check_pool<pool2d_options{{2, 3}}>({{2, 6, 9, 5}});
  check_pool<pool2d_options{{2, 2}}>({{2, 7, 5, 3}});          // leaves pixels out
  check_pool<pool2d_options{{3, 2}, {1, 1}}>({{2, 5, 4, 3}});  // overlaps
}

TEST_CASE("normalised pools.Rows are normalised without a scale, and vectors of doubles are") {
  tensor<double, dextents<2>> const x = cast<double>(numbers(shape(7, 3)));
  tensor<double, dextents<1>> const offset = cast<double>(numbers(shape(3)));
  tensor<double, dextents<2>> const weight =
      cast<double>(numbers(shape(3, 7))).shape() == dextents<2>{{3, 7}} ? evaluate(square(x) + 0.5)
                                                                        : x;
  gradient_tape tape(persistent, x, offset);
  auto const m = [&] {
    no_gradient const pause;
    return batch_moments(x);
  }();
  using loss = tensor<double, extents<>>;
  auto const a =
      tape.gradient(loss(sum(relu(batch_norm_training(x, m, 1., offset)) * weight)), x, offset);
  auto const b = tape.gradient(
      loss(sum(relu(batch_norm_training(x, m, without_scale_t{}, offset)) * weight)), x, offset);
  CHECK(item(max(abs(std::get<0>(a) - std::get<0>(b)))) < 1e-12);
  CHECK(item(max(abs(std::get<1>(a) - std::get<1>(b)))) < 1e-12);
}

TEST_CASE("normalised pools.Results do not depend on the number of threads") {
  static any_threads one(1), three(3);
  images const x = numbers(shape(64, 12, 12, 3));
  row const offset = numbers(shape(3));
  auto const run = [&](executor& threads) {
    set_executor(&threads);
    gradient_tape tape(x, offset);
    auto const m = [&] {
      no_gradient const pause;
      return batch_moments(x);
    }();
    single const loss =
        sum(square(nn::max_pool2d{}(relu(batch_norm_training(x, m, without_scale_t{}, offset)))));
    auto all = tape.gradient(loss, x, offset);
    set_executor(nullptr);
    return all;
  };
  auto const a = run(one), c = run(three);
  CHECK(item(all(std::get<0>(a) == std::get<0>(c))));
  CHECK(item(all(std::get<1>(a) == std::get<1>(c))));
}

TEST_CASE("normalised pools.Layers choose them, and the log says so") {
  auto net = nn::sequential(extents<6, 6, 1>{}, nn::conv2d<2, 3, 3, {}, nn::without_bias>{},
                            nn::batch_norm<nn::without_scale>{}, nn::relu, nn::max_pool2d{});
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
  CHECK(ops.find("MaxPool<float>") < ops.find("FusedBatchNormV3<float>"));
  CHECK(ops.find("FusedBatchNormGradV3<float>") != ops.npos);
  CHECK(ops.find("MaxPoolGrad") == ops.npos);
  CHECK(ops.find("sequential.hpp") == ops.npos);  // the line of the call, not of the model
}
