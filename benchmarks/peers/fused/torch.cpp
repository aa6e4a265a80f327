// LibTorch, op by op on one thread, into existing arrays if it supports that.

#include "rows.hpp"

#include <torch/torch.h>
#include <torch_threads.hpp>

template <class T> struct libtorch {
  static constexpr char const* name = "torch";

  static torch::Tensor filled(benchmark::State const& state, double value) {
    bench::limit_torch_threads();
    return torch::full({bench::size_of(state)}, value, c10::CppTypeToScalarType<T>::value);
  }
  static void chain(benchmark::State& state) {
    c10::InferenceMode const no_gradients;
    auto const a = filled(state, 1), b = filled(state, 2), c = filled(state, 3);
    auto out = filled(state, 0);
    for (auto _ : state) {
      torch::sub_out(out, (a + b) * c, a / b);
      benchmark::ClobberMemory();
    }
    bench::note_chain<T>(state);
  }
  static void axpy(benchmark::State& state) {
    c10::InferenceMode const no_gradients;
    auto const x = filled(state, 1);
    auto y = filled(state, 2);
    for (auto _ : state) {
      y.add_(x, bench::factor);
      benchmark::ClobberMemory();
    }
    bench::note_axpy<T>(state);
  }
  static void triad(benchmark::State& state) {
    c10::InferenceMode const no_gradients;
    auto const a = filled(state, 1), b = filled(state, 2);
    auto out = filled(state, 0);
    for (auto _ : state) {
      torch::add_out(out, a, b, bench::factor);
      benchmark::ClobberMemory();
    }
    bench::note_triad<T>(state);
  }
};
static bench::fused_rows<libtorch> const rows;
