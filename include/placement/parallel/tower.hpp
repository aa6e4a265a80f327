#pragma once
/// What the function of a step knows of its tower, and the error of a tower.

#include <placement/error.hpp>
#include <placement/expr/memory.hpp>
#include <placement/ops/slice.hpp>
#include <placement/parallel/rendezvous.hpp>
#include <placement/place/scope.hpp>

#include <exception>
#include <string>
#include <utility>

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

/// What the function of a step knows of its tower.
class tower {
 public:
  tower(int index, int count, device d, detail::rendezvous* others,
        detail::gather_towers g = nullptr) noexcept
      : index_(index), count_(count), where_(d), others_(others), gather_(g) {}

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
  /// Where the towers of a step meet in this process. Null if it runs one tower.
  detail::rendezvous* others() const noexcept { return others_; }
  /// How the towers of all tasks exchange values. Null if no other task has towers of the step.
  detail::gather_towers gather() const noexcept { return gather_; }

 private:
  int index_, count_;
  device where_;
  detail::rendezvous* others_;
  detail::gather_towers gather_;
};

}}}  // namespace placement::v0_1::parallel
