#pragma once
/// Data-parallel training: variables and averaging on CPU:0, one tower per GPU.

#include "models.hpp"

#include <utility>
#include <vector>

namespace mnist {

/// The devices of k towers: GPU:0, GPU:1, ... round-robin; CPU:0 if there is no GPU.
inline std::vector<pl::device> tower_devices(int k) {
  int const gpus = pl::device_count(pl::kind::gpu);
  std::vector<pl::device> devices;
  for (int i = 0; i != k; ++i)
    devices.push_back(gpus == 0 ? pl::cpu0 : pl::device{pl::kind::gpu, i % gpus});
  return devices;
}

/// Digits per step. Divisible by 1, 2, 4, ... towers.
inline constexpr pl::index_t batch_size = 40;

/// A model in training on several towers.
template <class Model> class trainer {
 public:
  explicit trainer(std::vector<pl::device> towers) : towers_(std::move(towers)) {
    pl::with_device scope("/cpu:0");
    pl::set_seed(1);
    variables_ = Model::start();
  }

  /// One gradient descent step on `size` digits from `first` on, split equally among the towers.
  /// Digits of an incomplete split are left out. Returns the mean loss.
  float step(digits const& data, pl::index_t first, pl::index_t size) {
    pl::index_t const share = size / static_cast<pl::index_t>(towers_.size());
    std::vector<findings> found;
    for (pl::device tower : towers_) {
      digits const part = copied_to(tower, part_of(data, first, first + share));
      pl::with_device scope(tower);
      found.push_back(learn<Model>(variables_, part.images, part.labels));
      first += share;
    }
    return apply_mean(found);
  }

  /// One pass over the digits, batch by batch, in order. Returns the mean loss.
  /// `after_step(done, all, loss)` is called after each step.
  template <class After> float pass(digits const& data, After const& after_step) {
    pl::index_t const steps = data.size() / batch_size;
    float sum = 0;
    for (pl::index_t i = 0; i != steps; ++i) {
      float const loss = step(data, i * batch_size, batch_size);
      sum += loss;
      after_step(i + 1, steps, loss);
    }
    return sum / static_cast<float>(steps);
  }

  /// The fraction of these digits that the model classifies correctly.
  float accuracy(digits const& data) const {
    pl::with_device scope(towers_.front());
    auto const guess = pl::argmax(Model::logits(variables_, data.images), pl::axis<1>);
    return pl::item(pl::mean(pl::cast<float>(pl::equal(pl::cast<int>(guess), data.labels))));
  }

  variables const& learned() const { return variables_; }

 private:
  /// Averages the gradients of the towers and updates the variables. Returns the mean loss.
  float apply_mean(std::vector<findings> const& found) {
    pl::with_device scope("/cpu:0");
    auto const k = static_cast<float>(found.size());
    float loss = 0;
    for (findings const& f : found) loss += pl::item(f.loss) / k;
    for (std::size_t v = 0; v != variables_.size(); ++v) {
      std::vector<matrix> gradients;
      for (findings const& f : found) gradients.push_back(f.gradient[v]);
      variables_[v] -= pl::add_n(std::move(gradients)) * (Model::rate / k);
    }
    return loss;
  }

  std::vector<pl::device> towers_;
  variables variables_;
};

}  // namespace mnist
