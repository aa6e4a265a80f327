#include "rows.hpp"

#include <Eigen/Core>

#include <vector>

template <class T> struct eigen {
  static constexpr char const* name = "eigen";
  static constexpr T s = static_cast<T>(bench::factor);
  using array = Eigen::Array<T, Eigen::Dynamic, 1>;

  static array filled(benchmark::State const& state, T value) {
    return array::Constant(bench::size_of(state), value);
  }
  static void chain(benchmark::State& state) {
    array const a = filled(state, 1), b = filled(state, 2), c = filled(state, 3);
    array out = filled(state, 0);
    for (auto _ : state) {
      out = (a + b) * c - a / b;
      benchmark::ClobberMemory();
    }
    bench::note_chain<T>(state);
  }
  static void axpy(benchmark::State& state) {
    array const x = filled(state, 1);
    array y = filled(state, 2);
    for (auto _ : state) {
      y += x * s;
      benchmark::ClobberMemory();
    }
    bench::note_axpy<T>(state);
  }
  static void triad(benchmark::State& state) {
    array const a = filled(state, 1), b = filled(state, 2);
    array out = filled(state, 0);
    for (auto _ : state) {
      out = a + b * s;
      benchmark::ClobberMemory();
    }
    bench::note_triad<T>(state);
  }
  static void triad_borrowed(benchmark::State& state) {
    std::vector<T> x(bench::count_of(state), 1), y(x.size(), 2), z(x.size());
    Eigen::Map<array const> const a(x.data(), bench::size_of(state)),
        b(y.data(), bench::size_of(state));
    Eigen::Map<array> out(z.data(), bench::size_of(state));
    for (auto _ : state) {
      out = a + b * s;
      benchmark::ClobberMemory();
    }
    bench::note_triad<T>(state);
  }
};
static bench::fused_rows<eigen> const rows;
