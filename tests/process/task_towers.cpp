// gpus: 4
// Towers on several simulated tasks, beside as many towers of one process: the same bits.
#include <placement/parallel.hpp>

#include <placement/nn/checkpoint.hpp>
#include <placement/tasks.hpp>
#include <placement/tasks/distributed.hpp>
#include <placement/tasks/save.hpp>

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
auto make_synchronised() {
  set_seed(5);
  return nn::sequential(extents<6>{}, nn::dense<5>{}, parallel::sync_batch_norm{.decay = 0.9},
                        nn::relu, nn::dense<3>{});
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

TEST_CASE("variables on tasks train as those of one process, and so do their slots") {
  auto const four = expected_for(4), two = expected_for(2);
  tasks const all(simulated_tasks{2});
  for (any_policy const& policy :
       {any_policy(parallel::central{.home = {kind::cpu, 0, 1}}),
        any_policy(parallel::central{.home = {kind::gpu, 0, 0}}),
        any_policy(parallel::sharded{.devices = task_devices("cpu:0")}),
        any_policy(parallel::sharded{parallel::shard_order::by_size, task_devices("gpu:1")})})
    for (int of_task : {1, 2}) {
      distributed model(first(of_task), make_net(), policy);
      CHECK(trained(model, model.count()) == (of_task == 1 ? two : four));
      int on_tasks = 0, all_variables = 0;
      nn::for_each_variable(model.model(), [&](std::string const&, auto const& v) {
        on_tasks += v.where().has_task();
        ++all_variables;
      });
      CHECK(on_tasks == all_variables);
    }
}

TEST_CASE("sharded variables are on the devices of tasks in turn, and their slots, too") {
  tasks const all(simulated_tasks{2, {{"worker", 1}, {"ps", 1}}});
  auto const devices = task_devices("cpu:0", "ps");
  REQUIRE(devices == std::vector<device>{{kind::cpu, 0, 1}});
  CHECK(task_devices("gpu:1") == std::vector<device>{{kind::gpu, 1, 0}, {kind::gpu, 1, 1}});
  CHECK_THAT(error_message<invalid_argument>([] { task_devices(""); }),
             ContainsSubstring("placement: '' is not the name of one device. Write \"cpu:0\"."));
  distributed model(first(1), make_net(), parallel::sharded{.devices = task_devices("cpu:0")});
  std::vector<int> of;
  nn::for_each_variable(model.model(),
                        [&](std::string const&, auto const& v) { of.push_back(v.where().task); });
  CHECK(of == std::vector<int>{0, 1, 0, 1, 0, 1, 0});
  nn::adam adam(0.01);
  model.minimize(adam, step_loss{});
  nn::checkpoint(model, adam).for_each_array([](nn::detail::any_array const& a) {
    CHECK((*a.elements)->where() == a.where);
    CHECK(a.where.has_task());
  });
}

TEST_CASE("a variable with a requested task stays there, whatever the policy") {
  auto const two = expected_for(2);
  auto const on_task = [] {
    with_device const scope("/job:worker/task:1/cpu:0");
    return make_net();
  };
  tasks const all(simulated_tasks{2});
  distributed model(first(1), on_task(), parallel::mirrored{});
  CHECK(trained(model, 2) == two);
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

TEST_CASE("sync_batch_norm of towers on tasks has the bits of towers of one process") {
  auto const expected_of = [](int count) {
    replicated model(towers(count), make_synchronised());
    return trained(model, count);
  };
  auto const two = expected_of(2), four = expected_of(4);
  CHECK(four != expected_for(4));
  for (any_policy const& policy :
       {any_policy(parallel::first_tower{}), any_policy(parallel::mirrored{})})
    for (int count : {1, 2, 4}) {
      tasks const all(simulated_tasks{count});
      for (int of_all : {2, 4}) {
        if (of_all < count) continue;
        distributed model(first(of_all / count), make_synchronised(), policy);
        CHECK(trained(model, of_all) == (of_all == 2 ? two : four));
      }
    }
}

TEST_CASE("towers of tasks that run on one thread exchange with other tasks alone") {
  parallel::tower_options const one{parallel::tower_threads::one};
  replicated reference(towers(2), make_synchronised());
  auto const expected = trained(reference, 2);
  tasks const all(simulated_tasks{2});
  distributed model(towers(1, one), make_synchronised());
  CHECK(trained(model, 2) == expected);
  distributed more(towers(2, one), make_synchronised());
  nn::sgd sgd(0.1);
  CHECK_THAT(error_message<parallel::tower_error>([&] { more.minimize(sgd, step_loss{}); }),
             ContainsSubstring("all towers run on one thread"));
}

TEST_CASE("towers of tasks sum and average values inside their functions") {
  tasks const all(simulated_tasks{2});
  distributed model(first(2), make_net());
  auto const found = model.run([&](tower const& t, auto&) {
    float const x = static_cast<float>(t.index());
    tensor<float, dextents<1>> const v{x, 10 * x};
    auto const sum = all_reduce(t, v);
    tensor<double, dextents<1>> const n{1.0 + t.index()};
    auto const wide = all_reduce(t, n);
    tensor<int, dextents<1>> const k{1 + t.index(), -t.index()};
    if (to_vector(all_reduce(t, k)) != std::vector{10, -6}) throw std::logic_error("another sum");
    auto const none = all_reduce(t, tensor<float, dextents<1>>(zeros<float>(shape(0))));
    if (none.size() != 0 || sum.where() != t.where()) throw std::logic_error("another device");
    return tensor<float, dextents<1>>(
        concat(0, sum, all_reduce(t, v, parallel::reduction::mean), cast<float>(wide)));
  });
  std::vector<float> const one{6, 60, 1.5f, 15, 10};
  for (auto const& f : found) {
    auto const both = to_vector(all_gather(f));
    CHECK(std::vector<float>(both.begin(), both.begin() + 5) == one);
    CHECK(std::vector<float>(both.begin() + 5, both.end()) == one);
  }
}

TEST_CASE("simulated tasks take turns, and one waits for those that exchange") {
  tasks const all(simulated_tasks{3});
  distributed model(first(1), make_net());
  std::vector<int> order;  // no lock: one task runs at a time
  model.run([&](tower const& t, auto&) {
    order.push_back(t.index());
    static_cast<void>(all_reduce(t, tensor<float, dextents<1>>{1.f}));
    order.push_back(t.index() + 10);
  });
  CHECK(order == std::vector<int>{0, 1, 2, 10, 11, 12});

  order.clear();
  auto const of_two = [&](tower const& t, auto&) {
    order.push_back(t.index());
    if (t.index() != 1) static_cast<void>(all_reduce(t, tensor<float, dextents<1>>{1.f}));
  };
  CHECK_THAT(error_message<parallel::tower_error>([&] { model.run(of_two); }),
             ContainsSubstring("tower_0 waits for the sum of float[1], but tower_1 has ended"));
  CHECK(order == std::vector<int>{0, 1, 2});

  order.clear();
  auto const fails = [&](tower const& t, auto&) {
    order.push_back(t.index());
    if (t.index() == 1) throw std::runtime_error("a bad sample");
  };
  CHECK_THAT(error_message<parallel::tower_error>([&] { model.run(fails); }),
             ContainsSubstring("tower_1 on /GPU:0 of 3 towers: a bad sample"));
  CHECK(order == std::vector<int>{0, 1});
}

TEST_CASE("variables on tasks are saved once, and restored on other devices") {
  temporary_folder const folder;
  std::string const file = folder / "run.npz";
  step_loss const loss;
  auto const steps = [&](auto& model, auto& adam, int count) {
    for (int i = 0; i != count; ++i) model.minimize(adam, loss);
    return values_of(model.model());
  };
  std::vector<float> whole;
  {
    tasks const all(simulated_tasks{2});
    distributed model(first(2), make_net(), parallel::sharded{.devices = task_devices("cpu:0")});
    nn::adam adam(0.01);
    nn::checkpoint const state(model, adam);
    set_seed(9);
    steps(model, adam, 2);
    save(state, file);
    state.for_each_array([](auto const& a) { CHECK((*a.elements)->where() == a.where); });
    CHECK_THAT(error_message<task_error>([&] { save(state, folder / "none/run.npz"); }),
               ContainsSubstring("/job:worker/task:0 failed in all_or_none"));
    whole = steps(model, adam, 2);
  }
  replicated model(towers(4), make_net(), parallel::mirrored{});
  nn::adam adam(0.01);
  nn::checkpoint(model, adam).restore(file);
  CHECK(steps(model, adam, 2) == whole);
  tasks const all(simulated_tasks{4});
  distributed other(first(1), make_net(), parallel::central{.home = {kind::cpu, 0, 3}});
  nn::adam same(0.01);
  nn::checkpoint(other, same).restore(file);
  CHECK(steps(other, same, 2) == whole);
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
