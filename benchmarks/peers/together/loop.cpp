#include "rows.hpp"

#include <vector>

template <class T> struct loop {
  static constexpr char const* name = "loop";

  static void run(benchmark::State& state) {
    std::size_t const n = bench::count_of(state);
    std::vector<T> const a(n, 1), b(n, 2), c(n, 3);
    std::vector<T> s(n), d(n);
    for (auto _ : state) {
      for (std::size_t i = 0; i != n; ++i) {
        T const q = (a[i] + b[i]) * (a[i] + b[i]);
        s[i] = q * c[i];
        d[i] = q - c[i];
      }
      benchmark::ClobberMemory();
    }
    bench::note_two_outputs<T>(state);
  }
};
static bench::two_outputs_rows<loop> const rows;
