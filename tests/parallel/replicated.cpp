#include <placement/parallel.hpp>

#include <placement/nn/checkpoint.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/gpus.hpp>
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using parallel::replicated;
using parallel::tower;
using parallel::tower_error;
using parallel::tower_threads;
using parallel::towers;

namespace {

int const gpus = gpus_of_test();
int const count = gpus == 0 ? 1 : gpus;
device device_of(int i) { return gpus == 0 ? cpu0 : device{kind::gpu, i}; }

auto make_net() {
  set_seed(5);
  return nn::sequential(extents<6>{}, nn::dense<5>{},
                        nn::batch_norm<nn::without_scale>{.decay = 0.9}, nn::relu,
                        nn::dropout(0.25), nn::dense<3>{});
}
/// Without batch normalisation and dropout: K towers compute what one does.
auto make_plain_net() {
  set_seed(6);
  return nn::sequential(extents<6>{}, nn::dense<5>{}, nn::relu, nn::dense<3>{});
}
using net = decltype(make_net());
using plain_net = decltype(make_plain_net());

tensor<float, dextents<2>> samples() {
  with_device const cpu("/cpu:0");
  return sin(reshape(iota(shape(16 * 6), 0.f, 0.7f), shape(16, 6)));
}
tensor<int, dextents<1>> labels() {
  with_device const cpu("/cpu:0");
  tensor<int, dextents<1>> y = iota(shape(16), 0, 1);
  y = y % 3;
  return y;
}
template <class Net, class X, class Y>
tensor<float, extents<>> loss_of(Net& model, X const& x, Y const& y) {
  return mean(softmax_cross_entropy(model(x, nn::training), y));
}
struct step_loss {
  tensor<float, dextents<2>> x = samples();
  tensor<int, dextents<1>> y = labels();
  template <class Net> auto operator()(tower const& t, Net& model) const {
    return loss_of(model, t.slice(x), t.slice(y));
  }
};

template <class M> std::vector<std::vector<float>> values_of(M const& model) {
  std::vector<std::vector<float>> all;
  nn::for_each_variable(
      model, [&](std::string const&, auto const& v) { all.push_back(to_vector(v.value())); });
  return all;
}
double largest_difference(std::vector<std::vector<float>> const& a,
                          std::vector<std::vector<float>> const& b) {
  double d = 0;
  for (std::size_t i = 0; i != a.size(); ++i)
    for (std::size_t j = 0; j != a[i].size(); ++j)
      d = std::max(d, static_cast<double>(std::abs(a[i][j] - b[i][j])));
  return d;
}

/// The variables after some steps.
template <class Policy>
std::vector<std::vector<float>> trained(Policy policy,
                                        tower_threads threads = tower_threads::per_tower) {
  replicated model(towers({.threads = threads}), make_net(), policy);
  set_seed(9);
  nn::adam adam(0.01);
  for (int i = 0; i != 3; ++i) model.minimize(adam, step_loss{});
  return values_of(model.model());
}

}  // namespace

TEST_CASE("The mean gradient of towers is the gradient of the joined batch") {
  plain_net joined = make_plain_net();
  nn::adam adam(0.01), same(0.01);
  tensor const x = samples();
  tensor const y = labels();
  replicated model(towers(), make_plain_net());
  for (int i = 0; i != 3; ++i) {
    float const expected = item(adam.minimize([&] { return loss_of(joined, x, y); }, joined));
    float sum = 0;
    auto const losses = model.minimize(same, step_loss{});
    for (auto const& l : losses) sum += item(l);
    CHECK(std::abs(sum / static_cast<float>(count) - expected) < 1e-5f);
  }
  CHECK(largest_difference(values_of(model.model()), values_of(joined)) < 1e-5);
}

TEST_CASE("One tower is the model itself, bit for bit") {
  net alone = make_net();
  set_seed(9);
  nn::adam adam(0.01);
  tensor const x = samples();
  tensor const y = labels();
  for (int i = 0; i != 3; ++i) adam.minimize([&] { return loss_of(alone, x, y); }, alone);
  replicated model(towers(1), make_net());
  set_seed(9);
  nn::adam same(0.01);
  for (int i = 0; i != 3; ++i) model.minimize(same, step_loss{});
  CHECK(values_of(model.model()) == values_of(alone));
}

TEST_CASE("Policies and threads give the same bits") {
  auto const expected = trained(parallel::first_tower{});
  CHECK(trained(parallel::first_tower{}, tower_threads::one) == expected);
  CHECK(trained(parallel::central{}) == expected);
  CHECK(trained(parallel::mirrored{}) == expected);
  CHECK(trained(parallel::mirrored{}, tower_threads::one) == expected);
  CHECK(trained(parallel::sharded{}) == expected);
  CHECK(trained(parallel::first_tower{.averaging = cpu0}) == expected);
}

TEST_CASE("Policies place the variables") {
  towers const all;
  auto const where = [&](auto policy) {
    replicated const model(all, make_net(), policy);
    std::vector<device> places;
    nn::for_each_variable(model.model(),
                          [&](std::string const&, auto const& v) { places.push_back(v.where()); });
    return places;
  };
  CHECK(where(parallel::first_tower{}) == std::vector<device>(7, device_of(0)));
  CHECK(where(parallel::central{}) == std::vector<device>(7, cpu0));
  CHECK(where(parallel::mirrored{}) == std::vector<device>(7, device_of(0)));
  auto const sharded = where(parallel::sharded{});
  for (int i = 0; i != 7; ++i) CHECK(sharded[static_cast<std::size_t>(i)] == device_of(i % count));
}

TEST_CASE("by_size puts each variable where the fewest bytes are") {
  using parallel::shard_order;
  std::vector<parallel::variable_facts> const facts{
      {"a", 100}, {"b", 10}, {"c", 20}, {"d", 5}, {"e", 90}};
  std::vector<device> const two{{kind::gpu, 0}, {kind::gpu, 1}};
  auto const places = parallel::sharded{.order = shard_order::by_size}.places(facts, two);
  CHECK(places == std::vector<device>{two[0], two[1], two[1], two[1], two[1]});
  auto const in_turn = parallel::sharded{}.places(facts, two);
  CHECK(in_turn == std::vector<device>{two[0], two[1], two[0], two[1], two[0]});
  std::vector<device> const cpu{cpu0};
  CHECK(parallel::sharded{.devices = cpu}.places(facts, two) == std::vector<device>(5, cpu0));
}

TEST_CASE("Mirrored variables have the same bits on each device after every step") {
  replicated model(towers(), make_net(), parallel::mirrored{});
  nn::adam adam(0.01);
  for (int step = 0; step != 2; ++step) {
    model.minimize(adam, step_loss{});
    for (int i = 0; i != count; ++i) {
      CHECK(values_of(model.model_of(i)) == values_of(model.model()));
      nn::for_each_variable(model.model_of(i), [&](std::string const&, auto const& v) {
        CHECK(v.where() == device_of(i));
      });
    }
  }
}

TEST_CASE("A requested device of a variable always wins") {
  struct pair_of_variables {
    nn::variable<float, extents<6, 3>> w{"w", zeros<float>(6, 3)};
    nn::variable<float, extents<3>> b{"b", on("/cpu:0", zeros<float>(3))};
    auto parts() { return std::tie(w, b); }
    auto parts() const { return std::tie(w, b); }
  };
  auto const step = [x = samples(), y = labels()](tower const& t, pair_of_variables& v) {
    tensor const logits = matmul(t.slice(x), v.w.value()) + v.b.value();
    return tensor<float, extents<>>(mean(softmax_cross_entropy(logits, t.slice(y))));
  };
  replicated first(towers(), pair_of_variables{});
  replicated mirrored(towers(), pair_of_variables{}, parallel::mirrored{});
  CHECK(first.model().b.where() == cpu0);
  CHECK(mirrored.model().b.where() == cpu0);
  CHECK(mirrored.model().w.where() == device_of(0));
  nn::sgd sgd(0.1), same(0.1);
  for (int i = 0; i != 2; ++i) {
    first.minimize(sgd, step);
    mirrored.minimize(same, step);
  }
  CHECK(mirrored.model().b.where() == cpu0);
  CHECK(values_of(mirrored.model()) == values_of(first.model()));
}

TEST_CASE("Moving statistics become those of towers that update one copy in their order") {
  replicated model(towers(), make_net());
  net one = make_net();
  tensor const x = samples();
  auto const statistics = [](auto const& m) {
    return std::pair{to_vector(m.template layer<1>().moving_mean.value()),
                     to_vector(m.template layer<1>().moving_variance.value())};
  };
  model.run([&](tower const& t, net& m) { return m(t.slice(x), nn::training); });
  index_t const rows = 16 / count;
  for (int i = 0; i != count; ++i)
    one(tensor<float, dextents<2>>(slice(x, range(rows * i, rows * (i + 1)))), nn::training);
  auto const [mean, variance] = statistics(model.model());
  auto const [expected_mean, expected_variance] = statistics(one);
  for (std::size_t i = 0; i != mean.size(); ++i) {
    CHECK(std::abs(mean[i] - expected_mean[i]) < 1e-6f);
    CHECK(std::abs(variance[i] - expected_variance[i]) < 1e-6f);
  }
}

TEST_CASE("run_on merges the statistics of one tower") {
  replicated model(towers(), make_net());
  net one = make_net();
  tensor const x = samples();
  model.run_on(count - 1, [&](tower const&, net& m) { m(x, nn::training); });
  one(x, nn::training);
  CHECK(values_of(model.model()) == values_of(one));
}

TEST_CASE("A tower that throws leaves everything as it was") {
  for (int failing = 0; failing != count; ++failing) {
    replicated model(towers(), make_net());
    nn::adam adam(0.01);
    model.minimize(adam, step_loss{});
    auto const before = values_of(model.model());
    step_loss const loss;
    auto const fails = [&](tower const& t, net& m) {
      auto l = loss(t, m);
      if (t.index() == failing) throw std::runtime_error("a bad sample");
      return l;
    };
    CHECK_THAT(error_message<tower_error>([&] { model.minimize(adam, fails); }),
               ContainsSubstring("tower_" + std::to_string(failing)));
    CHECK(values_of(model.model()) == before);
    CHECK(adam.step() == 1);
    model.minimize(adam, loss);
    CHECK(adam.step() == 2);
  }
}

TEST_CASE("A step whose loss does not read a variable is an error that names the tower") {
  replicated model(towers(), make_plain_net());
  nn::adam adam(0.01);
  auto const partly = [x = samples()](tower const& t, plain_net& m) {
    return tensor<float, extents<>>(mean(square(m.layer<0>().kernel.value() * mean(t.slice(x)))));
  };
  auto const before = values_of(model.model());
  std::string const message = error_message<tower_error>([&] { model.minimize(adam, partly); });
  CHECK_THAT(message, ContainsSubstring("placement: tower_0 on "));
  CHECK_THAT(message,
             ContainsSubstring("the loss does not depend on variable 'dense/bias' of "
                               "shape [5]. Read it in the loss, ask before it is assigned"));
  CHECK(values_of(model.model()) == before);
}

TEST_CASE("A step of other variables in one tower is an error that names it and the variable") {
  replicated model(towers(), make_plain_net());
  nn::adam adam(0.01);
  step_loss const all;
  auto const before = values_of(model.model());
  auto const partly = [&](tower const& t, plain_net& m) {
    if (t.index() != count - 1) return all(t, m);
    auto const& first = m.layer<0>();
    return tensor<float, extents<>>(
        mean(square(matmul(t.slice(all.x), first.kernel.value()) + first.bias.value())));
  };
  std::string const message = error_message<tower_error>([&] { model.minimize(adam, partly); });
  CHECK_THAT(message, ContainsSubstring("placement: tower_" + std::to_string(count - 1) + " on "));
  CHECK_THAT(message, ContainsSubstring("variable 'dense_1/kernel' of shape [5, 3]"));
  CHECK(values_of(model.model()) == before);
  CHECK(adam.step() == 0);
}

TEST_CASE("A batch that the towers do not divide leaves the variables as they were") {
  if (count < 2) SKIP("one tower divides every batch");
  replicated model(towers(), make_net(), parallel::mirrored{});
  nn::adam adam(0.01);
  model.minimize(adam, step_loss{});
  auto const before = values_of(model.model());
  step_loss odd;
  odd.x = tensor<float, dextents<2>>(slice(samples(), range(0, 15)));
  CHECK_THAT(error_message<tower_error>([&] { model.minimize(adam, odd); }),
             ContainsSubstring("towers cannot divide a batch of 15 samples."));
  for (int i = 0; i != count; ++i) CHECK(values_of(model.model_of(i)) == before);
  CHECK(adam.step() == 1);
}

TEST_CASE("Slots and updates are where the variables are") {
  replicated model(towers(), make_plain_net());
  nn::adam adam(0.01);
  model.minimize(adam, step_loss{});
  log_lines log;
  {
    with_device const logged("", log_placement{});
    model.minimize(adam, step_loss{});
  }
  int updates = 0;
  for (std::string const& line : log.take_all()) {
    if (line.find("ResourceApplyAdam") == line.npos) continue;
    ++updates;
    CHECK_THAT(line, ContainsSubstring("on " + to_string(device_of(0))));
  }
  CHECK(updates > 0);
  for (auto const& of_variable : adam.state().slots.all())
    for (auto const& slot : of_variable.slots) CHECK(slot.elements->where() == device_of(0));
}

TEST_CASE("assign takes over the values of another model on the places of this one") {
  replicated model(towers(), make_net(), parallel::mirrored{});
  net other = make_net();
  other.layer<0>().bias.assign(constant(2.f, extents<5>{}));
  model.assign(other);
  for (int i = 0; i != count; ++i) {
    CHECK(values_of(model.model_of(i)) == values_of(other));
    CHECK(model.model_of(i).layer<0>().bias.where() == device_of(i));
  }
  nn::sgd sgd(0.1);
  model.minimize(sgd, step_loss{});
  for (int i = 0; i != count; ++i) CHECK(values_of(model.model_of(i)) == values_of(model.model()));
}

TEST_CASE("Gradients can be clipped between gradients and apply") {
  replicated model(towers(), make_plain_net());
  plain_net joined = make_plain_net();
  nn::sgd sgd(0.1), same(0.1);
  auto g = model.gradients(step_loss{});
  REQUIRE(g.gradients.size() == 1);
  g.gradients[0] = nn::clip_by_global_norm(g.gradients[0], 0.01);
  model.apply(sgd, g);
  tensor const x = samples();
  tensor const y = labels();
  gradient_tape tape;
  nn::watch(tape, joined);
  auto const loss = loss_of(joined, x, y);
  same.apply(joined, nn::clip_by_global_norm(nn::gradients_of(tape, loss, joined), 0.01));
  CHECK(largest_difference(values_of(model.model()), values_of(joined)) < 1e-6);
}

TEST_CASE("A policy can be chosen as the program runs") {
  auto const expected = trained(parallel::first_tower{});
  for (parallel::any_policy const& policy :
       {parallel::any_policy(parallel::central{}), parallel::any_policy(parallel::mirrored{}),
        parallel::any_policy(parallel::sharded{})})
    CHECK(trained(policy) == expected);
}

TEST_CASE("A run with a restart on other places has the bits of one without") {
  temporary_folder const folder;
  std::string const file = folder / "run.npz";
  step_loss const loss;
  auto const steps = [&](auto& model, nn::adam& adam, int n) {
    for (int i = 0; i != n; ++i) model.minimize(adam, loss);
  };
  replicated whole(towers(), make_net(), parallel::mirrored{});
  nn::adam adam(0.01);
  set_seed(9);
  steps(whole, adam, 4);
  for (bool const to_central : {false, true}) {
    {
      replicated first(towers(), make_net(), parallel::mirrored{});
      nn::adam of_first(0.01);
      set_seed(9);
      steps(first, of_first, 2);
      nn::checkpoint(first, of_first).save(file);
    }
    parallel::any_policy const policy =
        to_central ? parallel::any_policy(parallel::central{}) : parallel::mirrored{};
    replicated second(towers(), make_net(), policy);
    nn::adam of_second(0.01);
    set_seed(77);
    nn::checkpoint(second, of_second).restore(file);
    CHECK(of_second.step() == 2);
    steps(second, of_second, 2);
    CHECK(values_of(second.model()) == values_of(whole.model()));
    for (int i = 0; i != count; ++i)
      CHECK(values_of(second.model_of(i)) == values_of(whole.model()));
  }
}

TEST_CASE("Ops of a tower have its name") {
  log_lines log;
  {
    with_device const logged("", log_placement{}, log_format::tf1_graph);
    towers({.threads = tower_threads::one}).run([](tower const&) {
      tensor const x = constant(1.f, shape(2)) + 1.f;
    });
  }
  std::string all;
  for (std::string const& line : log.take_all()) all += line + '\n';
  for (int i = 0; i != count; ++i)
    CHECK_THAT(all, ContainsSubstring("tower_" + std::to_string(i) + "/AddV2"));
}
