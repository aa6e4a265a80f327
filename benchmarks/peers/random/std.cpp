// A plain loop over std::mt19937 and the distributions of the standard library.

#include "rows.hpp"

#include <random>
#include <vector>

template <class T> struct standard {
  static constexpr char const* name = "std";

  template <class F> static void filled(benchmark::State& state, F number) {
    std::mt19937 bits(1);
    std::vector<T> out(bench::count_of(state), 1);
    bench::measure<T>(state, out, [&] {
      for (T& each : out) each = number(bits);
    });
  }
  static void uniform(benchmark::State& state) {
    filled(state, std::uniform_real_distribution<T>(0, 1));
  }
  static void normal(benchmark::State& state) { filled(state, std::normal_distribution<T>(0, 1)); }
  static void truncated_normal(benchmark::State& state) {
    filled(state, [each = std::normal_distribution<T>(0, 1)](auto& bits) mutable {
      T x = each(bits);
      while (std::abs(x) > 2) x = each(bits);
      return x;
    });
  }
};
static bench::random_rows<standard> const rows;
