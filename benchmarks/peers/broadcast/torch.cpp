#include "rows.hpp"

#include <torch/torch.h>
#include <torch_threads.hpp>

static void bias_relu(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  bench::limit_torch_threads();
  auto const x = torch::rand({bench::size_of(state), bench::columns});
  auto const bias = torch::rand({bench::columns}) - 0.5;
  auto y = torch::empty_like(x);
  for (auto _ : state) {
    torch::add_out(y, x, bias).relu_();
    benchmark::ClobberMemory();
  }
  bench::note_bias_relu(state);
}
template <class F> static void square(benchmark::State& state, F const& f) {
  c10::InferenceMode const no_gradients;
  bench::limit_torch_threads();
  auto const x = torch::rand({bench::size_of(state), bench::size_of(state)});
  auto y = torch::empty_like(x);
  for (auto _ : state) {
    f(y, x);
    benchmark::ClobberMemory();
  }
  bench::note_square(state);
}
static void transpose(benchmark::State& state) {
  square(state, [](torch::Tensor& y, torch::Tensor const& x) { y.copy_(x.t()); });
}
static void plus_transpose(benchmark::State& state) {
  square(state, [](torch::Tensor& y, torch::Tensor const& x) { torch::add_out(y, x, x.t()); });
}
static bench::row const biased = bench::bias_relu_row("torch", bias_relu);
static bench::row const turned = bench::square_row("transpose", "torch", transpose);
static bench::row const both = bench::square_row("plus_transpose", "torch", plus_transpose);
