#pragma once
/// The devices and threads of towers, and how a step runs on them.

#include <placement/device/logical_device.hpp>
#include <placement/ops/set_seed.hpp>
#include <placement/parallel/tower.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

/// The threads of a step: the caller's for all towers, one after another, or one for each tower.
/// Results have the same bits.
enum class tower_threads { one, per_tower };

struct tower_options {
  tower_threads threads = tower_threads::per_tower;
};

namespace detail {

/// A reference to the function of a step.
struct tower_function {
  void const* function;
  void (*call)(void const* function, tower const& t);
};

/// The towers of a call as a part of more towers, which run on other tasks.
struct tower_part {
  int first = 0;                                   ///< the number of the first one
  int total = 0;                                   ///< of all towers; 0: there are no others
  std::optional<random_stream> numbers{};          ///< of the step
  int task = 0;                                    ///< the first task of the part
  int tasks = 1;                                   ///< of the part; more than 1 if simulated
  int (*enter_task)(int task) noexcept = nullptr;  ///< for the thread of a tower; returns the last
  gather_towers gather = nullptr;                  ///< for exchanges; null: they are not possible
};

/// The threads of several towers. They start with the first step.
class tower_team;
std::shared_ptr<tower_team> make_team();

/// The first GPUs, or CPU:0 for 1 without GPUs. count -1: all.
/// Throws: invalid_argument for another number than there are.
std::vector<device> first_gpus(int count, site at);
std::vector<device> ids_of(std::vector<logical_device> const& devices);
/// Throws: invalid_argument for a name that is not one device.
std::vector<device> devices_of(std::initializer_list<device_request> names, site at);
/// Throws: invalid_argument for no device or one twice; placement_error for one that is not there.
void check_devices(std::vector<device> const& devices, site at);

/// Calls f for each tower: those of part.tasks tasks. Throws: tower_error.
void run_towers(std::vector<device> const& devices, tower_threads threads, tower_team& team,
                tower_part const& part, tower_function f, site at);
/// Calls f for one tower on the calling thread. index: its number among all. Throws: tower_error.
void run_tower(std::vector<device> const& devices, int index, tower_part const& part,
               tower_function f, site at);

}  // namespace detail
}}}  // namespace placement::v0_1::parallel
