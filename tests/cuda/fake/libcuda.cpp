// libcuda.so.1 for tests: see fake_cuda.hpp.
#include "driver.hpp"

#include <placement/device/visibility.hpp>
#include <placement/runtime/virtual_memory.hpp>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>

#include <sys/mman.h>

using namespace fake_driver;

namespace {

CUresult move(char const* function, CUstream s, void* to, void const* from, std::size_t bytes) {
  stream* const own = known(s, function);
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  give(*own,
       [=] {
         see(reinterpret_cast<CUdeviceptr>(from), bytes, false);
         see(reinterpret_cast<CUdeviceptr>(to), bytes, true);
         std::memmove(to, from, bytes);
         if (after_copy != nullptr) after_copy(to, from, bytes);
       },
       {{reinterpret_cast<CUdeviceptr>(to), bytes}, {reinterpret_cast<CUdeviceptr>(from), bytes}});
  return CUDA_SUCCESS;
}

std::vector<int> visible_gpus() {
  std::vector<std::string> uuids;
  for (fake_gpu const& g : state().gpus) {
    constexpr char digits[] = "0123456789abcdef";
    unsigned char const byte = g.mig_uuid != 0 ? g.mig_uuid : g.uuid;
    std::string const two{digits[byte >> 4], digits[byte & 15]};
    uuids.push_back(std::string(g.mig_uuid != 0 ? "MIG-" : "GPU-") + two + two + two + two);
  }
  char const* const text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (text == nullptr) return placement::visible_by_environment(std::nullopt, uuids);
  if (std::string(text).starts_with("MIG-")) {
    std::vector<int> one;
    for (std::size_t i = 0; i != uuids.size(); ++i)
      if (uuids[i] == std::string(text).substr(0, 12)) one.push_back(static_cast<int>(i));
    return one;
  }
  return placement::visible_by_environment(text, uuids);
}

}  // namespace

EXPORT fake_cuda* fake_cuda_control() {
  state().undone = [] {
    std::size_t sum = 0;
    for (stream const* s : streams()) sum += s->work.size();
    return sum;
  };
  return &state();
}

/// Enqueues the work of another library, such as a product. False if the stream is none.
EXPORT bool fake_cuda_give(CUstream s, std::function<void()> const& work) {
  std::lock_guard const lock(guard());
  auto* const own = reinterpret_cast<stream*>(s);
  if (!streams().contains(own)) return false;
  give(*own, work);
  return true;
}

// ---- the driver

EXPORT CUresult cuInit(unsigned) {
  CALL(cuInit);
  if (state().init != CUDA_SUCCESS) return state().init;
  if (!started) visible = visible_gpus();
  started = true;
  return visible.empty() && state().refuses_no_device ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
EXPORT CUresult cuDriverGetVersion(int* version) {
  CALL(cuDriverGetVersion);
  *version = state().version;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGetErrorName(CUresult code, char const** name) {
  *name = code == CUDA_ERROR_OUT_OF_MEMORY         ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == CUDA_ERROR_ILLEGAL_ADDRESS     ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == CUDA_ERROR_MISALIGNED_ADDRESS  ? "CUDA_ERROR_MISALIGNED_ADDRESS"
          : code == CUDA_ERROR_LAUNCH_FAILED       ? "CUDA_ERROR_LAUNCH_FAILED"
          : code == CUDA_ERROR_ILLEGAL_INSTRUCTION ? "CUDA_ERROR_ILLEGAL_INSTRUCTION"
          : code == CUDA_ERROR_ASSERT              ? "CUDA_ERROR_ASSERT"
          : code == CUDA_ERROR_UNKNOWN             ? "CUDA_ERROR_UNKNOWN"
          : code == CUDA_ERROR_OPERATING_SYSTEM    ? "CUDA_ERROR_OPERATING_SYSTEM"
                                                   : nullptr;
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
EXPORT CUresult cuGetErrorString(CUresult code, char const** text) {
  *text = code == CUDA_ERROR_OUT_OF_MEMORY         ? "out of memory"
          : code == CUDA_ERROR_ILLEGAL_ADDRESS     ? "an illegal memory access was encountered"
          : code == CUDA_ERROR_MISALIGNED_ADDRESS  ? "misaligned address"
          : code == CUDA_ERROR_LAUNCH_FAILED       ? "unspecified launch failure"
          : code == CUDA_ERROR_ILLEGAL_INSTRUCTION ? "an illegal instruction was encountered"
          : code == CUDA_ERROR_ASSERT              ? "device-side assert triggered"
          : code == CUDA_ERROR_UNKNOWN             ? "unknown error"
                                       : "OS call failed or operation not supported on this OS";
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetCount(int* count) {
  CALL(cuDeviceGetCount);
  *count = static_cast<int>(visible.size());
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGet(CUdevice* device, int number) {
  CALL(cuDeviceGet);
  *device = number;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetName(char* name, int size, CUdevice d) {
  CALL(cuDeviceGetName);
  std::strncpy(name, gpu_at(d).name.c_str(), static_cast<std::size_t>(size) - 1);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice d) {
  CALL(cuDeviceGetPCIBusId);
  std::strncpy(text, gpu_at(d).pci.c_str(), static_cast<std::size_t>(size) - 1);
  return CUDA_SUCCESS;
}
#undef cuDeviceGetUuid
EXPORT CUresult cuDeviceGetUuid(CUuuid* id, CUdevice d) {
  CALL(cuDeviceGetUuid);
  std::memset(id->bytes, gpu_at(d).uuid, sizeof id->bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice d) {
  CALL(cuDeviceGetUuid_v2);
  fake_gpu const& g = gpu_at(d);
  std::memset(id->bytes, g.mig_uuid != 0 ? g.mig_uuid : g.uuid, sizeof id->bytes);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice d) {
  CALL(cuDeviceTotalMem_v2);
  *bytes = gpu_at(d).total;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute what, CUdevice d) {
  CALL(cuDeviceGetAttribute);
  fake_gpu const& g = gpu_at(d);
  switch (what) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = g.major; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = g.minor; break;
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
      *value = g.direct_rdma ? 1 : 0;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 * 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
    default: misuse("cuDeviceGetAttribute of an attribute that the fake driver does not know");
  }
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice owner) {
  CALL(cuDeviceCanAccessPeer);
  *can = gpu_at(owner).peers ? 1 : 0;
  return CUDA_SUCCESS;
}

// ---- contexts

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* made, CUdevice d) {
  CALL(cuDevicePrimaryCtxRetain);
  context*& own = contexts()[static_cast<std::size_t>(d)];
  if (own == nullptr) own = new context{d};
  ++state().contexts;
  *made = reinterpret_cast<CUcontext>(own);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetCurrent(CUcontext* now) {
  CALL(cuCtxGetCurrent);
  *now = reinterpret_cast<CUcontext>(current);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  CALL_IN_CONTEXT(cuCtxGetDevice);
  *device = current->gpu;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuCtxSetCurrent(CUcontext next) {
  CALL(cuCtxSetCurrent);
  if (next != nullptr && !is_context(next, "cuCtxSetCurrent")) return CUDA_ERROR_INVALID_CONTEXT;
  current = reinterpret_cast<context*>(next);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSynchronize() {
  CALL_IN_CONTEXT(cuCtxSynchronize);
  for (stream* s : streams())
    if (s->in == current && s->captured != nullptr) {
      misuse("cuCtxSynchronize while a stream records");
      s->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  for (stream* s : streams())
    if (s->in == current) finish(*s);
  return current->lost;
}

// ---- memory

EXPORT CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  CALL_IN_CONTEXT(cuMemGetInfo_v2);
  fake_gpu const& g = gpu_at(current->gpu);
  *total = g.total;
  *free = g.total - g.held - state().used[static_cast<std::size_t>(current->gpu)];
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemGetAllocationGranularity(std::size_t* bytes, CUmemAllocationProp const* what,
                                              CUmemAllocationGranularity_flags) {
  CALL(cuMemGetAllocationGranularity);
  *bytes = gpu_at(what->location.id).page;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemAddressReserve(CUdeviceptr* base, std::size_t bytes, std::size_t, CUdeviceptr,
                                    unsigned long long) {
  CALL(cuMemAddressReserve);
  if (bytes == 0 || bytes % placement::detail::large_page_bytes != 0)
    return CUDA_ERROR_INVALID_VALUE;
  *base = reinterpret_cast<CUdeviceptr>(placement::detail::reserve_pages("the fake driver", bytes));
  ranges()[*base] = bytes;
  ++state().ranges;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemAddressFree(CUdeviceptr base, std::size_t bytes) {
  CALL(cuMemAddressFree);
  if (!ranges().contains(base) || ranges()[base] != bytes) misuse("cuMemAddressFree of a part");
  auto const inside = pages().lower_bound(base);
  if (inside != pages().end() && inside->first < base + bytes)
    misuse("cuMemAddressFree of mapped memory");
  ranges().erase(base);
  placement::detail::release_pages(at(base), bytes);
  --state().ranges;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle* made, std::size_t bytes,
                            CUmemAllocationProp const* what, unsigned long long) {
  CALL(cuMemCreate);
  if (is_unsafe_now("cuMemCreate")) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (what->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      what->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  fake_gpu const& g = gpu_at(what->location.id);
  std::size_t& used = state().used[static_cast<std::size_t>(what->location.id)];
  if (bytes == 0 || bytes % g.page != 0) return CUDA_ERROR_INVALID_VALUE;
  if (what->allocFlags.gpuDirectRDMACapable != 0) {
    if (!g.direct_rdma) return CUDA_ERROR_NOT_SUPPORTED;
    ++state().rdma_pieces;
  }
  if (bytes > g.total - g.held - used) return CUDA_ERROR_OUT_OF_MEMORY;
  used += bytes;
  auto* const own = new piece{what->location.id, bytes};
  handles().insert(own);
  *made = reinterpret_cast<CUmemGenericAllocationHandle>(own);
  ++state().pieces;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  CALL(cuMemRelease);
  auto* const own = reinterpret_cast<piece*>(handle);
  if (!is_live(own, "cuMemRelease")) return CUDA_ERROR_INVALID_VALUE;
  for (auto const& [base, one] : pages())
    if (one.backing == own) misuse("cuMemRelease of mapped memory");
  state().used[static_cast<std::size_t>(own->gpu)] -= own->bytes;
  handles().erase(own);
  delete own;
  --state().pieces;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemMap(CUdeviceptr p, std::size_t bytes, std::size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags) {
  CALL(cuMemMap);
  auto* const backing = reinterpret_cast<piece*>(handle);
  if (!is_live(backing, "cuMemMap")) return CUDA_ERROR_INVALID_VALUE;
  auto range = ranges().upper_bound(p);
  if (range == ranges().begin() || (--range)->first + range->second < p + bytes) {
    misuse("cuMemMap outside a reserved range");
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (p % gpu_at(backing->gpu).page != 0 || bytes != backing->bytes || offset != 0 || flags != 0) {
    misuse("cuMemMap of a part, or of an address between two pages");
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto const next = pages().lower_bound(p);
  bool const over_next = next != pages().end() && next->first < p + bytes;
  bool const over_last =
      next != pages().begin() && std::prev(next)->first + std::prev(next)->second.bytes > p;
  if (over_next || over_last) {
    misuse("cuMemMap over mapped memory");
    return CUDA_ERROR_INVALID_VALUE;
  }
  pages()[p] = {backing, bytes, {}};
  ++state().mapped;
  return CUDA_SUCCESS;
}
/// Does not wait for work: the driver's documentation promises no wait. Pending work then faults.
EXPORT CUresult cuMemUnmap(CUdeviceptr p, std::size_t bytes) {
  CALL(cuMemUnmap);
  if (!pages().contains(p) || pages()[p].bytes != bytes) {
    misuse("cuMemUnmap of a part");
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (stream const* s : streams())
    if (is_pending_in(*s, p, pages()[p])) misuse("cuMemUnmap of memory that queued work accesses");
  see_free_by_host(p, bytes);
  pages().erase(p);
  if (after_free != nullptr) after_free(p, bytes);
  ::madvise(at(p), bytes, MADV_DONTNEED);
  ::mprotect(at(p), bytes, PROT_NONE);
  --state().mapped;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemSetAccess(CUdeviceptr p, std::size_t bytes, CUmemAccessDesc const* access,
                               std::size_t count) {
  CALL(cuMemSetAccess);
  for (CUdeviceptr next = p; next != p + bytes;) {
    auto const it = pages().find(next);
    if (it == pages().end()) {
      misuse("cuMemSetAccess of addresses without memory");
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (std::size_t i = 0; i != count; ++i) {
      int const reader = access[i].location.id, owner = it->second.backing->gpu;
      if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
          access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return CUDA_ERROR_INVALID_VALUE;
      if (reader != owner && !gpu_at(owner).peers) {
        misuse("cuMemSetAccess for a GPU without peer access");
        return CUDA_ERROR_INVALID_DEVICE;
      }
      it->second.open_to.insert(reader);
    }
    ::mprotect(at(next), it->second.bytes, PROT_READ | PROT_WRITE);
    next += it->second.bytes;
  }
  return CUDA_SUCCESS;
}
/// Only work that follows the allocation in the order of streams may access the memory. For the
/// check of that order an allocation is a write.
EXPORT CUresult cuMemAllocAsync(CUdeviceptr* p, std::size_t bytes, CUstream s) {
  CALL_IN_CONTEXT(cuMemAllocAsync);
  stream* const own = known(s, "cuMemAllocAsync");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  fake_gpu const& gpu = state().gpus[static_cast<std::size_t>(current->gpu)];
  std::size_t& used = state().used[static_cast<std::size_t>(current->gpu)];
  if (bytes > gpu.total - gpu.held - used) return CUDA_ERROR_OUT_OF_MEMORY;
  void* const block = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(block, 0xEE, bytes);
  *p = reinterpret_cast<CUdeviceptr>(block);
  used += bytes;
  ++state().async;
  pages()[*p] = {.bytes = bytes, .open_to = {current->gpu}};
  if (state().checks_order) give(*own, [at = *p, bytes] { see(at, bytes, true); }, {});
  return CUDA_SUCCESS;
}
/// Releases memory after the work of the stream. The host does not wait for it.
EXPORT CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s) {
  CALL_IN_CONTEXT(cuMemFreeAsync);
  stream* const own = known(s, "cuMemFreeAsync");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  auto const it = pages().find(p);
  if (it == pages().end()) {
    misuse("cuMemFreeAsync of other memory");
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (state().checks_order) {
    run_all();
    give(*own, [p, bytes = it->second.bytes] { see_free(p, bytes); }, {});
  }
  run(*own, own->given);
  state().used[static_cast<std::size_t>(current->gpu)] -= it->second.bytes;
  if (after_free != nullptr) after_free(p, it->second.bytes);
  pages().erase(it);
  std::free(at(p));
  --state().async;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice d) {
  CALL(cuDeviceGetDefaultMemPool);
  *pool = reinterpret_cast<CUmemoryPool>(&state().release_threshold[static_cast<std::size_t>(d)]);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute what, void* value) {
  CALL(cuMemPoolSetAttribute);
  if (what != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) return CUDA_ERROR_INVALID_VALUE;
  *reinterpret_cast<std::uint64_t*>(pool) = *static_cast<std::uint64_t const*>(value);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool, std::size_t) {
  CALL_IN_CONTEXT(cuMemPoolTrimTo);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuMemHostAlloc(void** p, std::size_t bytes, unsigned) {
  CALL_IN_CONTEXT(cuMemHostAlloc);
  if (is_unsafe_now("cuMemHostAlloc")) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  *p = std::malloc(bytes);
  pinned()[*p] = bytes;
  ++state().pinned;
  return CUDA_SUCCESS;
}
/// Does not wait for work: the driver's documentation promises no wait.
EXPORT CUresult cuMemFreeHost(void* p) {
  CALL_IN_CONTEXT(cuMemFreeHost);
  run_all();
  auto const it = pinned().find(p);
  if (it == pinned().end()) {
    misuse("cuMemFreeHost of other memory");
    return CUDA_ERROR_INVALID_VALUE;
  }
  see_free_by_host(reinterpret_cast<CUdeviceptr>(p), it->second);
  pinned().erase(it);
  std::free(p);
  --state().pinned;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* wanted, void** values,
                                       CUdeviceptr p) {
  CALL_IN_CONTEXT(cuPointerGetAttributes);
  if (count != 1 || *wanted != CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    misuse("cuPointerGetAttributes of others than the type of memory");
  unsigned& type = *static_cast<unsigned*>(*values);
  type = 0;  // memory that CUDA does not know
  for (auto const& [base, bytes] : pinned())
    if (at(p) >= base && at(p) < static_cast<char*>(base) + bytes) type = CU_MEMORYTYPE_HOST;
  return CUDA_SUCCESS;
}

// ---- streams and events

EXPORT CUresult cuStreamCreate(CUstream* made, unsigned flags) {
  CALL_IN_CONTEXT(cuStreamCreate);
  if (flags != CU_STREAM_NON_BLOCKING) misuse("a stream that waits for the default stream");
  auto* const own = new stream{current, {}};
  static std::size_t made_before = 0;
  own->number = ++made_before;
  streams().insert(own);
  ++state().streams;
  *made = reinterpret_cast<CUstream>(own);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuStreamDestroy_v2(CUstream s) {
  CALL_IN_CONTEXT(cuStreamDestroy_v2);
  stream* const own = known(s, "cuStreamDestroy");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  run(*own, own->given);  // the host does not wait
  streams().erase(own);   // the object stays alive, since events may refer to it
  --state().streams;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuStreamSynchronize(CUstream s) {
  CALL_IN_CONTEXT(cuStreamSynchronize);
  stream* const own = known(s, "cuStreamSynchronize");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  finish(*own);
  return current->lost;
}
EXPORT CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned) {
  CALL_IN_CONTEXT(cuStreamWaitEvent);
  stream* const own = known(s, "cuStreamWaitEvent");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!is_live(e, "cuStreamWaitEvent")) return CUDA_ERROR_INVALID_HANDLE;
  event const then = *reinterpret_cast<event*>(e);
  if (then.recorded_in == nullptr) return CUDA_SUCCESS;
  join(own->clock, then.clock);
  give(*own, [then] { run(*then.recorded_in, then.position); }, {});
  ++state().waits_between_streams;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuEventCreate(CUevent* made, unsigned flags) {
  CALL_IN_CONTEXT(cuEventCreate);
  if (flags != CU_EVENT_DISABLE_TIMING) misuse("an event with timing");
  *made = reinterpret_cast<CUevent>(new event{current});
  handles().insert(*made);
  ++state().events;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuEventRecord(CUevent e, CUstream s) {
  CALL_IN_CONTEXT(cuEventRecord);
  stream* const own = known(s, "cuEventRecord");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!is_live(e, "cuEventRecord")) return CUDA_ERROR_INVALID_HANDLE;
  auto* const then = reinterpret_cast<event*>(e);
  if (then->in != own->in) misuse("cuEventRecord of another GPU's event");
  then->recorded_in = own;
  then->position = own->given;
  then->clock = own->clock;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuEventSynchronize(CUevent e) {
  CALL_IN_CONTEXT(cuEventSynchronize);
  if (!is_live(e, "cuEventSynchronize")) return CUDA_ERROR_INVALID_HANDLE;
  auto const* const then = reinterpret_cast<event*>(e);
  if (then->recorded_in != nullptr) run(*then->recorded_in, then->position);
  join(host_clock, then->clock);
  return current->lost;
}

// ---- graphs

EXPORT CUresult cuStreamBeginCapture_v2(CUstream s, CUstreamCaptureMode mode) {
  CALL_IN_CONTEXT(cuStreamBeginCapture_v2);
  stream* const own = known(s, "cuStreamBeginCapture");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  own->captured = new work_list;
  own->mode = mode;
  own->invalid = false;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuStreamEndCapture(CUstream s, CUgraph* made) {
  std::lock_guard const lock(guard());
  stream* const own = live(s, "cuStreamEndCapture");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  std::unique_ptr<work_list> all(std::exchange(own->captured, nullptr));
  if (all == nullptr) {
    misuse("cuStreamEndCapture of a stream that does not record");
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  if (CUresult const code = step_in_context("cuStreamEndCapture"); code != CUDA_SUCCESS)
    return code;
  *made = nullptr;
  if (own->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *made = reinterpret_cast<CUgraph>(all.release());
  handles().insert(*made);
  ++state().graphs;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec* made, CUgraph graph, unsigned long long) {
  CALL_IN_CONTEXT(cuGraphInstantiateWithFlags);
  if (!is_live(graph, "cuGraphInstantiate")) return CUDA_ERROR_INVALID_VALUE;
  *made = reinterpret_cast<CUgraphExec>(new work_list(*reinterpret_cast<work_list*>(graph)));
  handles().insert(*made);
  ++state().graphs;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGraphLaunch(CUgraphExec graph, CUstream s) {
  CALL_IN_CONTEXT(cuGraphLaunch);
  stream* const own = known(s, "cuGraphLaunch");
  if (own == nullptr || !is_live(graph, "cuGraphLaunch")) return CUDA_ERROR_INVALID_HANDLE;
  for (task const& one : *reinterpret_cast<work_list*>(graph)) give(*own, one.run, one.accessed);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGraphExecDestroy(CUgraphExec graph) {
  CALL_IN_CONTEXT(cuGraphExecDestroy);
  if (!is_live(graph, "cuGraphExecDestroy")) return CUDA_ERROR_INVALID_VALUE;
  handles().erase(graph);
  delete reinterpret_cast<work_list*>(graph);
  --state().graphs;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  CALL_IN_CONTEXT(cuGraphDestroy);
  if (!is_live(graph, "cuGraphDestroy")) return CUDA_ERROR_INVALID_VALUE;
  handles().erase(graph);
  delete reinterpret_cast<work_list*>(graph);
  --state().graphs;
  return CUDA_SUCCESS;
}

// ---- copies

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, void const* from, std::size_t bytes,
                                     CUstream s) {
  CALL_IN_CONTEXT(cuMemcpyHtoDAsync_v2);
  if (!reaches(current->gpu, to, bytes)) return current->lost = CUDA_ERROR_ILLEGAL_ADDRESS;
  return move("cuMemcpyHtoDAsync", s, at(to), from, bytes);
}
EXPORT CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream s) {
  CALL_IN_CONTEXT(cuMemcpyDtoHAsync_v2);
  if (!reaches(current->gpu, from, bytes)) return current->lost = CUDA_ERROR_ILLEGAL_ADDRESS;
  return move("cuMemcpyDtoHAsync", s, to, at(from), bytes);
}
EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                     CUstream s) {
  CALL_IN_CONTEXT(cuMemcpyDtoDAsync_v2);
  if (!reaches(current->gpu, to, bytes) || !reaches(current->gpu, from, bytes))
    return current->lost = CUDA_ERROR_ILLEGAL_ADDRESS;
  return move("cuMemcpyDtoDAsync", s, at(to), at(from), bytes);
}
EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                  CUcontext from_context, std::size_t bytes, CUstream s) {
  CALL_IN_CONTEXT(cuMemcpyPeerAsync);
  for (CUcontext c : {to_context, from_context})
    if (!is_context(c, "cuMemcpyPeerAsync")) return CUDA_ERROR_INVALID_CONTEXT;
  int const target = reinterpret_cast<context*>(to_context)->gpu;
  int const source = reinterpret_cast<context*>(from_context)->gpu;
  if (!reaches(target, to, bytes) || !reaches(source, from, bytes))
    return current->lost = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (reaches(target, from, bytes) || reaches(source, to, bytes)) ++state().direct_copies;
  return move("cuMemcpyPeerAsync", s, at(to), at(from), bytes);
}

// ---- fills

EXPORT CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, std::size_t bytes, CUstream s) {
  CALL_IN_CONTEXT(cuMemsetD8Async);
  stream* const own = known(s, "cuMemsetD8Async");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!reaches(current->gpu, p, bytes)) return CUDA_ERROR_INVALID_VALUE;
  give(*own,
       [=] {
         see(p, bytes, true);
         std::memset(at(p), value, bytes);
         if (after_copy != nullptr) after_copy(at(p), &value, bytes);
       },
       {{p, bytes}});
  return CUDA_SUCCESS;
}
