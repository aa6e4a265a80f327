#pragma once
/// The order in which a dataset gives its examples.

#include <placement/math/philox.hpp>
#include <placement/shape/extents.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

/// The order of the examples of an epoch.
enum class epoch_order { shuffled, as_given };

/// Which batches a dataset gives next. A checkpoint keeps it.
struct dataset_state {
  std::uint64_t seed = 0;
  epoch_order order = epoch_order::shuffled;
  index_t size = 0;         ///< the number of examples
  std::uint64_t epoch = 0;  ///< of the next example
  index_t next = 0;         ///< its number in the order of the epoch

  friend bool operator==(dataset_state const&, dataset_state const&) = default;
};

namespace detail {

/// The next example: of an epoch, and its number in the order of the epoch.
struct example_position {
  std::uint64_t epoch = 0;
  index_t next = 0;

  friend bool operator==(example_position const&, example_position const&) = default;
};

/// The orders of all epochs. That of an epoch is a function of the seed and the epoch's number.
class example_orders {
 public:
  example_orders(index_t count, std::uint64_t seed, epoch_order order)
      : count_(count), seed_(seed), order_(order) {}

  /// Calls use(i, example) for the n examples from a position on, which moves. After the last
  /// example of an epoch comes the first of the next.
  template <class F> void each(example_position& from, index_t n, F const& use) {
    for (index_t i = 0; i != n; ++i) {
      if (from.next == count_) from = {from.epoch + 1, 0};
      use(i, example(from));
      ++from.next;
    }
  }

 private:
  index_t example(example_position const& p) {
    if (order_ == epoch_order::as_given) return p.next;
    if (permutation_.empty() || epoch_ != p.epoch) shuffle(p.epoch);
    return permutation_[static_cast<std::size_t>(p.next)];
  }
  /// Source: Durstenfeld: Algorithm 235, Random permutation (1964).
  void shuffle(std::uint64_t epoch) {
    std::vector<index_t> p(static_cast<std::size_t>(count_));
    for (std::size_t i = 0; i != p.size(); ++i) p[i] = static_cast<index_t>(i);
    random_stream const random{seed_, epoch};
    for (std::size_t i = p.size(); i-- > 1;)
      std::swap(p[i], p[below(i + 1, random.block(static_cast<std::int64_t>(i)))]);
    permutation_ = std::move(p);
    epoch_ = epoch;
  }

  index_t count_;
  std::uint64_t seed_, epoch_ = 0;
  epoch_order order_;
  std::vector<index_t> permutation_;
};

}  // namespace detail

}}  // namespace placement::v0_1
