#pragma once
/// Batches of labelled examples, prepared in the background. Not part of placement.hpp.
///
///     auto const images = pl::load_idx<std::uint8_t, 3>("train-images-idx3-ubyte");
///     auto const labels = pl::load_idx<std::uint8_t, 1>("train-labels-idx1-ubyte");
///     pl::dataset digits(images, labels, {.seed = 1, .scale = 1.f / 255});
///     auto const batch = digits.next_batch(1000);   // batch.examples, batch.labels

#include <placement/expr/memory.hpp>
#include <placement/interop/example_order.hpp>
#include <placement/interop/prefetcher.hpp>
#include <placement/ops/one_hot.hpp>
#include <placement/place/location.hpp>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 {

struct dataset_options {
  std::uint64_t seed = 0;  ///< of the orders of all epochs
  epoch_order order = epoch_order::shuffled;
  float scale = 1;      ///< what each number of an example is multiplied by
  index_t classes = 0;  ///< 0: the largest label and one more
};

/// Examples with their class numbers, placed like the op Const.
template <std::size_t R> struct labelled_batch {
  tensor<float, dextents<R>> examples;
  tensor<int, dextents<1>> labels;
  index_t classes;

  /// The labels as probabilities. Shape: (n, classes).
  template <class K = kernels_here>
  tensor<float, dextents<2>> one_hot(site at = site::here()) const {
    return placement::one_hot<float>(labels, classes, 1.f, 0.f, at);
  }
};

/// The transform of a dataset that changes nothing.
struct no_transform {
  void operator()(float*, index_t, index_t) const noexcept {}
};

namespace detail {

[[noreturn, gnu::cold]] inline void throw_dataset(std::string const& what,
                                                  std::string const& remedy, site at) {
  throw shape_error("placement: a dataset of " + what + ". " + remedy + "." +
                    location_text("dataset", at));
}
[[noreturn, gnu::cold]] inline void throw_batch_size(index_t n, site at) {
  throw invalid_argument("placement: a batch of " + std::to_string(n) +
                         " examples. Give a number above 0." + location_text("dataset", at));
}
[[noreturn, gnu::cold]] inline void throw_other_dataset(dataset_state const& here,
                                                        dataset_state const& given) {
  auto const text = [](dataset_state const& s) {
    return std::to_string(s.size) + " examples, seed " + std::to_string(s.seed) +
           (s.order == epoch_order::shuffled ? ", shuffled" : ", as given");
  };
  throw invalid_argument("placement: a dataset of " + text(here) + " cannot continue at example " +
                         std::to_string(given.next) + " of one of " + text(given) +
                         ". Give the same examples and options.");
}

/// The examples of a dataset in host memory. Nothing changes them.
template <class T, std::size_t R> struct example_memory {
  T const* numbers = nullptr;
  std::shared_ptr<void const> keep;  ///< owns the numbers
  dextents<R> shape{};
  index_t numbers_of_one = 1;
  float scale = 1;
  std::vector<int> labels;
  index_t classes = 0;

  template <class X> void take_examples(tensor<T, X> const& x, site at) {
    auto const view = std::make_shared<host_view<T, X>>(x.read(at));
    numbers = view->data();
    keep = view;
    for (std::size_t d = 0; d != R; ++d) shape.n[d] = x.shape().at(d);
    for (std::size_t d = 1; d != R; ++d) numbers_of_one *= shape.n[d];
    if (shape.n[0] == 0) throw_dataset("no examples", "Give one or more", at);
  }
  template <class L, class Y> void take_labels(tensor<L, Y> const& y, index_t limit, site at) {
    if (y.shape().at(0) != shape.n[0])
      throw_dataset(std::to_string(shape.n[0]) + " examples and " +
                        std::to_string(y.shape().at(0)) + " labels",
                    "Give one label per example", at);
    index_t const most = limit > 0 ? limit - 1 : std::numeric_limits<int>::max() - 1;
    auto const all = y.read(at);
    labels.reserve(all.size());
    for (L const label : all) {
      if (!std::in_range<index_t>(label) || static_cast<index_t>(label) < 0 ||
          static_cast<index_t>(label) > most)
        throw_dataset(
            "label " + std::to_string(label) + " of example " + std::to_string(labels.size()),
            "Labels are at least 0 and at most " + std::to_string(most), at);
      labels.push_back(static_cast<int>(label));
      if (labels.back() >= classes) classes = index_t{labels.back()} + 1;
    }
    if (limit > 0) classes = limit;
  }
};

/// A batch in host memory, before it is placed.
struct host_batch {
  std::vector<float> numbers;
  std::vector<int> labels;
  example_position end;  ///< where the next batch begins
};
struct batch_request {
  example_position begin;
  index_t count = 0;

  friend bool operator==(batch_request const&, batch_request const&) = default;
};

/// Prepares batches. Each thread has a copy with orders of its own.
template <class T, std::size_t R, class Transform> struct batch_maker {
  example_memory<T, R> const* from;
  example_orders orders;
  Transform transform;

  void operator()(host_batch& b, batch_request const& r) {
    index_t const n = from->numbers_of_one;
    b.labels.resize(static_cast<std::size_t>(r.count));
    b.numbers.resize(static_cast<std::size_t>(r.count) * static_cast<std::size_t>(n));
    b.end = r.begin;
    orders.each(b.end, r.count, [&](index_t i, index_t example) {
      float* const to = b.numbers.data() + i * n;
      T const* const numbers = from->numbers + example * n;
      for (index_t j = 0; j < n; ++j) to[j] = static_cast<float>(numbers[j]) * from->scale;
      transform(to, n, example);
      b.labels[static_cast<std::size_t>(i)] = from->labels[static_cast<std::size_t>(example)];
    });
  }
};

}  // namespace detail

/// Examples with labels, in batches. T: the element type of the examples. Transform: called as
/// transform(numbers, count, example) for each example of a batch, whose numbers it may change. It
/// is copied; one copy at a time is called, on any thread.
/// Thread: one at a time calls members. The next batch is prepared on a thread of the dataset; in
/// the child of a fork() on the calling thread.
template <class T, std::size_t R, class Transform = no_transform> class dataset {
 public:
  /// examples: (n, ...), of any device. labels: (n) integers from 0 on. The dataset shares the
  /// memory of examples on the host, and copies the labels.
  /// Throws: shape_error for no examples, another number of labels, or a label out of range;
  /// out_of_memory.
  template <class X, class L, class Y>
  dataset(tensor<T, X> const& examples, tensor<L, Y> const& labels, dataset_options options = {},
          Transform transform = {}, site at = site::here())
      : memory_(memory_of(examples, labels, options, at)),
        seed_(options.seed),
        order_(options.order),
        batches_(detail::batch_maker<T, R, Transform>{
            &memory_, detail::example_orders(memory_.shape.n[0], options.seed, options.order),
            std::move(transform)}) {}
  dataset(dataset const&) = delete;
  dataset& operator=(dataset const&) = delete;

  index_t size() const noexcept { return memory_.shape.n[0]; }
  index_t classes() const noexcept { return memory_.classes; }
  /// The number of the epoch of the next example, from 0 on.
  std::uint64_t epoch() const noexcept {
    return position_.epoch + (position_.next == size() ? 1 : 0);
  }

  /// What determines the next batches, for checkpoints.
  dataset_state state() const noexcept {
    return {seed_, order_, size(), position_.epoch, position_.next};
  }
  /// Continues at a state of this dataset, or of one with the same seed, order and size.
  /// Throws: invalid_argument for another one; then the next batch is still the same.
  void set_state(dataset_state const& s) {
    if (s.seed != seed_ || s.order != order_ || s.size != size() || s.next < 0 || s.next > size())
      detail::throw_other_dataset(state(), s);
    position_ = {s.epoch, s.next};
  }

  /// The next n examples with their labels, on the device that the scope names. A short rest of an
  /// epoch is joined with the start of the next. The batch after it is prepared meanwhile.
  /// Throws: invalid_argument unless n > 0; what the transform throws; out_of_memory. The next
  /// batch is then still the same.
  /// Cost: a copy of the batch; if n differs from that of the last call, also its preparation.
  template <class K = kernels_here>
  labelled_batch<R> next_batch(index_t n, site at = site::here()) try {
    if (n <= 0) detail::throw_batch_size(n, at);
    detail::host_batch const& b = batches_.get({position_, n});
    dextents<R> shape = memory_.shape;
    shape.n[0] = n;
    labelled_batch<R> placed{detail::copied_in<K>(b.numbers.data(), shape, at),
                             detail::copied_in<K>(b.labels.data(), dextents<1>{{n}}, at),
                             memory_.classes};
    position_ = b.end;
    batches_.prefetch({position_, n});
    return placed;
  } catch (...) { detail::rethrow_as_error(); }

 private:
  template <class X, class L, class Y>
  static detail::example_memory<T, R> memory_of(tensor<T, X> const& examples,
                                                tensor<L, Y> const& labels,
                                                dataset_options const& o, site at) {
    static_assert(X::rank > 1 && Y::rank == 1,
                  "placement: a dataset has examples of rank 2 or more, and a vector of labels.");
    static_assert(std::is_integral_v<L> && !std::is_same_v<L, bool>,
                  "placement: labels are class numbers. Write cast<int>(labels).");
    detail::example_memory<T, R> m;
    m.scale = o.scale;
    m.take_examples(examples, at);
    m.take_labels(labels, o.classes, at);
    return m;
  }

  detail::example_memory<T, R> const memory_;
  std::uint64_t const seed_;
  epoch_order const order_;
  detail::example_position position_{};
  detail::prefetcher<detail::host_batch, detail::batch_request,
                     detail::batch_maker<T, R, Transform>>
      batches_;
};
template <class T, class X, class L, class Y>
dataset(tensor<T, X> const&, tensor<L, Y> const&, dataset_options = {}) -> dataset<T, X::rank>;
template <class T, class X, class L, class Y, class Transform>
dataset(tensor<T, X> const&, tensor<L, Y> const&, dataset_options, Transform)
    -> dataset<T, X::rank, Transform>;

}}  // namespace placement::v0_1
