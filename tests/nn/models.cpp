// Variables, initializers, layers and models as values.
#include <placement/nn.hpp>
#include <placement/nn/save.hpp>
#include <placement/ops/arange.hpp>

#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

using namespace placement;

namespace {

std::vector<std::string> names_in(auto const& model) {
  std::vector<std::string> names;
  nn::for_each_parameter(model, [&](std::string const& name, auto const& v) {
    names.push_back(name + " " + to_string(v.shape()));
  });
  return names;
}
auto small_net() {
  return nn::sequential(extents<2, 3>{}, nn::flatten, nn::dense<4>{}, nn::relu, nn::dense<2>{});
}
float max_of(auto const& t) { return item(tensor<float, extents<>>(max(t))); }

}  // namespace

TEST_CASE("variables.A copy has elements of its own") {
  tensor const source{1.f, 2.f};
  nn::variable a("a", source);
  nn::variable b = a;
  CHECK(a.value().data() != source.data());
  CHECK(a.value().data() != b.value().data());
  CHECK(to_vector(b.value()) == std::vector{1.f, 2.f});
  b.assign(source * 2.f);
  CHECK(to_vector(a.value()) == std::vector{1.f, 2.f});
  a = b;
  CHECK(a.value().data() != b.value().data());
  CHECK(to_vector(a.value()) == std::vector{2.f, 4.f});
  a.assign(b.value());
  CHECK(a.value().data() != b.value().data());
  gradient_tape const tape(a.value(), b.value());  // throws if they share elements
}

TEST_CASE("variables.Elements in borrowed memory are copied") {
  float memory[]{1.f, 2.f};
  nn::variable a("a", borrow(memory, shape(2)));
  memory[0] = 5.f;
  CHECK(to_vector(a.value()) == std::vector{1.f, 2.f});
}

TEST_CASE("initializers.Glorot and He scale by the fans, on every device alike") {
  auto const on = [](char const* name, nn::initializer const& of) {
    set_seed(3);
    with_device const scope(name);
    return of.make<float>(extents<300, 100>{});
  };
  for (nn::initializer const& of :
       {nn::init::glorot_uniform, nn::init::glorot_normal, nn::init::he_uniform,
        nn::init::he_normal, nn::init::truncated_normal(0.5)})
    CHECK(to_vector(on("/cpu:0", of)) == to_vector(on("/gpu:1", of)));
  auto const uniform_limit = static_cast<float>(std::sqrt(6.0 / 400));
  float const found = max_of(on("/cpu:0", nn::init::glorot_uniform));
  CHECK(found <= uniform_limit);
  CHECK(found > uniform_limit * 0.99f);
  auto const deviation = [](auto const& t) {
    return static_cast<double>(item(tensor<float, extents<>>(std_dev(t))));
  };
  CHECK(std::fabs(deviation(on("/cpu:0", nn::init::glorot_normal)) / std::sqrt(2.0 / 400) - 1) <
        0.02);
  CHECK(std::fabs(deviation(on("/cpu:0", nn::init::he_normal)) / std::sqrt(2.0 / 300) - 1) < 0.02);
  CHECK(std::fabs(deviation(on("/cpu:0", nn::init::he_uniform)) / std::sqrt(2.0 / 300) - 1) < 0.02);
  // A 5 x 5 convolution from 1 to 12 channels: 25 in, 300 out.
  set_seed(3);
  auto const limit = static_cast<float>(std::sqrt(6.0 / 325));
  float const largest = max_of(nn::init::glorot_uniform.make<float>(extents<5, 5, 1, 12>{}));
  CHECK(largest <= limit);
  CHECK(largest > limit * 0.9f);
  CHECK(to_vector(nn::init::ones.make<float>(shape(2))) == std::vector{1.f, 1.f});
  CHECK(to_vector(nn::init::constant(0.5).make<float>(shape(1))) == std::vector{0.5f});
}

TEST_CASE("models.Shapes flow through the types of layers") {
  auto const net = small_net();
  using hidden = std::remove_cvref_t<decltype(net.layer<1>())>;
  STATIC_REQUIRE(std::is_same_v<hidden, nn::dense_layer<float, 6, 4>>);
  STATIC_REQUIRE(std::is_same_v<decltype(net.output(net.sample())), extents<2>>);
  CHECK(names_in(net) == std::vector<std::string>{"dense/kernel [6, 4]", "dense/bias [4]",
                                                  "dense_1/kernel [4, 2]", "dense_1/bias [2]"});
  CHECK(nn::parameter_count(net) == 38);
}

namespace {
struct with_functions {
  nn::variable<float, dextents<1>> w{"w", ones<float>(3)};
  static float doubled(float x) { return 2 * x; }
  float (*function)(float) = doubled;
  static constexpr auto lambda = [](float x) { return x + 1; };
  auto parts() const { return std::tie(w, function, lambda); }
};
}  // namespace

TEST_CASE("models.Functions are parts without parameters") {
  with_functions const model;
  CHECK(nn::parameter_count(model) == 3);
}

TEST_CASE("models.The parameters of several models are those of all") {
  auto net = small_net(), other = small_net();
  auto both = std::tie(net, other);
  CHECK(nn::parameter_count(both) == 76);
  gradient_tape tape(persistent);
  nn::watch(tape, both);
  tensor const x = normal<float>(shape(5, 2, 3));
  auto const gradients = nn::gradients_of(tape, tensor(sum(net(x) * other(x))), both);
  STATIC_CHECK(std::tuple_size_v<decltype(gradients)> == 8);
  auto const of_other = nn::gradients_of(tape, tensor(sum(net(x) * other(x))), other);
  CHECK(to_vector(std::get<4>(gradients)) == to_vector(std::get<0>(of_other)));
}

TEST_CASE("models.A model computes what its layers compute, one by one") {
  auto const net = small_net();
  tensor const x = normal<float>(shape(5, 2, 3));
  auto const& first = net.layer<1>();
  auto const& last = net.layer<3>();
  tensor const h = relu(matmul(reshape(x, shape(5, 6)), first.kernel.value()) + first.bias.value());
  tensor const y = matmul(h, last.kernel.value()) + last.bias.value();
  CHECK(to_vector(net(x)) == to_vector(y));
  CHECK(to_vector(net(x * 1.f)) == to_vector(y));
  CHECK(net(tensor<float, dextents<3>>(zeros<float>(0, 2, 3))).shape() == shape(0, 2));
}

TEST_CASE("models.Samples of a run-time size are checked at run time") {
  auto const net = nn::sequential(shape(3), nn::dense<2, nn::without_bias>{});
  CHECK(nn::parameter_count(net) == 6);
  CHECK(net(tensor<float, dextents<2>>(ones<float>(4, 3))).shape() == shape(4, 2));
  CHECK(error_message<shape_error>([&] { net(tensor<float, dextents<2>>(ones<float>(4, 5))); }) ==
        "placement: this model is for samples of shape [3] along the first dimension, and was "
        "called with [4, 5]. Reshape the samples, or make a model for them.");
}

TEST_CASE("models.Dropout drops and scales in training only") {
  nn::dropout const layer(0.75);
  tensor const x = ones<float>(100, 100);
  set_seed(1);
  tensor const y = layer(x, nn::training);
  double zeros = 0;
  for (float const v : to_vector(y)) {
    CHECK((v == 0.f || v == 4.f));
    zeros += v == 0.f;
  }
  CHECK(std::fabs(zeros / 10000 - 0.75) < 0.02);
  CHECK(to_vector(layer(x)) == to_vector(x));
  CHECK(to_vector(tensor(layer(x, nn::training))) != to_vector(y));
  CHECK(error_message<invalid_argument>([] { nn::dropout(1); }) ==
        "placement: dropout with a rate of 1. Give a number of at least 0 and below 1: the "
        "part that becomes 0.");
}

TEST_CASE("models.A model is moved to a device") {
  auto const net = nn::to("/cpu:0", small_net());
  auto const far = nn::to("/gpu:1", net);
  nn::for_each_parameter(
      far, [](std::string const&, auto const& v) { CHECK(v.where() == device{kind::gpu, 1}); });
  CHECK(net.layer<1>().kernel.where() == cpu0);
  tensor const x = normal<float>(shape(5, 2, 3));
  CHECK(to_vector(far(x)) == to_vector(net(x)));
}

TEST_CASE("models.A model is saved and loaded, and a wrong file changes nothing") {
  temporary_folder const folder;
  std::string const path = folder / "net.npz";
  set_seed(1);
  auto const net = small_net();
  nn::save(path, net);
  auto other = nn::to("/gpu:0", small_net());
  tensor const x = normal<float>(shape(5, 2, 3));
  std::vector<float> const before = to_vector(other(x));
  CHECK(before != to_vector(net(x)));
  nn::load(path, other);
  CHECK(to_vector(other(x)) == to_vector(net(x)));
  CHECK(other.layer<1>().kernel.where() == device{kind::gpu, 0});

  auto larger = nn::sequential(shape(7), nn::dense<4>{});
  std::vector<float> const kernel = to_vector(larger.layer<0>().kernel.value());
  CHECK(error_message<shape_error>([&] { nn::load(path, larger); })
            .starts_with("placement: variable 'dense/kernel' has shape [7, 4], but the file has "
                         "[6, 4]. Read the file of a model of the same layers."));
  auto wider = nn::sequential(extents<6>{}, nn::dense<5>{});
  CHECK(error_message<shape_error>([&] { nn::load(path, wider); })
            .starts_with("placement: variable 'dense/kernel' has shape [6, 5], but the file has "
                         "[6, 4]. Read the file of a model of the same layers."));
  auto finer = nn::sequential<double>(extents<6>{}, nn::dense<4>{});
  CHECK(error_message<invalid_argument>([&] { nn::load(path, finer); })
            .starts_with("placement: variable 'dense/kernel' has elements of double, but the file "
                         "has '<f4' (float) [6, 4], C order. Read it into a model of that type: "));
  auto deeper = nn::sequential(extents<6>{}, nn::dense<4>{}, nn::dense<2>{}, nn::dense<2>{});
  std::vector<float> const first = to_vector(deeper.layer<0>().kernel.value());
  CHECK(error_message<invalid_argument>([&] {
          nn::load(path, deeper);
        }).find("has no array 'dense_2/kernel'") != std::string::npos);
  CHECK(to_vector(deeper.layer<0>().kernel.value()) == first);
  CHECK(to_vector(larger.layer<0>().kernel.value()) == kernel);
}

TEST_CASE("layers.Layer normalisation has a gain and an offset for each feature") {
  auto const net = nn::sequential(extents<6>{}, nn::layer_norm{.epsilon = 1e-3});
  CHECK(names_in(net) ==
        std::vector<std::string>{"layer_normalization/gamma [6]", "layer_normalization/beta [6]"});
  tensor<float, dextents<2>> const x = uniform<float>(shape(3, 6));
  tensor<float, dextents<2>> const y = net(x), expected = layer_norm(x, 1e-3);
  CHECK(max_of(abs(y - expected)) < 1e-6f);
}

namespace {

auto residual_net() {
  set_seed(7);
  return nn::sequential<double>(
      extents<3>{}, nn::residual(nn::dense<5>{}, nn::relu, nn::dense<3>{}), nn::dense<1>{});
}
/// x + dense(relu(dense(x))), by ops.
template <class X, class Block> auto block_by_ops(X const& x, Block const& block) {
  auto const& first = block.inner.template layer<0>();
  auto const& last = block.inner.template layer<2>();
  tensor const h = relu(matmul(x, first.kernel.value()) + first.bias.value());
  return x + (matmul(h, last.kernel.value()) + last.bias.value());
}

}  // namespace

TEST_CASE("layers.A residual block adds its layers' outputs to its inputs") {
  auto const net = residual_net();
  CHECK(names_in(net) == std::vector<std::string>{"dense/kernel [3, 5]", "dense/bias [5]",
                                                  "dense_1/kernel [5, 3]", "dense_1/bias [3]",
                                                  "dense_2/kernel [3, 1]", "dense_2/bias [1]"});
  tensor<double, dextents<2>> const x = normal<double>(shape(4, 3));
  auto const& block = net.layer<0>();
  STATIC_REQUIRE(std::is_same_v<decltype(block.output(extents<3>{})), extents<3>>);
  tensor<double, dextents<2>> const y = block(x), expected = block_by_ops(x, block);
  CHECK(to_vector(y) == to_vector(expected));
  CHECK(item(max(abs(y - x))) > 0);
}

TEST_CASE("layers.The variables of blocks in one another have different names, and are saved") {
  set_seed(3);
  auto const block = [] { return nn::residual(nn::residual(nn::dense<3>{}), nn::dense<3>{}); };
  auto const make = [&] {
    return nn::sequential(extents<3>{}, block(), nn::batch_norm{}, block(),
                          nn::sequential(extents<3>{}, nn::batch_norm{}, nn::dense<2>{}));
  };
  auto const net = make();
  std::vector<std::string> names;
  nn::for_each_variable(net, [&](std::string const& name, auto const&) { names.push_back(name); });
  CHECK(names == std::vector<std::string>{
                     "dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias",
                     "batch_normalization/gamma", "batch_normalization/beta",
                     "batch_normalization/moving_mean", "batch_normalization/moving_variance",
                     "dense_2/kernel", "dense_2/bias", "dense_3/kernel", "dense_3/bias",
                     "batch_normalization_1/gamma", "batch_normalization_1/beta",
                     "batch_normalization_1/moving_mean", "batch_normalization_1/moving_variance",
                     "dense_4/kernel", "dense_4/bias"});
  temporary_folder const folder;
  nn::save(folder / "blocks.npz", net);
  auto other = make();
  nn::load(folder / "blocks.npz", other);
  tensor const x = normal<float>(shape(4, 3));
  CHECK(to_vector(other(x)) == to_vector(net(x)));
}

TEST_CASE("layers.A tape passes through a residual block") {
  auto net = residual_net();
  tensor<double, dextents<2>> const x = normal<double>(shape(4, 3));
  auto const gradients = [&](auto const& outputs) {
    gradient_tape tape;
    nn::watch(tape, net);
    tensor<double, extents<>> const loss = mean(square(outputs()));
    return nn::gradients_of(tape, loss, net);
  };
  auto const by_layers = gradients([&] { return net(x, nn::training); });
  auto const by_ops = gradients([&] {
    auto const& last = net.layer<1>();
    tensor const h = block_by_ops(x, net.layer<0>());
    return tensor(matmul(h, last.kernel.value()) + last.bias.value());
  });
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const check = [](auto const& got, auto const& expected) {
      CHECK(item(max(abs(got - expected))) < 1e-12);
      CHECK(item(max(abs(expected))) > 0);
    };
    (check(std::get<I>(by_layers), std::get<I>(by_ops)), ...);
  }(std::make_index_sequence<6>{});
}

TEST_CASE("layers.A net of residual blocks is trained") {
  auto net = residual_net();
  tensor<double, dextents<2>> const x = normal<double>(shape(20, 3));
  tensor<double, dextents<2>> const y = sum(square(x), keep_dim(axis<1>));
  nn::adam adam(0.02);
  auto const step = [&] {
    return item(adam.minimize([&] { return mean(square(net(x, nn::training) - y)); }, net));
  };
  double const first = step();
  for (int i = 0; i != 200; ++i) step();
  CHECK(step() < first / 4);
}

TEST_CASE("layers.A residual block of samples of a run-time size is checked at run time") {
  auto const net = nn::sequential(shape(3), nn::residual(nn::dense<3>{}));
  CHECK(net(tensor<float, dextents<2>>(ones<float>(4, 3))).shape() == shape(4, 3));
  CHECK(
      error_message<shape_error>([] { nn::sequential(shape(4), nn::residual(nn::dense<3>{})); }) ==
      "placement: a residual block of samples of shape [4] has layers with outputs of shape [3]. "
      "Its layers keep the shape.");
}

TEST_CASE("layers.A mean pool gives the mean of each window, and divides its gradient") {
  auto net = nn::sequential(extents<4, 4, 2>{}, nn::avg_pool2d{});
  tensor<float, extents<1, 4, 4, 2>> const x = reshape(arange<float>(32.f), extents<1, 4, 4, 2>{});
  auto const y = net(x);
  STATIC_REQUIRE(std::is_same_v<decltype(y)::extents_type, extents<1, 2, 2, 2>>);
  // Of 0, 2, 8, 10 in the first channel.
  CHECK(to_vector(y) == std::vector{5.f, 6.f, 9.f, 10.f, 21.f, 22.f, 25.f, 26.f});
  auto const wide = nn::sequential(
      extents<4, 4, 2>{}, nn::avg_pool2d<pool2d_options{.window = {3, 3}, .strides = {1, 1}}>{});
  CHECK(to_vector(wide(x)) == std::vector{10.f, 11.f, 12.f, 13.f, 18.f, 19.f, 20.f, 21.f});
  tensor<float, dextents<4>> const images = x;
  gradient_tape tape(images);
  tensor<float, extents<>> const loss = sum(net(images, nn::training));
  CHECK(to_vector(tape.gradient(loss, images)) == std::vector<float>(32, 0.25f));
}
