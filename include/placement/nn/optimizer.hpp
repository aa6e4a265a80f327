#pragma once
/// What all optimizers have: apply(), minimize(), and slots.

#include <placement/gradient/record.hpp>
#include <placement/nn/any_array.hpp>
#include <placement/nn/gradient_list.hpp>
#include <placement/nn/learning_rate.hpp>
#include <placement/nn/parameters.hpp>
#include <placement/nn/slots.hpp>
#include <placement/place/scope.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace nn {

/// A gradient tape watches the variables of a model.
template <class M> void watch(gradient_tape& tape, M& model) {
  if constexpr (detail::lists_arrays<M>) {
    for (auto const& a : detail::trainable_among(model.arrays()))
      detail::with_real_type(a, [&]<class T>(T) { tape.watch(detail::flat_of<T>(a)); });
  } else {
    std::apply([&](auto const&... v) { (tape.watch(v.value()), ...); }, parameters(model));
  }
}
namespace detail {
/// Name and shape of the variable with these elements: "variable 'w' of shape [2]". Empty if there
/// is none.
template <class M> std::string text_of_variable(M& model, placement::detail::buffer const* b) {
  std::string text;
  auto const add = [&](std::string const& name, placement::detail::any_shape const& x) {
    text = "variable " + core::quote(name) + " of shape " + core::text_of(x);
  };
  if constexpr (lists_arrays<M>) {
    for (any_array const& a : model.arrays())
      if (a.elements->get() == b) add(a.name, a.shape());
  } else {
    for_each_variable(model, [&](std::string const& name, auto const& v) {
      if (core::tensor_access::elements(v.value()).get() == b) add(name, v.shape());
    });
  }
  return text;
}
template <class M>
[[noreturn, gnu::cold]] void throw_unread(M& model, core::unconnected_tensor const& e) {
  std::string const variable = text_of_variable(model, e.elements);
  if (variable.empty()) throw e;
  throw invalid_argument("placement: the loss does not depend on " + variable +
                         ". Read it in the loss, ask before it is assigned a new value, or "
                         "leave it out of the model.");
}
template <class M>
[[noreturn, gnu::cold]] void throw_faulty(M& model, core::faulty_elements const& e) {
  std::string const variable = text_of_variable(model, e.elements);
  if (variable.empty()) throw e;
  throw numerics_error(e.what() + (" It is a gradient of " + variable + "."));
}
}  // namespace detail

/// The gradients of a loss by the variables of a model, in order, as a tuple; those of a
/// variable_store as a gradient_list.
/// Throws, with the name of a variable: invalid_argument if the loss does not depend on it;
/// numerics_error under a tape with check_numerics.
template <operand L, class M, class K = kernels_here>
auto gradients_of(gradient_tape& tape, L const& loss, M& model) {
  auto const compute = [&] {
    if constexpr (detail::lists_arrays<M>) {
      gradient_list all;
      auto const variables = detail::trainable_among(model.arrays());
      auto const each = [&](auto const& f) {
        for (auto const& a : variables)
          detail::with_real_type(a, [&]<class T>(T) { f(detail::flat_of<T>(a)); });
      };
      tape.gradient_of_each(loss, each, [&](auto const& g) { all.add(g); });
      return all;
    } else {
      return std::apply(
          [&](auto const&... v) {
            if constexpr (sizeof...(v) == 1) return std::tuple{tape.gradient(loss, v.value()...)};
            else return tape.gradient(loss, v.value()...);
          },
          parameters(model));
    }
  };
  try {
    return compute();
  } catch (placement::detail::unconnected_tensor const& e) {
    detail::throw_unread(model, e);
  } catch (placement::detail::faulty_elements const& e) { detail::throw_faulty(model, e); }
}

namespace detail {
/// What an optimizer knows after its updates.
struct optimizer_state {
  slot_table slots;
  index_t step = 0;
  std::vector<slot_table> copies{};  ///< of mirrored variables: all but the first

  slot_table& of_copy(std::size_t c) { return c == 0 ? slots : copies[c - 1]; }
};
/// What an update depends on beside the variable. number: from 1 on.
struct update_step {
  double rate;
  index_t number;
  site at;
};
/// Calls f(number, variable, gradient) for each variable.
template <class V, class G, class F>
void for_each_update(V const& variables, G const& gradients, F const& f) {
  static_assert(std::tuple_size_v<V> == std::tuple_size_v<G>,
                "placement: an optimizer takes one gradient for each variable. Give as many.");
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(I, std::get<I>(variables), std::get<I>(gradients)), ...);
  }(std::make_index_sequence<std::tuple_size_v<V>>{});
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_count(std::size_t variables,
                                                                     std::size_t gradients) {
  throw invalid_argument("placement: a store of " + std::to_string(variables) +
                         " trainable variables gets " + std::to_string(gradients) +
                         " gradients. Give those of gradients_of() for the same store.");
}
template <class T, class X> constexpr std::string_view element_of(variable<T, X> const&) {
  return element_name<T>();
}
template <class T, class X, class G>
void check_gradient(std::size_t i, variable<T, X> const& v, G const& g) {
  static_assert(
      std::is_same_v<T, typename G::value_type>,
      "placement: a gradient has another element type than its variable. Write cast<T>(g).");
  if (!(v.shape() == g.shape()))
    throw_other_gradient(i, v.name(), to_string(v.shape()), to_string(g.shape()));
}
}  // namespace detail

/// The base of the optimizers. Rule has `slots()`, the first values of the slots of a
/// variable, and `update()`, which changes the elements of one variable and its slots. update()
/// gets them as vectors, so that variables of all shapes share its code. `slot_name()` names the
/// slots in checkpoints: "w/Adam", "w/Adam_1".
///
/// Variables are known by their position, so that copies of a model and an optimizer continue
/// alike. Each variable is updated on its own device, and so are its slots. Updates are not
/// recorded by gradient tapes.
template <class Rule> class optimizer {
 public:
  explicit optimizer(learning_rate rate) : rate_(std::move(rate)) {}

  /// Updates the variables. `variables`: a model, or a tuple of references to variables.
  /// `gradients`: a tuple of tensors in the same order.
  /// Cost: one pass over memory for each variable, in place on the CPU. The first call allocates
  /// the slots.
  /// Throws: shape_error, invalid_argument for other shapes, before a variable is changed;
  /// out_of_memory, before a variable is changed where updates are in place.
  template <class M, class... G, class K = kernels_here>
  void apply(M&& variables, std::tuple<G...> const& gradients, site at = site::here()) {
    auto const list = parameters(variables);
    apply_all<K>(&list, &gradients, 1, [](std::size_t, std::size_t) { return true; }, at);
  }
  /// Updates the copies of a model that have the same variables. Those that are not mirrored are
  /// updated in the first copy alone. variables: a tuple of references for each copy; gradients: a
  /// tuple of tensors for each copy. The slots of the other copies begin as copies of the first
  /// one's. Throws: as apply(), but out_of_memory before a variable is changed.
  template <class K, class V, class G>
  void apply_to_replicas(std::vector<V> const& variables, std::vector<G> const& gradients,
                         std::vector<bool> const& is_mirrored, site at) {
    auto const updates = [&](std::size_t copy, std::size_t i) {
      return copy == 0 || is_mirrored[i];
    };
    apply_all<K>(variables.data(), gradients.data(), variables.size(), updates, at);
  }
  /// The same for the trainable variables of a variable_store.
  template <class M, class K = kernels_here> requires detail::lists_arrays<M>
  void apply(M&& store, gradient_list const& gradients, site at = site::here()) {
    auto const list = detail::trainable_among(store.arrays());
    if (list.size() != gradients.size()) detail::throw_other_count(list.size(), gradients.size());
    for (std::size_t i = 0; i != list.size(); ++i) {
      state_.slots.check(i, list[i].name, list[i].element, list[i].shape());
      detail::with_real_type(list[i], [&]<class T>(T) {
        auto const g = gradients.at<T>(i);
        if (g.size() != list[i].shape().count())
          detail::throw_other_gradient(i, list[i].name, placement::detail::text_of(list[i].shape()),
                                       to_string(g.shape()));
      });
    }
    using plain = typename placement::detail::without_recording<K>::type;
    no_gradient const pause;
    auto const& rule = static_cast<Rule const&>(*this);
    for (std::size_t i = 0; i != list.size(); ++i) {
      with_device const beside(list[i].where);
      detail::with_real_type(list[i], [&]<class T>(T) {
        state_.slots.template make<T, plain>(i, nullptr, list[i].shape(), rule.slots(), at);
      });
    }
    detail::update_step const now{rate(), step() + 1, at};
    ++state_.step;
    for (std::size_t i = 0; i != list.size(); ++i) {
      with_device const beside(list[i].where);
      detail::with_real_type(list[i], [&]<class T>(T) {
        update_elements<plain>(state_.slots.of(i), *list[i].elements, gradients.at<T>(i), now);
      });
    }
  }
  /// The gradients of a loss that `tape` has recorded, and their update.
  template <operand L, class M, class K = kernels_here>
  void minimize(gradient_tape& tape, L const& loss, M&& variables, site at = site::here()) {
    apply(variables, gradients_of(tape, loss, variables), at);
  }
  /// Records loss(), which computes one number, then updates the variables. Returns the loss.
  template <class F, class M, class K = kernels_here> requires requires(F const& f) {
    { f() } -> operand;
  }
  auto minimize(F const& loss, M&& variables, site at = site::here()) {
    gradient_tape tape;
    watch(tape, variables);
    using value = bare<decltype(loss())>;
    tensor<typename value::value_type, typename value::extents_type> const l = loss();
    minimize(tape, l, variables, at);
    return l;
  }

  /// The number of updates so far.
  index_t step() const noexcept { return state_.step; }
  double rate() const { return rate_.at(state_.step); }

  // ---- for checkpoints

  detail::optimizer_state& state() noexcept { return state_; }

 private:
  /// Updates the variables of several copies of a model for which updates(copy, i) is true.
  template <class K, class V, class G, class F>
  void apply_all(V const* variables, G const* gradients, std::size_t copies, F const& updates,
                 site at) {
    auto const for_each = [&](auto const& f) {
      for (std::size_t c = 0; c != copies; ++c)
        detail::for_each_update(variables[c], gradients[c],
                                [&](std::size_t i, auto& v, auto const& g) {
                                  if (updates(c, i)) f(c, i, v, g);
                                });
    };
    if (state_.copies.size() + 1 < copies) state_.copies.resize(copies - 1);
    for_each([&](std::size_t c, std::size_t i, auto& v, auto const& g) {
      detail::check_gradient(i, v, g);
      state_.of_copy(c).check(i, v.name(), detail::element_of(v), v.shape());
    });
    using plain = typename placement::detail::without_recording<K>::type;
    no_gradient const pause;
    auto const& rule = static_cast<Rule const&>(*this);
    for_each([&]<class T, class X>(std::size_t c, std::size_t i, variable<T, X>& v, auto&) {
      with_device const beside(v.where());
      state_.of_copy(c).template make<T, plain>(i, c == 0 ? nullptr : &state_.slots, v.shape(),
                                                rule.slots(), at);
    });
    detail::update_step const now{rate(), step() + 1, at};
    ++state_.step;
    for_each([&](std::size_t c, std::size_t i, auto& v, auto const& g) {
      with_device const beside(v.where());
      v.modify([&]<class T, class X>(tensor<T, X>& w) {
        using access = placement::detail::tensor_access;
        update_elements<plain>(state_.of_copy(c).of(i), access::elements(w),
                               placement::detail::flattened(g), now);
      });
    });
  }
  /// Updates the elements of a variable.
  template <class K, class T>
  void update_elements(std::vector<detail::slot>& slots, placement::detail::buffer_ref& w,
                       placement::detail::flat_tensor<T> const& g, detail::update_step const& now) {
    auto const& rule = static_cast<Rule const&>(*this);
    placement::detail::flat_elements<T> elements(w, g.shape());
    rule.template update<K>(*elements, g, slots, now);
  }

  detail::optimizer_state state_;
  learning_rate rate_;
};

}}}  // namespace placement::v0_1::nn
