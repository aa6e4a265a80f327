#pragma once
/// What all optimizers have: apply(), minimize(), and slots.

#include <placement/gradient/record.hpp>
#include <placement/nn/any_array.hpp>
#include <placement/nn/gradient_list.hpp>
#include <placement/nn/learning_rate.hpp>
#include <placement/nn/parameters.hpp>
#include <placement/nn/slots.hpp>
#include <placement/place/scope.hpp>

#include <algorithm>
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
template <class M>
[[gnu::cold, gnu::noinline]] std::string text_of_variable(M const& model, core::buffer const* b) {
  std::string text;
  if (b == nullptr) return text;  // as a variable that was moved from
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
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_other_count(std::size_t variables,
                                                                     std::size_t gradients) {
  throw invalid_argument("placement: a store of " + std::to_string(variables) +
                         " trainable variables gets " + std::to_string(gradients) +
                         " gradients. Give those of gradients_of() for the same store.");
}
/// Throws: shape_error unless a gradient has the shape of its variable.
inline void check_gradient(std::size_t number, std::string_view name, core::any_shape const& v,
                           core::any_shape const& g) {
  bool fits = v.rank == g.rank;
  for (std::size_t d = 0; fits && d != v.rank; ++d) fits = v.extent[d] == g.extent[d];
  if (!fits) throw_other_gradient(number, name, core::text_of(v), core::text_of(g));
}
/// A variable and its gradient, with functions of their element type. O: the optimizer.
template <class O> struct variable_update {
  std::size_t rank = 0;
  index_t extent[max_rank]{};
  device where{};
  core::buffer_ref* elements = nullptr;  ///< of a variable that lives longer
  core::buffer_ref gradient;
  std::size_t copy = 0, number = 0;  ///< of the model; the position of the variable in it
  void (*make_slots)(O& optimizer, variable_update const& u, site at) = nullptr;
  void (*update)(O& optimizer, variable_update const& u, update_step const& now) = nullptr;

  core::any_shape shape() const { return {rank, extent}; }
};
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
    update all[sizeof...(G) + 1];
    run(all, list_updates<K>(all, 0, parameters(variables), gradients, nullptr), at);
  }
  /// Updates the copies of a model that have the same variables. Those that are not mirrored are
  /// updated in the first copy alone. variables: a tuple of references for each copy; gradients: a
  /// tuple of tensors for each copy. The slots of the other copies begin as copies of the first
  /// one's. Throws: as apply(), but out_of_memory before a variable is changed.
  template <class K, class V, class G>
  void apply_to_replicas(std::vector<V> const& variables, std::vector<G> const& gradients,
                         std::vector<bool> const& is_mirrored, site at) {
    if (state_.copies.size() + 1 < variables.size()) state_.copies.resize(variables.size() - 1);
    std::vector<update> all(variables.size() * is_mirrored.size() + 1);
    update* end = all.data();
    for (std::size_t c = 0; c != variables.size(); ++c)
      end = list_updates<K>(end, c, variables[c], gradients[c], c == 0 ? nullptr : &is_mirrored);
    run(all.data(), end, at);
  }
  /// The same for the trainable variables of a variable_store.
  template <class M, class K = kernels_here> requires detail::lists_arrays<M>
  void apply(M&& store, gradient_list const& gradients, site at = site::here()) {
    auto const list = detail::trainable_among(store.arrays());
    if (list.size() != gradients.size()) detail::throw_other_count(list.size(), gradients.size());
    std::vector<update> all(list.size() + 1);
    for (std::size_t i = 0; i != list.size(); ++i) {
      detail::any_array const& a = list[i];
      detail::with_real_type(a, [&]<class T>(T) {
        auto const g = gradients.at<T>(i);
        if (g.size() != a.shape().count())
          detail::throw_other_gradient(i, a.name, detail::core::text_of(a.shape()),
                                       to_string(g.shape()));
        fill<K, T>(all[i], a.name, a.shape(), a.where, *a.elements, 0, i,
                   detail::core::tensor_access::elements(g));
      });
    }
    run(all.data(), all.data() + list.size(), at);
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
  using update = detail::variable_update<optimizer>;

  /// Writes the updates of one copy of a model to `to`. of: which variables; null for all. Returns
  /// the end of the updates.
  template <class K, class... V, class... G>
  update* list_updates(update* to, std::size_t copy, std::tuple<V&...> const& variables,
                       std::tuple<G...> const& gradients, std::vector<bool> const* of) {
    static_assert(sizeof...(V) == sizeof...(G),
                  "placement: an optimizer takes one gradient for each variable. Give as many.");
    static_assert(
        (std::is_same_v<typename V::value_type, typename G::value_type> && ...),
        "placement: a gradient has another element type than its variable. Write cast<T>(g).");
    auto const add = [&]<class T, class X, class Y>(std::size_t i, variable<T, X>& v,
                                                    tensor<T, Y> const& g) {
      if (of != nullptr && !(*of)[i]) return;
      detail::check_gradient(i, v.name(), v.shape(), g.shape());
      fill<K, T>(*to++, v.name(), v.shape(), v.where(), detail::variable_access::elements(v), copy,
                 i, detail::core::tensor_access::elements(g));
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add(I, std::get<I>(variables), std::get<I>(gradients)), ...);
    }(std::index_sequence_for<V...>{});
    return to;
  }
  template <class K, class T>
  void fill(update& u, std::string_view name, detail::core::any_shape const& x, device where,
            detail::core::buffer_ref& elements, std::size_t copy, std::size_t number,
            detail::core::buffer_ref const& gradient) {
    using plain = typename placement::detail::without_recording<K>::type;
    state_.of_copy(copy).check(number, name, element_name<T>(), x);
    u.rank = x.rank;
    std::copy(x.extent, x.extent + x.rank, u.extent);
    u.where = where;
    u.elements = &elements;
    u.gradient = gradient;
    u.copy = copy;
    u.number = number;
    u.make_slots = &optimizer::make_slots<plain, T>;
    u.update = &optimizer::update_elements<plain, T>;
  }
  void run(update const* first, update const* end, site at) {
    no_gradient const pause;
    for (update const* u = first; u != end; ++u) u->make_slots(*this, *u, at);
    detail::update_step const now{rate(), step() + 1, at};
    ++state_.step;
    for (update const* u = first; u != end; ++u) u->update(*this, *u, now);
  }
  template <class K, class T> static void make_slots(optimizer& o, update const& u, site at) {
    with_device const beside(u.where);
    o.state_.of_copy(u.copy).template make<T, K>(u.number, u.copy == 0 ? nullptr : &o.state_.slots,
                                                 u.shape(), static_cast<Rule const&>(o).slots(),
                                                 at);
  }
  template <class K, class T>
  static void update_elements(optimizer& o, update const& u, detail::update_step const& now) {
    with_device const beside(u.where);
    auto const g = detail::flat_of<T>(u.gradient, u.shape());
    detail::core::flat_elements<T> elements(*u.elements, g.shape());
    static_cast<Rule const&>(o).template update<K>(*elements, g,
                                                   o.state_.of_copy(u.copy).of(u.number), now);
  }

  detail::optimizer_state state_;
  learning_rate rate_;
};

}}}  // namespace placement::v0_1::nn
