#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

static void pooling(benchmark::State& state) {
  pl::with_device const scope(pl::cpu<0>);
  std::int64_t const channels = bench::size_of(state), pixels = bench::side / bench::window;
  auto const x =
      pl::from(bench::image_elements(state),
               pl::shape(bench::images, pixels, bench::window, pixels, bench::window, channels));
  pl::tensor<float, pl::dextents<4>> y = pl::zeros<float>(bench::images, pixels, pixels, channels);
  for (auto _ : state) {
    y = pl::max(x, pl::axis<2, 4>);
    benchmark::ClobberMemory();
  }
  bench::note_pooling(state);
}
static bench::row const row = bench::pooling_row("placement", pooling);
