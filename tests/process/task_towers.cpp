// gpus: 4
// Towers on several simulated tasks, beside as many towers of one process: the same bits.
#include <placement/parallel.hpp>

#include <placement/nn/checkpoint.hpp>
#include <placement/tasks.hpp>
#include <placement/tasks/distributed.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/log_lines.hpp>
#include <support/temporary_folder.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using parallel::any_policy;
using parallel::replicated;
using parallel::tower;
using parallel::towers;

namespace {

auto make_net() {
  set_seed(5);
  return nn::sequential(extents<6>{}, nn::dense<5>{},
                        nn::batch_norm<nn::without_scale>{.decay = 0.9}, nn::relu,
                        nn::dropout(0.25), nn::dense<3>{});
}
struct step_loss {
  tensor<float, dextents<2>> x = on("/cpu:0", reshape(iota(shape(96), 0.f, 0.7f), shape(16, 6)));
  template <class Net> tensor<float, extents<>> operator()(tower const& t, Net& m) const {
    return mean(square(m(sin(t.slice(x)), nn::training)));
  }
};
template <class M> std::vector<float> values_of(M const& model) {
  std::vector<float> all;
  nn::for_each_variable(model, [&](std::string const&, auto const& v) {
    for (float const f : to_vector(v.value())) all.push_back(f);
  });
  return all;
}
/// The variables after three steps and a pass of one tower.
template <class M> std::vector<float> trained(M& model, int towers_of_all) {
  set_seed(9);
  nn::adam adam(0.01);
  step_loss const loss;
  for (int i = 0; i != 3; ++i) model.minimize(adam, loss);
  model.run_on(towers_of_all - 1, loss);
  model.run(loss);
  return values_of(model.model());
}
std::vector<float> expected_for(int towers_of_all) {
  replicated model(towers(towers_of_all), make_net());
  return trained(model, towers_of_all);
}
towers first(int count) { return towers(count); }

}  // namespace

TEST_CASE("towers on tasks train as towers of one process, with each policy") {
  auto const four = expected_for(4), two = expected_for(2);
  for (any_policy const& policy :
       {any_policy(parallel::first_tower{}), any_policy(parallel::central{}),
        any_policy(parallel::mirrored{}), any_policy(parallel::sharded{})}) {
    tasks const all(simulated_tasks{2});
    for (int of_task : {1, 2}) {
      distributed model(first(of_task), make_net(), policy);
      REQUIRE(model.count() == 2 * of_task);
      CHECK(trained(model, model.count()) == (of_task == 1 ? two : four));
      for (int i = 0; i != of_task; ++i)
        CHECK(values_of(model.model_of(i)) == (of_task == 1 ? two : four));
    }
  }
}

TEST_CASE("towers on one, three and four tasks train as towers of one process") {
  for (int count : {1, 4}) {
    auto const expected = expected_for(4);
    tasks const all(simulated_tasks{count});
    distributed model(first(4 / count), make_net());
    CHECK(trained(model, 4) == expected);
  }
}

TEST_CASE("a tower on a task knows its number among all, its device and its rows") {
  tasks const all(simulated_tasks{2});
  distributed model(first(2), make_net());
  tensor<float, dextents<1>> const rows = iota(8, 0.f);
  auto const found = model.run([&](tower const& t, auto&) {
    tensor<float, dextents<1>> const facts{static_cast<float>(t.index()),
                                           static_cast<float>(t.count()),
                                           static_cast<float>(t.where().index)};
    return tensor<float, dextents<1>>(concat(0, facts, t.slice(rows)));
  });
  REQUIRE(found.size() == 2);
  CHECK(to_vector(all_gather(found[0])) == std::vector<float>{0, 4, 0, 0, 1, 2, 4, 0, 4, 5});
  CHECK(to_vector(all_gather(found[1])) == std::vector<float>{1, 4, 1, 2, 3, 3, 4, 1, 6, 7});
}

TEST_CASE("losses of towers on tasks are values of each task") {
  replicated reference(towers(4), make_net());
  nn::adam adam(0.01), same(0.01);
  step_loss const loss;
  set_seed(9);
  auto const expected = reference.minimize(adam, loss);
  tasks const all(simulated_tasks{2});
  distributed model(first(2), make_net());
  set_seed(9);
  auto const losses = model.minimize(same, loss);
  REQUIRE(losses.size() == 2);
  for (std::size_t i = 0; i != 2; ++i)
    CHECK(to_vector(all_gather(reshape(losses[i], shape(1)))) ==
          std::vector<float>{item(expected[i]), item(expected[i + 2])});
}

TEST_CASE("a tower that throws on a task changes nothing, and its error has its number") {
  tasks const all(simulated_tasks{2});
  distributed model(first(2), make_net(), parallel::mirrored{});
  nn::adam adam(0.01);
  step_loss const loss;
  model.minimize(adam, loss);
  auto const before = values_of(model.model());
  for (int failing = 0; failing != 4; ++failing) {
    auto const fails = [&](tower const& t, auto& m) {
      auto l = loss(t, m);
      if (t.index() == failing) throw std::runtime_error("a bad sample");
      return l;
    };
    CHECK_THAT(error_message<parallel::tower_error>([&] { model.minimize(adam, fails); }),
               ContainsSubstring("placement: tower_" + std::to_string(failing) + " on /GPU:" +
                                 std::to_string(failing % 2) + " of 4 towers: a bad sample"));
    CHECK(values_of(model.model()) == before);
    CHECK(adam.step() == 1);
  }
}

TEST_CASE("an exchange among towers on several tasks is an error") {
  tasks const all(simulated_tasks{2});
  set_seed(5);
  distributed model(first(2),
                    nn::sequential(extents<6>{}, nn::dense<5>{}, parallel::sync_batch_norm{}));
  nn::sgd sgd(0.1);
  CHECK_THAT(error_message<parallel::tower_error>([&] { model.minimize(sgd, step_loss{}); }),
             ContainsSubstring("placement: all_reduce of towers on several tasks. It meets the "
                               "towers of one process."));
}

TEST_CASE("a run on tasks continues on another number of tasks, and in one process") {
  temporary_folder const folder;
  std::string const file = folder / "run.npz";
  step_loss const loss;
  std::vector<float> whole;
  {
    tasks const all(simulated_tasks{2});
    distributed model(first(2), make_net());
    nn::adam adam(0.01);
    nn::checkpoint state(model, adam);
    set_seed(9);
    for (int i = 0; i != 4; ++i) {
      model.minimize(adam, loss);
      if (i == 1)
        all_or_none([&](task t) {
          if (t.index == 0) state.save(file);
        });
    }
    whole = values_of(model.model());
  }
  auto const continued = [&](auto& model) {
    nn::adam adam(0.01);
    nn::checkpoint(model, adam).restore(file);
    for (int i = 0; i != 2; ++i) model.minimize(adam, loss);
    return values_of(model.model());
  };
  {
    tasks const all(simulated_tasks{4});
    distributed model(first(1), make_net(), parallel::central{});
    CHECK(continued(model) == whole);
  }
  replicated model(towers(4), make_net(), parallel::mirrored{});
  CHECK(continued(model) == whole);
}
