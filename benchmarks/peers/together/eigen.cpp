#include "rows.hpp"

#include <Eigen/Core>

template <class T> struct eigen {
  static constexpr char const* name = "eigen";
  using array = Eigen::Array<T, Eigen::Dynamic, 1>;

  static array filled(benchmark::State const& state, T value) {
    return array::Constant(bench::size_of(state), value);
  }
  static void run(benchmark::State& state) {
    array const a = filled(state, 1), b = filled(state, 2), c = filled(state, 3);
    array s = filled(state, 0), d = filled(state, 0);
    for (auto _ : state) {
      auto const q = (a + b).square();
      s = q * c;
      d = q - c;
      benchmark::ClobberMemory();
    }
    bench::note_two_outputs<T>(state);
  }
};
static bench::two_outputs_rows<eigen> const rows;
