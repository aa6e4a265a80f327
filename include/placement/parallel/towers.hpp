#pragma once
/// Towers: one function on several devices at once, each with its part of a batch.

#include <placement/error.hpp>
#include <placement/expr/memory.hpp>
#include <placement/ops/slice.hpp>
#include <placement/parallel/rendezvous.hpp>
#include <placement/place/scope.hpp>

#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace parallel {

/// The error of a step in which the function of a tower threw. what() names the tower, its device
/// and the message. std::rethrow_if_nested() throws the exception of the function.
class tower_error final : public placement_error, public std::nested_exception {
 public:
  tower_error(std::string const& text, int tower, std::exception_ptr cause)
      : placement_error(text), tower_(tower), cause_(std::move(cause)) {}
  /// The number of the tower that threw first in the order of towers.
  int tower() const noexcept { return tower_; }
  [[noreturn]] void rethrow_cause() const { std::rethrow_exception(cause_); }

 private:
  int tower_;
  std::exception_ptr cause_;
};

/// The threads of a step: the caller's for all towers, one after another, or one for each tower.
/// Results have the same bits.
enum class tower_threads { one, per_tower };

struct tower_options {
  tower_threads threads = tower_threads::per_tower;
};

class towers;

/// What the function of a step knows of its tower.
class tower {
 public:
  tower(int index, int count, device d, detail::rendezvous* others) noexcept
      : index_(index), count_(count), where_(d), others_(others) {}

  int index() const noexcept { return index_; }
  /// The number of towers.
  int count() const noexcept { return count_; }
  device where() const noexcept { return where_; }
  /// "tower_0".
  std::string name() const { return "tower_" + std::to_string(index_); }

  /// The rows of a batch that are this tower's, on its device: of n rows those from
  /// n / count() * index() on. A batch of one tower is the batch itself, without a copy if it is on
  /// the device.
  /// Shape: [n / count(), ...].  Throws: shape_error unless count() divides n.
  template <class T, class X> auto slice(tensor<T, X> const& batch, site at = site::here()) const {
    static_assert(X::rank > 0, "placement: a batch has its samples along the first dimension.");
    index_t const rows = batch.shape().at(0), share = rows / count_;
    if (share * count_ != rows) detail::throw_undivided(rows, count_, at);
    using part = tensor<T, typename detail::rows_of<X>::type>;
    if (count_ == 1) return part(copy_to(device_request(where_, at), batch));
    return part(placement::slice(batch, range(share * index_, share * (index_ + 1))), at);
  }

  /// The tower whose function this thread runs; null outside of towers.
  static tower const* current() noexcept { return detail::tower_here; }
  /// Where the towers of a step meet. Null if there is one tower.
  detail::rendezvous* others() const noexcept { return others_; }

 private:
  int index_, count_;
  device where_;
  detail::rendezvous* others_;
};

/// Several devices that run one function at once: `towers t({"/gpu:0", "/gpu:1"})`. Copies share
/// their threads.
/// Thread: one thread at a time calls run().
class towers {
 public:
  /// All GPUs; CPU:0 if there is none.
  explicit towers(tower_options o = {}, site at = site::here());
  /// The first `count` GPUs. Without GPUs, 1 is CPU:0.
  /// Throws: invalid_argument if count is 0 or more than there are.
  explicit towers(int count, tower_options o = {}, site at = site::here());
  /// Throws: invalid_argument for no device, a device twice, a name that is not one device;
  /// placement_error for a device that does not exist.
  explicit towers(std::vector<device> devices, tower_options o = {}, site at = site::here());
  explicit towers(std::initializer_list<device_request> names, tower_options o = {},
                  site at = site::here());

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
    using result = std::invoke_result_t<F const&, tower const&>;
    if constexpr (std::is_void_v<result>) {
      run_all({&f, [](void const* g, tower const& t) { (*static_cast<F const*>(g))(t); }}, at);
    } else {
      std::vector<std::optional<result>> found(devices_.size());
      auto const keep = [&](tower const& t) {
        found[static_cast<std::size_t>(t.index())].emplace(f(t));
      };
      using kept = decltype(keep);
      run_all({&keep, [](void const* g, tower const& t) { (*static_cast<kept const*>(g))(t); }},
              at);
      std::vector<result> all;
      all.reserve(found.size());
      for (auto& one : found) all.push_back(std::move(*one));
      return all;
    }
  }
  /// Calls f(tower) for one tower on the calling thread, inside its scopes.
  /// Throws: tower_error.
  template <class F> auto run_on(int index, F const& f, site at = site::here()) const {
    using result = std::invoke_result_t<F const&, tower const&>;
    if constexpr (std::is_void_v<result>) {
      run_one(index, {&f, [](void const* g, tower const& t) { (*static_cast<F const*>(g))(t); }},
              at);
    } else {
      std::optional<result> found;
      auto const keep = [&](tower const& t) { found.emplace(f(t)); };
      using kept = decltype(keep);
      run_one(index,
              {&keep, [](void const* g, tower const& t) { (*static_cast<kept const*>(g))(t); }},
              at);
      return std::move(*found);
    }
  }

 private:
  void run_all(detail::tower_function f, site at) const;
  void run_one(int index, detail::tower_function f, site at) const;

  std::vector<device> devices_;
  tower_options options_;
  std::shared_ptr<detail::tower_team> team_;  ///< the threads
};

}}}  // namespace placement::v0_1::parallel

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/parallel/towers.ipp>
#endif
