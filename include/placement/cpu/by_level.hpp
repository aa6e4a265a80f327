#pragma once
/// Runs a loop that compilers vectorise for the highest level of x86-64 that the processor has.

#include <placement/config.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

template <class Work, class K> [[gnu::noinline]] void run_for_file(Work const& work) { work(); }
#if PLACEMENT_HAS_LEVELS
// g++ 12 omits vzeroupper where a branch only moves numbers. Code of SSE is then slow on Intel.
template <class Work, class K>
PLACEMENT_FOR_AVX2 [[gnu::noinline]] void run_for_avx2(Work const& work) {
  work();
  __builtin_ia32_vzeroupper();
}
template <class Work, class K>
PLACEMENT_FOR_AVX512 [[gnu::noinline]] void run_for_avx512(Work const& work) {
  work();
  __builtin_ia32_vzeroupper();
}
#endif

/// Calls work(), compiled for the level in use. Its call operator, and what that calls in loops,
/// are PLACEMENT_ALWAYS_INLINE: a function that is not inlined has the level of the file.
/// Work is a class of a header, and no lambda, so that all files share the functions.
/// Cost: the level in use, and a call.
template <class Work, class K = cpu_kernels> void run_by_level(Work const& work) {
#if PLACEMENT_HAS_LEVELS
  cpu_level const level = cpu_level_in_use();
  if (level == cpu_level::avx512) return run_for_avx512<Work, K>(work);
  if constexpr (PLACEMENT_X86_LEVEL < 3)
    if (level == cpu_level::avx2) return run_for_avx2<Work, K>(work);
#endif
  run_for_file<Work, K>(work);
}

/// A call of work.run<Bytes>().
template <int Bytes, class Work> struct work_of_width {
  Work const& work;

  PLACEMENT_ALWAYS_INLINE void operator()() const { work.template run<Bytes>(); }
};
/// Calls work.run<Bytes>() for the level in use. Bytes: those of its vector registers.
template <class Work, class K = cpu_kernels> void run_by_width(Work const& work) {
#if PLACEMENT_HAS_LEVELS
  cpu_level const level = cpu_level_in_use();
  if (level == cpu_level::avx512)
    return run_for_avx512<work_of_width<64, Work>, K>(work_of_width<64, Work>{work});
  if constexpr (PLACEMENT_X86_LEVEL < 3)
    if (level == cpu_level::avx2)
      return run_for_avx2<work_of_width<32, Work>, K>(work_of_width<32, Work>{work});
#endif
  run_for_file<work_of_width<PLACEMENT_VECTOR_BYTES, Work>, K>(
      work_of_width<PLACEMENT_VECTOR_BYTES, Work>{work});
}

}}}  // namespace placement::v0_1::detail
