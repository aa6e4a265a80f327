/// Trains a conv net on handwritten digits, on one device, in towers, or on several tasks.
///
/// mnist_conv --net B --data folder/with/mnist --steps 100 --plot curves.svg
/// PLACEMENT_SIMULATED_GPUS=2 mnist_conv --net B --towers 2 --log-one-step
/// mpirun -np 2 mnist_conv --net B --policy mirrored

#include "options.hpp"
#include "report.hpp"

#include "../mnist_towers/digits.hpp"
#include "../mnist_towers/step_log.hpp"

#include <placement/interop/dataset.hpp>
#include <placement/nn/checkpoint.hpp>
#include <placement/parallel.hpp>

#if defined(MNIST_OVER_MPI)
#  include <placement/mpi.hpp>
#else
#  include <placement/tasks.hpp>
#endif
#include <placement/tasks/distributed.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace mnist;
namespace parallel = pl::parallel;

bool is_printed(int step) { return step == 1 || step % 10 == 0; }

auto images_of(digits const& d) {
  return pl::tensor(pl::reshape(d.images, pl::shape(d.size(), side, side, 1)));
}
auto dataset_of(digits const& d, options const& o) {
  return pl::dataset(images_of(d), d.labels, {.seed = static_cast<std::uint64_t>(o.seed)});
}

/// The mean accuracy of slices of 1000 images.
template <class Net> scalar test_accuracy(Net const& net, digits const& test) {
  constexpr pl::index_t size = 1000;
  scalar sum{0.f};
  int slices = 0;
  for (pl::index_t i = 0; i < test.size(); i += size, ++slices) {
    digits const part = part_of(test, i, std::min(i + size, test.size()));
    sum = sum + accuracy_of(net, images_of(part), part.labels);
  }
  return sum / static_cast<float>(slices);
}

parallel::any_policy policy_of(std::string const& name) {
  if (name == "central") return parallel::central{};
  if (name == "mirrored") return parallel::mirrored{};
  if (name == "sharded") return parallel::sharded{};
  return parallel::first_tower{.averaging = pl::cpu0, .form = parallel::reduce_form::concat};
}

/// A batch for all towers, and what a tower does with its part.
template <class Net, class Batch> struct tower_step {
  Batch batch;

  scalar operator()(parallel::tower const& t, Net& net) const {
    return loss_of(net, t.slice(batch.examples), t.slice(batch.labels));
  }
  scalar accuracy(parallel::tower const& t, Net const& net) const {
    return accuracy_of(net, t.slice(batch.examples), t.slice(batch.labels));
  }
};
template <class Net, class Batch> tower_step<Net, Batch> step_on(Net const&, Batch batch) {
  return {std::move(batch)};
}

/// The first task writes a checkpoint, and all stop if it cannot.
template <class State> void save(State const& state, std::string const& file) {
  pl::all_or_none([&](pl::task t) {
    if (t.index == 0) state.save(file);
  });
}

/// All tasks see the same batches, and each tower takes its rows of them. One tower on one task
/// computes what a program without towers does.
template <class Net>
void train(Net net, options const& o, parallel::towers const& towers, digits const& digits_to_learn,
           digits const& test) {
  pl::distributed model(towers, std::move(net), policy_of(o.policy));
  pl::dataset data = dataset_of(digits_to_learn, o);
  nn::adam adam(0.001);
  nn::checkpoint state(model, adam, data);
  if (!o.restore.empty()) state.restore(o.restore);
  curves printed;
  for (int step = static_cast<int>(adam.step()) + 1; step <= o.steps; ++step) {
    auto const on_batch = step_on(model.model(), data.next_batch(o.batch * model.count()));
    model.minimize(adam, on_batch);
    pl::at_chief([&] { show_progress(step, o.steps); });
    if (is_printed(step)) {
      scalar const loss = model.run_on(model.count() - 1, on_batch);
      scalar const accuracy = model.run_on(
          0, [&](parallel::tower const& t, Net const& n) { return on_batch.accuracy(t, n); });
      pl::at_chief([&] { print_step(printed, step, loss, accuracy); });
    }
    bool const is_saved = o.save_every != 0 && step % o.save_every == 0;
    if (!o.save.empty() && (is_saved || step == o.steps)) save(state, o.save);
  }
  pl::with_device const scope(towers.where(0));
  scalar const accuracy = test_accuracy(model.model(), test);
  pl::at_chief([&] {
    std::printf("Done\nTesting Accuracy: %s\n", to_string(accuracy).c_str());
    if (!o.plot.empty()) write_picture(o.plot, printed);
  });
}

/// Prints where each op of one step runs, from a copy of the net.
template <class Net>
void log_one_step(Net net, options const& o, std::vector<pl::device> const& devices,
                  digits const& digits_to_learn) {
  parallel::towers const towers(devices, {.threads = parallel::tower_threads::one});
  pl::distributed model(towers, std::move(net), policy_of(o.policy));
  pl::dataset data = dataset_of(digits_to_learn, o);
  nn::adam adam(0.001);
  auto const on_batch = step_on(model.model(), data.next_batch(o.batch * model.count()));
  step_log const log;
  model.minimize(adam, on_batch);
  pl::at_chief(
      [&] { std::printf("One step, a line for each kernel:\n%s\n", log.lines().c_str()); });
}

template <class Net> void run(Net net, options const& o) {
  auto const threads =
      o.threads == "one" ? parallel::tower_threads::one : parallel::tower_threads::per_tower;
  parallel::towers const towers(o.towers, {.threads = threads});
  digits const all = o.data.empty() ? generate_digits(2000) : read_digits(o.data);
  pl::index_t const cut = all.size() * 8 / 10;
  digits const first = part_of(all, 0, cut), test = part_of(all, cut, all.size());
  if (o.log_one_step) log_one_step(net, o, towers.devices(), first);
  train(std::move(net), o, towers, first, test);
}

void run_task(options const& o) {
  std::optional<pl::trace> trace;
  if (!o.trace.empty() && pl::this_task().index == 0) trace.emplace(o.trace);
  pl::set_seed(static_cast<std::uint64_t>(o.seed));
  if (o.net == "A") run(net_a(), o);
  else run(net_b(), o);
  if (trace) trace->close();
}

int report(std::exception const& e) {
  std::fprintf(stderr, "mnist_conv: %s\n", e.what());
  return 1;
}

}  // namespace

int main(int count, char** arguments) try {
  options const o = read_options(count, arguments);
#if defined(MNIST_OVER_MPI)
  pl::tasks const all(pl::mpi{count, arguments});
#else
  pl::tasks const all;
#endif
  try {
    run_task(o);
  } catch (std::exception const& e) {
    if (all.count() > 1) throw;  // the other tasks report it, too
    return report(e);
  }
} catch (usage_error const& e) {
  std::fprintf(stderr, "mnist_conv: %s\n%s", e.what(), usage);
  return 2;
} catch (std::exception const& e) { return report(e); }
