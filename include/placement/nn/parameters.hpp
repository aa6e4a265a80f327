#pragma once
/// The parameters of a model, in order, with names.

#include <placement/nn/variable.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

/// A model, or a part of one: `parts()` gives references to its variables and parts, as a tuple.
/// A part without parameters needs no parts(). `static constexpr std::string_view layer_name`
/// is the part's name in the names of its parameters.
///
///     struct perceptron {
///       nn::dense_layer<float, 784, 100> hidden;
///       nn::dense_layer<float, 100, 10> output;
///       auto parts() { return std::tie(hidden, output); }
///       auto parts() const { return std::tie(hidden, output); }
///     };
template <class M> concept has_parts = requires(M& m) { m.parts(); };

namespace detail {

template <class P> constexpr std::string_view name_of_part() {
  if constexpr (requires { P::layer_name; }) return P::layer_name;
  else return {};
}
/// The number of earlier parts of the same name as part I.
template <std::size_t I, class... P> constexpr std::size_t earlier_of_name() {
  constexpr std::string_view names[]{name_of_part<std::remove_cvref_t<P>>()...};
  std::size_t n = 0;
  for (std::size_t i = 0; i != I; ++i)
    if (names[i] == names[I]) ++n;
  return n;
}
/// "dense/", "dense_1/" for the second part of that name; "" for a part without a name.
template <std::size_t I, class P, class... All> std::string part_prefix() {
  constexpr std::string_view name = name_of_part<std::remove_cvref_t<P>>();
  if constexpr (name.empty()) return {};
  constexpr std::size_t earlier = earlier_of_name<I, All...>();
  return std::string(name) + (earlier == 0 ? "" : "_" + std::to_string(earlier)) + "/";
}

template <class X> inline constexpr bool is_tuple = false;
template <class... X> inline constexpr bool is_tuple<std::tuple<X...>> = true;

template <class M> auto references_in(M& m) {
  using part = std::remove_const_t<M>;
  if constexpr (is_variable<part>) {
    return std::tuple<M&>(m);
  } else if constexpr (has_parts<M>) {
    return std::apply([](auto&... p) { return std::tuple_cat(references_in(p)...); }, m.parts());
  } else {
    return std::tuple<>();
  }
}
/// The layers with variables that are not trained, as a tuple of references.
template <class M> auto layers_with_statistics(M& m) {
  auto const below = [&] {
    if constexpr (!is_variable<std::remove_const_t<M>> && has_parts<M>)
      return std::apply([](auto&... p) { return std::tuple_cat(layers_with_statistics(p)...); },
                        m.parts());
    else return std::tuple<>();
  };
  if constexpr (requires { m.non_trainable(); }) return std::tuple_cat(below(), std::tuple<M&>(m));
  else return below();
}

template <bool All, class M, class F> void visit(M& m, std::string const& prefix, F const& f);
template <bool All, class Tuple, class F>
void visit_parts(Tuple const& parts, std::string const& prefix, F const& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit<All>(
         std::get<I>(parts),
         prefix +
             part_prefix<I, std::tuple_element_t<I, Tuple>, std::tuple_element_t<I, Tuple>...>(),
         f),
     ...);
  }(std::make_index_sequence<std::tuple_size_v<Tuple>>{});
}
template <bool All, class M, class F> void visit(M& m, std::string const& prefix, F const& f) {
  if constexpr (is_variable<std::remove_const_t<M>>) f(prefix + m.name(), m);
  else if constexpr (has_parts<M>) visit_parts<All>(m.parts(), prefix, f);
  else if constexpr (is_tuple<std::remove_const_t<M>>) visit_parts<All>(m, prefix, f);
  if constexpr (All && requires { m.non_trainable(); })
    visit_parts<All>(m.non_trainable(), prefix, f);
}

}  // namespace detail

/// The variables of a model, as a tuple of references. A tuple of references is itself.
template <class M> auto parameters(M& model) {
  if constexpr (detail::is_tuple<std::remove_const_t<M>>) return model;
  else return detail::references_in(model);
}
/// The variables of a model that are not trained, as a tuple of references.
template <class M> auto statistics(M& model) {
  return std::apply([](auto&... l) { return std::tuple_cat(l.non_trainable()...); },
                    detail::layers_with_statistics(model));
}
/// Calls f(name, variable) for each variable of a model, in order. Names are those of TensorFlow's
/// layers: "dense/kernel", "dense/bias", "dense_1/kernel".
template <class M, class F> void for_each_parameter(M& model, F const& f) {
  detail::visit<false>(model, {}, f);
}
/// The same for all variables, also those that are not trained, as moving statistics.
template <class M, class F> void for_each_variable(M& model, F const& f) {
  detail::visit<true>(model, {}, f);
}
/// The number of elements of all variables of a model.
template <class M> std::size_t parameter_count(M const& model) {
  return std::apply([](auto const&... v) { return (std::size_t{0} + ... + v.size()); },
                    parameters(model));
}

/// The model with its variables on a device: `auto copy = to("/gpu:1", model)`, which becomes their
/// requested device. The name is merged with the enclosing scopes. Throws: as copy_to.
template <class M> M to(device_request there, M model) {
  for_each_variable(
      model, [&]<class T, class X>(std::string const&, variable<T, X>& v) { v.move_to(there); });
  return model;
}

}}}  // namespace placement::v0_1::nn
