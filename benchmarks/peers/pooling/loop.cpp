#include "rows.hpp"

#include <algorithm>

static void pooling(benchmark::State& state) {
  std::vector<float> const x = bench::image_elements(state);
  std::int64_t const channels = bench::size_of(state), row = bench::side * channels;
  std::vector<float> y(x.size() / 4);
  for (auto _ : state) {
    float* to = y.data();
    for (std::int64_t i = 0; i != bench::images * bench::side; i += bench::window)
      for (std::int64_t j = 0; j != bench::side; j += bench::window) {
        float const *a = x.data() + i * row + j * channels, *b = a + row;
        for (std::int64_t c = 0; c != channels; ++c)
          *to++ = std::max(std::max(a[c], a[c + channels]), std::max(b[c], b[c + channels]));
      }
    benchmark::ClobberMemory();
  }
  bench::note_pooling(state);
}
static bench::row const row = bench::pooling_row("loop", pooling);
