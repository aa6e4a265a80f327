/// Training on tasks beside training in towers of one process: the same losses and variables, bit
/// for bit. usage: training [towers of each task] [tasks: the variables are on tasks]
///    or: training different: each task has another number of towers, which is an error
///    or: training save FILE: trains for ever, and saves a checkpoint after each step
///    or: training load FILE: restores it in one process
#include <placement/parallel.hpp>

#include <placement/mpi.hpp>
#include <placement/nn/checkpoint.hpp>
#include <placement/tasks/distributed.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

namespace pl = placement;
namespace nn = pl::nn;
namespace parallel = pl::parallel;

auto make_net() {
  pl::set_seed(5);
  // The gradient of the second layer is 1.4 MB: it is sent while that of the first is computed.
  return nn::sequential(pl::extents<6>{}, nn::dense<600>{},
                        nn::batch_norm<nn::without_scale>{.decay = 0.9}, nn::relu,
                        nn::dropout(0.25), parallel::sync_batch_norm{.decay = 0.8},
                        nn::dense<600>{}, nn::relu, nn::dense<3>{});
}
struct step_loss {
  pl::tensor<float, pl::dextents<2>> x;
  pl::tensor<int, pl::dextents<1>> y;
  template <class Net> auto operator()(parallel::tower const& t, Net& model) const {
    return pl::tensor<float, pl::extents<>>(
        pl::mean(pl::softmax_cross_entropy(model(t.slice(x), nn::training), t.slice(y))));
  }
};
step_loss loss_of_rows(pl::index_t rows) {
  return {pl::sin(pl::reshape(pl::iota(pl::shape(rows * 6), 0.f, 0.7f), pl::shape(rows, 6))),
          pl::tensor<int, pl::dextents<1>>(pl::iota(pl::shape(rows), 0, 1)) % 3};
}
template <class M> std::vector<float> values_of(M const& model) {
  std::vector<float> all;
  nn::for_each_variable(model, [&](std::string const&, auto const& v) {
    for (float const f : pl::to_vector(v.value())) all.push_back(f);
  });
  return all;
}
bool same_bits(std::vector<float> const& a, std::vector<float> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

int save_for_ever(std::string const& file) {
  pl::distributed net(parallel::towers(1), make_net(), parallel::any_policy(parallel::mirrored{}));
  nn::adam adam(0.001);
  nn::checkpoint const state(net, adam);
  step_loss const loss = loss_of_rows(4 * net.count());
  pl::at_chief([] { std::printf("all tasks run\n"), std::fflush(stdout); });
  for (;;) {
    static_cast<void>(net.minimize(adam, loss));
    pl::all_or_none([&](pl::task t) {
      if (t.index == 0) state.save(file);
    });
  }
}
int load(std::string const& file) {
  parallel::replicated net(parallel::towers(1), make_net(), parallel::mirrored{});
  nn::adam adam(0.001);
  nn::checkpoint state(net, adam);
  state.restore(file);
  std::printf("restored step %lld\n", static_cast<long long>(adam.step()));
  return adam.step() > 0 && values_of(net.model()).size() > 360'000 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string const what = argc > 1 ? argv[1] : "";
    int const per_task = argc > 1 ? std::atoi(argv[1]) : 1;
    pl::set_simulated_gpus({.count = 8});
    if (what == "load") return load(argv[2]);
    pl::tasks const all(pl::mpi{argc, argv});
    if (what == "save") return save_for_ever(argv[2]);
    int const tasks = all.count(), count = tasks * per_task;
    if (per_task == 0) {
      pl::distributed net(parallel::towers(1 + all.rank()), make_net(),
                          parallel::any_policy(parallel::mirrored{}));
      static_cast<void>(net.run(loss_of_rows(24)));
      return 0;
    }
    step_loss const loss = loss_of_rows(4 * count);

    pl::distributed net(
        parallel::towers(per_task), make_net(),
        argc > 2 ? parallel::any_policy(parallel::sharded{.devices = pl::task_devices("cpu:0")})
                 : parallel::any_policy(parallel::mirrored{}));
    nn::adam adam(0.001);
    std::vector<float> losses;
    for (int step = 0; step != 10; ++step) {
      auto const of_towers = net.minimize(adam, loss);
      std::vector<std::vector<float>> by_tower;
      for (auto const& l : of_towers)
        by_tower.push_back(pl::to_vector(pl::all_gather(pl::reshape(l, pl::shape(1)))));
      for (int i = 0; i != count; ++i)
        losses.push_back(by_tower[std::size_t(i % per_task)][std::size_t(i / per_task)]);
      losses.push_back(pl::item(net.run_on(count - 1, loss)));
    }

    // The same on every task by itself.
    std::vector<pl::device> devices;
    for (int i = 0; i != count; ++i) devices.push_back({pl::kind::gpu, i});
    parallel::replicated reference(parallel::towers(devices), make_net(), parallel::first_tower{});
    nn::adam reference_adam(0.001);
    std::vector<float> expected;
    for (int step = 0; step != 10; ++step) {
      for (auto const& l : reference.minimize(reference_adam, loss))
        expected.push_back(pl::item(l));
      expected.push_back(pl::item(reference.run_on(count - 1, loss)));
    }

    // A tape records ops on tasks and on values of each task.
    using row = pl::tensor<float, pl::dextents<1>>;
    row const w = pl::iota(3, 1.f);
    int const last = tasks - 1;
    row const of_task = [&] {
      pl::gradient_tape tape;
      tape.watch(w);
      row const y = pl::on(pl::list_tasks()[static_cast<std::size_t>(last)].device("cpu:0"), w * w);
      pl::tensor<float, pl::extents<>> const l = pl::sum(y * 0.5f);
      return tape.gradient(l, w);
    }();
    row const b = pl::each_task(
        [](pl::task t) { return row(pl::ones<float>(pl::shape(3)) * float(t.index)); });
    row const of_each = [&] {
      pl::gradient_tape tape;
      tape.watch(w);
      pl::tensor<float, pl::extents<>> const l = pl::sum(w * b);
      return tape.gradient(l, w);
    }();
    bool const has_gradients = pl::to_vector(of_task) == std::vector<float>{1, 2, 3} &&
                               pl::to_vector(pl::all_sum(of_each))[0] == float(tasks * last) / 2;
    if (!has_gradients) std::fprintf(stderr, "other gradients than in one process\n");
    bool const equal = has_gradients && same_bits(losses, expected) &&
                       same_bits(values_of(net.model()), values_of(reference.model()));
    for (int t = 0; t != tasks; ++t)
      pl::at_task(t, [&] {
        if (!equal) std::fprintf(stderr, "task %d: other bits than in towers of one process\n", t);
      });
    pl::at_chief([&] {
      std::printf("%d towers: loss %.9g to %.9g\n", count, double(losses.front()),
                  double(losses.back()));
    });
    return equal ? 0 : 1;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
