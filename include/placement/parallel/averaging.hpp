#pragma once
/// The averages of the towers' gradients, where the variables are.

#include <placement/parallel/all_reduce.hpp>
#include <placement/parallel/reduce_to.hpp>
#include <placement/parallel/shared_variables.hpp>

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

/// The mean of one gradient per tower: on each tower if it is mirrored, else on `home` alone.
template <class K, class T>
std::vector<flat_tensor<T>> mean_of_towers(std::vector<flat_tensor<T>> const& of_towers,
                                           bool is_mirrored, device averaging, reduce_form form,
                                           device home, site at) {
  if (is_mirrored) return all_reduce<T, dextents<1>, K>(of_towers, reduction::mean, {}, at);
  flat_tensor<T> mean = reduce_to<T, dextents<1>, K>(device_request(averaging, at), of_towers,
                                                     reduction::mean, form, at);
  tensor_access::elements(mean) = brought(mean, home, at);
  return {std::move(mean)};
}

template <class Policy> reduce_form form_of(Policy const& policy) {
  if constexpr (requires { policy.form; }) return policy.form;
  else return reduce_form::fused;
}

/// Averages each gradient over the towers. G: a tuple of tensors. Result: one G, or one for each
/// mirrored copy, which shares the elements of what is not mirrored with the first.
template <class K, class G, class M, class Policy>
std::vector<G> averaged(std::vector<G> const& of_towers, M& model,
                        std::vector<bool> const& is_mirrored, Policy const& policy,
                        std::size_t copies, site at) {
  std::vector<G> all(copies, of_towers.front());
  auto const variables = nn::parameters(model);
  for_each_index<size_of<G>>([&](auto i) {
    using tensor_type = std::tuple_element_t<i, G>;
    using T = typename tensor_type::value_type;
    device const home = std::get<i>(variables).where();
    std::vector<flat_tensor<T>> parts;
    for (G const& g : of_towers) parts.push_back(placement::detail::flattened(std::get<i>(g)));
    auto const means = naming_errors(model, std::get<i>(variables), [&] {
      return mean_of_towers<K>(parts, is_mirrored[i], policy.averages_on(home), form_of(policy),
                               home, at);
    });
    for (std::size_t c = 0; c != copies; ++c) {
      flat_tensor<T> const& mean = means[is_mirrored[i] ? c : 0];
      tensor_access::elements(std::get<i>(all[c])) = tensor_access::elements(mean);
    }
  });
  return all;
}

}}}}  // namespace placement::v0_1::parallel::detail
