// A CUDA runtime for tests: what nvcc's host code, the library, CUB, Thrust and programs call, on
// the driver's API alone.
// Each executable and shared library links a copy with hidden symbols, as with NVIDIA's static
// runtime. So it knows only the kernels of its own module.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include <dlfcn.h>

namespace {

// ---- the driver

void* in_driver(char const* name) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = library == nullptr ? nullptr : ::dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "the CUDA runtime of the tests: the driver has no %s\n", name);
    std::abort();
  }
  return found;
}
/// driver<decltype(&::cuLaunchKernel)>("cuLaunchKernel")(arguments...)
template <class Pointer> Pointer driver(char const* name) {
  return reinterpret_cast<Pointer>(in_driver(name));
}
#define DRIVER(function, name) driver<decltype(&::function)>(name)

thread_local cudaError_t last = cudaSuccess;

/// The runtime's errors have the numbers of the driver's.
cudaError_t noted(CUresult code) {
  auto const error = static_cast<cudaError_t>(code);
  if (error != cudaSuccess) last = error;
  return error;
}

// ---- the default stream

/// The stream that an argument names. The default ones are a stream of the current context, one for
/// this module. It waits for no other, as all streams of the fake driver are non-blocking.
cudaStream_t named(cudaStream_t s) {
  if (s != nullptr && s != cudaStreamLegacy && s != cudaStreamPerThread) return s;
  static auto& guard = *new std::mutex;
  static auto& all = *new std::map<CUcontext, CUstream>;
  std::lock_guard const lock(guard);
  CUcontext context = nullptr;
  DRIVER(cuCtxGetCurrent, "cuCtxGetCurrent")(&context);
  CUstream& own = all[context];
  if (own == nullptr) DRIVER(cuStreamCreate, "cuStreamCreate")(&own, CU_STREAM_NON_BLOCKING);
  return own;
}

// ---- kernels of this module

struct binary {
  void* code;
  CUlibrary loaded = nullptr;
};
struct function {
  binary* in;
  std::string name;
  CUkernel ready = nullptr;
};
std::map<void const*, function>& functions() {
  static auto& all = *new std::map<void const*, function>;
  return all;
}
std::mutex& guard() {
  static auto& one = *new std::mutex;
  return one;
}
/// Loads a kernel at its first launch.
CUresult load(function& f) {
  if (f.in->loaded == nullptr) {
    CUresult const code = DRIVER(cuLibraryLoadData, "cuLibraryLoadData")(
        &f.in->loaded, f.in->code, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (code != CUDA_SUCCESS) return code;
  }
  if (f.ready != nullptr) return CUDA_SUCCESS;
  return DRIVER(cuLibraryGetKernel, "cuLibraryGetKernel")(&f.ready, f.in->loaded, f.name.c_str());
}

/// The arguments of <<<...>>>, which nvcc pushes before the host function of a kernel is called.
struct configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local configuration pushed;

}  // namespace

// ---- what nvcc's host code calls. NVIDIA documents none of it; crt/host_runtime.h declares it.

extern "C" {

void** __cudaRegisterFatBinary(void* code);
void** __cudaRegisterFatBinary(void* code) { return reinterpret_cast<void**>(new binary{code}); }
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void** handle);
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void** handle);
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterVar(void** handle, char* host, char* device, char const* name, int, std::size_t,
                       int, int);
void __cudaRegisterVar(void**, char*, char*, char const*, int, std::size_t, int, int) {}
void __cudaRegisterFunction(void** handle, char const* host, char* device, char const* name, int,
                            uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterFunction(void** handle, char const* host, char*, char const* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  std::lock_guard const lock(guard());
  functions()[host] = {reinterpret_cast<binary*>(handle), name};
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream) {
  pushed = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *shared = pushed.shared;
  *static_cast<cudaStream_t*>(stream) = pushed.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* made, void const* host);
cudaError_t __cudaGetKernel(cudaKernel_t* made, void const* host) {
  *made = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<void const*>(kernel), grid, block, arguments, shared,
                          stream);
}

}  // extern "C"

// ---- the runtime's functions

cudaError_t cudaLaunchKernel(void const* host, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  std::lock_guard const lock(guard());
  auto const it = functions().find(host);
  if (it == functions().end()) return last = cudaErrorInvalidDeviceFunction;
  if (CUresult const code = load(it->second); code != CUDA_SUCCESS) return noted(code);
  return noted(DRIVER(cuLaunchKernel, "cuLaunchKernel")(
      reinterpret_cast<CUfunction>(it->second.ready), grid.x, grid.y, grid.z, block.x, block.y,
      block.z, static_cast<unsigned>(shared), named(stream), arguments, nullptr));
}
/// A kernel that may start before the end of the one before it starts after it here. Other
/// attributes are errors.
cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* host,
                                void** arguments) {
  for (unsigned i = 0; i != config->numAttrs; ++i)
    if (config->attrs[i].id != cudaLaunchAttributeProgrammaticStreamSerialization)
      return last = cudaErrorNotSupported;
  return cudaLaunchKernel(host, config->gridDim, config->blockDim, arguments,
                          config->dynamicSmemBytes, config->stream);
}
cudaError_t cudaGetLastError() {
  cudaError_t const was = last;
  last = cudaSuccess;
  return was;
}
cudaError_t cudaPeekAtLastError() { return last; }

char const* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidDeviceFunction: return "cudaErrorInvalidDeviceFunction";
    case cudaErrorNoKernelImageForDevice: return "cudaErrorNoKernelImageForDevice";
    case cudaErrorInvalidPtx: return "cudaErrorInvalidPtx";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorMisalignedAddress: return "cudaErrorMisalignedAddress";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    default: return "an error of the emulated GPU";
  }
}
char const* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }

cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned flags) {
  return noted(DRIVER(cuMemHostAlloc, "cuMemHostAlloc")(p, bytes, flags));
}
cudaError_t cudaFreeHost(void* p) { return noted(DRIVER(cuMemFreeHost, "cuMemFreeHost")(p)); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return noted(DRIVER(cuStreamCreate, "cuStreamCreate")(stream, flags));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return noted(DRIVER(cuStreamDestroy, "cuStreamDestroy_v2")(stream));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return noted(DRIVER(cuStreamSynchronize, "cuStreamSynchronize")(named(stream)));
}

// ---- what CUB calls

cudaError_t cudaGetDeviceCount(int* count) {
  return noted(DRIVER(cuDeviceGetCount, "cuDeviceGetCount")(count));
}
cudaError_t cudaGetDevice(int* device) {
  return noted(DRIVER(cuCtxGetDevice, "cuCtxGetDevice")(device));
}
cudaError_t cudaSetDevice(int device) {
  CUcontext context = nullptr;
  CUresult const code =
      DRIVER(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")(&context, device);
  if (code != CUDA_SUCCESS) return noted(code);
  return noted(DRIVER(cuCtxSetCurrent, "cuCtxSetCurrent")(context));
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int device) {
  return noted(DRIVER(cuDeviceGetAttribute, "cuDeviceGetAttribute")(
      value, static_cast<CUdevice_attribute>(what), device));
}
/// The PTX version, by which CUB chooses its parameters. No other attribute is set.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* all, void const* host) {
  std::lock_guard const lock(guard());
  auto const it = functions().find(host);
  if (it == functions().end()) return last = cudaErrorInvalidDeviceFunction;
  if (CUresult const code = load(it->second); code != CUDA_SUCCESS) return noted(code);
  *all = {};
  return noted(DRIVER(cuFuncGetAttribute, "cuFuncGetAttribute")(
      &all->ptxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION,
      reinterpret_cast<CUfunction>(it->second.ready)));
}
/// As many as have 2048 threads: emulated GPUs have no limit.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const*,
                                                                   int threads, std::size_t,
                                                                   unsigned) {
  *blocks = 2048 / threads;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  CUstream const on = named(stream);
  auto const target = reinterpret_cast<CUdeviceptr>(to),
             source = reinterpret_cast<CUdeviceptr>(from);
  switch (kind) {
    case cudaMemcpyDeviceToDevice:
      return noted(DRIVER(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")(target, source, bytes, on));
    case cudaMemcpyHostToDevice:
      return noted(DRIVER(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")(target, from, bytes, on));
    case cudaMemcpyDeviceToHost:
      return noted(DRIVER(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")(to, source, bytes, on));
    default: return last = cudaErrorInvalidMemcpyDirection;
  }
}
cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, cudaStream_t stream) {
  return noted(DRIVER(cuMemsetD8Async, "cuMemsetD8Async")(
      reinterpret_cast<CUdeviceptr>(p), static_cast<unsigned char>(value), bytes, named(stream)));
}
cudaError_t cudaDeviceSynchronize() {
  return noted(DRIVER(cuCtxSynchronize, "cuCtxSynchronize")());
}

// ---- what Thrust and programs call

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  CUdeviceptr made = 0;
  CUresult const code = DRIVER(cuMemAllocAsync, "cuMemAllocAsync")(&made, bytes, named(nullptr));
  if (code != CUDA_SUCCESS) return noted(code);
  *p = reinterpret_cast<void*>(made);
  return cudaStreamSynchronize(nullptr);
}
/// Waits for all work of the GPU, as NVIDIA's does.
cudaError_t cudaFree(void* p) {
  if (p == nullptr) return cudaSuccess;
  if (cudaError_t const error = cudaDeviceSynchronize(); error != cudaSuccess) return error;
  return noted(
      DRIVER(cuMemFreeAsync, "cuMemFreeAsync")(reinterpret_cast<CUdeviceptr>(p), named(nullptr)));
}
cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaError_t const error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}
