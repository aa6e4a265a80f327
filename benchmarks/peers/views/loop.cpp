#include "rows.hpp"

#include <algorithm>

static void im2col(benchmark::State& state) {
  std::vector<float> const x = bench::numbers(bench::pixels(state));
  std::vector<float> y(x.size());
  bench::measure(state, y, bench::pixels(state), [&] {
    float* to = y.data();
    for (std::int64_t n = 0; n != bench::size_of(state); ++n)
      for (std::int64_t h = 0; h != bench::side; h += bench::window)
        for (std::int64_t w = 0; w != bench::side; w += bench::window)
          for (std::int64_t c = 0; c != bench::channels; ++c)
            for (std::int64_t i = 0; i != bench::window; ++i, to += bench::window)
              std::copy_n(&x[static_cast<std::size_t>(
                              ((n * bench::channels + c) * bench::side + h + i) * bench::side + w)],
                          bench::window, to);
  });
  bench::note_im2col(state);
}
static void strided_add(benchmark::State& state) {
  std::vector<float> x = bench::numbers(2 * bench::size_of(state));
  std::vector<float> const y = bench::numbers(bench::size_of(state));
  bench::measure(state, x, 2 * bench::size_of(state), [&] {
    for (std::size_t i = 0; i != y.size(); ++i) x[2 * i] += y[i];
  });
  bench::note_strided_add(state);
}
static void gather_rows(benchmark::State& state) {
  std::vector<float> const table = bench::numbers(bench::table_rows * bench::table_columns);
  std::vector<std::int64_t> const rows = bench::indices(state);
  std::vector<float> y(rows.size() * bench::table_columns);
  bench::measure(state, y, bench::size_of(state) * bench::table_columns, [&] {
    float* to = y.data();
    for (std::int64_t row : rows)
      to = std::copy_n(table.data() + row * bench::table_columns, bench::table_columns, to);
  });
  bench::note_gather_rows(state);
}
static bench::row const rows[] = {bench::im2col_row("loop", im2col),
                                  bench::strided_add_row("loop", strided_add),
                                  bench::gather_rows_row("loop", gather_rows)};
