#pragma once
/// The parameters of a model, in order, with names.

#include <placement/nn/variable.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

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
/// The names of the parts of one part. Parts without a name share the numbers of the part that they
/// are in. So the parameters of two blocks in a model have different names.
class part_names {
 public:
  explicit part_names(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string const& prefix() const { return prefix_; }
  /// The prefix of the next part of this name: "dense/", then "dense_1/".
  std::string next(std::string_view name) {
    std::size_t earlier = 0;
    for (std::string_view const n : seen_) earlier += n == name;
    seen_.push_back(name);
    return prefix_ + std::string(name) + (earlier == 0 ? "" : "_" + std::to_string(earlier)) + "/";
  }

 private:
  std::string prefix_;
  std::vector<std::string_view> seen_;
};

template <class X> inline constexpr bool is_tuple = false;
template <class... X> inline constexpr bool is_tuple<std::tuple<X...>> = true;

/// Whether P is a tensor, which no optimizer changes, or a container or a pointer, whose elements
/// no parts() lists. Functions and lambdas are parts without parameters.
template <class P>
inline constexpr bool hides_parts =
    is_tensor<P> ||
    (!has_parts<P> && ((std::is_pointer_v<P> && !std::is_function_v<std::remove_pointer_t<P>>) ||
                       requires(P& p) {
                         p.begin();
                         p.end();
                       } || requires(P& p) { p.operator*(); }));
/// Rejects parts that would be neither trained nor saved.
template <class P> constexpr bool check_part() {
  static_assert(
      !hides_parts<P>,
      "placement: a part of a model is a tensor, a container or a pointer, which would be neither "
      "trained nor saved. Give an nn::variable for a tensor, and list the elements of a container: "
      "std::tie(a[0], a[1]).");
  return true;
}

template <class M> auto references_in(M& m) {
  using part = std::remove_const_t<M>;
  if constexpr (is_variable<part>) {
    return std::tuple<M&>(m);
  } else if constexpr (has_parts<M>) {
    return std::apply([](auto&... p) { return std::tuple_cat(references_in(p)...); }, m.parts());
  } else {
    static_assert(check_part<part>());
    return std::tuple<>();
  }
}
/// Whether a tuple has models among its elements.
template <class X> inline constexpr bool has_models = false;
template <class... M>
inline constexpr bool has_models<std::tuple<M...>> =
    ((has_parts<std::remove_cvref_t<M>> && !is_variable<std::remove_cvref_t<M>>) || ...);
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

template <bool All, class M, class F> void visit(M& m, part_names& names, F const& f);
template <bool All, class M, class F> void visit_part(M& m, part_names& names, F const& f) {
  constexpr std::string_view name = name_of_part<std::remove_const_t<M>>();
  if constexpr (name.empty()) {
    visit<All>(m, names, f);
  } else {
    part_names below(names.next(name));
    visit<All>(m, below, f);
  }
}
template <bool All, class M, class F> void visit(M& m, part_names& names, F const& f) {
  using part = std::remove_const_t<M>;
  auto const each = [&](auto const& parts) {
    std::apply([&](auto&... p) { (visit_part<All>(p, names, f), ...); }, parts);
  };
  if constexpr (is_variable<part>) f(names.prefix() + m.name(), m);
  else if constexpr (has_parts<M>) each(m.parts());
  else if constexpr (is_tuple<part>) each(m);
  else static_assert(check_part<part>());
  if constexpr (All && requires { m.non_trainable(); }) each(m.non_trainable());
}
}  // namespace detail

/// The variables of a model, as a tuple of references; of several models, `std::tie(a, b)`, those
/// of all. A tuple of variables is itself.
template <class M> auto parameters(M& model) {
  if constexpr (detail::has_models<std::remove_const_t<M>>)
    return std::apply(
        []<class... P>(P&... m) {
          static_assert(((has_parts<P> || is_variable<std::remove_const_t<P>>) && ...),
                        "placement: std::tie of models has something that is neither a model nor a "
                        "variable. Leave it out.");
          return std::tuple_cat(detail::references_in(m)...);
        },
        model);
  else if constexpr (detail::is_tuple<std::remove_const_t<M>>) return model;
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
  detail::part_names names({});
  detail::visit<false>(model, names, f);
}
/// The same for all variables, also those that are not trained, as moving statistics.
template <class M, class F> void for_each_variable(M& model, F const& f) {
  detail::part_names names({});
  detail::visit<true>(model, names, f);
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
