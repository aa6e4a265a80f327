#include "rows.hpp"

#include <Eigen/Core>

using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static void strided_add(benchmark::State& state) {
  std::vector<float> const from = bench::numbers(2 * bench::size_of(state));
  Eigen::ArrayXf x = Eigen::Map<Eigen::ArrayXf const>(from.data(), 2 * bench::size_of(state));
  Eigen::ArrayXf const y = x.head(bench::size_of(state));
  bench::measure(state, x, x.size(), [&] { x(Eigen::seq(0, Eigen::last, Eigen::fix<2>)) += y; });
  bench::note_strided_add(state);
}
static void gather_rows(benchmark::State& state) {
  std::vector<float> const from = bench::numbers(bench::table_rows * bench::table_columns);
  matrix const table =
      Eigen::Map<matrix const>(from.data(), bench::table_rows, bench::table_columns);
  std::vector<std::int64_t> const rows = bench::indices(state);
  matrix y = matrix::Zero(bench::size_of(state), bench::table_columns);
  bench::measure(state, y, y.size(), [&] { y = table(rows, Eigen::all); });
  bench::note_gather_rows(state);
}
static bench::row const rows[] = {bench::strided_add_row("eigen", strided_add),
                                  bench::gather_rows_row("eigen", gather_rows)};
