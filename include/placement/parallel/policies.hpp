#pragma once
/// Where the variables of a model live that several towers train.
///
/// A policy is a type with
/// - `mirrors`, static or not: whether each tower has variables of its own;
/// - `places(variables, towers)`: the device of each variable, or of its first copy;
/// - `averages_on(home)`: where the gradients of a variable on `home` are averaged;
/// - `form`, if it has it: the ops that average them.
/// A variable with a requested device stays there, whatever the policy.

#include <placement/device/device.hpp>
#include <placement/parallel/reduction.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

/// What a policy knows of a variable.
struct variable_facts {
  std::string name;
  std::size_t bytes = 0;
  bool trainable = true;
};

/// All variables, slots and updates on the device of tower 0. The other towers copy the variables
/// in each step. `averaging`: where gradients are averaged; by default beside the variable. `form`:
/// the ops that average them.
struct first_tower {
  static constexpr bool mirrors = false;
  std::optional<device> averaging{};
  reduce_form form = reduce_form::fused;

  std::vector<device> places(std::vector<variable_facts> const& variables,
                             std::vector<device> const& towers) const {
    return std::vector<device>(variables.size(), towers.front());
  }
  device averages_on(device home) const { return averaging.value_or(home); }
};

/// All variables, slots and updates on CPU:0, as by TensorFlow's CentralStorageStrategy, or on
/// another device: a parameter server.
struct central {
  static constexpr bool mirrors = false;
  device home = cpu0;

  std::vector<device> places(std::vector<variable_facts> const& variables,
                             std::vector<device> const&) const {
    return std::vector<device>(variables.size(), home);
  }
  static device averages_on(device home) { return home; }
};

/// A copy of each variable on the device of each tower, as by TensorFlow's MirroredStrategy. The
/// copies have the same bits after every step. No variable is copied during a step; its gradients
/// are summed by an all-reduce.
struct mirrored {
  static constexpr bool mirrors = true;

  static std::vector<device> places(std::vector<variable_facts> const& variables,
                                    std::vector<device> const& towers) {
    return std::vector<device>(variables.size(), towers.front());
  }
  static device averages_on(device home) { return home; }
};

/// How sharded variables are distributed.
enum class shard_order {
  round_robin,  ///< one after another, as by TensorFlow's replica_device_setter
  by_size,      ///< each on the device with the fewest bytes so far, as by its
                ///< GreedyLoadBalancingStrategy
};
/// The variables on several devices: by default those of the towers. With `devices` of several
/// tasks, such as task_devices("cpu:0", "ps"), each task has a part of the variables and slots.
struct sharded {
  static constexpr bool mirrors = false;
  shard_order order = shard_order::round_robin;
  std::vector<device> devices{};

  std::vector<device> places(std::vector<variable_facts> const& variables,
                             std::vector<device> const& towers) const {
    std::vector<device> const& on = devices.empty() ? towers : devices;
    std::vector<std::size_t> bytes(on.size());
    std::vector<device> all;
    for (std::size_t i = 0; i != variables.size(); ++i) {
      auto const least =
          static_cast<std::size_t>(std::min_element(bytes.begin(), bytes.end()) - bytes.begin());
      std::size_t const shard = order == shard_order::by_size ? least : i % on.size();
      bytes[shard] += variables[i].bytes;
      all.push_back(on[shard]);
    }
    return all;
  }
  static device averages_on(device home) { return home; }
};

/// A policy that the program chooses as it runs: `any_policy p = mirrored{};`.
/// Cost: models and steps are compiled once for all policies.
class any_policy {
 public:
  template <class P> requires(!std::is_same_v<P, any_policy>)
  any_policy(P policy)
      : mirrors(policy.mirrors), chosen_(std::make_shared<known<P>>(std::move(policy))) {}

  bool mirrors;
  std::vector<device> places(std::vector<variable_facts> const& variables,
                             std::vector<device> const& towers) const {
    return chosen_->places(variables, towers);
  }
  device averages_on(device home) const { return chosen_->averages_on(home); }

 private:
  struct any {
    any() = default;
    any(any const&) = delete;
    any& operator=(any const&) = delete;
    virtual ~any() = default;
    virtual std::vector<device> places(std::vector<variable_facts> const&,
                                       std::vector<device> const&) const = 0;
    virtual device averages_on(device home) const = 0;
    reduce_form form = reduce_form::fused;
  };
  template <class P> struct known final : any {
    explicit known(P&& p) : policy(std::move(p)) {
      if constexpr (requires { policy.form; }) any::form = policy.form;
    }
    std::vector<device> places(std::vector<variable_facts> const& variables,
                               std::vector<device> const& towers) const override {
      return policy.places(variables, towers);
    }
    device averages_on(device home) const override { return policy.averages_on(home); }
    P policy;
  };

  std::shared_ptr<any const> chosen_;

 public:
  reduce_form form = chosen_->form;
};

}}}  // namespace placement::v0_1::parallel
