#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

using pl::everything, pl::range;
using matrix = pl::tensor<float, pl::dextents<2>>;

/// Images, channels, and rows and columns of patches, and of elements in a patch.
static auto images(benchmark::State const& state) {
  return pl::from(bench::numbers(bench::pixels(state)),
                  pl::shape(bench::size_of(state), bench::channels, bench::patches, bench::window,
                            bench::patches, bench::window));
}
static auto patch_shape(benchmark::State const& state) {
  return pl::shape(bench::size_of(state) * bench::patches * bench::patches,
                   bench::channels * bench::window * bench::window);
}
static void im2col(benchmark::State& state) {
  pl::with_device const scope(pl::cpu<0>);
  auto const x = images(state);
  auto const shape = patch_shape(state);
  matrix y = pl::constant(1.f, shape);
  bench::measure(state, y, bench::pixels(state),
                 [&] { y = pl::reshape(pl::permute<0, 2, 4, 1, 3, 5>(x), shape); });
  bench::note_im2col(state);
}
/// The permuted images are a tensor first, as for libraries that reshape only such.
static void im2col_tensor_first(benchmark::State& state) {
  pl::with_device const scope(pl::cpu<0>);
  auto const x = images(state);
  auto const shape = patch_shape(state);
  matrix y = pl::constant(1.f, shape);
  bench::measure(state, y, bench::pixels(state), [&] {
    pl::tensor const permuted = pl::permute<0, 2, 4, 1, 3, 5>(x);
    y = pl::reshape(permuted, shape);
  });
  bench::note_im2col(state);
}
static void strided_add(benchmark::State& state) {
  pl::with_device const scope(pl::cpu<0>);
  pl::tensor x = pl::from(bench::numbers(2 * bench::size_of(state)));
  pl::tensor const y = pl::from(bench::numbers(bench::size_of(state)));
  bench::measure(state, x, 2 * bench::size_of(state),
                 [&] { pl::slice(pl::view(x), range{.step = 2}) += y; });
  bench::note_strided_add(state);
}
static void gather_rows(benchmark::State& state) {
  pl::with_device const scope(pl::cpu<0>);
  pl::tensor const table = pl::from(bench::numbers(bench::table_rows * bench::table_columns),
                                    pl::shape(bench::table_rows, bench::table_columns));
  pl::tensor const rows = pl::from(bench::indices(state));
  matrix y = pl::constant(1.f, pl::shape(bench::size_of(state), bench::table_columns));
  bench::measure(state, y, bench::size_of(state) * bench::table_columns,
                 [&] { y = pl::gather(table, rows); });
  bench::note_gather_rows(state);
}
static bench::row const rows[] = {bench::im2col_row("placement", im2col),
                                  bench::im2col_row("placement_tensor_first", im2col_tensor_first),
                                  bench::strided_add_row("placement", strided_add),
                                  bench::gather_rows_row("placement", gather_rows)};
