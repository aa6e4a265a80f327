// Averaging gradients: reduce_to and all_reduce of 4 tensors, beside plain loops over the same
// bytes. 62,000 elements are the parameters of a small conv net. On 4 simulated GPUs, and on CPU:0.
#include <placement/parallel/all_reduce.hpp>
#include <placement/parallel/reduce_to.hpp>
#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace pl = placement;
namespace par = placement::parallel;

namespace {

using floats = pl::tensor<float, pl::dextents<1>>;
constexpr int towers = 4;

/// The simulated GPUs are chosen before the first use of a device.
bool const gpus_are_set = setenv("PLACEMENT_SIMULATED_GPUS", "4", 0) == 0;

std::vector<floats> operands(std::int64_t n, bool on_gpus) {
  std::vector<floats> x;
  for (int k = 0; k != towers; ++k)
    x.push_back(pl::copy_to(on_gpus ? pl::device{pl::kind::gpu, k} : pl::cpu0,
                            pl::zeros<float>(n) + static_cast<float>(k)));
  return x;
}
void wait(std::vector<floats> const& all) {
  for (floats const& x : all) pl::synchronize(x.where());
}

/// One pass over the bytes of an average: four reads and a write for each element.
[[gnu::noinline]] void average(float* __restrict out, float const* a, float const* b,
                               float const* c, float const* d, std::size_t n) {
  constexpr std::size_t block = 64;
  std::size_t i = 0;
  for (; i + block <= n; i += block)
    for (std::size_t j = i; j != i + block; ++j) out[j] = (a[j] + b[j] + c[j] + d[j]) / 4;
  for (; i != n; ++i) out[i] = (a[i] + b[i] + c[i] + d[i]) / 4;
}

void average_by_a_loop(benchmark::State& state) {
  auto const n = static_cast<std::size_t>(state.range(0));
  std::vector<std::vector<float>> const x(towers, std::vector<float>(n, 1));
  std::vector<float> out(n);
  for (auto _ : state) {
    average(out.data(), x[0].data(), x[1].data(), x[2].data(), x[3].data(), n);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}
void average_by_reduce_to(benchmark::State& state) {
  auto const x = operands(state.range(0), false);
  for (auto _ : state) {
    floats const y = par::reduce_to(pl::cpu0, x, par::reduction::mean);
    benchmark::DoNotOptimize(y.data());
  }
}

/// The bytes of an all-reduce on one thread, without a queue: three copies to the first device, the
/// average, three copies of it.
void bytes_of_all_reduce(benchmark::State& state) {
  auto const n = static_cast<std::size_t>(state.range(0));
  std::vector<std::vector<float>> const x(towers, std::vector<float>(n, 1));
  std::vector<std::vector<float>> copy(towers, std::vector<float>(n)), out = copy;
  for (auto _ : state) {
    for (std::size_t k = 1; k != towers; ++k)
      std::memcpy(copy[k].data(), x[k].data(), n * sizeof(float));
    average(out[0].data(), x[0].data(), copy[1].data(), copy[2].data(), copy[3].data(), n);
    for (std::size_t k = 1; k != towers; ++k)
      std::memcpy(out[k].data(), out[0].data(), n * sizeof(float));
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}
void all_reduce_by(benchmark::State& state, par::all_reduce_options how) {
  auto const x = operands(state.range(0), true);
  wait(x);
  for (auto _ : state) {
    auto const y = par::all_reduce(x, par::reduction::mean, how);
    wait(y);
    benchmark::DoNotOptimize(y.data());
  }
}
void from_one_device(benchmark::State& state) {
  all_reduce_by(state, par::all_reduce_algorithm::one_device);
}
void by_scatter(benchmark::State& state) {
  all_reduce_by(state, par::all_reduce_algorithm::scatter);
}
void by_ring(benchmark::State& state) {
  all_reduce_by(state, {par::fast, par::all_reduce_algorithm::ring});
}

void sizes(benchmark::internal::Benchmark* b) {
  for (std::int64_t const n : {1'000, 4'000, 8'000, 16'000, 62'000, 250'000, 1'000'000}) b->Arg(n);
  b->UseRealTime()->Unit(benchmark::kMicrosecond);
}
BENCHMARK(average_by_a_loop)->Apply(sizes);
BENCHMARK(average_by_reduce_to)->Apply(sizes);
BENCHMARK(bytes_of_all_reduce)->Apply(sizes);
BENCHMARK(from_one_device)->Apply(sizes);
BENCHMARK(by_scatter)->Apply(sizes);
BENCHMARK(by_ring)->Apply(sizes);

}  // namespace
