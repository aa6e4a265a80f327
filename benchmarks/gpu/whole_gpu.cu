// usage: bench_gpu_whole
// The first allocation under memory::whole, which commits nearly all memory of a GPU, beside
// cudaMalloc of as many bytes. Nothing else may use the device first, so it is a program of its
// own.
#include "measure.hpp"

#include <placement/memory/pools.hpp>

namespace {

using namespace bench;
using seconds = std::chrono::duration<double>;

void measure_whole_gpu() {
  check(cudaFree(nullptr), "cudaFree");  // starts CUDA
  auto const begin = std::chrono::steady_clock::now();
  pl::runtime const whole{pl::memory::whole{}};
  pl::pool& pool = pl::pool_of(pl::gpu0);
  void* const p = pool.allocate(std::size_t{1} << 20);
  seconds const took = std::chrono::steady_clock::now() - begin;
  pool.deallocate(p, std::size_t{1} << 20);
  print_row("all memory of the GPU", "placement", took.count(), {});
  std::fprintf(stderr, "%zu bytes\n", pool.stats().reserved);
}

void measure_cuda() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  std::size_t const bytes = free / 20 * 19;
  void* p = nullptr;
  auto const begin = std::chrono::steady_clock::now();
  check(cudaMalloc(&p, bytes), "cudaMalloc");
  seconds const took = std::chrono::steady_clock::now() - begin;
  print_row("all memory of the GPU", "cudaMalloc", took.count(), {});
  check(cudaFree(p), "cudaFree");
}

}  // namespace

int main(int argc, char** argv) try {
  if (!pl::why_no_gpu().empty()) return start(argc, argv);
  measure_cuda();
  measure_whole_gpu();
} catch (pl::error const& problem) {
  std::fprintf(stderr, "skipped: %s\n", problem.what());
  return 4;
}
