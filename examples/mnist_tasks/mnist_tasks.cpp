/// Trains a conv net on handwritten digits on several tasks, with the losses of as many towers of
/// mnist_conv.
///
/// mpirun -np 2 mnist_tasks --net B --data folder/with/mnist --steps 100
/// PLACEMENT_SIMULATED_TASKS=2 mnist_tasks --net B --steps 20

#include "../mnist_conv/options.hpp"
#include "../mnist_conv/report.hpp"

#include "../mnist_towers/digits.hpp"

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
#include <stdexcept>
#include <string>

namespace {

using namespace mnist;
namespace parallel = pl::parallel;

bool is_printed(int step) { return step == 1 || step % 10 == 0; }

auto images_of(digits const& d) {
  return pl::tensor(pl::reshape(d.images, pl::shape(d.size(), side, side, 1)));
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

/// All tasks see the same batches, and each takes its rows of them.
template <class Net> void train(Net net, options const& o) {
  digits const all = o.data.empty() ? generate_digits(2000) : read_digits(o.data);
  pl::index_t const cut = all.size() * 8 / 10;
  digits const first = part_of(all, 0, cut), test = part_of(all, cut, all.size());
  pl::dataset data(images_of(first), first.labels, {.seed = static_cast<std::uint64_t>(o.seed)});

  int const tasks = pl::this_task().count;
  pl::distributed model(std::move(net));
  nn::adam adam(0.001);
  nn::checkpoint state(model.model(), adam, data);
  if (!o.restore.empty()) state.restore(o.restore);
  curves printed;
  for (int step = static_cast<int>(adam.step()) + 1; step <= o.steps; ++step) {
    auto const batch = data.next_batch(o.batch * tasks);
    auto const loss_on = [&](parallel::tower const& t, Net& n) {
      return loss_of(n, t.slice(batch.examples), t.slice(batch.labels));
    };
    model.minimize(adam, loss_on);
    if (!is_printed(step)) continue;
    scalar const loss = model.run_on(tasks - 1, loss_on);
    scalar const accuracy = model.run_on(0, [&](parallel::tower const& t, Net const& n) {
      return accuracy_of(n, t.slice(batch.examples), t.slice(batch.labels));
    });
    pl::at_chief([&] { print_step(printed, step, loss, accuracy); });
  }
  pl::all_or_none([&](pl::task t) {
    if (t.index == 0 && !o.save.empty()) state.save(o.save);
  });
  scalar const accuracy = test_accuracy(model.model(), test);
  pl::at_chief([&] {
    std::printf("Done\nTesting Accuracy: %s\n", to_string(accuracy).c_str());
    std::fflush(stdout);
  });
}

}  // namespace

int main(int count, char** arguments) try {
#if defined(MNIST_OVER_MPI)
  pl::tasks const all(pl::mpi{count, arguments});
#else
  pl::tasks const all;
#endif
  options const o = read_options(count, arguments);
  pl::set_seed(static_cast<std::uint64_t>(o.seed));
  if (o.net == "A") train(net_a(), o);
  else train(net_b(), o);
} catch (usage_error const& e) {
  std::fprintf(stderr, "mnist_tasks: %s\n%s", e.what(), usage);
  return 2;
} catch (std::exception const& e) {
  std::fprintf(stderr, "mnist_tasks: %s\n", e.what());
  return 1;
}
