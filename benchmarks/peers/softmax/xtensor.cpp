#include "rows.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

static void softmax(benchmark::State& state, bench::matrix_shape const& matrix) {
  std::vector<float> const from = bench::logits(matrix);
  std::array<std::size_t, 2> const shape{static_cast<std::size_t>(matrix.rows),
                                         static_cast<std::size_t>(matrix.columns)};
  xt::xtensor<float, 2> const x = xt::adapt(from, shape);
  xt::xtensor<float, 2> y = x;
  for (auto _ : state) {
    for (std::size_t i = 0; i != shape[0]; ++i) {
      auto const from_row = xt::view(x, i, xt::all());
      auto to_row = xt::view(y, i, xt::all());
      xt::noalias(to_row) = xt::exp(from_row - xt::amax(from_row)());
      xt::noalias(to_row) *= 1 / xt::sum<float>(to_row)();
    }
    benchmark::ClobberMemory();
  }
  bench::note_third(state, y.data());
}
static bench::softmax_rows const rows("xtensor", softmax);
