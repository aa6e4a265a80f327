#include <placement/parallel.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using parallel::reduction;
using parallel::replicated;
using parallel::tower;
using parallel::tower_error;
using parallel::tower_threads;
using parallel::towers;

namespace {

int const gpus = gpus_of_test();
int const count = gpus == 0 ? 1 : gpus;

tensor<float, dextents<2>> samples() {
  with_device const cpu("/cpu:0");
  return sin(reshape(iota(shape(16 * 6), 0.f, 0.7f), shape(16, 6)));
}
tensor<int, dextents<1>> labels() {
  with_device const cpu("/cpu:0");
  tensor<int, dextents<1>> const y = iota(shape(16), 0, 1);
  return y % 3;
}
template <class Norm> auto make_net(Norm norm) {
  set_seed(5);
  return nn::sequential(extents<6>{}, nn::dense<5>{}, norm, nn::relu, nn::dense<3>{});
}
struct step_loss {
  tensor<float, dextents<2>> x = samples();
  tensor<int, dextents<1>> y = labels();
  template <class Net> tensor<float, extents<>> operator()(tower const& t, Net& model) const {
    return mean(softmax_cross_entropy(model(t.slice(x), nn::training), t.slice(y)));
  }
};
template <class M> std::vector<float> values_of(M const& model) {
  std::vector<float> all;
  nn::for_each_variable(model, [&](std::string const&, auto const& v) {
    for (float const x : to_vector(v.value())) all.push_back(x);
  });
  return all;
}

}  // namespace

TEST_CASE("all_reduce of towers gives each the sum or mean") {
  auto const sums = towers().run([](tower const& t) {
    tensor<float, extents<3>> const x = constant(static_cast<float>(t.index() + 1), extents<3>{});
    return std::pair{all_reduce(t, x), all_reduce(t, x, reduction::mean)};
  });
  auto const n = static_cast<float>(count);
  for (int i = 0; i != count; ++i) {
    auto const& [sum, mean] = sums[static_cast<std::size_t>(i)];
    CHECK(to_vector(sum) == std::vector<float>(3, n * (n + 1) / 2));
    CHECK(to_vector(mean) == std::vector<float>(3, (n + 1) / 2));
    CHECK(sum.where() == towers().where(i));
  }
}

TEST_CASE("all_reduce of towers adds integers, on a tape, too, and has no mean of them") {
  auto const sums = towers().run([](tower const& t) {
    tensor<float, dextents<1>> const x = constant(static_cast<float>(t.index()), shape(2));
    gradient_tape tape(x);
    return all_reduce(t, tensor<int, dextents<1>>(cast<int>(x) + 1));
  });
  for (auto const& sum : sums)
    CHECK(to_vector(sum) == std::vector<int>(2, count * (count + 1) / 2));
  if (count == 1) return;
  CHECK_THAT(error_message<tower_error>([] {
               towers().run([](tower const& t) {
                 static_cast<void>(all_reduce(t, tensor<int, dextents<1>>{1}, reduction::mean));
               });
             }),
             ContainsSubstring("placement: all_reduce of int32: a mean is of floating point."));
}

TEST_CASE("Gradients flow through all_reduce to all towers") {
  // The loss of tower i is (i + 1) s^2 with s = sum of x over the towers.
  auto const found = towers().run([](tower const& t) {
    tensor<float, extents<>> const x = constant(static_cast<float>(t.index() + 2), extents<>{});
    gradient_tape tape(x);
    auto const s = all_reduce(t, x);
    tensor<float, extents<>> const loss = square(s) * static_cast<float>(t.index() + 1);
    return tape.gradient(loss, x);
  });
  float sum = 0, weights = 0;
  for (int i = 0; i != count; ++i) {
    sum += static_cast<float>(i + 2);
    weights += static_cast<float>(i + 1);
  }
  for (auto const& g : found) CHECK(item(g) == 2 * sum * weights);
}

TEST_CASE("A tower that ends or throws ends the wait of the others") {
  if (count < 2) SKIP("one tower waits for nobody");
  auto const x = [] { return tensor<float, extents<2>>(constant(1.f, extents<2>{})); };
  std::string message = error_message<tower_error>([&] {
    towers().run([&](tower const& t) {
      if (t.index() != 1) all_reduce(t, x());
    });
  });
  CHECK_THAT(message, ContainsSubstring("waits for the sum of float[2], but tower_1 has ended its "
                                        "step. All towers make the same exchanges."));
  try {
    towers().run([&](tower const& t) {
      if (t.index() == 1) throw std::runtime_error("no data");
      all_reduce(t, x());
    });
    FAIL("no exception");
  } catch (tower_error const& e) {
    CHECK(e.tower() == 1);
    CHECK_THAT(e.what(), ContainsSubstring("no data"));
  }
}

TEST_CASE("Towers that exchange different values are an error, not a wait without end") {
  if (count < 2) SKIP("one tower waits for nobody");
  std::string const message = error_message<tower_error>([] {
    towers().run([](tower const& t) {
      if (t.index() == 0) all_reduce(t, tensor<float, extents<2>>(constant(1.f, extents<2>{})));
      else all_reduce(t, tensor<float, extents<3>>(constant(1.f, extents<3>{})));
    });
  });
  CHECK_THAT(message, ContainsSubstring("float[2]"));
  CHECK_THAT(message, ContainsSubstring("float[3]"));
  CHECK_THAT(error_message<tower_error>([] {
               towers({.threads = tower_threads::one}).run([](tower const& t) {
                 all_reduce(t, tensor<float, extents<2>>(constant(1.f, extents<2>{})));
               });
             }),
             ContainsSubstring("all towers run on one thread. Write tower_threads::per_tower."));
}

TEST_CASE("sync_batch_norm trains as one batch of all towers") {
  auto alone = make_net(nn::batch_norm{.decay = 0.9});
  nn::sgd sgd(0.1), same(0.1);
  step_loss const loss;
  replicated model(towers(), make_net(parallel::sync_batch_norm{.decay = 0.9}));
  for (int i = 0; i != 3; ++i) {
    auto const expected = sgd.minimize(
        [&] {
          return tensor<float, extents<>>(
              mean(softmax_cross_entropy(alone(loss.x, nn::training), loss.y)));
        },
        alone);
    float sum = 0;
    for (auto const& l : model.minimize(same, loss)) sum += item(l);
    CHECK(std::abs(sum / static_cast<float>(count) - item(expected)) < 1e-5f);
  }
  auto const got = values_of(model.model()), expected = values_of(alone);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i != got.size(); ++i) CHECK(std::abs(got[i] - expected[i]) < 1e-5f);
}

TEST_CASE("sync_batch_norm outside of towers is batch_norm") {
  auto a = make_net(nn::batch_norm<nn::without_scale>{.decay = 0.9});
  auto b = make_net(parallel::sync_batch_norm<nn::without_scale>{.decay = 0.9});
  tensor const x = samples();
  CHECK(to_vector(a(x, nn::training)) == to_vector(b(x, nn::training)));
  CHECK(to_vector(a(x)) == to_vector(b(x)));
  CHECK(values_of(a) == values_of(b));
}
