#pragma once
/// How the towers of a task take part in a step of the towers of all tasks.

#include <placement/ops/concat.hpp>
#include <placement/ops/slice.hpp>
#include <placement/parallel/replicated.hpp>
#include <placement/tasks/collectives.hpp>
#include <placement/tasks/task.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

/// Vectors one after another, on a device.
template <class T>
flat_tensor<T> joined(std::vector<flat_tensor<T>> const& all, device where, site at) {
  with_device const scope(where);
  flat_tensor<T> sum = all.front();
  tensor_access::elements(sum) = brought(sum, where, at);
  for (std::size_t i = 1; i != all.size(); ++i) {
    flat_tensor<T> next = all[i];
    tensor_access::elements(next) = brought(next, where, at);
    sum = flat_tensor<T>(concat(0, sum, next));
  }
  return sum;
}
/// The gradients of a tower as one vector.
template <class... T, class... X> auto joined_gradients(std::tuple<tensor<T, X>...> const& g) {
  using number = std::tuple_element_t<0, std::tuple<T...>>;
  static_assert((std::is_same_v<T, number> && ...),
                "placement: distributed trains models whose variables have one element type.");
  with_device const scope(std::get<0>(g).where());
  return std::apply(
      [](auto const&... one) {
        return flat_tensor<number>(concat(0, placement::detail::flattened(one)...));
      },
      g);
}

/// The models of the towers of this process while a step lasts. Variables on tasks have values on
/// every task, on the device of the same name: the start has checked that all tasks have it.
template <class R> class models_of_step {
 public:
  /// Cost: a message to each other task for each variable on a task.
  models_of_step(R& here, site at) : here_(here) {
    using namespace placement::detail;
    access::make_working(here, cluster_of_program("distributed", at).tasks_of_this_process());
    auto& model = access::models(here).front();
    bool has_any = false;
    for_each(model, [&](auto const& v) { has_any = has_any || v.where().has_task(); });
    if (!has_any) return;
    auto const to = variables(access::make_source(here));
    auto const from = variables(model);
    for_each_index<size_of<decltype(to)>>([&](auto i) {
      auto const& v = std::get<i>(from);
      elements_of(std::get<i>(to)) =
          brought(placement::detail::flattened(v.value()), v.where().local(), at);
    });
    access::use_source(here);
  }
  ~models_of_step() { access::release_source(here_); }
  models_of_step(models_of_step const&) = delete;
  models_of_step& operator=(models_of_step const&) = delete;

 private:
  using access = replicated_access;

  R& here_;
};

/// A replicated model whose towers are a part of those of all tasks.
struct task_towers {
  using access = replicated_access;
  using streams = random_stream;

  /// The towers of tasks of this process.
  template <class R>
  static tower_part part_of(R const& here, int first, int tasks, streams const& numbers) {
    using placement::detail::cluster;
    int const n = here.on().count();
    return {first * n,
            placement::this_task().count * n,
            numbers,
            first,
            tasks,
            &cluster::alone::replace,
            &cluster::gather_in_step};
  }
  template <class R> static tower_range range_of(R const& here, int task) {
    auto const n = static_cast<std::size_t>(here.on().count());
    return {static_cast<std::size_t>(task) * n, static_cast<std::size_t>(task + 1) * n};
  }

  /// The losses, the gradients and the statistics of the towers of each task of the part.
  template <class R, class F>
  static auto recorded(R& here, tower_part const& part, std::vector<bool>& changed, F const& loss,
                       site at) {
    typename access::working_set<R> const all(here, at);
    auto const found = access::recorded<kernels_here>(here, loss, at, part);
    using gradients = decltype(joined_gradients(found.front().second));
    auto const of_task = [&](int task) {
      placement::detail::cluster::alone const alone(part.task + task);
      tower_range const of = range_of(here, task);
      std::vector<gradients> vectors;
      std::vector<bare<decltype(found.front().first)>> losses;
      for (std::size_t i = of.first; i != of.last; ++i) {
        losses.push_back(found[i].first);
        vectors.push_back(joined_gradients(found[i].second));
      }
      return std::tuple{std::move(losses), joined(vectors, here.on().where(0), at),
                        statistics_of_towers(here, all.before, of, changed, at)};
    };
    return of_tasks(part, of_task);
  }
  /// The losses and the statistics of a part of one tower, whose gradients `sums` gets while the
  /// backward pass goes on.
  template <class R, class F, class Sums>
  static auto recorded_with(Sums& sums, R& here, tower_part const& part, std::vector<bool>& changed,
                            F const& loss, site at) {
    typename access::working_set<R> const all(here, at);
    auto found = access::recorded<kernels_here>(here, loss, at, part, &sums);
    placement::detail::cluster::alone const alone(part.task);
    sums.finish(found.front().second);
    std::vector<bare<decltype(found.front().first)>> const losses{found.front().first};
    return std::vector{
        std::pair{losses, statistics_of_towers(here, all.before, range_of(here, 0), changed, at)}};
  }
  /// The results of f and the statistics of the towers of each task of the part.
  template <class R, class F>
  static auto run(R& here, tower_part const& part, std::vector<bool>& changed, F const& f,
                  site at) {
    typename access::working_set<R> const all(here, at);
    auto const one = [&](tower const& which) {
      return f(which, access::acquire<kernels_here>(here, which.index() - part.first, at));
    };
    auto const statistics = [&](int task) {
      placement::detail::cluster::alone const alone(part.task + task);
      return statistics_of_towers(here, all.before, range_of(here, task), changed, at);
    };
    if constexpr (std::is_void_v<decltype(one(std::declval<tower const&>()))>) {
      access::towers(here).run_part(part, one, at);
      return of_tasks(part, [&](int task) { return std::pair{std::tuple<>{}, statistics(task)}; });
    } else {
      auto const values = access::towers(here).run_part(part, one, at);
      return of_tasks(part, [&](int task) {
        tower_range const of = range_of(here, task);
        auto const first = values.begin() + static_cast<std::ptrdiff_t>(of.first);
        auto const last = values.begin() + static_cast<std::ptrdiff_t>(of.last);
        return std::pair{std::vector(first, last), statistics(task)};
      });
    }
  }
  template <class R, class F>
  static auto run_on(R& here, int index, int count, F const& f, site at) {
    int const first = index - index % here.on().count();
    return access::run_on<kernels_here>(here, index, {first, count}, f, at);
  }

  /// The new statistics of the model, from those of the towers of all tasks.
  template <class R, class S>
  static new_values merged(R& here, S const& of_tasks, std::vector<bool> const& changed, site at) {
    new_values all;
    auto const homes = nn::statistics(access::models(here).front());
    std::vector<double> const decays = decays_of(access::models(here).front());
    for_each_index<size_of<S>>([&](auto i) {
      if (!changed[i]) return;
      auto& home = std::get<i>(homes);
      using T = typename bare<decltype(home)>::value_type;
      with_device const beside(home.where());
      index_t const n = static_cast<index_t>(home.shape().count());
      flat_tensor<T> const of_towers = all_gather(std::get<i>(of_tasks), at);
      std::vector<flat_tensor<T>> parts;
      for (index_t first = 0; first != of_towers.shape().at(0); first += n)
        parts.emplace_back(slice(of_towers, range(first, first + n)));
      flat_tensor<T> const value = detail::merged<kernels_here>(
          placement::detail::flattened(home.value()), parts, decays[i]);
      add_statistic<i>(all, access::models(here), access::is_mirrored(here), value, at);
    });
    return all;
  }
  /// Updates the variables of each copy of the model. mean_of(i, begin, n): the mean of gradient i,
  /// which has n elements after `begin` others.
  template <class T, class R, class O, class F>
  static void update(R& here, O& optimizer, F const& mean_of, site at) {
    auto const variables = nn::parameters(access::models(here).front());
    auto const without_elements = [&] {
      return std::apply(
          [](auto const&... v) {
            return std::tuple{tensor_access::empty<bare<decltype(v.value())>>()...};
          },
          variables);
    };
    using gradients = decltype(without_elements());
    tower_gradients<T, gradients> all;
    all.gradients.reserve(access::models(here).size());
    while (all.gradients.size() != access::models(here).size())
      all.gradients.push_back(without_elements());
    index_t begin = 0;
    for_each_index<size_of<gradients>>([&](auto i) {
      auto const& v = std::get<i>(variables);
      index_t const n = static_cast<index_t>(v.shape().count());
      flat_tensor<T> const mean = mean_of(std::size_t{i}, begin, n);
      begin += n;
      for (std::size_t c = 0; c != all.gradients.size(); ++c) {
        auto& g = std::get<i>(all.gradients[c]);
        device const there = access::is_mirrored(here)[i]
                                 ? access::towers(here).where(static_cast<int>(c))
                                 : v.where();
        tensor_access::elements(g) = brought(mean, there, at);
        tensor_access::shape(g) = v.shape();
      }
    });
    access::update<kernels_here>(here, optimizer, all, at);
  }

 private:
  /// f(task) for each task of a part, from 0 on.
  template <class F> static auto of_tasks(tower_part const& part, F const& f) {
    std::vector<decltype(f(0))> all;
    for (int task = 0; task != part.tasks; ++task) all.push_back(f(task));
    return all;
  }
  /// Each statistic of some towers, one after another. Sets which ones all of them have changed.
  template <class R>
  static auto statistics_of_towers(R& here, statistics_before const& before, tower_range of,
                                   std::vector<bool>& changed, site at) {
    auto const homes = nn::statistics(access::source(here));
    changed.assign(size_of<decltype(homes)>, false);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple{[&] {
        auto& home = std::get<I>(homes);
        using T = typename bare<decltype(home)>::value_type;
        auto const found = changed_statistics<I>(access::working(here), before, of, home, at);
        changed[I] = found.size() == of.last - of.first;
        return changed[I] ? joined(found, home.where(), at)
                          : flat_tensor<T>(placement::detail::flattened(home.value()));
      }()...};
    }(std::make_index_sequence<size_of<decltype(homes)>>{});
  }
};

}}}}  // namespace placement::v0_1::parallel::detail
