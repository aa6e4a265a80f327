#include "rows.hpp"

#include <torch/torch.h>

static void bias_relu(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  at::set_num_threads(bench::threads());
  auto const x = torch::rand({bench::size_of(state), bench::columns});
  auto const bias = torch::rand({bench::columns}) - 0.5;
  auto y = torch::empty_like(x);
  for (auto _ : state) {
    torch::add_out(y, x, bias).relu_();
    benchmark::ClobberMemory();
  }
  bench::note_bias_relu(state);
}
static bench::row const row = bench::bias_relu_row("torch", bias_relu);
