#pragma once
/// A model with its optimizer and its examples, for tests of checkpoints.

#include <placement/nn.hpp>

#include <placement/interop/dataset.hpp>
#include <placement/nn/checkpoint.hpp>

#include <support/temporary_folder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace checkpoints {

using namespace placement;

inline auto samples(extents<6>) { return shape(10, 6); }
inline auto samples(extents<4, 4, 1>) { return shape(10, 4, 4, 1); }

/// A model with its optimizer and its examples.
template <class Net, class Optimizer> struct run {
  using examples_type = decltype(samples(std::declval<Net const&>().sample()));

  Net net;
  Optimizer optimizer;
  dataset<float, examples_type::rank> examples;

  run(Net n, Optimizer o)
      : net(std::move(n)), optimizer(std::move(o)), examples(images(), labels(), {.seed = 4}) {}
  static tensor<float, examples_type> images() {
    examples_type const x = samples(decltype(std::declval<Net const&>().sample()){});
    std::vector<float> values(x.count());
    for (std::size_t i = 0; i != values.size(); ++i)
      values[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i)));
    return from(values, x);
  }
  static tensor<int, dextents<1>> labels() { return {0, 1, 2, 0, 1, 2, 0, 1, 2, 0}; }

  void train(int steps) {
    for (int i = 0; i != steps; ++i) {
      auto const batch = examples.next_batch(4);
      optimizer.minimize(
          [&] {
            return mean(softmax_cross_entropy(net(batch.examples, nn::training), batch.one_hot()));
          },
          net);
    }
  }
  auto parts() { return nn::checkpoint(net, optimizer, examples); }
  /// All that a checkpoint keeps, for comparisons.
  std::vector<float> all() {
    std::vector<float> values;
    auto const add = [&](tensor<float, dextents<1>> const& t) {
      for (float const x : t.read()) values.push_back(x);
    };
    nn::for_each_variable(net,
                          [&](auto const&, auto const& v) { add(detail::flattened(v.value())); });
    for (auto const& v : optimizer.state().slots.all())
      for (auto const& s : v.slots) {
        nn::detail::slot copy = s;
        detail::flat_elements<float> t(
            copy.elements, {{static_cast<index_t>(s.elements->size() / sizeof(float))}});
        add(*t);
      }
    values.push_back(static_cast<float>(optimizer.step()));
    values.push_back(static_cast<float>(examples.state().epoch));
    values.push_back(static_cast<float>(examples.state().next));
    return values;
  }
};

/// 2 x n steps with a restart, compared with 2 n steps.
template <class Make, class Optimizer>
void check_restart(Make make, Optimizer const& optimizer, char const* later_device = "") {
  constexpr int half = 50;
  temporary_folder const folder;
  std::string const path = folder / "run.npz";
  set_seed(11);
  run whole(make(), optimizer);
  auto const first = whole.net;
  random_state const begin = current_random_state();
  whole.train(2 * half);
  random_state const end = current_random_state();

  set_random_state(begin);
  {
    run a(first, optimizer);
    a.train(half);
    a.parts().save(path);
  }
  set_seed(99);
  run b(nn::to(later_device, make()), optimizer);
  b.train(3);
  b.parts().restore(path);
  CHECK(b.optimizer.step() == half);
  b.train(half);
  CHECK(current_random_state() == end);
  CHECK(b.all() == whole.all());
}

}  // namespace checkpoints
