#pragma once
/// A CUDA driver without a GPU, for tests: libcuda.so.1 over host memory. Work of a stream runs as
/// late as its order allows, so that code which does not wait reads wrong bytes. No call waits for
/// work unless CUDA's documentation says so. A test can make any call fail. Invalid calls are
/// recorded in `misuse`.

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <dlfcn.h>

struct fake_gpu {
  std::string name = "NVIDIA Fake H100";
  int major = 9, minor = 0;
  std::size_t total = std::size_t{1} << 30;
  std::size_t held = 0;  ///< memory of other processes
  std::size_t page = std::size_t{2} << 20;
  std::string pci = "0000:0A:00.0";
  unsigned char uuid = 1;      ///< the value of each of its bytes
  unsigned char mig_uuid = 0;  ///< if not 0, the GPU is a MIG part
  bool peers = true;           ///< whether other GPUs can access its memory
  bool direct_rdma = false;    ///< whether a network card can access its memory
};

struct fake_fault {
  std::string function;
  int call;  ///< number of the failing call, counted from 1
  CUresult code;
};

/// The state that tests set and read.
struct fake_cuda {
  std::vector<fake_gpu> gpus = std::vector<fake_gpu>(2);
  int version = CUDA_VERSION;
  CUresult init = CUDA_SUCCESS;
  bool refuses_no_device = true;  ///< otherwise cuInit succeeds without devices

  std::vector<fake_fault> faults;
  std::map<std::string, int> calls;
  std::vector<std::string> misuse;
  std::vector<std::string> kernel_errors;  ///< of kernels that ran on an emulated GPU
  bool checks_order = false;  ///< if true, unordered accesses to the same memory are misuse
  bool closed = false;        ///< if true, every call ends the process with status 99

  int contexts = 0, ranges = 0, pieces = 0, mapped = 0, streams = 0, events = 0, pinned = 0,
      graphs = 0, async = 0;
  std::vector<std::size_t> used = std::vector<std::size_t>(64);  ///< bytes in use, per GPU
  std::vector<std::uint64_t> release_threshold =
      std::vector<std::uint64_t>(64);  ///< of the default memory pool, per GPU
  int rdma_pieces = 0;                 ///< physical memory that a network card can access
  int waits_between_streams = 0;
  int direct_copies = 0;  ///< between GPUs with peer access

  /// Makes the k-th following call of a function fail with `code`.
  void fail(std::string const& function, int k = 1, CUresult code = CUDA_ERROR_UNKNOWN) {
    faults.push_back({function, calls[function] + k, code});
  }
  /// Number of queued tasks that have not run.
  std::size_t (*undone)() = nullptr;

  int open() const { return ranges + pieces + mapped + streams + pinned + graphs + async; }
};

/// The fake driver of this process. Loads it if needed: configure it before the first use of a GPU.
inline fake_cuda& fake() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  auto* const control = reinterpret_cast<fake_cuda* (*)()>(::dlsym(library, "fake_cuda_control"));
  return *control();
}
/// Whether libcuda.so.1 is the fake driver. False if there is none, or NVIDIA's.
inline bool fake_is_loaded() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return library != nullptr && ::dlsym(library, "fake_cuda_control") != nullptr;
}
