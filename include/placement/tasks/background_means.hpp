#pragma once
/// Means of gradients over all tasks, computed while a backward pass goes on.

#include <placement/gradient/tape_core.hpp>
#include <placement/ops/concat.hpp>
#include <placement/ops/slice.hpp>
#include <placement/parallel/shared_variables.hpp>
#include <placement/tasks/collectives.hpp>

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// Gets the gradients of the one tower of a task. Small ones are joined, so that a message has a
/// mebibyte or more. The backward pass of all tasks completes them in one order.
/// Thread: that of the tasks object. Cost: a copy of each gradient.
template <class T> class background_means final : public gradient_listener {
 public:
  using vector = tensor<T, dextents<1>>;
  static constexpr std::size_t bytes_of_message = std::size_t{1} << 20;

  /// where: the device of the tower.
  background_means(device where, site at) : where_(where), at_(at) {}

  /// Throws: out_of_memory; task_error if a mean before this one failed.
  void complete(buffer_ref const& gradient) override {
    waiting_.push_back(gradient);
    bytes_ += gradient->size();
    if (bytes_ >= bytes_of_message) start();
  }
  /// Starts the mean of what is left, after the backward pass. g: a tuple of all gradients.
  template <class G> void finish(G const& g) {
    if (!waiting_.empty()) start();
    std::apply([&](auto const&... one) { (places_.push_back(place_of(one)), ...); }, g);
  }
  /// The mean of gradient i of finish(), of n elements. Waits for it. Throws: task_error.
  vector mean_of(std::size_t i, index_t n) {
    if (n == 0) return tensor_access::empty<vector>();
    place const& p = places_[i];
    message& m = messages_[p.message];
    if (m.mean.shape().at(0) == 0) m.mean = m.pending.get();
    return vector(slice(m.mean, range(p.first, p.first + n)), at_);
  }

 private:
  struct message {
    std::vector<buffer_ref> gradients;  ///< handles, for comparisons
    later<vector> pending;
    vector mean = tensor_access::empty<vector>();
  };
  struct place {
    std::size_t message = 0;
    index_t first = 0;
  };

  static index_t length(buffer_ref const& b) { return static_cast<index_t>(b->size() / sizeof(T)); }
  /// Elements as a vector on the tower's device.
  vector on_device(buffer_ref const& b) const {
    auto x = tensor_access::empty<vector>();
    tensor_access::shape(x) = shape(length(b));
    tensor_access::elements(x) = b;
    tensor_access::elements(x) = parallel::detail::brought(x, where_, at_);
    return x;
  }
  void start() {
    with_device const scope(where_);
    std::vector<vector> parts;
    for (buffer_ref const& b : waiting_) parts.push_back(on_device(b));
    vector const joined =
        parts.size() == 1 ? parts.front() : vector(concat(0, std::move(parts), at_), at_);
    cluster::alone const together(every_task);  // the mean is a statement of all tasks
    messages_.push_back(
        {std::move(waiting_),
         summed_later(joined, "AllMean", at_, detail::mean_of<T>("AllMean", in_order))});
    waiting_.clear();
    bytes_ = 0;
  }
  template <class X> place place_of(tensor<T, X> const& g) const {
    buffer const* const b = tensor_access::elements(g).get();
    for (std::size_t m = 0; m != messages_.size(); ++m) {
      index_t first = 0;
      for (buffer_ref const& one : messages_[m].gradients) {
        if (one.get() == b) return {m, first};
        first += length(one);
      }
    }
    return {};
  }

  device where_;
  site at_;
  std::vector<buffer_ref> waiting_;
  std::size_t bytes_ = 0;  ///< of waiting_
  std::vector<message> messages_;
  std::vector<place> places_;
};

}}}  // namespace placement::v0_1::detail
