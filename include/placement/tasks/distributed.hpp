#pragma once
/// Training with towers on each task: the variables are the same on all tasks.

#include <placement/nn/optimizer.hpp>
#include <placement/parallel/replicated.hpp>
#include <placement/tasks/background_means.hpp>
#include <placement/tasks/collectives.hpp>
#include <placement/tasks/each_task.hpp>
#include <placement/tasks/task_towers.hpp>

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// A model that the towers of all tasks train together, as by
/// tf.distribute.MultiWorkerMirroredStrategy:
///
///     pl::distributed net(nn::sequential(...));
///     auto losses = net.minimize(adam, [&](pl::parallel::tower const& t, auto& model) {
///       return loss_of(model, t.slice(images), t.slice(labels));
///     });
///     float const loss = item(pl::all_mean(losses[0]));
///
/// Each task has the same number of towers. Tower i of task t is number t * towers + i of all. Each
/// task has all variables, on the devices that the policy says, and all tasks apply the same
/// averaged gradients. Losses, gradients and moving statistics have the bits of
/// parallel::replicated with as many towers. In a program of one process it is replicated.
/// A step whose function throws on a task leaves the variables as they were.
/// Thread: that of the tasks object.
template <class Model, class Policy = parallel::first_tower> class distributed {
 public:
  /// One tower on each task, on its GPU:0, or CPU:0 without one.
  explicit distributed(Model model, site at = site::here())
      : distributed(
            parallel::towers(std::vector<device>{this_machine().gpus > 0 ? gpu0 : cpu0}, {}, at),
            std::move(model), {}, at) {}
  /// on: the towers of each task. Throws: as parallel::replicated.
  distributed(parallel::towers on, Model model, Policy policy = {}, site at = site::here())
      : here_(std::move(on), std::move(model), std::move(policy), at) {}

  /// The model, with its variables where the policy says.
  Model const& model() const noexcept { return here_.model(); }
  /// The mirrored model of a tower of this task; model() if the policy does not mirror.
  Model const& model_of(int tower, site at = site::here()) { return here_.model_of(tower, at); }
  /// The towers of each task.
  parallel::towers const& on() const noexcept { return here_.on(); }
  /// The number of towers of all tasks.
  int count() const noexcept { return here_.on().count() * this_task().count; }

  /// Takes over the values of another model of the same layers.
  void assign(Model const& from, site at = site::here()) { here_.assign(from, at); }
  /// The variables, for nn::save, nn::load and nn::checkpoint. One task saves, and all restore.
  std::vector<nn::detail::any_array> arrays() { return here_.arrays(); }
  std::vector<nn::detail::any_array> arrays() const { return here_.arrays(); }

  /// loss(tower, model) is recorded by a gradient_tape for each tower, and computes one number.
  /// Then all tasks update the variables by the means of the gradients, added in the order of
  /// towers. Returns the losses of the task's towers: each task has its own.
  /// Cost: an all-mean of all gradients, of as many bytes as the task has towers. With one tower it
  /// is in parts of a mebibyte or more, which the thread of messages adds during the backward pass.
  /// Throws: what the loss throws, on its task; task_error.
  template <class O, class F> auto minimize(O& optimizer, F const& loss, site at = site::here()) {
    if (this_task().count == 1) return here_.minimize(optimizer, loss, at);
    using first_variable = bare<decltype(std::get<0>(nn::parameters(std::declval<Model&>())))>;
    using number = typename first_variable::value_type;
    std::vector<bool> changed;
    parallel::detail::models_of_step const models(here_, at);
    auto const streams = detail::next_random_stream();
    auto const run = [&](auto const& recorded) {
      return detail::run_tasks_of_process(
          [&](int first, int tasks) {
            return recorded(towers_of_tasks::part_of(here_, first, tasks, streams));
          },
          at);
    };
    if (has_one_tower()) {
      detail::background_means<number> means(here_.on().where(0), at);
      auto const found = run([&](auto const& part) {
        return towers_of_tasks::recorded_with(means, here_, part, changed, loss, at);
      });
      auto values = towers_of_tasks::merged(here_, found.second, changed, at);
      towers_of_tasks::update<number>(
          here_, optimizer, [&](std::size_t i, index_t, index_t n) { return means.mean_of(i, n); },
          at);
      values.store();
      return found.first;
    }
    auto const found = run([&](auto const& part) {
      return towers_of_tasks::recorded(here_, part, changed, loss, at);
    });
    auto const& [losses, gradients, statistics] = found;
    auto const means = detail::mean_of_towers(gradients, here_.on().count(), at);
    auto values = towers_of_tasks::merged(here_, statistics, changed, at);
    towers_of_tasks::update<number>(
        here_, optimizer,
        [&](std::size_t, index_t begin, index_t n) {
          return tensor<number, dextents<1>>(slice(means, range(begin, begin + n)), at);
        },
        at);
    values.store();
    return losses;
  }
  /// Calls f(tower, model) for each tower, without gradients. Returns the values of the task's
  /// towers, if f returns some: each task has its own.
  template <class F> auto run(F const& f, site at = site::here()) {
    if (this_task().count == 1) return here_.run(f, at);
    std::vector<bool> changed;
    parallel::detail::models_of_step const models(here_, at);
    auto const streams = detail::next_random_stream();
    auto found = detail::run_tasks_of_process(
        [&](int first, int tasks) {
          auto const part = towers_of_tasks::part_of(here_, first, tasks, streams);
          return towers_of_tasks::run(here_, part, changed, f, at);
        },
        at);
    towers_of_tasks::merged(here_, found.second, changed, at).store();
    using result = std::invoke_result_t<F const&, parallel::tower const&, Model&>;
    if constexpr (!std::is_void_v<result>) return std::move(found.first);
  }
  /// Calls f(tower, model) as tower `index` of all, on every task alike: no message, and one
  /// result. Random ops draw from the program, as in replicated::run_on().
  template <class F> auto run_on(int index, F const& f, site at = site::here()) {
    if (this_task().count == 1) return here_.run_on(index, f, at);
    return towers_of_tasks::run_on(here_, index, count(), f, at);
  }

 private:
  using towers_of_tasks = parallel::detail::task_towers;
  /// Whether this process runs one tower. Then sums of gradients run while it goes on.
  bool has_one_tower() const {
    return here_.on().count() == 1 &&
           detail::cluster_of_program("distributed", {}).tasks_of_this_process() == 1;
  }

  parallel::replicated<Model, Policy> here_;
};

template <class M> distributed(M) -> distributed<M>;
template <class M> distributed(parallel::towers, M) -> distributed<M>;
template <class M, class P> distributed(parallel::towers, M, P) -> distributed<M, P>;

}}  // namespace placement::v0_1
