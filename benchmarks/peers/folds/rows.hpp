#pragma once
/// Reductions of all elements of an array: sum, mean, max, min, argmax, the variance, the
/// Euclidean norm, and whether any element is above 2 or all are below it.

#include <row.hpp>

#include <vector>

namespace bench {

/// Bytes that each element moves and occupies.
inline void note_reduce(benchmark::State& state) {
  note_bytes(state, size_of(state), sizeof(float), sizeof(float));
}

/// Unordered numbers between -1 and 1.
inline std::vector<float> mixed(benchmark::State const& state) {
  std::vector<float> all(count_of(state));
  std::uint32_t x = 1;
  for (float& each : all) {
    x = x * 1664525u + 1013904223u;
    each = static_cast<float>(x >> 8) * 0x1p-23f - 1;
  }
  return all;
}

/// One side of one reduction: computes value = f(array) repeatedly.
template <class Array, class F> void reduce(benchmark::State& state, Array const& a, F const& f) {
  for (auto _ : state) {
    auto value = f(a);
    benchmark::DoNotOptimize(value);
    benchmark::ClobberMemory();
  }
  note_reduce(state);
  state.counters["value"] = static_cast<double>(f(a));
}

/// The rows of a side. Side: a class with `name`, `array(state)`, `sum`, `mean`, `max`, `min`,
/// `argmax`, `variance`, `norm`, `any`, `all` of such an array. A missing function has no row.
template <class Side> struct reduction_rows {
  reduction_rows() {
    using array = decltype(Side::array(std::declval<benchmark::State&>()));
    if constexpr (requires(array const& a) { Side::sum(a); })
      add("sum", [](array const& a) { return Side::sum(a); });
    if constexpr (requires(array const& a) { Side::mean(a); })
      add("mean", [](array const& a) { return Side::mean(a); });
    if constexpr (requires(array const& a) { Side::max(a); })
      add("max", [](array const& a) { return Side::max(a); });
    if constexpr (requires(array const& a) { Side::min(a); })
      add("min", [](array const& a) { return Side::min(a); });
    if constexpr (requires(array const& a) { Side::argmax(a); })
      add("argmax", [](array const& a) { return Side::argmax(a); });
    if constexpr (requires(array const& a) { Side::variance(a); })
      add("variance", [](array const& a) { return Side::variance(a); });
    if constexpr (requires(array const& a) { Side::norm(a); })
      add("norm", [](array const& a) { return Side::norm(a); });
    if constexpr (requires(array const& a) { Side::any(a); })
      add("any", [](array const& a) { return Side::any(a); });
    if constexpr (requires(array const& a) { Side::all(a); })
      add("all", [](array const& a) { return Side::all(a); });
  }

 private:
  template <class F> static void add(char const* work, F f) {
    auto const run = [f](benchmark::State& state) { bench::reduce(state, Side::array(state), f); };
    row(std::string(work) + "_f32/" + Side::name, run, 1 << 10, 1 << 25, 8);
  }
};

}  // namespace bench
