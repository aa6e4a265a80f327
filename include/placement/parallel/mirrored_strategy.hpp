#pragma once
/// Training with a copy of each variable on each device, as by tf.distribute.MirroredStrategy.

#include <placement/parallel/replicated.hpp>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

namespace detail {
/// A number for a strategy, from 1 on.
std::uint32_t next_strategy() noexcept;
/// Logs the devices of a strategy at level `all`, in TensorFlow's words in its forms.
void log_strategy(std::vector<device> const& devices);
[[noreturn, gnu::cold]] void throw_outside_scope(std::string const& name, site at);
}  // namespace detail

/// Mirrored variables on all GPUs, or on the given devices:
///
///     parallel::mirrored_strategy strategy;
///     auto net = [&] {
///       auto const in_scope = strategy.scope();
///       return strategy.replicate(nn::sequential(...));
///     }();
///     nn::sgd sgd(0.2);
///     auto losses = net.minimize(sgd, [&](parallel::tower const& replica, auto& model) { ... });
///     float loss = item(strategy.reduce(parallel::reduction::mean, losses));
///
/// Calls beside TensorFlow's: `strategy.scope()`, `strategy.run(step)`, `strategy.reduce(...)`,
/// `num_replicas_in_sync`. A replica is a tower; its part of a batch is `replica.slice(batch)`.
class mirrored_strategy {
 public:
  /// All GPUs; CPU:0 if there is none. Logs the devices at level `all`.
  explicit mirrored_strategy(site at = site::here()) : mirrored_strategy(towers({}, at)) {}
  explicit mirrored_strategy(std::initializer_list<device_request> names, site at = site::here())
      : mirrored_strategy(towers(names, {}, at)) {}
  /// On the devices of `list_logical_devices("GPU")`.
  explicit mirrored_strategy(std::vector<logical_device> const& devices, site at = site::here())
      : mirrored_strategy(towers(devices, {}, at)) {}
  /// Throws of all four: as towers.
  explicit mirrored_strategy(towers on) : towers_(std::move(on)), number_(detail::next_strategy()) {
    detail::log_strategy(towers_.devices());
  }

  /// Variables that this thread makes while it lives belong to the strategy.
  class [[nodiscard]] variable_scope {
   public:
    explicit variable_scope(std::uint32_t number) noexcept
        : outer_(std::exchange(nn::detail::strategy_here, number)) {}
    ~variable_scope() { nn::detail::strategy_here = outer_; }
    variable_scope(variable_scope const&) = delete;
    variable_scope& operator=(variable_scope const&) = delete;

   private:
    std::uint32_t outer_;
  };
  variable_scope scope() const noexcept { return variable_scope(number_); }

  /// A model with a copy of its variables on each device. A variable with a requested device has
  /// one copy, there: TensorFlow ignores such a request.
  /// Throws: invalid_argument, which names the variable, if it was made outside of scope().
  template <class Model, class K = kernels_here>
  replicated<Model, mirrored> replicate(Model model, site at = site::here()) const {
    nn::for_each_variable(model, [&](std::string const& name, auto const& v) {
      if (nn::detail::variable_access::strategy(v) != number_)
        detail::throw_outside_scope(name, at);
    });
    return replicated<Model, mirrored>(towers_, std::move(model), {}, at);
  }

  /// Calls step(replica) for each replica, as towers::run().
  template <class F> auto run(F const& step, site at = site::here()) const {
    return towers_.run(step, at);
  }
  /// Calls step(replica, model) for each replica of a model.
  template <class F, class Model, class K = kernels_here>
  auto run(F const& step, replicated<Model, mirrored>& model, site at = site::here()) const {
    return model.run(step, at);
  }
  /// The sum or mean of one tensor per replica, on CPU:0.
  /// Throws: as reduce_to.
  template <class T, class X, class K = kernels_here>
  tensor<T, X> reduce(reduction r, std::vector<tensor<T, X>> const& values,
                      site at = site::here()) const {
    return reduce_to<T, X, K>(device_request(cpu0, at), values, r, reduce_form::fused, at);
  }

  int num_replicas_in_sync() const noexcept { return towers_.count(); }
  towers const& replicas() const noexcept { return towers_; }

 private:
  towers towers_;
  std::uint32_t number_;
};

}}}  // namespace placement::v0_1::parallel

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/parallel/mirrored_strategy.ipp>
#endif
