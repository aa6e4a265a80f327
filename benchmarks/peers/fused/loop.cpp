#include "rows.hpp"

#include <vector>

template <class T> struct loop {
  static constexpr char const* name = "loop";
  static constexpr T s = static_cast<T>(bench::factor);

  static void chain(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    std::vector<T> const a(n, 1), b(n, 2), c(n, 3);
    std::vector<T> out(n);
    for (auto _ : state) {
      for (std::size_t i = 0; i != n; ++i) out[i] = (a[i] + b[i]) * c[i] - a[i] / b[i];
      benchmark::ClobberMemory();
    }
    bench::note_chain<T>(state);
  }
  static void axpy(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    std::vector<T> const x(n, 1);
    std::vector<T> y(n, 2);
    for (auto _ : state) {
      for (std::size_t i = 0; i != n; ++i) y[i] += x[i] * s;
      benchmark::ClobberMemory();
    }
    bench::note_axpy<T>(state);
  }
  static void triad_borrowed(benchmark::State& state) { triad(state); }
  static void triad(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    std::vector<T> const a(n, 1), b(n, 2);
    std::vector<T> out(n);
    for (auto _ : state) {
      for (std::size_t i = 0; i != n; ++i) out[i] = a[i] + b[i] * s;
      benchmark::ClobberMemory();
    }
    bench::note_triad<T>(state);
  }
};
static bench::fused_rows<loop> const rows;
