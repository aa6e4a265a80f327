// Optimizers, learning rates and clipping, against values computed by hand.
#include <placement/nn.hpp>

#include <support/counted_new.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using vector3 = tensor<float, extents<3>>;

nn::variable<float, extents<3>> first_variable() {
  return nn::variable("w", vector3{1.f, -2.f, 3.f});
}
/// The variable after three updates by fixed gradients.
template <class Optimizer> std::vector<float> after_three(Optimizer optimizer) {
  auto w = first_variable();
  for (vector3 const& g :
       {vector3{0.1f, -0.2f, 0.3f}, vector3{0.4f, 0.f, -0.6f}, vector3{-1.f, 2.f, 0.5f}})
    optimizer.apply(std::tie(w), std::tuple{g});
  return to_vector(w.value());
}
void check_near(std::vector<float> const& found, std::vector<double> const& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i != found.size(); ++i)
    CHECK(std::fabs(static_cast<double>(found[i]) - expected[i]) < 2e-6);
}

}  // namespace

TEST_CASE("optimizers.Gradient descent subtracts the gradient times the rate") {
  check_near(after_three(nn::sgd(0.1)), {1.05, -2.18, 2.98});
}

TEST_CASE("optimizers.Momentum accumulates gradients, and Nesterov's form looks ahead") {
  check_near(after_three(nn::sgd({.rate = 0.1, .momentum = 0.9})), {0.9969, -2.1458, 2.9827});
  check_near(
      after_three(nn::sgd({.rate = 0.1, .momentum = 0.9, .form = nn::momentum_form::nesterov})),
      {1.04721, -2.31122, 2.96443});
}

TEST_CASE("optimizers.Adam and AdamW follow TensorFlow's formula") {
  check_near(after_three(nn::adam(0.01)), {0.984457888, -1.98914106, 2.99211048});
  check_near(after_three(nn::adamw({.rate = 0.01, .weight_decay = 0.04})),
             {0.983269903, -1.9867527, 2.98851846});
}

TEST_CASE("optimizers.RMSProp follows TensorFlow's formula") {
  check_near(after_three(nn::rmsprop(0.01)), {1.00543135, -2.01669228, 2.99773334});
  check_near(after_three(nn::rmsprop({.rate = 0.01, .momentum = 0.5})),
             {1.00244183, -2.01511464, 2.99861954});
}

TEST_CASE("optimizers.Updates are in place, beside their variable, under the name of the op") {
  auto w = nn::to("/cpu:0", first_variable());
  nn::variable far = nn::variable("far", copy_to("/gpu:1", vector3{1.f, 2.f, 3.f}));
  nn::adam adam(0.01);
  vector3 const g{1.f, 1.f, 1.f};
  adam.apply(std::tie(w, far), std::tuple{g, g});
  float const* const elements = w.value().data();
  log_lines log;
  {
    with_device const gpu("/gpu:0", log_placement{});
    adam.apply(std::tie(w, far), std::tuple{g, g});
  }
  CHECK(w.value().data() == elements);
  CHECK(far.where() == device{kind::gpu, 1});
  int on_cpu = 0, on_gpu = 0;
  for (std::string const& line : log.take_all()) {
    if (line.find("ResourceApplyAdam<float> [3]") == line.npos) continue;
    on_cpu += line.find(" on /CPU:0") != line.npos;
    on_gpu += line.find(" on /GPU:1") != line.npos;
    CHECK(line.find("/GPU:0") == line.npos);
  }
  CHECK(on_cpu > 0);
  CHECK(on_gpu > 0);
}

TEST_CASE("optimizers.Updates on the CPU allocate nothing after the first") {
  with_device const cpu("/cpu:0");
  auto const allocations = [](auto optimizer) {
    nn::variable w("w", ones<float>(1000));
    std::tuple const g{tensor<float, dextents<1>>(ones<float>(1000))};
    bool const first = heap_allocations([&] { optimizer.apply(w, g); }) > 0;
    std::size_t const later = heap_allocations([&] {
      optimizer.apply(w, g);
      optimizer.apply(w, g);
    });
    return std::pair{first, later};
  };
  using counts = std::pair<bool, std::size_t>;
  CHECK((allocations(nn::sgd({.rate = 0.1, .momentum = 0.9})) == counts{true, 0}));
  CHECK(
      (allocations(nn::sgd({.rate = 0.1, .momentum = 0.9, .form = nn::momentum_form::nesterov})) ==
       counts{true, 0}));
  CHECK((allocations(nn::adam(nn::cosine_decay{0.1, 10})) == counts{true, 0}));
  CHECK((allocations(nn::adamw(0.1)) == counts{true, 0}));
  CHECK((allocations(nn::rmsprop(0.1)) == counts{true, 0}));
  CHECK(allocations(nn::sgd(0.1)).second == 0);
}

TEST_CASE("optimizers.A variable that joins later has slots with the first values") {
  nn::rmsprop rmsprop(0.01);
  nn::variable a("a", tensor{1.f}), b("b", tensor{1.f});
  tensor<float, dextents<1>> const g{2.f};
  rmsprop.apply(a, std::tuple{g});
  float const once = to_vector(a.value())[0];
  rmsprop.apply(std::tie(a, b), std::tuple{g, g});
  CHECK(to_vector(b.value())[0] == once);
}

TEST_CASE("optimizers.A copy of an optimizer and its variables continues alike") {
  auto w = first_variable();
  nn::adam adam(0.1);
  vector3 const g{1.f, -1.f, 0.5f};
  adam.apply(std::tie(w), std::tuple{g});
  auto other_w = w;
  nn::adam other = adam;
  vector3 const next{-1.f, 1.f, 2.f};
  adam.apply(std::tie(w), std::tuple{next});
  CHECK(to_vector(w.value()) != to_vector(other_w.value()));
  other.apply(std::tie(other_w), std::tuple{next});
  CHECK(to_vector(w.value()) == to_vector(other_w.value()));
  CHECK(other.step() == 2);
}

TEST_CASE("optimizers.Another variable or gradient is an error before any variable changes") {
  nn::sgd sgd({.rate = 1, .momentum = 0.5});
  nn::variable a("a", tensor{1.f, 2.f});
  nn::variable b("b", tensor{1.f, 2.f, 3.f});
  tensor const two{1.f, 1.f}, three{1.f, 1.f, 1.f};
  sgd.apply(std::tie(a, b), std::tuple{two, three});
  std::vector<float> const before = to_vector(a.value());
  CHECK(
      error_message<invalid_argument>([&] { sgd.apply(std::tie(b, a), std::tuple{three, two}); }) ==
      "placement: variable 0, 'b', of this optimizer is float of shape [3], but was float of shape [2]. "
      "Give the same variables in the same order, or make another optimizer.");
  CHECK(
      error_message<shape_error>([&] { sgd.apply(std::tie(a, b), std::tuple{two, two}); }) ==
      "placement: variable 1, 'b', has shape [3], but its gradient has shape [2]. Give one gradient for "
      "each variable, in the same order.");
  CHECK(to_vector(a.value()) == before);
  CHECK(sgd.step() == 1);
}

TEST_CASE("optimizers.A persistent tape keeps the old value of an updated variable") {
  auto w = first_variable();
  gradient_tape tape(persistent);
  nn::watch(tape, w);
  tensor const loss = sum(square(w.value()));
  nn::sgd sgd(0.5);
  sgd.minimize(tape, loss, w);
  check_near(to_vector(w.value()), {0, 0, 0});
  sgd.apply(w, std::tuple{vector3{2.f, 2.f, 2.f}});
  check_near(to_vector(w.value()), {-1, -1, -1});
}

TEST_CASE("optimizers.Empty variables, scalars and other element types are updated") {
  nn::variable none("none", zeros<float>(0, 3));
  nn::variable one("one", tensor<double, extents<>>(1.0));
  nn::variable half("half", cast<float16>(tensor{1.f, -1.f}));
  nn::adam adam(0.25);
  for (int i = 0; i != 2; ++i)
    adam.apply(
        std::tie(none, one, half),
        std::tuple{tensor<float, dextents<2>>(zeros<float>(0, 3)), tensor<double, extents<>>(4.0),
                   tensor<float16, dextents<1>>(cast<float16>(tensor{1.f, -1.f}))});
  CHECK(none.size() == 0);
  CHECK(std::fabs(item(one.value()) - 0.5) < 1e-6);
  check_near(to_vector(tensor<float, dextents<1>>(cast<float>(half.value()))), {0.5, -0.5});
}

TEST_CASE("optimizers.Learning rates decay as TensorFlow's schedules") {
  nn::learning_rate const smooth = nn::exponential_decay{0.1, 10, 0.5};
  CHECK(std::fabs(smooth.at(5) - 0.1 * std::sqrt(0.5)) < 1e-15);
  nn::learning_rate const stairs = nn::exponential_decay{0.1, 10, 0.5, nn::decay_form::staircase};
  CHECK(stairs.at(9) == 0.1);
  CHECK(stairs.at(10) == 0.05);
  nn::learning_rate const cosine = nn::cosine_decay{0.2, 100, 0.1};
  CHECK(cosine.at(0) == 0.2);
  CHECK(std::fabs(cosine.at(50) - 0.11) < 1e-15);
  CHECK(std::fabs(cosine.at(100) - 0.02) < 1e-15);
  CHECK(cosine.at(1000) == cosine.at(100));
  nn::learning_rate const pieces = nn::piecewise_constant{{100, 200}, {1, 0.5, 0.1}};
  CHECK(pieces.at(100) == 1);
  CHECK(pieces.at(101) == 0.5);
  CHECK(pieces.at(200) == 0.5);
  CHECK(pieces.at(201) == 0.1);
  CHECK(error_message<invalid_argument>(
            [] { nn::learning_rate(nn::piecewise_constant{{2, 2}, {1, 2, 3}}); }) ==
        "placement: piecewise_constant has 2 boundaries and 3 values. Give increasing boundaries, "
        "and one value more.");
  CHECK(error_message<invalid_argument>([] { nn::learning_rate(nn::cosine_decay{1, 0}); }) ==
        "placement: a learning rate cannot decay in 0 steps. Give 1 step or more.");

  auto w = first_variable();
  nn::sgd sgd(nn::sgd_options{.rate = nn::piecewise_constant{{0}, {1, 0.5}}});
  vector3 const g{1.f, 1.f, 1.f};
  sgd.apply(w, std::tuple{g});
  sgd.apply(w, std::tuple{g});
  check_near(to_vector(w.value()), {-0.5, -3.5, 1.5});
}

TEST_CASE("optimizers.Norms are clipped, alone and together") {
  tensor const x{3.f, 4.f};
  check_near(to_vector(nn::clip_by_norm(x, 1)), {0.6, 0.8});
  check_near(to_vector(nn::clip_by_norm(x * 1.f, 10)), {3, 4});
  check_near(to_vector(nn::clip_by_norm(x * 0.f, 10)), {0, 0});
  std::tuple const both{x, tensor<float, dextents<2>>{{12.f}}};
  CHECK(std::fabs(item(nn::global_norm(both)) - 13.f) < 1e-5f);
  auto const [a, b] = nn::clip_by_global_norm(both, 6.5);
  check_near(to_vector(a), {1.5, 2});
  check_near(to_vector(b), {6});
  auto const [c, d] = nn::clip_by_global_norm(both, 20);
  check_near(to_vector(c), {3, 4});
  CHECK(item(d) == 12.f);
  float const infinite = std::numeric_limits<float>::infinity();
  auto const [e, f] = nn::clip_by_global_norm(std::tuple{x, tensor{infinite}}, 1);
  CHECK(std::isnan(to_vector(e)[0]));
  CHECK(std::isnan(to_vector(f)[0]));
  // Gradients of several types. The norm of 16-bit numbers is a float: 300 * 300 is no float16.
  std::tuple const mixed{tensor{float16(300.f), float16(0.f)}, tensor{400.}, tensor{bfloat16(0.f)}};
  static_assert(std::is_same_v<decltype(nn::global_norm(mixed))::value_type, double>);
  CHECK(item(nn::global_norm(mixed)) == 500.);
  auto const [g, h, k] = nn::clip_by_global_norm(mixed, 5);
  CHECK(to_string(g) == "[3 0]");
  CHECK(to_string(nn::clip_by_norm(tensor{float16(300.f), float16(-400.f)}, 5)) == "[3 -4]");
  CHECK(item(h) == 4.);
  CHECK(item(nn::global_norm(std::tuple{tensor{float16(300.f), float16(-400.f)}})) == 500.f);
  CHECK(error_message<invalid_argument>([&] { nn::clip_by_norm(x, 0); }) ==
        "placement: gradients cannot be clipped to a norm of 0. Give a number above 0.");
}

TEST_CASE("optimizers.TensorFlow 1's logs name updates without Resource") {
  nn::variable w("w", on("/cpu:0", vector3{1.f, 2.f, 3.f}));
  nn::adam adam(0.01);
  adam.apply(std::tie(w), std::tuple{vector3{1.f, 1.f, 1.f}});
  auto const logs = [&](log_format form, std::string const& line) {
    log_lines log;
    {
      with_device const logged("", log_placement{}, form);
      adam.apply(std::tie(w), std::tuple{vector3{1.f, 1.f, 1.f}});
    }
    auto const lines = log.take_all();
    return std::count(lines.begin(), lines.end(), line) != 0;
  };
  std::string const cpu = "/job:localhost/replica:0/task:0/device:CPU:0";
  CHECK(logs(log_format::tf1_graph, "ApplyAdam: (ApplyAdam): " + cpu));
  CHECK(logs(log_format::tf2, "Executing op ResourceApplyAdam in device " + cpu));
}
