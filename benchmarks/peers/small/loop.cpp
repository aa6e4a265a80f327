#include "rows.hpp"

template <int N, int M> struct loop {
  static constexpr char const* name = "loop";
  struct matrix {
    float at[std::size_t{N} * M];
  };

  static matrix filled(float v) {
    matrix m;
    for (float& each : m.at) each = v;
    return m;
  }
  static void one_op(benchmark::State& state) {
    matrix a = filled(1), b = filled(2), c = filled(3), d;
    for (auto _ : state) {
      benchmark::DoNotOptimize(a);
      for (int i = 0; i != N * M; ++i) d.at[i] = a.at[i] * b.at[i] + c.at[i];
      benchmark::DoNotOptimize(d);
    }
  }
  static void five_ops(benchmark::State& state) {
    matrix a = filled(1), b = filled(2), c = filled(3), d;
    for (auto _ : state) {
      benchmark::DoNotOptimize(a);
      for (int i = 0; i != N * M; ++i)
        d.at[i] = (a.at[i] + b.at[i]) * c.at[i] - a.at[i] * b.at[i] + 1.f;
      benchmark::DoNotOptimize(d);
    }
  }
};
static bench::row const one_op("static_2x3/loop", loop<2, 3>::one_op);
static bench::five_op_rows<loop> const five_ops;
