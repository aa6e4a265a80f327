#pragma once
/// Runs a kernel of kernels/ on a GPU, in one launch. All of them share this one __global__
/// function.

#include <placement/cuda/context.cuh>
#include <placement/cuda/launch.cuh>
#include <placement/cuda/reports.cuh>
#include <placement/gpu/sent_value.hpp>
#include <placement/gpu/tile.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace placement { inline namespace v0_1 { namespace cuda {

/// The CUDA thread block of a kernel. Its shared memory begins with room for a state of each warp,
/// if it combines or scans states. `each` runs a function on all threads, then a barrier;
/// `each_without_barrier` has no barrier.
template <class Kernel> class device_block {
 public:
  using local = typename Kernel::local;

  __device__ device_block(local& mine, unsigned char* shared) : mine_(mine), shared_(shared) {}

  __device__ index_t number() const { return static_cast<index_t>(blockIdx.x); }
  __device__ void* shared() const { return shared_; }
  template <class F> __device__ void each(F const& f) {
    f(static_cast<int>(threadIdx.x), mine_);
    __syncthreads();
  }
  template <class F> __device__ void each_without_barrier(F const& f) {
    f(static_cast<int>(threadIdx.x), mine_);
  }

  /// Combines the states `s` of each `group_size` neighbouring threads in their order. Each thread
  /// of a group receives the result.
  template <class Combine> __device__ void combine(int group_size, Combine const& combined) {
    using state = decltype(mine_.s);
    int const thread = static_cast<int>(threadIdx.x);
    for (int d = 1; d < group_size && d < warp; d *= 2) {
      state const other = from_lane(mine_.s, d);
      bool const second = (thread & d) != 0;
      state const a = second ? other : mine_.s, b = second ? mine_.s : other;
      mine_.s = combined(a, b);
    }
    if (group_size <= warp) return;
    auto* const all = reinterpret_cast<state*>(shared_);
    if (thread % warp == 0) all[thread / warp] = mine_.s;
    __syncthreads();
    int const first = thread / group_size * (group_size / warp);
    mine_.s = all[first];
    for (int w = 1; w < group_size / warp; ++w) mine_.s = combined(mine_.s, all[first + w]);
    __syncthreads();
  }

  /// Scans the N states `part` of each thread. Warps are in their order, then the numbers of the
  /// parts, then lanes. A part receives the joined states before it; `s` receives all of them.
  template <int N, class State, class Join>
  __device__ void scan(State const& start, Join const& joined) {
    int const lane = static_cast<int>(threadIdx.x) % warp,
              in_block = static_cast<int>(threadIdx.x) / warp;
    State of_warp = start;
    PLACEMENT_UNROLL
    for (int k = 0; k < N; ++k) {
      State through = mine_.part[k];
      PLACEMENT_UNROLL
      for (int d = 1; d < warp; d *= 2) {
        State const lower = from_lane<shuffle::up>(through, d);
        if (lane >= d) through = joined(lower, through);
      }
      State const before = from_lane<shuffle::up>(through, 1);
      mine_.part[k] = lane == 0 ? of_warp : joined(of_warp, before);
      of_warp = joined(of_warp, from_lane<shuffle::broadcast>(through, warp - 1));
    }
    auto* const all = reinterpret_cast<State*>(shared_);
    if (lane == 0) all[in_block] = of_warp;
    __syncthreads();
    State before = start;
    mine_.s = start;
    PLACEMENT_UNROLL
    for (int w = 0; w < block_threads / warp; ++w) {
      if (w == in_block) before = mine_.s;
      mine_.s = joined(mine_.s, all[w]);
    }
    PLACEMENT_UNROLL
    for (int k = 0; k < N; ++k) mine_.part[k] = joined(before, mine_.part[k]);
    __syncthreads();
  }

  /// Counts from 0 in the order in which blocks call it. A block that waits for those with lower
  /// numbers does not depend on the order in which a GPU starts blocks.
  __device__ index_t take_ticket(std::uint32_t* count) const {
    return static_cast<index_t>(atomicAdd(count, 1u));
  }
  template <class T> __device__ void send(sent_value<T>* to, T const& value) const {
    auto const sent = sent_value<T>::of(value);
    PLACEMENT_UNROLL
    for (std::size_t w = 0; w < sent_value<T>::words; ++w)
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to->word + w), "l"(sent.word[w])
                   : "memory");
  }
  /// Waits for the value.
  template <class T> __device__ T receive(sent_value<T> const* from) const {
    sent_value<T> seen;
    do {
      PLACEMENT_UNROLL
      for (std::size_t w = 0; w < sent_value<T>::words; ++w)
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(seen.word[w])
                     : "l"(from->word + w)
                     : "memory");
    } while (!seen.is_complete());
    return seen.value();
  }

 private:
  static constexpr int warp = warp_threads;
  enum class shuffle { change_bit, up, broadcast };

  /// The value of another lane: the one whose number differs in a bit, the one so many below, or
  /// the one of a number. Takes any trivially copyable type.
  template <shuffle By = shuffle::change_bit, class S>
  static __device__ S from_lane(S const& s, int lane) {
    constexpr std::size_t words = (sizeof(S) + 3) / 4;
    std::uint32_t word[words]{};
    memcpy(word, &s, sizeof(S));
    PLACEMENT_UNROLL
    for (std::size_t w = 0; w < words; ++w) {
      if constexpr (By == shuffle::up) word[w] = __shfl_up_sync(0xffffffffu, word[w], lane);
      else if constexpr (By == shuffle::broadcast)
        word[w] = __shfl_sync(0xffffffffu, word[w], lane);
      else word[w] = __shfl_xor_sync(0xffffffffu, word[w], lane);
    }
    S other;
    memcpy(&other, word, sizeof(S));
    return other;
  }

  local& mine_;
  unsigned char* shared_;
};

/// Blocks that a multiprocessor can run at once, so that nvcc limits registers; 0 sets no limit.
template <class Kernel>
inline constexpr int resident_blocks = [] {
  if constexpr (requires { Kernel::resident_blocks; }) return Kernel::resident_blocks;
  else return 0;
}();

template <class Kernel>
__global__ void __launch_bounds__(block_threads, resident_blocks<Kernel>)
    kernel_entry(Kernel const __grid_constant__ kernel_args) {
  // Tests compare the host's size with that of the entry's parameter. Code has no such register.
  asm("{ .reg .pred host_argument_bytes_%0; }" ::"n"(sizeof(Kernel)));
  __shared__ alignas(16) unsigned char shared[Kernel::shared_bytes + (Kernel::shared_bytes == 0)];
  typename Kernel::local mine;
  device_block<Kernel> block(mine, shared);
  kernel_args.run(block);
}

/// Launches kernels on one logical device, in the order of its stream. Without a launch the device
/// is not touched.
class grid {
 public:
  grid(logical_device const& on, std::string_view op) : on_(on), op_(op) {}

  template <class Kernel> void operator()(Kernel const& kernel_args, index_t blocks) const {
    static_assert(sizeof(Kernel) <= 32000,
                  "placement: this expression has too many operands for one GPU kernel, whose "
                  "parameters are at most 32,000 bytes. Evaluate a part of it first.");
    launch const all{reinterpret_cast<void const*>(&kernel_entry<Kernel>),
                     &kernel_args,
                     blocks,
                     {&::cudaLaunchKernel, &::cudaGetLastError}};
    launch_kernel(all, on_, op_);
  }
  logical_device const& device() const { return on_; }
  placement::device where() const { return on_.id; }
  std::string_view op() const { return op_; }
  /// Scratch memory that is valid until the next launches are done.
  scratch allocate_scratch(std::size_t bytes) const { return {on_, bytes}; }
  /// Where kernels store errors that the host throws later.
  kernel_report* report() const { return report_of(on_); }

 private:
  logical_device const& on_;
  std::string_view op_;
};

}}}  // namespace placement::v0_1::cuda
