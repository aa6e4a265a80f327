#pragma once
/// How the blocks of one kernel pass numbers to each other. In tests on the host, blocks run one
/// after another.

#include <placement/shape/extents.hpp>

#include <cstdint>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// Counts from 0 in the order in which blocks call it. A block that waits for those with lower
/// numbers does not depend on the order in which a GPU starts blocks.
PLACEMENT_HD inline index_t take_ticket(std::uint32_t* count) {
#if defined(__CUDA_ARCH__)
  return static_cast<index_t>(atomicAdd(count, 1u));
#else
  return static_cast<index_t>((*count)++);
#endif
}

/// A value that one thread sends and threads of other blocks receive. Each of its words is stored
/// with a mark in one access, so no fence orders them. Memory of zeros holds no value yet.
template <class T> class sent_value {
 public:
  PLACEMENT_HD void send(T const& value) {
    std::uint32_t part[words]{};
    memcpy(part, &value, sizeof(T));
    PLACEMENT_UNROLL
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t const marked = mark | part[w];
#if defined(__CUDA_ARCH__)
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word_ + w), "l"(marked) : "memory");
#else
      word_[w] = marked;
#endif
    }
  }
  /// Waits for the value.
  PLACEMENT_HD T receive() const {
    std::uint64_t seen[words];
    for (bool all = false; !all;) {
      PLACEMENT_UNROLL
      for (std::size_t w = 0; w < words; ++w) {
#if defined(__CUDA_ARCH__)
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(seen[w])
                     : "l"(word_ + w)
                     : "memory");
#else
        seen[w] = word_[w];
#endif
      }
      all = true;
      PLACEMENT_UNROLL
      for (std::size_t w = 0; w < words; ++w) all = all && (seen[w] & mark) != 0;
    }
    std::uint32_t part[words];
    PLACEMENT_UNROLL
    for (std::size_t w = 0; w < words; ++w) part[w] = static_cast<std::uint32_t>(seen[w]);
    T value;
    memcpy(&value, part, sizeof(T));
    return value;
  }

 private:
  static constexpr std::size_t words = (sizeof(T) + 3) / 4;
  static constexpr std::uint64_t mark = std::uint64_t{1} << 32;

  std::uint64_t word_[words];
};

}}}  // namespace placement::v0_1::detail
