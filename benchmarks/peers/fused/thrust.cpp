// On the host, with Thrust's C++ backend.

#include "rows.hpp"

#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#include <vector>

template <class T> struct thrust_host {
  static constexpr char const* name = "thrust";
  static constexpr T s = static_cast<T>(bench::factor);

  static void chain(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    std::vector<T> const a(n, 1), b(n, 2), c(n, 3);
    std::vector<T> out(n);
    auto const first = thrust::make_zip_iterator(a.begin(), b.begin(), c.begin());
    auto const last = thrust::make_zip_iterator(a.end(), b.end(), c.end());
    for (auto _ : state) {
      thrust::transform(
          thrust::host, first, last, out.begin(),
          thrust::make_zip_function([](T x, T y, T z) { return (x + y) * z - x / y; }));
      benchmark::ClobberMemory();
    }
    bench::note_chain<T>(state);
  }
  static void axpy(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    std::vector<T> const x(n, 1);
    std::vector<T> y(n, 2);
    for (auto _ : state) {
      thrust::transform(thrust::host, x.begin(), x.end(), y.begin(), y.begin(),
                        [](T a, T b) { return a * s + b; });
      benchmark::ClobberMemory();
    }
    bench::note_axpy<T>(state);
  }
  static void triad(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    std::vector<T> const a(n, 1), b(n, 2);
    std::vector<T> out(n);
    for (auto _ : state) {
      thrust::transform(thrust::host, a.begin(), a.end(), b.begin(), out.begin(),
                        [](T x, T y) { return x + y * s; });
      benchmark::ClobberMemory();
    }
    bench::note_triad<T>(state);
  }
};
static bench::fused_rows<thrust_host> const rows;
