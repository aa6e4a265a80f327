#pragma once
/// The moving statistics of a model after a step of several towers.

#include <placement/ops/add.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/parallel/shared_variables.hpp>

#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

/// The elements of each tower's statistics at the start of a step. Empty for a tower without one.
using statistics_before = std::vector<std::vector<buffer_ref>>;

template <class M> std::vector<buffer_ref> statistics_of(M& model) {
  std::vector<buffer_ref> all;
  std::apply([&](auto&... v) { (all.push_back(elements_of(v)), ...); }, nn::statistics(model));
  return all;
}

/// Values that are computed, and not stored yet.
class new_values {
 public:
  void add(buffer_ref& to, buffer_ref value) { all_.emplace_back(&to, std::move(value)); }
  void store() noexcept {
    for (auto& [to, value] : all_) *to = std::move(value);
    all_.clear();
  }

 private:
  std::vector<std::pair<buffer_ref*, buffer_ref>> all_;
};

/// d^K m + sum d^(K - 1 - i) (m_i - d m) over the K towers. decay below 0: the mean of the m_i.
template <class K, class T>
flat_tensor<T> merged(flat_tensor<T> const& m, std::vector<flat_tensor<T>> const& of_towers,
                      double decay) {
  if (of_towers.size() == 1) return of_towers.front();
  auto const count = static_cast<double>(of_towers.size());
  flat_tensor<T> sum = m * static_cast<T>(decay < 0 ? 0 : std::pow(decay, count));
  for (std::size_t i = 0; i != of_towers.size(); ++i) {
    double const factor =
        decay < 0 ? 1 / count : std::pow(decay, count - 1 - static_cast<double>(i));
    sum += (of_towers[i] - m * static_cast<T>(decay < 0 ? 0 : decay)) * static_cast<T>(factor);
  }
  return sum;
}

/// The decay of a layer's moving statistics; below 0 without one. 0 if all towers have the same.
template <class L> double decay_of(L const& layer) {
  if constexpr (requires { L::has_equal_statistics; }) return 0;
  else if constexpr (requires { static_cast<double>(layer.decay); })
    return static_cast<double>(layer.decay);
  else return -1;
}

/// The decays of all statistics of a model, in their order.
template <class M> std::vector<double> decays_of(M& model) {
  std::vector<double> all;
  std::apply(
      [&](auto&... l) {
        (all.insert(all.end(), size_of<decltype(l.non_trainable())>, decay_of(l)), ...);
      },
      nn::detail::layers_with_statistics(model));
  return all;
}
/// Some of the towers of a process.
struct tower_range {
  std::size_t first, last;
};
/// The values of statistic I of the working models that have changed it, on the device of `home`.
template <std::size_t I, class M, class V>
auto changed_statistics(std::vector<M>& working, statistics_before const& before, tower_range of,
                        V const& home, site at) {
  std::vector<flat_tensor<typename V::value_type>> changed;
  for (std::size_t t = of.first; t != of.last; ++t) {
    auto& v = std::get<I>(nn::statistics(working[t]));
    if (before[t].empty() || before[t][I].get() == elements_of(v).get()) continue;
    changed.push_back(placement::detail::flattened(v.value()));
    tensor_access::elements(changed.back()) = brought(changed.back(), home.where(), at);
  }
  return changed;
}
/// Adds the new value of statistic I for all models.
template <std::size_t I, class M, class T>
void add_statistic(new_values& all, std::vector<M>& models, std::vector<bool> const& is_mirrored,
                   flat_tensor<T> const& value, site at) {
  constexpr std::size_t trained = size_of<decltype(nn::parameters(models.front()))>;
  for (std::size_t m = models.size(); m-- > 1;)
    if (is_mirrored[trained + I]) {
      auto& copy = std::get<I>(nn::statistics(models[m]));
      all.add(elements_of(copy), brought(value, copy.where(), at));
    }
  all.add(elements_of(std::get<I>(nn::statistics(models.front()))), tensor_access::elements(value));
}

/// The statistics of the models after a step, for those that a tower has changed.
template <class K, class M>
new_values merged_statistics(std::vector<M>& models, std::vector<M>& working,
                             std::vector<bool> const& is_mirrored, statistics_before const& before,
                             site at) {
  new_values all;
  auto const homes = nn::statistics(models.front());
  std::vector<double> const decays = decays_of(models.front());
  for_each_index<size_of<decltype(homes)>>([&](auto i) {
    auto& home = std::get<i>(homes);
    naming_errors(models.front(), home, [&] {
      using T = typename bare<decltype(home)>::value_type;
      with_device const beside(home.where());
      auto const changed = changed_statistics<i>(working, before, {0, working.size()}, home, at);
      if (changed.empty()) return;
      flat_tensor<T> const value =
          merged<K>(placement::detail::flattened(home.value()), changed, decays[i]);
      add_statistic<i>(all, models, is_mirrored, value, at);
    });
  });
  return all;
}

}}}}  // namespace placement::v0_1::parallel::detail
