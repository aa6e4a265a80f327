// The widest vectors, four in flight, in aligned huge pages. Arrays larger than the caches are
// written with non-temporal stores.

#include <memory.hpp>

#include "rows.hpp"

template <class T> struct limit {
  static constexpr char const* name = "limit";
  using vec = typename bench::vector_of<T>::type;
  using array = bench::aligned<T>;
  static constexpr T s = static_cast<T>(bench::factor);

  static vec* vectors(array const& a) { return reinterpret_cast<vec*>(a.data()); }

  template <bool Past, class F> static void pass(vec* out, std::size_t n, F const& f) {
    for (std::size_t i = 0; i != n; i += 4) {
#pragma GCC unroll 4
      for (std::size_t k = i; k != i + 4; ++k) {
        if constexpr (Past) bench::stream(out + k, f(k));
        else out[k] = f(k);
      }
    }
  }
  template <class F>
  static void run(benchmark::State& state, std::size_t held, array const& out, F const& f) {
    std::size_t const n = bench::count_of(state) / bench::vector_of<T>::width;
    bool const past = bench::is_beyond_caches(bench::count_of(state) * held);
    for (auto _ : state) {
      if (past) pass<true>(vectors(out), n, f);
      else pass<false>(vectors(out), n, f);
      benchmark::ClobberMemory();
    }
  }

  static void chain(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    array const a(n, 1), b(n, 2), c(n, 3), out(n, 0);
    vec const *const x = vectors(a), *const y = vectors(b), *const z = vectors(c);
    run(state, 4 * sizeof(T), out,
        [=](std::size_t i) { return (x[i] + y[i]) * z[i] - x[i] / y[i]; });
    bench::note_chain<T>(state);
  }
  static void axpy(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    array const a(n, 1), b(n, 2);
    vec const *const x = vectors(a), *const y = vectors(b);
    run(state, 0, b, [=](std::size_t i) { return x[i] * s + y[i]; });
    bench::note_axpy<T>(state);
  }
  static void triad(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    array const a(n, 1), b(n, 2), out(n, 0);
    vec const *const x = vectors(a), *const y = vectors(b);
    run(state, 3 * sizeof(T), out, [=](std::size_t i) { return x[i] + y[i] * s; });
    bench::note_triad<T>(state);
  }
};
static bench::fused_rows<limit> const rows;
