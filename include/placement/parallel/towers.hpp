#pragma once
/// Towers: one function on several devices at once, each with its part of a batch.

#include <placement/parallel/tower_team.hpp>

#include <initializer_list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

/// Several devices that run one function at once: `towers t({"/gpu:0", "/gpu:1"})`. Copies share
/// their threads.
/// Thread: one thread at a time calls run().
class towers {
 public:
  /// All GPUs; CPU:0 if there is none.
  explicit towers(tower_options o = {}, site at = site::here())
      : towers(detail::first_gpus(-1, at), o, at) {}
  /// The first `count` GPUs. Without GPUs, 1 is CPU:0.
  /// Throws: invalid_argument if count is 0 or more than there are.
  explicit towers(int count, tower_options o = {}, site at = site::here())
      : towers(detail::first_gpus(count, at), o, at) {}
  /// Throws: invalid_argument for no device, a device twice, a name that is not one device;
  /// placement_error for a device that does not exist.
  explicit towers(std::vector<device> devices, tower_options o = {}, site at = site::here())
      : devices_(std::move(devices)), options_(o), team_(detail::make_team()) {
    detail::check_devices(devices_, at);
  }
  /// The same for `list_logical_devices("GPU")`.
  explicit towers(std::vector<logical_device> const& devices, tower_options o = {},
                  site at = site::here())
      : towers(detail::ids_of(devices), o, at) {}
  explicit towers(std::initializer_list<device_request> names, tower_options o = {},
                  site at = site::here())
      : towers(detail::devices_of(names, at), o, at) {}

  int count() const noexcept { return static_cast<int>(devices_.size()); }
  device where(int tower) const { return devices_.at(static_cast<std::size_t>(tower)); }
  std::vector<device> const& devices() const noexcept { return devices_; }

  /// Calls f(tower) for each tower, at once: inside a device scope of its device and the scopes of
  /// the caller, with random numbers of its own. Returns the results in the order of towers, unless
  /// f returns void. Waits for all towers, but not for their devices.
  /// The random numbers of several towers follow set_seed, but not the number of threads. Those of
  /// one tower are the ones of the program.
  /// Throws: tower_error if a tower threw, after all of them have ended; invalid_argument if the
  /// calling thread has an open gradient_tape, which would record nothing.
  template <class F> auto run(F const& f, site at = site::here()) const {
    return run_part({}, f, at);
  }
  /// Calls f(tower) for one tower on the calling thread, inside its scopes.
  /// Throws: tower_error.
  template <class F> auto run_on(int index, F const& f, site at = site::here()) const {
    return run_on_part(index, {}, f, at);
  }

  /// The same for towers that are a part of more, on other tasks: for tasks/distributed.hpp.
  template <class F> auto run_part(detail::tower_part const& part, F const& f, site at) const {
    using result = std::invoke_result_t<F const&, tower const&>;
    if constexpr (std::is_void_v<result>) {
      run_all(part, {&f, [](void const* g, tower const& t) { (*static_cast<F const*>(g))(t); }},
              at);
    } else {
      std::vector<std::optional<result>> found(devices_.size() *
                                               static_cast<std::size_t>(part.tasks));
      auto const keep = [&](tower const& t) {
        found[static_cast<std::size_t>(t.index() - part.first)].emplace(f(t));
      };
      using kept = decltype(keep);
      run_all(part,
              {&keep, [](void const* g, tower const& t) { (*static_cast<kept const*>(g))(t); }},
              at);
      std::vector<result> all;
      all.reserve(found.size());
      for (auto& one : found) all.push_back(std::move(*one));
      return all;
    }
  }
  template <class F>
  auto run_on_part(int index, detail::tower_part const& part, F const& f, site at) const {
    using result = std::invoke_result_t<F const&, tower const&>;
    if constexpr (std::is_void_v<result>) {
      run_one(index, part,
              {&f, [](void const* g, tower const& t) { (*static_cast<F const*>(g))(t); }}, at);
    } else {
      std::optional<result> found;
      auto const keep = [&](tower const& t) { found.emplace(f(t)); };
      using kept = decltype(keep);
      run_one(index, part,
              {&keep, [](void const* g, tower const& t) { (*static_cast<kept const*>(g))(t); }},
              at);
      return std::move(*found);
    }
  }

 private:
  void run_all(detail::tower_part const& part, detail::tower_function f, site at) const {
    detail::run_towers(devices_, options_.threads, *team_, part, f, at);
  }
  void run_one(int index, detail::tower_part const& part, detail::tower_function f, site at) const {
    detail::run_tower(devices_, index, part, f, at);
  }

  std::vector<device> devices_;
  tower_options options_;
  std::shared_ptr<detail::tower_team> team_;  ///< the threads
};

}}}  // namespace placement::v0_1::parallel

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/parallel/rendezvous.ipp>
#  include <placement/src/parallel/tower_team.ipp>
#endif
