#include "rows.hpp"

#include <torch/torch.h>
#include <torch_threads.hpp>

static void im2col(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  bench::limit_torch_threads();
  auto const x = torch::tensor(bench::numbers(bench::pixels(state)))
                     .view({bench::size_of(state), bench::channels, bench::patches, bench::window,
                            bench::patches, bench::window});
  auto const view = x.permute({0, 2, 4, 1, 3, 5});
  auto y = torch::zeros(view.sizes());
  bench::measure(state, y, bench::pixels(state), [&] { y.copy_(view); });
  bench::note_im2col(state);
}
static void strided_add(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  bench::limit_torch_threads();
  auto x = torch::tensor(bench::numbers(2 * bench::size_of(state)));
  auto const y = torch::tensor(bench::numbers(bench::size_of(state)));
  bench::measure(state, x, 2 * bench::size_of(state),
                 [&] { x.slice(0, 0, 2 * bench::size_of(state), 2).add_(y); });
  bench::note_strided_add(state);
}
static void gather_rows(benchmark::State& state) {
  c10::InferenceMode const no_gradients;
  bench::limit_torch_threads();
  auto const table = torch::tensor(bench::numbers(bench::table_rows * bench::table_columns))
                         .view({bench::table_rows, bench::table_columns});
  auto const rows = torch::tensor(bench::indices(state));
  auto y = torch::zeros({bench::size_of(state), bench::table_columns});
  bench::measure(state, y, bench::size_of(state) * bench::table_columns,
                 [&] { torch::index_select_out(y, table, 0, rows); });
  bench::note_gather_rows(state);
}
static bench::row const rows[] = {bench::im2col_row("torch", im2col),
                                  bench::strided_add_row("torch", strided_add),
                                  bench::gather_rows_row("torch", gather_rows)};
