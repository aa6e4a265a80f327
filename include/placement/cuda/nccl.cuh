#pragma once
/// All-reduces between NVIDIA's GPUs by NCCL. Include this header in one file of a program that
/// links placement::nccl. all_reduce() under `fast` then uses NCCL, in every file.

#include <placement/kernels/all_reduce_engine.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/cuda/toolkit.ipp>

#include <nccl.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace cuda {

namespace detail {

/// Throws: placement_error if the call failed.
inline void check_nccl(ncclResult_t result, std::string_view call) {
  if (result == ncclSuccess) return;
  throw placement_error("placement: " + std::string(call) +
                        " failed: " + ncclGetErrorString(result) +
                        ". All-reduces can go on without NCCL: set_gpu_all_reduce(nullptr).");
}
constexpr ncclDataType_t nccl_type_of(product_element e) {
  switch (e) {
    case product_element::f64: return ncclFloat64;
    case product_element::f16: return ncclFloat16;
    case product_element::bf16: return ncclBfloat16;
    case product_element::f32: break;
  }
  return ncclFloat32;
}

}  // namespace detail

/// NCCL as the engine for all-reduces. Communicators are made at the first use of a list of GPUs,
/// which takes a second or more, and are kept. Two logical devices of one GPU are not supported.
/// Thread: safe.
class nccl_all_reduces final : public all_reduce_engine {
 public:
  bool all_reduce(std::span<all_reduce_member const> members,
                  all_reduce_call const& call) override {
    std::vector<int> const gpus = gpus_of(members);
    if (gpus.empty()) return false;
    lock_guard const guard(guard_);
    std::vector<ncclComm_t> const& communicators = communicators_of(gpus);
    ncclRedOp_t const op = call.result == all_reduce_result::mean ? ncclAvg : ncclSum;
    detail::check_nccl(ncclGroupStart(), "ncclGroupStart");
    ncclResult_t first = ncclSuccess;
    for (std::size_t k = 0; k != members.size() && first == ncclSuccess; ++k)
      first = ncclAllReduce(members[k].in, members[k].out, call.count,
                            detail::nccl_type_of(call.element), op, communicators[k],
                            stream_of(*members[k].on));
    ncclResult_t const end = ncclGroupEnd();
    detail::check_nccl(first, "ncclAllReduce");
    detail::check_nccl(end, "ncclGroupEnd");
    return true;
  }

 private:
  struct group {
    std::vector<int> gpus;
    std::vector<ncclComm_t> communicators;
  };

  /// CUDA's numbers of the GPUs; empty if they are not all different hardware GPUs.
  static std::vector<int> gpus_of(std::span<all_reduce_member const> members) {
    std::vector<int> gpus;
    for (all_reduce_member const& m : members) {
      int const gpu =
          m.on->owner->simulated() ? -1 : m.on->owner->describe(m.on->ordinal).driver_index;
      if (gpu < 0) return {};
      for (int const other : gpus)
        if (other == gpu) return {};
      gpus.push_back(gpu);
    }
    return gpus;
  }
  std::vector<ncclComm_t> const& communicators_of(std::vector<int> const& gpus) {
    for (group const& g : groups_)
      if (g.gpus == gpus) return g.communicators;
    group made{gpus, std::vector<ncclComm_t>(gpus.size())};
    groups_.reserve(groups_.size() + 1);
    detail::check_nccl(
        ncclCommInitAll(made.communicators.data(), static_cast<int>(gpus.size()), gpus.data()),
        "ncclCommInitAll");
    groups_.push_back(std::move(made));
    return groups_.back().communicators;
  }

  lock guard_;
  std::vector<group> groups_;
};

/// The engine of this process. Never destroyed: NCCL must not be called once exit has begun.
PLACEMENT_PROCESS_STATE inline nccl_all_reduces& nccl_of_process() {
  static nccl_all_reduces& all = *new nccl_all_reduces;
  return all;
}

namespace detail {
/// Registers the engine during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const nccl_is_used =
    (set_gpu_all_reduce(&nccl_of_process()), true);
}  // namespace detail

}}}  // namespace placement::v0_1::cuda
