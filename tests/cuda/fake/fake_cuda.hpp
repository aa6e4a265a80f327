#pragma once
/// A CUDA driver without a GPU, for tests: libcuda.so.1 over host memory. Work of a stream happens
/// as late as the order allows, so that who forgets to wait sees other bytes; every call can be
/// told to fail; what is wrong with a call is written down.

#include <cuda.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <dlfcn.h>

struct fake_gpu {
  std::string name = "NVIDIA Fake H100";
  int major = 9, minor = 0;
  std::size_t total = std::size_t{1} << 30;
  std::size_t held = 0;  ///< what other processes have
  std::size_t page = std::size_t{2} << 20;
  std::string pci = "0000:0A:00.0";
  unsigned char uuid = 1;      ///< all its bytes
  unsigned char mig_uuid = 0;  ///< not 0: a MIG part of the GPU
  bool peers = true;           ///< the others can reach its memory
};

struct fake_fault {
  std::string function;
  int call;  ///< from now on, counted from 1
  CUresult code;
};

/// What a test sets and reads.
struct fake_cuda {
  std::vector<fake_gpu> gpus = std::vector<fake_gpu>(2);
  int version = CUDA_VERSION;
  CUresult init = CUDA_SUCCESS;
  bool refuses_no_device = true;  ///< else cuInit succeeds, and there are none

  std::vector<fake_fault> faults;
  std::map<std::string, int> calls;
  std::vector<std::string> misuse;
  bool closed = false;  ///< from now on every call ends the process with 99

  int contexts = 0, ranges = 0, pieces = 0, mapped = 0, streams = 0, events = 0, pinned = 0,
      graphs = 0, async = 0;
  std::vector<std::size_t> used = std::vector<std::size_t>(64);  ///< bytes of each GPU
  int waits_between_streams = 0;
  int direct_copies = 0;  ///< between GPUs one of which reaches the other's memory

  /// The k-th call of a function from now on fails so.
  void fail(std::string const& function, int k = 1, CUresult code = CUDA_ERROR_UNKNOWN) {
    faults.push_back({function, calls[function] + k, code});
  }
  /// Pieces of work that were given to streams and have not happened.
  std::size_t (*undone)() = nullptr;

  int open() const { return ranges + pieces + mapped + streams + pinned + graphs + async; }
};

/// The fake that this process has loaded, or loads now: set it before the first use of a GPU.
inline fake_cuda& fake() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  auto* const control = reinterpret_cast<fake_cuda* (*)()>(::dlsym(library, "fake_cuda_control"));
  return *control();
}
/// Whether libcuda.so.1 is the fake; false where there is none, or one of NVIDIA's.
inline bool fake_is_loaded() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return library != nullptr && ::dlsym(library, "fake_cuda_control") != nullptr;
}
