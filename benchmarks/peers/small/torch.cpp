#include "rows.hpp"

#include <torch/torch.h>

static void into_existing(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  auto const a = torch::rand({2, 3}), b = torch::rand({2, 3}), c = torch::rand({2, 3});
  auto d = torch::empty({2, 3});
  for (auto _ : state) {
    torch::addcmul_out(d, c, a, b);
    benchmark::ClobberMemory();
  }
}
static void into_new(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  auto const a = torch::rand({2, 3}), b = torch::rand({2, 3}), c = torch::rand({2, 3});
  for (auto _ : state) {
    torch::Tensor d = a * b + c;
    benchmark::DoNotOptimize(d);
  }
}
static bench::row const placed_rows[] = {{"placed_2x3_into_existing/torch", into_existing},
                                         {"placed_2x3_into_new/torch", into_new}};
