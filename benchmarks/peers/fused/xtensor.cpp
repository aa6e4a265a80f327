#include "rows.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

#include <vector>

template <class T> struct xtensor {
  static constexpr char const* name = "xtensor";
  static constexpr T s = static_cast<T>(bench::factor);
  using array = xt::xtensor<T, 1>;

  static array filled(benchmark::State const& state, T value) {
    return array(std::array<std::size_t, 1>{bench::count_of(state)}, value);
  }
  static void chain(benchmark::State& state) {
    array const a = filled(state, 1), b = filled(state, 2), c = filled(state, 3);
    array out = filled(state, 0);
    for (auto _ : state) {
      xt::noalias(out) = (a + b) * c - a / b;
      benchmark::ClobberMemory();
    }
    bench::note_chain<T>(state);
  }
  static void axpy(benchmark::State& state) {
    array const x = filled(state, 1);
    array y = filled(state, 2);
    for (auto _ : state) {
      xt::noalias(y) += x * s;
      benchmark::ClobberMemory();
    }
    bench::note_axpy<T>(state);
  }
  static void triad(benchmark::State& state) {
    array const a = filled(state, 1), b = filled(state, 2);
    array out = filled(state, 0);
    for (auto _ : state) {
      xt::noalias(out) = a + b * s;
      benchmark::ClobberMemory();
    }
    bench::note_triad<T>(state);
  }
  static void triad_borrowed(benchmark::State& state) {
    std::array<std::size_t, 1> const shape{bench::count_of(state)};
    std::vector<T> const x(shape[0], 1), y(shape[0], 2);
    std::vector<T> z(shape[0]);
    auto const a = xt::adapt(x, shape), b = xt::adapt(y, shape);
    auto out = xt::adapt(z, shape);
    for (auto _ : state) {
      xt::noalias(out) = a + b * s;
      benchmark::ClobberMemory();
    }
    bench::note_triad<T>(state);
  }
};
static bench::fused_rows<xtensor> const rows;
