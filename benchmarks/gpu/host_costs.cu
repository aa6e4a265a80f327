// Host costs: of a launch, a replay, and memory.
#include "measure.hpp"
#include "sides.hpp"

#include <placement/interop/graph.hpp>
#include <placement/memory/pools.hpp>

#include <cstddef>

namespace bench {

namespace {

constexpr int small = 1024;

__global__ void add_one(float const* x, float* out) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = x[i] + 1;
}

template <class K = pl::kernels_here> void launches() {
  if (!is_wanted("launch")) return;
  auto x = random_sets<float>(pl::shape(small)), y = random_sets<float>(pl::shape(small));
  cudaStream_t const work = stream();
  float const* const from = std::as_const(x.front()).data();
  float* const to = y.back().data();
  compare_on_host("launch of one small op", 200, until::given,
                  {{"placement", [&](int) { y.front() = x.front() + 1.f; }},
                   {"raw CUDA", [&](int) { add_one<<<small / 256, 256, 0, work>>>(from, to); }}});
}

template <class K = pl::kernels_here> void graphs() {
  if (!is_wanted("graph")) return;
  constexpr int ops = 100;
  auto x = random_sets<float>(pl::shape(small));
  pl::graph ours = pl::capture(pl::gpu0, [&] {
    for (int i = 0; i != ops; ++i) x.front() = x.front() + 1.f;
  });

  cudaStream_t const work = stream();
  float* const raw = x.back().data();
  cudaStream_t recording = nullptr;
  check(cudaStreamCreateWithFlags(&recording, cudaStreamNonBlocking), "cudaStreamCreate");
  check(cudaStreamBeginCapture(recording, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  for (int i = 0; i != ops; ++i) add_one<<<small / 256, 256, 0, recording>>>(raw, raw);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(recording, &graph), "cudaStreamEndCapture");
  cudaGraphExec_t theirs = nullptr;
  check(cudaGraphInstantiate(&theirs, graph, 0), "cudaGraphInstantiate");

  compare_on_host(
      "100 small ops as a graph", 20, until::done,
      {{"placement", [&](int) { ours.replay(); }},
       {"raw CUDA", [&](int) { check(cudaGraphLaunch(theirs, work), "cudaGraphLaunch"); }}});
  check(cudaGraphExecDestroy(theirs), "cudaGraphExecDestroy");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  check(cudaStreamDestroy(recording), "cudaStreamDestroy");
}

void memory() {
  if (!is_wanted("alloc")) return;
  constexpr std::size_t size = std::size_t{1} << 20;
  pl::pool& pool = pl::pool_of(pl::gpu0);
  cudaStream_t const work = stream();
  cudaMemPool_t theirs = nullptr;
  int ordinal = 0;
  check(cudaGetDevice(&ordinal), "cudaGetDevice");
  check(cudaDeviceGetDefaultMemPool(&theirs, ordinal), "cudaDeviceGetDefaultMemPool");
  unsigned long long keep = ~0ull;  // the setting of a program that reuses memory
  check(cudaMemPoolSetAttribute(theirs, cudaMemPoolAttrReleaseThreshold, &keep),
        "cudaMemPoolSetAttribute");
  compare_on_host("alloc + free hit 1 MiB", 1000, until::given,
                  {{"placement",
                    [&](int) {
                      void* const p = pool.allocate(size);
                      pool.deallocate(p, size);
                    }},
                   {"cudaMallocAsync", [&](int) {
                      void* p = nullptr;
                      check(cudaMallocAsync(&p, size, work), "cudaMallocAsync");
                      check(cudaFreeAsync(p, work), "cudaFreeAsync");
                    }}});
}

}  // namespace

void host_costs() {
  measure([] { launches(); });
  measure([] { graphs(); });
  measure([] { memory(); });
}

}  // namespace bench
