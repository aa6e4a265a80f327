// gpus: 0
// Each rule of CUDA's documentation that the fake driver checks: a call that breaks it is reported.
#include "fake/call.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t mib = std::size_t{1} << 20, page = 2 * mib;

#define CUDA(function, ...) REQUIRE(CALL_DRIVER(function, __VA_ARGS__) == CUDA_SUCCESS)

/// Two GPUs, of which the first is current.
struct two_gpus {
  CUcontext context[2];

  two_gpus() {
    CUDA(cuInit, 0);
    for (int gpu : {1, 0}) CUDA(cuDevicePrimaryCtxRetain, &context[gpu], gpu);
    use(0);
  }
  void use(int gpu) const { CUDA(cuCtxSetCurrent, context[gpu]); }
};

/// Whether `call` is reported, by this text alone.
void check_rule(std::string const& text, std::function<void()> const& call) {
  INFO(text);
  fake().misuse.clear();
  call();
  CHECK(fake().misuse == std::vector<std::string>{text});
}
CUmemLocation location_of(int gpu) {
  CUmemLocation at{};
  at.type = CU_MEM_LOCATION_TYPE_DEVICE;
  at.id = gpu;
  return at;
}
CUresult create(CUmemGenericAllocationHandle& memory, std::size_t bytes = page) {
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = location_of(0);
  return CALL_DRIVER(cuMemCreate, &memory, bytes, &what, 0);
}
CUresult open_to(int gpu, CUdeviceptr p) {
  CUmemAccessDesc const access{location_of(gpu), CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  return CALL_DRIVER(cuMemSetAccess, p, page, &access, 1);
}
CUresult map(CUdeviceptr p, CUmemGenericAllocationHandle memory) {
  return CALL_DRIVER(cuMemMap, p, page, 0, memory, 0);
}
CUdeviceptr reserve(std::size_t bytes) {
  CUdeviceptr p = 0;
  CUDA(cuMemAddressReserve, &p, bytes, 0, 0, 0);
  return p;
}
CUstream new_stream() {
  CUstream s;
  CUDA(cuStreamCreate, &s, CU_STREAM_NON_BLOCKING);
  return s;
}

}  // namespace

TEST_CASE("memory is created, mapped and released in whole pages, once each") {
  fake().gpus[0].peers = false;
  two_gpus const machine;
  CUmemGenericAllocationHandle memory = 0, other = 0, none = 0;
  CHECK(create(none, mib) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(create(memory) == CUDA_SUCCESS);
  REQUIRE(create(other) == CUDA_SUCCESS);
  CUdeviceptr const p = reserve(3 * page);
  check_rule("cuMemMap outside a reserved range", [&] { map(p + 3 * page, memory); });
  check_rule("cuMemMap of a part, or of an address between two pages",
             [&] { map(p + mib, memory); });
  REQUIRE(map(p, memory) == CUDA_SUCCESS);
  check_rule("cuMemMap over mapped memory", [&] { map(p, other); });
  check_rule("cuMemSetAccess of addresses without memory", [&] { open_to(0, p + page); });
  check_rule("cuMemSetAccess for a GPU without peer access", [&] { open_to(1, p); });
  check_rule("cuMemUnmap of a part", [&] { CALL_DRIVER(cuMemUnmap, p, mib); });
  check_rule("cuMemAddressFree of a part",
             [] { CALL_DRIVER(cuMemAddressFree, reserve(2 * page), page); });
  CUDA(cuMemUnmap, p, page);
  CUDA(cuMemRelease, memory);
  check_rule("cuMemRelease of a handle that is none", [&] { CALL_DRIVER(cuMemRelease, memory); });
  check_rule("cuMemMap of a handle that is none", [&] { map(p, memory); });
  REQUIRE(map(p, other) == CUDA_SUCCESS);
  check_rule("cuMemRelease of mapped memory", [&] { CALL_DRIVER(cuMemRelease, other); });
  check_rule("cuMemAddressFree of mapped memory",
             [&] { CALL_DRIVER(cuMemAddressFree, p, 3 * page); });
}

TEST_CASE("a GPU accesses memory that was opened to it, and none other") {
  two_gpus const machine;
  CUmemGenericAllocationHandle memory = 0;
  REQUIRE(create(memory) == CUDA_SUCCESS);
  CUdeviceptr const p = reserve(page);
  REQUIRE(map(p, memory) == CUDA_SUCCESS);
  REQUIRE(open_to(0, p) == CUDA_SUCCESS);
  CUDA(cuMemsetD8Async, p, 1, page, new_stream());
  machine.use(1);
  CHECK(CALL_DRIVER(cuMemsetD8Async, p, 1, page, new_stream()) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(open_to(1, p) == CUDA_SUCCESS);
  CUDA(cuMemsetD8Async, p, 1, page, new_stream());
  check_rule("cuMemFreeAsync of other memory",
             [] { CALL_DRIVER(cuMemFreeAsync, 4096, new_stream()); });
  check_rule("cuMemFreeHost of other memory", [] {
    int mine = 0;
    CALL_DRIVER(cuMemFreeHost, &mine);
  });
}

TEST_CASE("streams and events belong to a context, and end once") {
  two_gpus const machine;
  check_rule("cuCtxSetCurrent of a context that is none", [] {
    int none = 0;
    CHECK(CALL_DRIVER(cuCtxSetCurrent, reinterpret_cast<CUcontext>(&none)) ==
          CUDA_ERROR_INVALID_CONTEXT);
  });
  CUstream const ended = new_stream(), s = new_stream();
  CUDA(cuStreamDestroy, ended);
  check_rule("cuStreamSynchronize on a stream that is none",
             [&] { CALL_DRIVER(cuStreamSynchronize, ended); });
  check_rule("a stream that waits for the default stream", [] {
    CUstream waits;
    CALL_DRIVER(cuStreamCreate, &waits, CU_STREAM_DEFAULT);
  });
  CUevent of_first;
  check_rule("an event with timing",
             [&] { CALL_DRIVER(cuEventCreate, &of_first, CU_EVENT_DEFAULT); });
  auto* const no_event = reinterpret_cast<CUevent>(s);
  check_rule("cuEventRecord of a handle that is none",
             [&] { CALL_DRIVER(cuEventRecord, no_event, s); });
  check_rule("cuStreamWaitEvent of a handle that is none",
             [&] { CALL_DRIVER(cuStreamWaitEvent, s, no_event, 0); });
  check_rule("cuEventSynchronize of a handle that is none",
             [&] { CALL_DRIVER(cuEventSynchronize, no_event); });
  machine.use(1);
  check_rule("cuStreamSynchronize while another GPU is current",
             [&] { CALL_DRIVER(cuStreamSynchronize, s); });
  check_rule("cuEventRecord of another GPU's event",
             [&] { CALL_DRIVER(cuEventRecord, of_first, new_stream()); });
  check_rule("cuCtxSynchronize without a context",
             [] { std::thread([] { CALL_DRIVER(cuCtxSynchronize); }).join(); });
}

TEST_CASE("while a stream records, nothing waits for it or allocates, and graphs end once") {
  two_gpus const machine;
  CUstream const s = new_stream();
  CUgraph graph;
  check_rule("cuStreamEndCapture of a stream that does not record",
             [&] { CALL_DRIVER(cuStreamEndCapture, s, &graph); });
  check_rule("cuStreamEndCapture on a stream that is none", [&] {
    CHECK(CALL_DRIVER(cuStreamEndCapture, nullptr, &graph) == CUDA_ERROR_INVALID_HANDLE);
  });
  /// The call is reported, and the capture has no graph.
  auto const check_broken_capture = [&](std::string const& text,
                                        std::function<void()> const& call) {
    CUDA(cuStreamBeginCapture, s, CU_STREAM_CAPTURE_MODE_GLOBAL);
    check_rule(text, call);
    CHECK(CALL_DRIVER(cuStreamEndCapture, s, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(graph == nullptr);
  };
  check_broken_capture("cuStreamSynchronize on a stream that records",
                       [&] { CALL_DRIVER(cuStreamSynchronize, s); });
  check_broken_capture("cuCtxSynchronize while a stream records",
                       [] { CALL_DRIVER(cuCtxSynchronize); });
  check_broken_capture("cuMemCreate during a capture that is not relaxed", [] {
    CUmemGenericAllocationHandle memory;
    create(memory);
  });
  check_broken_capture("cuMemHostAlloc during a capture that is not relaxed", [] {
    void* p;
    CALL_DRIVER(cuMemHostAlloc, &p, 16, 0);
  });
  CUDA(cuStreamBeginCapture, s, CU_STREAM_CAPTURE_MODE_RELAXED);
  CUmemGenericAllocationHandle memory;
  CHECK(create(memory) == CUDA_SUCCESS);
  CUDA(cuStreamEndCapture, s, &graph);
  CUgraphExec recorded;
  CUDA(cuGraphInstantiateWithFlags, &recorded, graph, 0);
  CUDA(cuGraphDestroy, graph);
  CUDA(cuGraphLaunch, recorded, s);  // it does not need the graph
  CUDA(cuGraphExecDestroy, recorded);
  check_rule("cuGraphDestroy of a handle that is none",
             [&] { CALL_DRIVER(cuGraphDestroy, graph); });
  check_rule("cuGraphInstantiate of a handle that is none",
             [&] { CALL_DRIVER(cuGraphInstantiateWithFlags, &recorded, graph, 0); });
  check_rule("cuGraphLaunch of a handle that is none",
             [&] { CALL_DRIVER(cuGraphLaunch, recorded, s); });
  check_rule("cuGraphExecDestroy of a handle that is none",
             [&] { CALL_DRIVER(cuGraphExecDestroy, recorded); });
}
