#include "rows.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

static void im2col(benchmark::State& state) {
  std::vector<float> const from = bench::numbers(bench::pixels(state));
  xt::xtensor<float, 6> const x = xt::adapt(
      from, std::array<std::size_t, 6>{bench::count_of(state), bench::channels, bench::patches,
                                       bench::window, bench::patches, bench::window});
  auto const view = xt::transpose(x, {0, 2, 4, 1, 3, 5});
  xt::xtensor<float, 6> y = view;
  bench::measure(state, y, bench::pixels(state), [&] { xt::noalias(y) = view; });
  bench::note_im2col(state);
}
static void strided_add(benchmark::State& state) {
  std::vector<float> const from = bench::numbers(2 * bench::size_of(state));
  xt::xtensor<float, 1> x = xt::adapt(from, std::array<std::size_t, 1>{from.size()});
  xt::xtensor<float, 1> const y = xt::view(x, xt::range(0, bench::size_of(state)));
  bench::measure(state, x, 2 * bench::size_of(state), [&] {
    auto every_second = xt::view(x, xt::range(0, 2 * bench::size_of(state), 2));
    xt::noalias(every_second) += y;
  });
  bench::note_strided_add(state);
}
static bench::row const rows[] = {bench::im2col_row("xtensor", im2col),
                                  bench::strided_add_row("xtensor", strided_add)};
