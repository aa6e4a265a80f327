#pragma once
/// cuFFT's plans of dense rows and planes, of which the process keeps some.

#include <placement/cuda/context.cuh>
#include <placement/device/logical_device.hpp>
#include <placement/runtime/lock.hpp>

#include <cufft.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace cuda { namespace detail {

/// Throws: placement_error if the call failed.
inline void check_cufft(cufftResult status, std::string_view call, logical_device const& on) {
  if (status == CUFFT_SUCCESS) return;
  throw placement_error("placement: " + std::string(call) + " on " + to_string(on.id) +
                        " failed: cufftResult " + std::to_string(static_cast<int>(status)) +
                        ". Transforms can go on without cuFFT, on the CPU: "
                        "set_gpu_transforms(nullptr).");
}

/// `batch` dense transforms of extents n, of which there are `rank`.
struct cufft_shape {
  int ordinal = -1;
  cufftType type{};
  int rank = 1;
  index_t n[2]{1, 1};
  index_t batch = 1, in_step = 1, out_step = 1;  ///< elements from one transform to the next

  friend bool operator==(cufft_shape const&, cufft_shape const&) = default;
};

/// Plans without a workspace of their own. The last `most` that were used are kept.
/// Thread: not safe.
class cufft_plans {
 public:
  static constexpr std::size_t most = 64;

  /// Calls execute(plan), with memory of the device's pool as workspace. Throws: placement_error,
  /// out_of_memory.
  template <class Execute>
  void run(logical_device const& on, CUstream_st* stream, cufft_shape const& shape,
           Execute const& execute) {
    entry const& e = plan_for(on, shape);
    scratch const workspace(on, e.bytes == 0 ? 1 : e.bytes);
    check_cufft(cufftSetStream(e.plan, stream), "cufftSetStream", on);
    check_cufft(cufftSetWorkArea(e.plan, workspace.data()), "cufftSetWorkArea", on);
    check_cufft(execute(e.plan), "cufftExec", on);
  }
  /// The number of plans that are kept. For tests.
  std::size_t kept() const { return count_; }

 private:
  struct entry {
    cufft_shape shape;
    cufftHandle plan{};
    std::size_t bytes = 0;
    std::uint64_t last_use = 0;
  };

  entry const& plan_for(logical_device const& on, cufft_shape const& shape) {
    entry* oldest = all_.data();
    for (std::size_t i = 0; i != count_; ++i) {
      entry& e = all_[i];
      if (e.shape == shape) {
        e.last_use = ++uses_;
        return e;
      }
      if (e.last_use < oldest->last_use) oldest = &e;
    }
    entry made = make(on, shape);
    made.last_use = ++uses_;
    if (count_ != most) return all_[count_++] = made;
    on.owner->synchronise(on.work);  // the GPU may still run the oldest
    static_cast<void>(cufftDestroy(oldest->plan));
    return *oldest = made;
  }
  static entry make(logical_device const& on, cufft_shape const& shape) {
    entry e{shape};
    long long n[2]{shape.n[0], shape.n[1]}, in[2]{shape.in_step, shape.n[1]},
        out[2]{shape.out_step, shape.n[1]};
    check_cufft(cufftCreate(&e.plan), "cufftCreate", on);
    cufftResult status = cufftSetAutoAllocation(e.plan, 0);
    if (status == CUFFT_SUCCESS)
      status = cufftMakePlanMany64(e.plan, shape.rank, n, in, 1, shape.in_step, out, 1,
                                   shape.out_step, shape.type, shape.batch, &e.bytes);
    if (status != CUFFT_SUCCESS) static_cast<void>(cufftDestroy(e.plan));
    check_cufft(status, "cufftMakePlanMany64", on);
    return e;
  }

  std::array<entry, most> all_{};
  std::size_t count_ = 0;
  std::uint64_t uses_ = 0;
};

}}}}  // namespace placement::v0_1::cuda::detail
