#include <training.hpp>  // before others: the models record gradients

#include <ours.hpp>

#include "rows.hpp"

#include <utility>

template <class Model> static void step(benchmark::State& state) {
  mnist::digits const data = mnist::generate_digits(bench::size_of(state));
  mnist::trainer<Model> model({mnist::pl::cpu0});
  for (auto _ : state) {
    float loss = model.step(data, 0, bench::size_of(state));
    benchmark::DoNotOptimize(loss);
  }
}
static bench::training_rows const rows("placement", step<mnist::softmax_regression>,
                                       step<mnist::perceptron>);
