#include "rows.hpp"

#include <torch/torch.h>
#include <torch_threads.hpp>

static void softmax(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  bench::limit_torch_threads();
  auto const x = torch::tensor(bench::logits(state)).view({bench::size_of(state), bench::columns});
  auto y = torch::empty_like(x);
  for (auto _ : state) {
    at::_softmax_out(y, x, 1, false);
    benchmark::ClobberMemory();
  }
  bench::note_softmax(state);
}
static bench::row const row = bench::softmax_row("torch", softmax);
