#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

template <class T> struct ours {
  static constexpr char const* name = "placement";

  template <class F> static void filled(benchmark::State& state, F const& numbers) {
    pl::with_device const scope(pl::cpu<0>);
    auto const shape = pl::shape(bench::size_of(state));
    pl::tensor<T, pl::dextents<1>> out = pl::constant(T(1), shape);
    bench::measure<T>(state, out, [&] { out = numbers(shape); });
  }
  static void uniform(benchmark::State& state) {
    filled(state, [](auto const& shape) { return pl::uniform<T>(shape); });
  }
  static void normal(benchmark::State& state) {
    filled(state, [](auto const& shape) { return pl::normal<T>(shape); });
  }
  static void truncated_normal(benchmark::State& state) {
    filled(state, [](auto const& shape) { return pl::truncated_normal<T>(shape); });
  }
};
static bench::random_rows<ours> const rows;
