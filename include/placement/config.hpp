#pragma once
/// What differs between compilers, in one place: markers only, never a function body or a class.

// Requirements. After the sentence, an include of a file that does not exist stops the compiler,
// which would otherwise report hundreds of errors in what it cannot read.
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#  error \
      "placement needs C++20. With CMake link placement::placement; by hand pass -std=c++20 to the compiler and to nvcc."
#  include "placement stops here: see the error above"
#elif !defined(__cpp_exceptions)
#  error "placement reports errors by exceptions. Compile without -fno-exceptions."
#  include "placement stops here: see the error above"
#elif defined(_MSC_VER)
#  error \
      "placement has no support for MSVC. Compile with g++ 12 or clang 16, or later, on Linux or WSL."
#  include "placement stops here: see the error above"
#elif defined(__clang__) && __clang_major__ < 16
#  error \
      "placement needs clang 16 or later. Debian's package clang-19 can stand beside an older one."
#  include "placement stops here: see the error above"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#  error "placement needs g++ 12 or later, or clang 16 or later with the headers of libstdc++ 12."
#  include "placement stops here: see the error above"
#endif

/// 1 where this file is compiled by a CUDA compiler, else 0. Read by kernels_here and by
/// cuda/ only. PLACEMENT_HD: for host and device; PLACEMENT_HD_AS_GIVEN: the same as far as what
/// it is given is, so that nvcc does not ask: kernels for GPUs are given regions of declared ops
/// only, whose own calls it checks; PLACEMENT_DEVICE: what the threads of a block
/// do, on a device and in tests on the host; PLACEMENT_UNROLL: before a loop whose arrays are to be
/// registers; PLACEMENT_ROLLED: before one that is rarely run.
#if defined(__CUDACC__)
#  define PLACEMENT_CUDA_TU 1
#  define PLACEMENT_HD __host__ __device__
#  define PLACEMENT_DEVICE __device__
#  define PLACEMENT_HD_AS_GIVEN _Pragma("nv_exec_check_disable") __host__ __device__
#else
#  define PLACEMENT_CUDA_TU 0
#  define PLACEMENT_HD
#  define PLACEMENT_DEVICE
#  define PLACEMENT_HD_AS_GIVEN
#endif

/// Marks of loops, and one instruction (its text, the result, the operand), for the compiler of
/// device code alone: the host's knows none of them. PLACEMENT_ON_DEVICE: which of both this is.
#if defined(__CUDA_ARCH__)
#  define PLACEMENT_ON_DEVICE true
#  define PLACEMENT_PTX(text, result, operand) asm(text : result : operand)
#  define PLACEMENT_UNROLL _Pragma("unroll")
#  define PLACEMENT_ROLLED _Pragma("unroll 1")
#else
#  define PLACEMENT_ON_DEVICE false
#  define PLACEMENT_PTX(text, result, operand) static_cast<void>(0)
#  define PLACEMENT_UNROLL
#  define PLACEMENT_ROLLED
#endif

/// One copy in the process, also under -fvisibility=hidden and across shared libraries.
#define PLACEMENT_PROCESS_STATE [[gnu::visibility("default")]]

/// The next loop reads and writes the same index only, so it may be vectorised without alias
/// checks.
/// clang checks for overlap itself, at no measurable cost; asked to leave that out, it would warn
/// of every loop that it cannot vectorise.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#  define PLACEMENT_SAME_INDEX_ONLY _Pragma("GCC ivdep")
#else
#  define PLACEMENT_SAME_INDEX_ONLY
#endif
/// The same of a loop so short that g++ at -O3 would first unroll it, and then see no vectors.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#  define PLACEMENT_SAME_INDEX_ONLY_SHORT _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#  define PLACEMENT_SAME_INDEX_ONLY_SHORT
#endif

/// How many elements a loop of kernels/ takes at once. g++ vectorises at -O2 where it knows the
/// trip count; clang does anyway, and better over the whole.
#if defined(__clang__)
#  define PLACEMENT_LOOP_CHUNK 0x7fffffffffffffff
#else
#  define PLACEMENT_LOOP_CHUNK 64
#endif

/// 1 where the address sanitizer watches the heap, and would not see what comes from elsewhere.
#if defined(__SANITIZE_ADDRESS__)
#  define PLACEMENT_HEAP_IS_INSTRUMENTED 1
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define PLACEMENT_HEAP_IS_INSTRUMENTED 1
#  endif
#endif
#if !defined(PLACEMENT_HEAP_IS_INSTRUMENTED)
#  define PLACEMENT_HEAP_IS_INSTRUMENTED 0
#endif

/// Non-zero while this process has a single thread, where the C library tells; std::shared_ptr asks
/// the same.
#if __has_include(<sys/single_threaded.h>)
#  include <sys/single_threaded.h>
#  define PLACEMENT_SINGLE_THREADED __libc_single_threaded
#else
#  define PLACEMENT_SINGLE_THREADED 0
#endif

/// What the loops over registers of kernels/ are cut to: the bytes of the widest vector that this
/// file is compiled for, and whether there are 32 of them or 16. Both are part of the types of
/// those loops, so that files compiled for different processors share none.
#if defined(__AVX512F__)
#  define PLACEMENT_VECTOR_BYTES 64
#elif defined(__AVX__)
#  define PLACEMENT_VECTOR_BYTES 32
#else
#  define PLACEMENT_VECTOR_BYTES 16
#endif
#if defined(__AVX512F__) || defined(__aarch64__)
#  define PLACEMENT_MANY_VECTORS true
#else
#  define PLACEMENT_MANY_VECTORS false
#endif
