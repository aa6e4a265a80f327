/// Trains a conv net on handwritten digits, on one device or in towers.
///
/// mnist_conv --net B --data folder/with/mnist --steps 100 --plot curves.svg
/// PLACEMENT_SIMULATED_GPUS=2 mnist_conv --net B --towers 2 --log-one-step

#include "options.hpp"
#include "report.hpp"

#include "../mnist_towers/digits.hpp"
#include "../mnist_towers/step_log.hpp"

#include <placement/interop/dataset.hpp>
#include <placement/nn/checkpoint.hpp>
#include <placement/parallel.hpp>

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
template <class Net> void print_test_accuracy(Net const& net, digits const& test) {
  constexpr pl::index_t size = 1000;
  scalar sum{0.f};
  int slices = 0;
  for (pl::index_t i = 0; i < test.size(); i += size, ++slices) {
    digits const part = part_of(test, i, std::min(i + size, test.size()));
    sum = sum + accuracy_of(net, images_of(part), part.labels);
  }
  scalar const mean = sum / static_cast<float>(slices);
  std::printf("Testing Accuracy: %s\n", to_string(mean).c_str());
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

/// One tower per device. One tower computes what a program without towers does.
template <class Net>
void train(Net net, options const& o, parallel::towers const& towers, digits const& digits_to_learn,
           digits const& test) {
  parallel::replicated model(towers, std::move(net), policy_of(o.policy));
  pl::dataset data = dataset_of(digits_to_learn, o);
  nn::adam adam(0.001);
  nn::checkpoint state(model, adam, data);
  if (!o.restore.empty()) state.restore(o.restore);
  curves printed;
  for (int step = static_cast<int>(adam.step()) + 1; step <= o.steps; ++step) {
    auto const on_batch = step_on(model.model(), data.next_batch(o.batch * towers.count()));
    model.minimize(adam, on_batch);
    show_progress(step, o.steps);
    if (!is_printed(step)) continue;
    scalar const loss = model.run_on(towers.count() - 1, on_batch);
    scalar const accuracy = model.run_on(
        0, [&](parallel::tower const& t, Net const& n) { return on_batch.accuracy(t, n); });
    print_step(printed, step, loss, accuracy);
  }
  if (!o.save.empty()) state.save(o.save);
  std::printf("Done\n");
  pl::with_device const scope(towers.where(0));
  print_test_accuracy(model.model(), test);
  if (!o.plot.empty()) write_picture(o.plot, printed);
}

/// Prints where each op of one step runs, from a copy of the net.
template <class Net>
void log_one_step(Net net, options const& o, std::vector<pl::device> const& devices,
                  digits const& digits_to_learn) {
  parallel::towers const towers(devices, {.threads = parallel::tower_threads::one});
  parallel::replicated model(towers, std::move(net), policy_of(o.policy));
  pl::dataset data = dataset_of(digits_to_learn, o);
  nn::adam adam(0.001);
  auto const on_batch = step_on(model.model(), data.next_batch(o.batch * towers.count()));
  step_log const log;
  model.minimize(adam, on_batch);
  std::printf("One step, a line for each kernel:\n%s\n", log.lines().c_str());
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

}  // namespace

int main(int count, char** arguments) try {
  options const o = read_options(count, arguments);
  std::optional<pl::trace> trace;
  if (!o.trace.empty()) trace.emplace(o.trace);
  pl::set_seed(static_cast<std::uint64_t>(o.seed));
  if (o.net == "A") run(net_a(), o);
  else run(net_b(), o);
  if (trace) trace->close();
} catch (usage_error const& e) {
  std::fprintf(stderr, "mnist_conv: %s\n%s", e.what(), usage);
  return 2;
} catch (std::exception const& e) {
  std::fprintf(stderr, "mnist_conv: %s\n", e.what());
  return 1;
}
