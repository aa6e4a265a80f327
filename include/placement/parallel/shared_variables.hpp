#pragma once
/// How the variables of a model get to the towers of a step.

#include <placement/expr/memory.hpp>
#include <placement/nn/parameters.hpp>
#include <placement/parallel/policies.hpp>
#include <placement/place/log.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

using nn::detail::variable_access;
using placement::detail::buffer_ref;
using placement::detail::flat_tensor;
using placement::detail::tensor_access;

template <class T, class X> buffer_ref& elements_of(nn::variable<T, X>& v) {
  return variable_access::elements(v);
}

/// Calls f(i) for each i below N, as a constant.
template <std::size_t N, class F> void for_each_index(F const& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<N>{});
}
template <class Tuple> inline constexpr std::size_t size_of = std::tuple_size_v<Tuple>;

/// All variables of a model: its parameters, then its statistics.
template <class M> auto variables(M& model) {
  return std::tuple_cat(nn::parameters(model), nn::statistics(model));
}
/// Calls f(variable) for each variable.
template <class M, class F> void for_each(M& model, F const& f) {
  std::apply([&](auto&... v) { (f(v), ...); }, variables(model));
}

/// Elements on a device: these, or a copy.
template <class T> buffer_ref brought(flat_tensor<T> const& t, device there, site at) {
  if (t.where() == there) return tensor_access::elements(t);
  flat_tensor<T> copy = copy_to(device_request(there, at), t);
  return std::move(tensor_access::elements(copy));
}

/// Throws a placement_error with the name of the variable and the message of the current exception,
/// which is nested.
[[noreturn, gnu::cold]] void throw_of_variable(std::string const& name);

/// The same for a variable of a model. Returns if the model does not have it.
template <class M>
[[gnu::cold, gnu::noinline]] void throw_of_variable_in(M const& model, void const* v) {
  nn::for_each_variable(model, [&](std::string const& name, auto const& one) {
    if (static_cast<void const*>(&one) == v) throw_of_variable(name);
  });
}
/// Calls f, whose errors get the name of the variable in its model.
template <class M, class V, class F> auto naming_errors(M const& model, V const& v, F const& f) {
  try {
    return f();
  } catch (...) {
    throw_of_variable_in(model, &v);
    throw;
  }
}

/// The device of each variable, in the order of variables(). Sets which ones are mirrored.
template <class K, class Policy, class M>
std::vector<device> places_of(Policy const& policy, M& model, std::vector<device> const& towers,
                              std::vector<bool>& is_mirrored, site) {
  std::vector<variable_facts> facts;  // in the order of for_each_variable, without placed ones
  std::vector<void const*> known;
  nn::for_each_variable(model, [&](std::string const& name, auto& v) {
    if (v.requested().has_value()) return;
    known.push_back(&v);
    facts.push_back(
        {name, v.size() * sizeof(typename bare<decltype(v)>::value_type), v.trainable()});
  });
  std::vector<device> const given = policy.places(facts, towers);
  std::vector<device> all;
  for_each(model, [&](auto& v) {
    std::size_t i = 0;
    while (i != known.size() && known[i] != &v) ++i;
    bool const is_placed = i == known.size();
    all.push_back(is_placed ? v.where() : given.at(i));
    is_mirrored.push_back(policy.mirrors && !is_placed && towers.size() > 1);
  });
  return all;
}
/// Moves each variable to its device. Their requests stay as they were.
template <class M> void move_variables(M& model, std::vector<device> const& places, site at) {
  std::size_t i = 0;
  for_each(model, [&](auto& v) {
    device const there = places[i++];
    if (!(v.where() == there))
      elements_of(v) = brought(placement::detail::flattened(v.value()), there, at);
  });
}
/// The mirrored variables of a model on another device. The others are empty.
template <class M>
M mirrored_copy(M const& model, std::vector<bool> const& is_mirrored, device there, site at) {
  M copy = model;
  std::size_t i = 0;
  for_each(copy, [&](auto& v) {
    if (!is_mirrored[i++]) {
      elements_of(v) = {};
    } else {
      placement::detail::log_variable_read(there, at);
      elements_of(v) = brought(placement::detail::flattened(v.value()), there, at);
      placement::detail::log_variable(v.name(), there, at);
    }
  });
  return copy;
}
/// The values of one model, on the devices of another. Throws: shape_error for other shapes.
template <class M> M beside(M const& from, M& like, site at) {
  M copy = from;
  auto to = variables(copy);
  auto const places = variables(like);
  for_each_index<size_of<decltype(to)>>([&](auto i) {
    auto& v = std::get<i>(to);
    auto& p = std::get<i>(places);
    if (!(v.shape() == p.shape()))
      throw shape_error("placement: variable '" + v.name() + "' has shape " + to_string(p.shape()) +
                        ", but the other model's has " + to_string(v.shape()) +
                        ". Give a model of the same layers.");
    if (!elements_of(p)) elements_of(v) = {};
    else elements_of(v) = brought(placement::detail::flattened(v.value()), p.where(), at);
  });
  return copy;
}

/// Empties the variables, which keep their shapes.
template <class M> void release_variables(M& model) noexcept {
  for_each(model, [](auto& v) { elements_of(v) = {}; });
}
enum class shared { all, mirrored };
/// Gives the variables of a working model the elements of the first model, or of the tower's own
/// where they are mirrored: handles of those on the device, copies of the others.
template <class M>
void share_variables(M& working, M& first, M& own, std::vector<bool> const& is_mirrored,
                     device here, site at, shared which = shared::all) {
  auto to = variables(working);
  auto const from_first = variables(first), from_own = variables(own);
  for_each_index<size_of<decltype(to)>>([&](auto i) {
    if (which == shared::mirrored && !is_mirrored[i]) return;
    auto const& from = is_mirrored[i] ? std::get<i>(from_own) : std::get<i>(from_first);
    elements_of(std::get<i>(to)) = naming_errors(is_mirrored[i] ? own : first, from, [&] {
      return brought(placement::detail::flattened(from.value()), here, at);
    });
  });
}

}}}}  // namespace placement::v0_1::parallel::detail
