#include <ours.hpp>

#include "rows.hpp"

#include <vector>

namespace pl = placement;

template <class T> struct ours {
  static constexpr char const* name = "placement";
  static constexpr T s = static_cast<T>(bench::factor);
  using array = pl::tensor<T, pl::dextents<1>>;

  static array filled(benchmark::State const& state, double value) {
    return pl::constant(static_cast<T>(value), pl::shape(bench::size_of(state)));
  }
  static void chain(benchmark::State& state) {
    pl::with_device const scope(pl::cpu<0>);
    array const a = filled(state, 1), b = filled(state, 2), c = filled(state, 3);
    array out = filled(state, 0);
    for (auto _ : state) {
      out = (a + b) * c - a / b;
      benchmark::ClobberMemory();
    }
    bench::note_chain<T>(state);
  }
  static void axpy(benchmark::State& state) {
    pl::with_device const scope(pl::cpu<0>);
    array const x = filled(state, 1);
    array y = filled(state, 2);
    for (auto _ : state) {
      y += x * s;
      benchmark::ClobberMemory();
    }
    bench::note_axpy<T>(state);
  }
  static void triad(benchmark::State& state) {
    pl::with_device const scope(pl::cpu<0>);
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
    auto const shape = pl::shape(bench::size_of(state));
    array const a = pl::borrow(x.data(), shape), b = pl::borrow(y.data(), shape);
    array out = pl::borrow(z.data(), shape);
    for (auto _ : state) {
      out = a + b * s;
      benchmark::ClobberMemory();
    }
    bench::note_triad<T>(state);
    if (z.back() != T(1.5)) state.SkipWithError("the vector has another value");
  }
};
static bench::fused_rows<ours> const rows;
