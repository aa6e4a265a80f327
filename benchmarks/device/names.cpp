// The cost of parsing a device name.

#include <placement/placement.hpp>

#include <benchmark/benchmark.h>

#include <string_view>

namespace pl = placement;

static void parse_name(benchmark::State& state, std::string_view text) {
  for (auto _ : state) benchmark::DoNotOptimize(pl::parse_name(text));
}
BENCHMARK_CAPTURE(parse_name, short, "/gpu:1");
BENCHMARK_CAPTURE(parse_name, full, "/job:localhost/replica:0/task:0/device:GPU:1");

static void name_to_spec(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(pl::device_spec::of(pl::parse_name("/gpu:1")));
}
BENCHMARK(name_to_spec);
