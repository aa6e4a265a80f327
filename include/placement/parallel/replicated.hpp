#pragma once
/// A model that several towers train.

#include <placement/nn/optimizer.hpp>
#include <placement/parallel/averaging.hpp>
#include <placement/parallel/policies.hpp>
#include <placement/parallel/shared_variables.hpp>
#include <placement/parallel/statistics.hpp>
#include <placement/parallel/towers.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

namespace detail {
/// What tasks/task_towers.hpp needs of a replicated model.
struct replicated_access {
  template <class R> using working_set = typename R::working_set;

  template <class R> static auto& towers(R& r) noexcept { return r.towers_; }
  template <class R> static auto& models(R& r) noexcept { return r.models_; }
  template <class R> static auto& working(R& r) noexcept { return r.working_; }
  /// The model whose values the towers of a step get.
  template <class R> static auto& source(R& r) noexcept {
    return r.source_ != nullptr ? *r.source_ : r.models_.front();
  }
  /// Makes models for the towers of so many simulated tasks.
  template <class R> static void make_working(R& r, int tasks) {
    while (r.working_.size() < static_cast<std::size_t>(r.towers_.count() * tasks))
      r.add_working(r.working_, r.models_.front());
  }
  /// A model that the caller fills. After use_source() the towers get its values until
  /// release_source().
  template <class R> static auto& make_source(R& r) {
    if (r.sources_.empty()) r.add_working(r.sources_, r.models_.front());
    return r.sources_.front();
  }
  template <class R> static void use_source(R& r) noexcept { r.source_ = &r.sources_.front(); }
  template <class R> static void release_source(R& r) noexcept {
    if (r.source_ != nullptr) release_variables(*std::exchange(r.source_, nullptr));
  }
  template <class R> static auto& is_mirrored(R& r) noexcept { return r.is_mirrored_; }
  template <class K, class R> static auto& acquire(R& r, int tower, site at) {
    return r.template acquire<K>(tower, at);
  }
  template <class K, class R, class F>
  static auto recorded(R& r, F const& loss, site at, tower_part const& part,
                       placement::detail::gradient_listener* listener = nullptr) {
    return r.template recorded<K>(loss, at, part, listener);
  }
  template <class K, class R, class F>
  static auto run_on(R& r, int index, tower_part const& part, F const& f, site at) {
    return r.template run_on_part<F, K>(index, part, f, at);
  }
  template <class K, class R, class O, class A>
  static void update(R& r, O& optimizer, A const& g, site at) {
    r.template update<K>(optimizer, g, at);
  }
};
}  // namespace detail

/// What the towers of a step have computed.
template <class Loss, class Gradients> struct tower_gradients {
  std::vector<Loss> losses;          ///< of each tower, on its device
  std::vector<Gradients> gradients;  ///< averaged: of the model, or of each mirrored copy
};

/// A model whose variables live where a policy says, for towers that train it:
///
///     parallel::towers towers({"/gpu:0", "/gpu:1"});
///     parallel::replicated net(towers, nn::sequential(...), parallel::first_tower{});
///     nn::adam adam(0.001);
///     auto losses = net.minimize(adam, [&](parallel::tower const& t, auto& model) {
///       return loss_of(model, t.slice(images), t.slice(labels));
///     });
///
/// The function gets a model with its variables on the tower's device. It may call it in training.
/// Moving statistics become d^K m + sum d^(K - 1 - i) (m_i - d m), with decay d: as if the K towers
/// had updated one copy in their order. A tower updates them at most once per step.
/// A step whose function, copies or averages throw leaves the variables, slots and statistics as
/// they were.
/// Thread: one thread at a time calls its functions.
template <class Model, class Policy = first_tower> class replicated {
 public:
  /// Moves the variables to their devices. A variable with a requested device stays there, and is
  /// not mirrored.
  /// Throws: out_of_memory; placement_error for a device of the policy that does not exist.
  template <class K = kernels_here>
  replicated(towers on, Model model, Policy policy = {}, site at = site::here())
      : towers_(std::move(on)), policy_(std::move(policy)) {
    std::vector<device> const places =
        detail::places_of<K>(policy_, model, towers_.devices(), is_mirrored_, at);
    detail::move_variables(model, places, at);
    for (int i = 0; i != towers_.count(); ++i) {
      add_working(working_, model);
      if (policy_.mirrors && i != 0)
        models_.push_back(detail::mirrored_copy(model, is_mirrored_, towers_.where(i), at));
    }
    models_.insert(models_.begin(), std::move(model));
  }
  replicated(replicated&&) noexcept = default;
  replicated& operator=(replicated&&) noexcept = default;
  replicated(replicated const&) = delete;  // placement: copy model() instead.
  replicated& operator=(replicated const&) = delete;
  ~replicated() = default;

  /// The model: its variables are where the policy says. Those of mirrored ones are tower 0's.
  Model const& model() const noexcept { return models_.front(); }
  /// The mirrored model of a tower; model() if the policy does not mirror.
  /// Throws: out_of_memory after arrays().
  Model const& model_of(int tower, site at = site::here()) {
    refresh_copies(at);
    return models_[copy_of(tower)];
  }
  towers const& on() const noexcept { return towers_; }

  /// Takes over the values of another model of the same layers, such as one read from a file.
  /// Throws: out_of_memory; then nothing has changed.
  void assign(Model const& from, site at = site::here()) {
    std::vector<Model> made;
    for (std::size_t i = 0; i != models_.size(); ++i)
      made.push_back(detail::beside(from, models_[i], at));
    models_ = std::move(made);
  }

  /// The variables of model(), for nn::save, nn::load and nn::checkpoint. Mirrored copies take over
  /// what is written to them before the next step.
  std::vector<nn::detail::any_array> arrays() {
    has_stale_copies_ = true;
    return nn::detail::arrays_of(models_.front());
  }
  std::vector<nn::detail::any_array> arrays() const {
    return nn::detail::arrays_of(models_.front());
  }

  /// Calls f(tower, model) for each tower, as towers::run(). Then merges the moving statistics.
  template <class F, class K = kernels_here> auto run(F const& f, site at = site::here()) {
    working_set const all(*this, at);
    auto const each = [&](tower const& t) { return f(t, acquire<K>(t.index(), at)); };
    using result = std::invoke_result_t<F const&, tower const&, Model&>;
    if constexpr (std::is_void_v<result>) {
      towers_.run(each, at);
      detail::merged_statistics<K>(models_, working_, is_mirrored_, all.before, at).store();
    } else {
      auto found = towers_.run(each, at);
      detail::merged_statistics<K>(models_, working_, is_mirrored_, all.before, at).store();
      return found;
    }
  }
  /// Calls f(tower, model) for one tower on the calling thread.
  template <class F, class K = kernels_here>
  auto run_on(int index, F const& f, site at = site::here()) {
    return run_on_part<F, K>(index, {}, f, at);
  }
  /// The losses of the towers and their averaged gradients. loss(tower, model) is recorded by a
  /// gradient_tape of the tower, and computes one number.
  template <class F, class K = kernels_here> auto gradients(F const& loss, site at = site::here()) {
    working_set const all(*this, at);
    auto found = recorded<K>(loss, at);
    auto averaged = average<K>(found, at);
    detail::merged_statistics<K>(models_, working_, is_mirrored_, all.before, at).store();
    return averaged;
  }
  /// Updates the variables, each on its device.
  template <class O, class L, class G, class K = kernels_here>
  void apply(O& optimizer, tower_gradients<L, G> const& g, site at = site::here()) {
    update<K>(optimizer, g, at);
  }
  /// gradients() and apply(). Returns the losses of the towers, each on its device.
  /// Throws: tower_error, with the name of the tower, and of a variable that could not be copied.
  /// placement_error, with the name of a variable whose gradients could not be averaged.
  template <class O, class F, class K = kernels_here>
  auto minimize(O& optimizer, F const& loss, site at = site::here()) {
    auto averaged = [&] {
      working_set const all(*this, at);
      auto found = recorded<K>(loss, at);
      auto g = average<K>(found, at);
      auto statistics =
          detail::merged_statistics<K>(models_, working_, is_mirrored_, all.before, at);
      return std::pair{std::move(g), std::move(statistics)};
    }();
    update<K>(optimizer, averaged.first, at);
    averaged.second.store();
    return std::move(averaged.first.losses);
  }

 private:
  friend struct detail::replicated_access;

  /// run_on() for a tower of a part.
  template <class F, class K>
  auto run_on_part(int index, detail::tower_part const& part, F const& f, site at) {
    working_set const all(*this, at);
    auto const one = [&](tower const& t) { return f(t, acquire<K>(t.index() - part.first, at)); };
    using result = std::invoke_result_t<F const&, tower const&, Model&>;
    if constexpr (std::is_void_v<result>) {
      towers_.run_on_part(index, part, one, at);
      detail::merged_statistics<K>(models_, working_, is_mirrored_, all.before, at).store();
    } else {
      auto found = towers_.run_on_part(index, part, one, at);
      detail::merged_statistics<K>(models_, working_, is_mirrored_, all.before, at).store();
      return found;
    }
  }

  /// The variables of the working models for as long as a step lasts.
  struct working_set {
    working_set(replicated& of, site at) : self(of), before(of.working_.size()) {
      self.refresh_copies(at);
      self.before_ = &before;
    }
    ~working_set() {
      self.before_ = nullptr;
      for (Model& m : self.working_) detail::release_variables(m);
    }
    working_set(working_set const&) = delete;
    working_set& operator=(working_set const&) = delete;

    replicated& self;
    detail::statistics_before before;
  };

  /// Adds a model without elements.
  void add_working(std::vector<Model>& to, Model const& model) {
    to.push_back(model);
    detail::release_variables(to.back());
  }
  void refresh_copies(site at) {
    if (!std::exchange(has_stale_copies_, false)) return;
    for (std::size_t i = 1; i != models_.size(); ++i)
      detail::share_variables(models_[i], models_.front(), models_.front(), is_mirrored_,
                              towers_.where(static_cast<int>(i)), at, detail::shared::mirrored);
  }
  std::size_t copy_of(int tower) const {
    return policy_.mirrors ? static_cast<std::size_t>(tower) : 0;
  }
  /// The model of a tower, with handles of the variables on its device and copies of the others.
  template <class K> Model& acquire(int tower, site at) {
    auto const i = static_cast<std::size_t>(tower);
    int const of_task = tower % towers_.count();
    detail::share_variables(working_[i], detail::replicated_access::source(*this),
                            models_[copy_of(of_task)], is_mirrored_, towers_.where(of_task), at);
    (*before_)[i] = detail::statistics_of(working_[i]);
    return working_[i];
  }
  template <class K, class F>
  auto recorded(F const& loss, site at, detail::tower_part const& part = {},
                placement::detail::gradient_listener* listener = nullptr) {
    return towers_.run_part(
        part,
        [&](tower const& t) {
          Model& m = acquire<K>(t.index() - part.first, at);
          gradient_tape tape;
          if (listener != nullptr) tape.listen(*listener);
          nn::watch(tape, m);
          using value = bare<decltype(loss(t, m))>;
          tensor<typename value::value_type, typename value::extents_type> const l = loss(t, m);
          auto g = nn::gradients_of(tape, l, m);
          return std::pair{l, std::move(g)};
        },
        at);
  }
  template <class K, class L, class G>
  auto average(std::vector<std::pair<L, G>> const& found, site at) {
    tower_gradients<L, G> all;
    std::vector<G> of_towers;
    for (auto const& [loss, g] : found) {
      all.losses.push_back(loss);
      of_towers.push_back(g);
    }
    all.gradients =
        detail::averaged<K>(of_towers, models_.front(), is_mirrored_, policy_, models_.size(), at);
    return all;
  }
  template <class K, class O, class A> void update(O& optimizer, A const& g, site at) {
    std::vector<decltype(nn::parameters(models_.front()))> variables;
    for (Model& m : models_) variables.push_back(nn::parameters(m));
    optimizer.template apply_to_replicas<K>(variables, g.gradients, is_mirrored_, at);
  }

  towers towers_;
  Policy policy_;
  std::vector<bool> is_mirrored_{};  ///< by the order of nn::variables()
  std::vector<Model> models_{};      ///< one, or one for each tower
  std::vector<Model> working_{};     ///< one for each tower; empty variables between steps
  std::vector<Model> sources_{};     ///< none, or one without elements between steps
  Model* source_ = nullptr;          ///< in a step with variables on tasks: that one
  detail::statistics_before* before_ = nullptr;
  bool has_stale_copies_ = false;
};

template <class M> replicated(towers, M) -> replicated<M>;
template <class M, class P> replicated(towers, M, P) -> replicated<M, P>;
template <class M, class P> replicated(towers, M, P, site) -> replicated<M, P>;

}}}  // namespace placement::v0_1::parallel
