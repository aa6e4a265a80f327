// A reorder between the two layouts of a matrix.

#include "rows.hpp"

#include <dnnl.hpp>

#include <vector>

static void transpose(benchmark::State& state) {
  dnnl::engine const cpu(dnnl::engine::kind::cpu, 0);
  dnnl::stream queue(cpu);
  std::vector<float> x(bench::count_of(state) * bench::count_of(state), 1);
  std::vector<float> y(x.size());
  auto const of = [&](dnnl::memory::format_tag order, std::vector<float>& elements) {
    dnnl::memory::dims const extents{bench::size_of(state), bench::size_of(state)};
    return dnnl::memory({extents, dnnl::memory::data_type::f32, order}, cpu, elements.data());
  };
  dnnl::memory from = of(dnnl::memory::format_tag::ab, x), to = of(dnnl::memory::format_tag::ba, y);
  dnnl::reorder const reorder(from, to);
  for (auto _ : state) {
    reorder.execute(queue, from, to);
    queue.wait();
    benchmark::ClobberMemory();
  }
  bench::note_square(state);
}
static bench::row const row = bench::square_row("transpose", "onednn", transpose);
