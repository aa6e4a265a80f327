#pragma once
/// The CUDA driver, loaded at run time by dlopen. A program also starts without a driver and can
/// report what is missing.

#include <cuda.h>

#include <string>

#include <dlfcn.h>

namespace placement { inline namespace v0_1 { namespace cuda {

/// A shared library, or the reason why it could not be opened. Never closed: the CUDA driver cannot
/// be unloaded.
class driver_library {
 public:
  explicit driver_library(char const* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) error_ = ::dlerror();
  }

  /// The message of dlopen; empty if the library is open.
  std::string const& error() const noexcept { return error_; }
  /// The first function that the library lacks; nullptr if it has all of them.
  char const* missing() const noexcept { return missing_; }

  void* find(char const* function) noexcept {
    if (handle_ == nullptr) return nullptr;
    void* const found = ::dlsym(handle_, function);
    if (found == nullptr && missing_ == nullptr) missing_ = function;
    return found;
  }

 private:
  void* handle_;
  std::string error_;
  char const* missing_ = nullptr;
};

/// A function of the driver, with its name for messages.
template <class Pointer> class driver_function {
 public:
  driver_function(driver_library& from, char const* name) noexcept
      : name_(name), call_(reinterpret_cast<Pointer>(from.find(name))) {}

  char const* name() const noexcept { return name_; }
  bool found() const noexcept { return call_ != nullptr; }
  template <class... A> CUresult operator()(A... arguments) const { return call_(arguments...); }

 private:
  char const* name_;
  Pointer call_;
};

/// The driver functions that the library calls. They may be called only if `why_not()` is empty.
/// The names are those of the driver's stable ABI; a driver of CUDA 11.4 has all of them.
class driver {
 private:
  driver_library from_;

 public:
  explicit driver(char const* library = "libcuda.so.1") : from_(library) {}
  driver(driver const&) = delete;
  driver& operator=(driver const&) = delete;

  driver_function<decltype(&::cuInit)> init{from_, "cuInit"};
  driver_function<decltype(&::cuDriverGetVersion)> version{from_, "cuDriverGetVersion"};
  driver_function<decltype(&::cuGetErrorName)> error_name{from_, "cuGetErrorName"};
  driver_function<decltype(&::cuGetErrorString)> error_string{from_, "cuGetErrorString"};

  driver_function<decltype(&::cuDeviceGetCount)> device_count{from_, "cuDeviceGetCount"};
  driver_function<decltype(&::cuDeviceGet)> device{from_, "cuDeviceGet"};
  driver_function<decltype(&::cuDeviceGetName)> device_name{from_, "cuDeviceGetName"};
  driver_function<decltype(&::cuDeviceGetPCIBusId)> pci_bus_id{from_, "cuDeviceGetPCIBusId"};
  /// The UUID of the whole GPU, also if the device is a MIG instance.
  driver_function<decltype(&::cuDeviceGetUuid)> uuid_of_gpu{from_, "cuDeviceGetUuid"};
  driver_function<decltype(&::cuDeviceGetUuid)> uuid{from_, "cuDeviceGetUuid_v2"};
  driver_function<decltype(&::cuDeviceTotalMem)> total_memory{from_, "cuDeviceTotalMem_v2"};
  driver_function<decltype(&::cuDeviceGetAttribute)> attribute{from_, "cuDeviceGetAttribute"};
  driver_function<decltype(&::cuDeviceCanAccessPeer)> can_access_peer{from_,
                                                                      "cuDeviceCanAccessPeer"};

  driver_function<decltype(&::cuDevicePrimaryCtxRetain)> retain_context{from_,
                                                                        "cuDevicePrimaryCtxRetain"};
  driver_function<decltype(&::cuCtxGetCurrent)> current_context{from_, "cuCtxGetCurrent"};
  driver_function<decltype(&::cuCtxSetCurrent)> set_current_context{from_, "cuCtxSetCurrent"};

  driver_function<decltype(&::cuCtxSynchronize)> synchronise_context{from_, "cuCtxSynchronize"};

  driver_function<decltype(&::cuMemGetInfo)> memory_info{from_, "cuMemGetInfo_v2"};
  driver_function<decltype(&::cuMemGetAllocationGranularity)> granularity{
      from_, "cuMemGetAllocationGranularity"};
  driver_function<decltype(&::cuMemAddressReserve)> reserve{from_, "cuMemAddressReserve"};
  driver_function<decltype(&::cuMemAddressFree)> free_addresses{from_, "cuMemAddressFree"};
  driver_function<decltype(&::cuMemCreate)> create{from_, "cuMemCreate"};
  driver_function<decltype(&::cuMemRelease)> release{from_, "cuMemRelease"};
  driver_function<decltype(&::cuMemMap)> map{from_, "cuMemMap"};
  driver_function<decltype(&::cuMemUnmap)> unmap{from_, "cuMemUnmap"};
  driver_function<decltype(&::cuMemSetAccess)> set_access{from_, "cuMemSetAccess"};
  driver_function<decltype(&::cuMemAllocAsync)> allocate_async{from_, "cuMemAllocAsync"};
  driver_function<decltype(&::cuMemFreeAsync)> free_async{from_, "cuMemFreeAsync"};
  driver_function<decltype(&::cuDeviceGetDefaultMemPool)> default_pool{from_,
                                                                       "cuDeviceGetDefaultMemPool"};
  driver_function<decltype(&::cuMemPoolSetAttribute)> set_pool_attribute{from_,
                                                                         "cuMemPoolSetAttribute"};
  driver_function<decltype(&::cuMemPoolTrimTo)> trim_pool{from_, "cuMemPoolTrimTo"};
  driver_function<decltype(&::cuMemHostAlloc)> allocate_pinned{from_, "cuMemHostAlloc"};
  driver_function<decltype(&::cuMemFreeHost)> free_pinned{from_, "cuMemFreeHost"};
  driver_function<decltype(&::cuPointerGetAttributes)> pointer_attributes{from_,
                                                                          "cuPointerGetAttributes"};

  driver_function<decltype(&::cuStreamCreate)> create_stream{from_, "cuStreamCreate"};
  driver_function<decltype(&::cuStreamDestroy)> destroy_stream{from_, "cuStreamDestroy_v2"};
  driver_function<decltype(&::cuStreamSynchronize)> synchronise_stream{from_,
                                                                       "cuStreamSynchronize"};
  driver_function<decltype(&::cuStreamWaitEvent)> wait_in_stream{from_, "cuStreamWaitEvent"};
  driver_function<decltype(&::cuEventCreate)> create_event{from_, "cuEventCreate"};
  driver_function<decltype(&::cuEventRecord)> record_event{from_, "cuEventRecord"};
  driver_function<decltype(&::cuEventSynchronize)> synchronise_event{from_, "cuEventSynchronize"};

  driver_function<decltype(&::cuMemcpyHtoDAsync)> copy_in{from_, "cuMemcpyHtoDAsync_v2"};
  driver_function<decltype(&::cuMemcpyDtoHAsync)> copy_out{from_, "cuMemcpyDtoHAsync_v2"};
  driver_function<decltype(&::cuMemcpyDtoDAsync)> copy_inside{from_, "cuMemcpyDtoDAsync_v2"};
  driver_function<decltype(&::cuMemcpyPeerAsync)> copy_between{from_, "cuMemcpyPeerAsync"};

  driver_function<decltype(&::cuStreamBeginCapture)> begin_capture{from_,
                                                                   "cuStreamBeginCapture_v2"};
  driver_function<decltype(&::cuStreamEndCapture)> end_capture{from_, "cuStreamEndCapture"};
  driver_function<decltype(&::cuGraphInstantiateWithFlags)> instantiate_graph{
      from_, "cuGraphInstantiateWithFlags"};
  driver_function<decltype(&::cuGraphLaunch)> launch_graph{from_, "cuGraphLaunch"};
  driver_function<decltype(&::cuGraphExecDestroy)> destroy_instance{from_, "cuGraphExecDestroy"};
  driver_function<decltype(&::cuGraphDestroy)> destroy_graph{from_, "cuGraphDestroy"};

  /// The newest CUDA version that the driver supports, 13000 for 13.0; 0 without a driver.
  int newest_version() const noexcept {
    int newest = 0;
    return version.found() && version(&newest) == CUDA_SUCCESS ? newest : 0;
  }

  /// "CUDA_ERROR_OUT_OF_MEMORY (2, out of memory)"
  std::string text_of(CUresult code) const {
    char const* name = nullptr;
    char const* words = nullptr;
    std::string const number = std::to_string(static_cast<int>(code));
    if (error_name(code, &name) != CUDA_SUCCESS || error_string(code, &words) != CUDA_SUCCESS)
      return "an error that the driver has no name for (" + number + ")";
    return std::string(name) + " (" + number + ", " + words + ")";
  }

  /// Why the driver cannot be called, as the clause after "because"; empty if it can.
  std::string why_not() const;
};

/// "13.0" for 13000.
inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

inline std::string driver::why_not() const {
  if (!from_.error().empty())
    return "the CUDA driver could not be opened: " + from_.error() +
           ". Install NVIDIA's driver, or start the container with the machine's GPUs.";
  int const newest = newest_version();
  if (version.found() && newest / 1000 < CUDA_VERSION / 1000)
    return "the CUDA driver runs programs of CUDA " + version_text(newest) +
           " at most, and this one is of CUDA " + version_text(CUDA_VERSION) +
           ". Update NVIDIA's driver, or compile with an older toolkit.";
  if (from_.missing() != nullptr)
    return "the CUDA driver" + (newest == 0 ? "" : ", of CUDA " + version_text(newest) + ",") +
           " has no function " + from_.missing() + ". Update NVIDIA's driver.";
  return {};
}

}}}  // namespace placement::v0_1::cuda
