// Variables that towers share by name.
#include <placement/nn.hpp>

#include <placement/nn/checkpoint.hpp>
#include <placement/nn/save.hpp>

#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace placement;

namespace {

std::vector<std::string> listed(nn::variable_store const& vars) {
  std::vector<std::string> all;
  vars.for_each([&](nn::variable_info const& v) {
    all.push_back(std::string(v.name) + " " + std::string(v.element) + " " +
                  to_string(shape(static_cast<index_t>(v.shape.size()))) +
                  (v.trainable ? "" : " fixed"));
  });
  return all;
}
/// The message without the lines of this file.
std::string without_lines(std::string text) {
  std::string const file = __FILE__;
  for (std::size_t at; (at = text.find(file + ":")) != text.npos;) {
    std::size_t end = at + file.size() + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    text.replace(at, end - at, "HERE");
  }
  return text;
}

/// The variables of net B of examples/mnist_conv, as a tower asks for them.
void net_b(nn::variable_store& vars) {
  nn::variable_scope const net(vars, "ConvNet");
  auto const norm = [&](char const* name, index_t n) {
    nn::variable_scope const layer(vars, std::string(name) + "/BatchNorm");
    vars.get<float>("beta", shape(n), nn::init::zeros);
    vars.get<float>("moving_mean", shape(n), nn::init::zeros, {.trainable = false});
    vars.get<float>("moving_variance", shape(n), nn::init::ones, {.trainable = false});
  };
  nn::initializer const small = nn::init::truncated_normal(0.01);
  vars.get<float>("conv_1/weights", extents<5, 5, 1, 6>{}, small);
  norm("conv_1", 6);
  vars.get<float>("conv_2/weights", extents<5, 5, 6, 12>{}, small);
  norm("conv_2", 12);
  vars.get<float>("fc/weights", extents<588, 100>{}, small);
  norm("fc", 100);
  vars.get<float>("prob/weights", extents<100, 10>{}, small);
  vars.get<float>("prob/biases", extents<10>{}, nn::init::zeros);
}

/// A linear model over a store.
tensor<float, extents<>> loss_of(nn::variable_store& vars, tensor<float, dextents<2>> const& x,
                                 tensor<float, dextents<2>> const& y) {
  auto const& w = vars.get<float>("w", extents<3, 2>{}, nn::init::glorot_uniform);
  auto const& b = vars.get<float>("b", extents<2>{}, nn::init::zeros);
  auto const& gain = vars.get<double>("gain", extents<>{}, nn::init::ones);
  vars.get<std::int64_t>("global_step", extents<>{}, nn::init::zeros, {.trainable = false});
  tensor<float, extents<>> const g = cast<float>(gain.value());
  return mean(square((matmul(x, w.value()) + b.value()) * g - y));
}

}  // namespace

TEST_CASE("variable store.The second tower shares the variables of the first") {
  nn::variable_store vars(nn::reuse::automatic);
  for (int tower = 0; tower != 2; ++tower) net_b(vars);
  CHECK(vars.size() == 14);
  CHECK(vars.trainable_elements() == 61878);
  CHECK(vars.other_elements() == 236);
  std::vector<std::string> const all = listed(vars);
  CHECK(all[0] == "ConvNet/conv_1/weights float [4]");
  CHECK(all[2] == "ConvNet/conv_1/BatchNorm/moving_mean float [1] fixed");
}

TEST_CASE("variable store.References stay valid, and the device is that of the first request") {
  nn::variable_store vars(nn::reuse::automatic);
  auto& w = vars.get<float>("w", extents<2>{}, nn::init::ones, {.device = "/gpu:1"});
  auto& by_scope = [&]() -> auto& {
    with_device const cpu("/cpu:0");
    return vars.get<float>("b", extents<2>{}, nn::init::ones);
  }();
  for (int i = 0; i != 100; ++i)
    vars.get<float>("v" + std::to_string(i), shape(1), nn::init::zeros);
  with_device const gpu("/gpu:0");
  CHECK(&w == &vars.get<float>("w", extents<2>{}, nn::init::zeros));
  CHECK(w.where() == gpu1);
  CHECK(w.requested() == device_spec(gpu1));
  CHECK(by_scope.requested() == device_spec(cpu0));
  CHECK(to_vector(w.value()) == std::vector{1.f, 1.f});
  CHECK(w.name() == "w");
}

TEST_CASE("variable store.A variable that exists is no new one, and none is made for reuse") {
  nn::variable_store vars;
  vars.get<float>("conv_1/weights", extents<5, 5, 1, 6>{});
  CHECK(without_lines(error_message<invalid_argument>(
            [&] { vars.get<float>("conv_1/weights", extents<5, 5, 1, 6>{}); })) ==
        "placement: variable 'conv_1/weights' exists: float [5, 5, 1, 6], made at HERE. This scope "
        "makes new variables. Give nn::reuse::yes or nn::reuse::automatic to share it. At HERE.");
  nn::variable_scope const scope(vars, "conv_1", nn::reuse::yes);
  CHECK(vars.get<float>("weights", extents<5, 5, 1, 6>{}).size() == 150);
  CHECK(
      without_lines(error_message<invalid_argument>([&] { vars.get<float>("bias", shape(6)); })) ==
      "placement: there is no variable 'conv_1/bias', and this scope makes none. Make it first, "
      "or give nn::reuse::automatic. At HERE.");
  CHECK(vars.size() == 1);
}

TEST_CASE("variable store.Another shape or type is an error with both") {
  nn::variable_store vars(nn::reuse::automatic);
  vars.get<float>("w", extents<2, 3>{});
  std::string const made = "placement: variable 'w' is float [2, 3], made at HERE; here it is ";
  CHECK(without_lines(error_message<shape_error>([&] { vars.get<float>("w", extents<3, 3>{}); })) ==
        made + "float [3, 3]. Give the same shape, or another name. At HERE.");
  CHECK(without_lines(error_message<invalid_argument>([&] {
          vars.get<double>("w", extents<2, 3>{});
        })) == made + "double [2, 3]. Give the same type. At HERE.");
  CHECK(without_lines(error_message<shape_error>([&] { vars.get<float>("w", shape(2, 3)); })) ==
        made +
            "float [2, 3] with other extents in the type. Give the shape by the same type. At "
            "HERE.");
  CHECK(vars.size() == 1);
}

TEST_CASE("variable store.Scopes restore the policy and the prefix") {
  nn::variable_store vars;
  {
    nn::variable_scope const outer(vars, "a", nn::reuse::automatic);
    nn::variable_scope const inner(vars, "b");
    CHECK(vars.policy() == nn::reuse::automatic);
    CHECK(vars.get<float>("w", shape(1)).name() == "a/b/w");
  }
  CHECK(vars.policy() == nn::reuse::no);
  CHECK(vars.get<float>("w", shape(1)).name() == "w");
}

TEST_CASE("variable store.Optimizers train variables of several types and ranks") {
  tensor<float, dextents<2>> const x{{1.f, 2.f, 3.f}, {-1.f, 0.5f, 2.f}, {0.f, 1.f, -1.f}};
  tensor<float, dextents<2>> const y{{1.f, 0.f}, {0.f, 2.f}, {1.f, 1.f}};
  set_seed(1);
  nn::variable_store vars(nn::reuse::automatic);
  static_cast<void>(loss_of(vars, x, y));
  // The same model by a tuple of variables.
  nn::variable w = vars.get<float>("w", extents<3, 2>{});
  nn::variable b = vars.get<float>("b", extents<2>{});
  nn::variable gain = vars.get<double>("gain", extents<>{});
  nn::adam by_store(0.05), by_tuple(0.05);
  float last = 0;
  for (int i = 0; i != 20; ++i) {
    float const first = item(by_store.minimize([&] { return loss_of(vars, x, y); }, vars));
    last = item(by_tuple.minimize(
        [&] {
          tensor<float, extents<>> const g = cast<float>(gain.value());
          return mean(square((matmul(x, w.value()) + b.value()) * g - y));
        },
        std::tie(w, b, gain)));
    CHECK(first == last);
  }
  CHECK(to_vector(w.value()) == to_vector(vars.get<float>("w", extents<3, 2>{}).value()));
  CHECK(item(gain.value()) == item(vars.get<double>("gain", extents<>{}).value()));
  CHECK(by_store.step() == 20);
  CHECK(error_message<invalid_argument>([&] { by_store.apply(vars, nn::gradient_list()); }) ==
        "placement: a store of 3 trainable variables gets 0 gradients. Give those of "
        "gradients_of() for the same store.");
  vars.get<int>("n", shape(1), nn::init::zeros);
  CHECK(error_message<invalid_argument>(
            [&] { by_store.minimize([&] { return loss_of(vars, x, y); }, vars); }) ==
        "placement: variable 'n' of int32 cannot be trained. Give a floating point type, or "
        "{.trainable = false}.");
  CHECK(by_store.step() == 20);
  CHECK(error_message<invalid_argument>([&] { vars.get<int>("m", shape(1)); }) ==
        "placement: random first values of int32 are floating point. Give nn::init::zeros, ones or "
        "constant.");
}

TEST_CASE("variable store.Variables that a first step makes are trained by it") {
  tensor<float, dextents<2>> const x{{1.f, 2.f, 3.f}, {-1.f, 0.5f, 2.f}};
  tensor<float, dextents<2>> const y{{1.f, 0.f}, {0.f, 2.f}};
  auto const trained = [&](bool made_before) {
    set_seed(3);
    nn::variable_store vars(nn::reuse::automatic);
    if (made_before) static_cast<void>(loss_of(vars, x, y));
    nn::sgd sgd(0.1);
    for (int i = 0; i != 2; ++i) sgd.minimize([&] { return loss_of(vars, x, y); }, vars);
    return to_vector(vars.get<float>("w", extents<3, 2>{}).value());
  };
  CHECK(trained(true) == trained(false));
}

TEST_CASE("variable store.Gradients of a store are read, replaced and applied") {
  tensor<float, dextents<2>> const x{{1.f, 2.f, 3.f}}, y{{1.f, 0.f}};
  nn::variable_store vars(nn::reuse::automatic);
  gradient_tape tape;
  tensor const loss = loss_of(vars, x, y);
  nn::gradient_list gradients = nn::gradients_of(tape, loss, vars);
  CHECK(gradients.size() == 3);
  CHECK(gradients.at<float>(0).size() == 6);
  CHECK(gradients.at<double>(2).size() == 1);
  CHECK(error_message<invalid_argument>([&] { gradients.at<double>(0); }) ==
        "placement: there is no gradient 0 of double among 3. Give the type of the variable.");
  gradients.set(1, tensor<float, dextents<1>>{1.f, 2.f});
  nn::sgd(0.5).apply(vars, gradients);
  CHECK(to_vector(vars.get<float>("b", extents<2>{}).value()) == std::vector{-0.5f, -1.f});
  std::vector<float> const before = to_vector(vars.get<float>("w", extents<3, 2>{}).value());
  gradients.set(1, tensor<float, dextents<1>>{1.f, 2.f, 3.f});
  CHECK(error_message<shape_error>([&] { nn::sgd(0.5).apply(vars, gradients); }) ==
        "placement: variable 1, 'b', has shape [2], but its gradient has shape [3]. Give one "
        "gradient for each variable, in the same order.");
  CHECK(to_vector(vars.get<float>("w", extents<3, 2>{}).value()) == before);
}

TEST_CASE("variable store.Gradients of a store are clipped to a norm") {
  auto const takes = []<class T>(T) {
    return requires(nn::gradient_list& g, tensor<T, dextents<1>> const& x) { g.add(x); };
  };
  static_assert(takes(1.f) && takes(bfloat16(1.f)) &&
                !takes(1));  // an integer would not be clipped
  tensor<float, dextents<2>> const x{{1.f, 2.f, 3.f}}, y{{1.f, 0.f}};
  nn::variable_store vars(nn::reuse::automatic);
  gradient_tape tape;
  tensor const loss = loss_of(vars, x, y);
  nn::gradient_list const gradients = nn::gradients_of(tape, loss, vars);
  double squares = 0;
  gradients.for_each([&](auto const& g) {
    for (auto const e : to_vector(g)) squares += double{e} * double{e};
  });
  CHECK(std::fabs(item(nn::global_norm(gradients)) - std::sqrt(squares)) < 1e-12);
  nn::gradient_list const half = nn::clip_by_global_norm(gradients, std::sqrt(squares) / 2);
  REQUIRE(half.size() == 3);
  CHECK(std::fabs(item(nn::global_norm(half)) - std::sqrt(squares) / 2) < 1e-6);
  for (std::size_t i = 0; i != 6; ++i)
    CHECK(std::fabs(to_vector(half.at<float>(0))[i] - to_vector(gradients.at<float>(0))[i] / 2) <
          1e-6f);
  CHECK(to_vector(nn::clip_by_global_norm(gradients, 1e6).at<double>(2)) ==
        to_vector(gradients.at<double>(2)));
  CHECK_THROWS_AS(nn::clip_by_global_norm(gradients, -1), invalid_argument);
}

TEST_CASE("variable store.Errors of gradients name the variable") {
  nn::variable_store vars(nn::reuse::automatic);
  auto& w = vars.get<float>("block/w", extents<2>{}, nn::init::zeros);
  vars.get<float>("unread", extents<3>{});
  {
    gradient_tape tape;
    nn::watch(tape, vars);
    tensor const loss = sum(w.value());
    CHECK(error_message<invalid_argument>([&] { nn::gradients_of(tape, loss, vars); })
              .starts_with("placement: the loss does not depend on variable 'unread' of shape [3]. "
                           "Read it in the loss,"));
  }
  gradient_tape tape(check_numerics);
  nn::watch(tape, vars);
  tensor const loss = sum(sqrt(w.value()));
  std::string const message =
      error_message<numerics_error>([&] { nn::gradients_of(tape, loss, vars); });
  CHECK(message.starts_with("placement: the derivative of Sum"));
  CHECK(message.find("variable_store.cpp:") != std::string::npos);
  CHECK(message.ends_with(" It is a gradient of variable 'block/w' of shape [2]."));
}

TEST_CASE("variable store.A faulty gradient of a result is of no variable") {
  nn::variable w("w", tensor{0.f, 1.f}), none("none", zeros<float>(0));
  auto const both = std::tie(w, none);
  gradient_tape tape(check_numerics);
  nn::watch(tape, both);
  tensor const h = w.value() * 2.f;
  tensor const loss = sum(sqrt(h));
  std::string const message =
      error_message<numerics_error>([&] { nn::gradients_of(tape, loss, both); });
  CHECK(message.starts_with("placement: the derivative of Sum"));
  CHECK(message.find("variable '") == std::string::npos);
}

TEST_CASE("variable store.A store is saved, loaded and continued from a checkpoint") {
  temporary_folder const folder;
  tensor<float, dextents<2>> const x{{1.f, 2.f, 3.f}, {-1.f, 0.5f, 2.f}};
  tensor<float, dextents<2>> const y{{1.f, 0.f}, {0.f, 2.f}};
  auto const train = [&](nn::variable_store& vars, nn::adam& adam, int steps) {
    float loss = 0;
    for (int i = 0; i != steps; ++i)
      loss = item(adam.minimize([&] { return loss_of(vars, x, y); }, vars));
    return loss;
  };
  set_seed(2);
  nn::variable_store a(nn::reuse::automatic), b(nn::reuse::automatic);
  nn::adam adam(0.05), later(0.05);
  static_cast<void>(loss_of(a, x, y));
  {
    with_device const gpu("/gpu:1");
    static_cast<void>(loss_of(b, x, y));
  }
  train(a, adam, 5);
  nn::save(folder / "store.npz", a);
  nn::checkpoint(a, adam).save(folder / "run.npz");
  nn::load(folder / "store.npz", b);
  CHECK(b.get<float>("w", extents<3, 2>{}).where() == gpu1);
  CHECK(item(loss_of(a, x, y)) == item(loss_of(b, x, y)));
  nn::checkpoint(b, later).restore(folder / "run.npz");
  CHECK(later.step() == 5);
  CHECK(train(a, adam, 5) == train(b, later, 5));
  b.get<float>("more", shape(1));
  CHECK(folder.without_path(error_message<file_error>([&] {
    nn::load(folder / "store.npz", b);
  })) == "placement: 'store.npz' does not fit: 'more' is not in the file. Nothing was "
         "restored. Give the parts that were saved.");
}
