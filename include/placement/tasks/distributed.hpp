#pragma once
/// Training with one tower on each task: the variables are the same on all tasks.

#include <placement/nn/optimizer.hpp>
#include <placement/ops/concat.hpp>
#include <placement/ops/slice.hpp>
#include <placement/parallel/statistics.hpp>
#include <placement/parallel/tower.hpp>
#include <placement/tasks/collectives.hpp>
#include <placement/tasks/each_task.hpp>

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// A model that all tasks train together, as tf.distribute.MultiWorkerMirroredStrategy does:
///
///     pl::distributed net(nn::sequential(...));
///     auto losses = net.minimize(adam, [&](pl::parallel::tower const& t, auto& model) {
///       return loss_of(model, t.slice(images), t.slice(labels));
///     });
///     float const loss = item(pl::all_mean(losses));
///
/// Tower i is task i. The variables are equal on all tasks, since all apply the same averaged
/// gradients. Losses, gradients and moving statistics have the bits of parallel::replicated with as
/// many towers. Checkpoints are those of model(): one task saves, and all restore.
/// A step whose function throws on a task leaves the variables as they were.
template <class Model> class distributed {
 public:
  /// where: the device of each task's tower; GPU:0, or CPU:0 without one. The variables stay where
  /// they are.
  explicit distributed(Model model, device where = {})
      : model_(std::move(model)),
        where_(where.has_value()         ? where
               : this_machine().gpus > 0 ? gpu0
                                         : cpu0) {}

  Model& model() noexcept { return model_; }
  Model const& model() const noexcept { return model_; }

  /// loss(tower, model) is recorded by a gradient_tape on each task, and computes one number. Then
  /// all tasks update the variables by the means of the gradients, added in the order of tasks.
  /// Returns the losses: each task has its own. Cost: one all-mean of all gradients.
  /// Throws: what the loss throws, on its task; task_error.
  template <class O, class F> auto minimize(O& optimizer, F const& loss, site at = site::here()) {
    std::vector<bool> changed;
    auto const found = each_task(
        [&](task t) {
          return in_tower(t, changed, [&](parallel::tower const& tower, Model& m) {
            gradient_tape tape;
            nn::watch(tape, m);
            using value = bare<decltype(loss(tower, m))>;
            detail::tensor_value_t<value> const l = loss(tower, m);
            return std::pair{l, joined(nn::gradients_of(tape, l, m))};
          });
        },
        at);
    auto const& [step, statistics] = found;
    auto means = all_mean(step.second, in_order, at);
    auto values = merged(statistics, changed, at);
    apply(optimizer, means, at);
    store(values);
    return step.first;
  }
  /// Calls f(tower, model) on each task, without gradients. Returns what each task has of its own.
  template <class F> auto run(F const& f, site at = site::here()) {
    std::vector<bool> changed;
    auto found = each_task([&](task t) { return in_tower(t, changed, f); }, at);
    auto values = merged(found.second, changed, at);
    store(values);
    return std::move(found.first);
  }
  /// Calls f(tower, model) as tower `index`, on every task alike: no message, and one result.
  /// Random ops draw from the program, as in replicated::run_on().
  template <class F> auto run_on(int index, F const& f) {
    std::vector<bool> changed;
    auto found = in_tower({index, this_task().count}, changed, f);
    std::vector<detail::buffer_ref> values;
    std::apply(
        [&](auto const&... s) { (values.push_back(detail::tensor_access::elements(s)), ...); },
        found.second);
    store(values);
    return std::move(found.first);
  }

 private:
  using layers = decltype(nn::detail::layers_with_statistics(std::declval<Model&>()));
  template <class... L> static constexpr bool meets_towers(std::tuple<L&...> const*) {
    return (requires { L::has_equal_statistics; } || ...);
  }
  static_assert(!meets_towers(static_cast<layers*>(nullptr)),
                "placement: sync_batch_norm meets the towers of one process. Use batch_norm for "
                "towers on several tasks.");

  /// The result of f, and the statistics of the model after it, as vectors.
  template <class F> auto in_tower(task t, std::vector<bool>& changed, F const& f) {
    with_device const scope(where_);
    parallel::tower const tower(t.index, t.count, where_, nullptr);
    Model m = model_;
    auto result = f(tower, m);
    changed.clear();
    auto statistics = std::apply(
        [&](auto&... after) {
          return std::apply(
              [&](auto&... before) {
                (changed.push_back(parallel::detail::elements_of(before).get() !=
                                   parallel::detail::elements_of(after).get()),
                 ...);
                return std::tuple{detail::flattened(after.value())...};
              },
              nn::statistics(model_));
        },
        nn::statistics(m));
    return std::pair{std::move(result), std::move(statistics)};
  }
  /// The gradients of each element type as one vector: a step sends one message for each type.
  template <class... T, class... X> static auto joined(std::tuple<tensor<T, X>...> const& g) {
    using number = std::tuple_element_t<0, std::tuple<T...>>;
    static_assert((std::is_same_v<T, number> && ...),
                  "placement: distributed trains models whose variables have one element type.");
    return std::apply(
        [](auto const&... one) {
          return tensor<number, dextents<1>>(concat(0, detail::flattened(one)...));
        },
        g);
  }
  template <class O, class T>
  void apply(O& optimizer, tensor<T, dextents<1>> const& means, site at) {
    index_t begin = 0;
    auto const next = [&]<class V>(V const& v) {
      using X = typename bare<decltype(v.value())>::extents_type;
      index_t const n = static_cast<index_t>(v.shape().count());
      detail::flat_tensor<T> const part = slice(means, range(begin, begin + n));
      begin += n;
      auto g = detail::tensor_access::empty<tensor<T, X>>();
      detail::tensor_access::elements(g) = detail::tensor_access::elements(part);
      detail::tensor_access::shape(g) = v.shape();
      return g;
    };
    std::apply([&](auto&... v) { optimizer.apply(model_, std::tuple{next(v)...}, at); },
               nn::parameters(model_));
  }
  /// The merged statistics, as parallel::replicated computes them.
  template <class S>
  std::vector<detail::buffer_ref> merged(S const& of_tasks, std::vector<bool> const& changed,
                                         site at) {
    std::vector<detail::buffer_ref> values;
    std::vector<double> decays;
    std::apply(
        [&](auto&... l) {
          (decays.insert(decays.end(), std::tuple_size_v<decltype(l.non_trainable())>,
                         parallel::detail::decay_of(l)),
           ...);
        },
        nn::detail::layers_with_statistics(model_));
    auto homes = nn::statistics(model_);
    parallel::detail::for_each_index<std::tuple_size_v<S>>([&](auto i) {
      auto& home = std::get<i>(homes);
      using T = typename bare<decltype(home)>::value_type;
      values.emplace_back();
      if (!changed[i]) return;
      with_device const beside(home.where());
      index_t const n = static_cast<index_t>(home.shape().count());
      detail::flat_tensor<T> const all = all_gather(std::get<i>(of_tasks), at);
      std::vector<detail::flat_tensor<T>> parts;
      for (int t = 0; t != this_task().count; ++t)
        parts.emplace_back(slice(all, range(n * t, n * (t + 1))));
      detail::flat_tensor<T> const value =
          parallel::detail::merged<kernels_here>(detail::flattened(home.value()), parts, decays[i]);
      values.back() = detail::tensor_access::elements(value);
    });
    return values;
  }
  void store(std::vector<detail::buffer_ref>& values) {
    std::size_t i = 0;
    std::apply(
        [&](auto&... v) {
          [[maybe_unused]] auto const one = [&](auto& to) {
            if (detail::buffer_ref& value = values[i++])
              parallel::detail::elements_of(to) = std::move(value);
          };
          (one(v), ...);
        },
        nn::statistics(model_));
  }

  Model model_;
  device where_;
};

}}  // namespace placement::v0_1
