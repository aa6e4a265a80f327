#include "rows.hpp"

#include <Eigen/Core>

// Rows of the matrices are pixels, whose channels are the columns.
using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using every_second = Eigen::Map<matrix const, 0, Eigen::OuterStride<>>;

static void pooling(benchmark::State& state) {
  std::vector<float> const from = bench::image_elements(state);
  Eigen::Index const channels = bench::size_of(state), row = bench::side * channels;
  Eigen::Index const pixels = bench::side / bench::window, rows = bench::images * pixels;
  matrix y(rows * pixels, channels);
  for (auto _ : state) {
    for (Eigen::Index i = 0; i != rows; ++i) {
      auto const at = [&](Eigen::Index r, Eigen::Index c) {
        float const* const first = from.data() + (i * bench::window + r) * row + c * channels;
        return every_second(first, pixels, channels,
                            Eigen::OuterStride<>(bench::window * channels));
      };
      y.middleRows(i * pixels, pixels) = at(0, 0).max(at(0, 1)).max(at(1, 0).max(at(1, 1)));
    }
    benchmark::ClobberMemory();
  }
  bench::note_pooling(state);
}
static bench::row const row = bench::pooling_row("eigen", pooling);
