#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

template <int N, int M> struct ours {
  static constexpr char const* name = "placement";
  using matrix = pl::tensor<float, pl::extents<N, M>, pl::dev<pl::kind::cpu, 0>>;

  static matrix filled(float v) { return matrix(pl::constant(v, pl::extents<N, M>{})); }
  static void one_op(benchmark::State& state) {
    matrix a = filled(1), b = filled(2), c = filled(3), d;
    for (auto _ : state) {
      benchmark::DoNotOptimize(a);
      d = a * b + c;
      benchmark::DoNotOptimize(d);
    }
  }
  static void five_ops(benchmark::State& state) {
    matrix a = filled(1), b = filled(2), c = filled(3), d;
    for (auto _ : state) {
      benchmark::DoNotOptimize(a);
      d = (a + b) * c - a * b + 1.f;
      benchmark::DoNotOptimize(d);
    }
  }
};
static bench::row const one_op("static_2x3/placement", ours<2, 3>::one_op);
static bench::five_op_rows<ours> const five_ops;

// ---- placed at run time

struct operands {
  pl::tensor<float, pl::dextents<2>> a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  pl::tensor<float, pl::dextents<2>> b = a * 2.f, c = a + 1.f;
};

static void into_existing(benchmark::State& state) {
  operands const o;
  pl::tensor d = o.a + o.b;
  for (auto _ : state) {
    d = o.a * o.b + o.c;
    benchmark::ClobberMemory();
  }
}
static void into_new(benchmark::State& state) {
  operands const o;
  for (auto _ : state) {
    pl::tensor d = o.a * o.b + o.c;
    benchmark::DoNotOptimize(d);
  }
}
static void sum_of_16(benchmark::State& state) {
  pl::tensor<float, pl::dextents<2>> const a = operands{}.a;
  pl::tensor d = a + a;
  for (auto _ : state) {
    d = a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a;
    benchmark::ClobberMemory();
  }
}
static void static_extents(benchmark::State& state) {
  pl::tensor<float, pl::extents<2, 3>> a{{1, 2, 3}, {4, 5, 6}};
  pl::tensor b = a * 2.f, c = a + 1.f, d = a + b;
  for (auto _ : state) {
    d = a * b + c;
    benchmark::ClobberMemory();
  }
}
static void product_into_new(benchmark::State& state) {
  pl::tensor a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  pl::tensor b{{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}};
  for (auto _ : state) {
    pl::tensor c = pl::matmul(a, b);
    benchmark::DoNotOptimize(c);
  }
}
static bench::row const placed_rows[] = {
    {"placed_2x3_into_existing/placement", into_existing},
    {"placed_2x3_into_new/placement", into_new},
    {"placed_2x3_sum_of_16/placement", sum_of_16},
    {"placed_2x3_static_extents/placement", static_extents},
    {"placed_2x3_by_3x2_into_new/placement", product_into_new}};

template <int N> static auto deep(pl::operand auto const& x) {
  if constexpr (N == 0) return x;
  else return deep<N - 1>(x) + 1.f;
}
static void build_64_deep(benchmark::State& state) {
  pl::tensor a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  for (auto _ : state) {
    auto e = deep<64>(a);
    benchmark::DoNotOptimize(e);
  }
}
static bench::row const built("expression_64_deep/placement", build_64_deep);
