#pragma once
/// Macros for the differences between compilers: markers only, never a function body or a class.

// Requirements. After the message, an include of a missing file stops the compiler. Without it the
// compiler would report hundreds of errors in code that it cannot read.
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

/// PLACEMENT_CUDA_TU: 1 where a CUDA compiler compiles this file, else 0. Only kernels_here and
/// cuda/ read it.
/// PLACEMENT_HD: a function for host and device.
/// PLACEMENT_HD_AS_GIVEN: the same, but nvcc does not check that the functors it calls can run on a
/// device. GPU kernels get fusion groups of declared ops only, and nvcc checks the calls of those.
/// PLACEMENT_DEVICE: code of the threads of a block, on a device and in tests on the host.
/// PLACEMENT_UNROLL: before a loop whose arrays must stay in registers.
/// PLACEMENT_ROLLED: before a loop that rarely runs.
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

/// Loop pragmas and one PTX instruction (text, result, operands), for the device compiler only: the
/// host compiler knows none of them. PLACEMENT_ON_DEVICE: whether this pass compiles device code.
/// PLACEMENT_DEVICE_BFLOAT16: whether it does so for GPUs that round to bfloat16.
#if defined(__CUDA_ARCH__)
#  define PLACEMENT_ON_DEVICE true
#  define PLACEMENT_DEVICE_BFLOAT16 (__CUDA_ARCH__ >= 800)
#  define PLACEMENT_PTX(text, result, ...) asm(text : result : __VA_ARGS__)
#  define PLACEMENT_UNROLL _Pragma("unroll")
#  define PLACEMENT_ROLLED _Pragma("unroll 1")
#else
#  define PLACEMENT_ON_DEVICE false
#  define PLACEMENT_DEVICE_BFLOAT16 false
#  define PLACEMENT_PTX(text, result, ...) static_cast<void>(0)
#  define PLACEMENT_UNROLL
#  define PLACEMENT_ROLLED
#endif

/// One instance per process, also under -fvisibility=hidden and across shared libraries.
#define PLACEMENT_PROCESS_STATE [[gnu::visibility("default")]]

/// The next loop reads and writes the same index only, so g++ may vectorise it without alias
/// checks. clang checks for overlap itself, at no measurable cost. With its own pragma clang would
/// warn about every loop that it cannot vectorise.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#  define PLACEMENT_SAME_INDEX_ONLY _Pragma("GCC ivdep")
#else
#  define PLACEMENT_SAME_INDEX_ONLY
#endif
/// The same for a short loop, which g++ -O3 would unroll first. PLACEMENT_KEEP_LOOP: never unroll.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#  define PLACEMENT_SAME_INDEX_ONLY_SHORT _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#  define PLACEMENT_HAS_SAME_INDEX_ONLY 1
#  define PLACEMENT_KEEP_LOOP _Pragma("GCC unroll 1")
#else
#  define PLACEMENT_SAME_INDEX_ONLY_SHORT
#  define PLACEMENT_HAS_SAME_INDEX_ONLY 0
#  if defined(__clang__) && !defined(__CUDACC__)
#    define PLACEMENT_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#  else
#    define PLACEMENT_KEEP_LOOP
#  endif
#endif

/// Elements per inner loop in kernels/. g++ at -O2 vectorises a loop if it knows the trip count.
/// clang vectorises without it, and better over the whole range.
#if defined(__clang__)
#  define PLACEMENT_LOOP_CHUNK 0x7fffffffffffffff
#else
#  define PLACEMENT_LOOP_CHUNK 64
#endif

/// 1 where AddressSanitizer instruments the heap. It does not check memory from other sources.
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

/// Non-zero while this process has a single thread, where the C library reports that.
/// std::shared_ptr reads the same variable.
#if __has_include(<sys/single_threaded.h>)
#  include <sys/single_threaded.h>
#  define PLACEMENT_SINGLE_THREADED __libc_single_threaded
#else
#  define PLACEMENT_SINGLE_THREADED 0
#endif

/// Sizes for the register-blocked loops of kernels/. PLACEMENT_VECTOR_BYTES: the widest vector that
/// this file is compiled for. PLACEMENT_MANY_VECTORS: there are 32 vector registers, not 16. Both
/// are part of the types of those loops.
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

/// Loops that are compiled for several levels of x86-64, of which the program calls the best that
/// its processor has. PLACEMENT_X86_LEVEL: the level for which this file is compiled; 0 on other
/// processors. PLACEMENT_FOR_AVX2, PLACEMENT_FOR_AVX512: attributes of a function that is compiled
/// for a level. It must inline all that it calls with wide vectors.
#if !defined(__x86_64__)
#  define PLACEMENT_X86_LEVEL 0
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && \
    defined(__AVX512DQ__) && defined(__AVX512VL__)
#  define PLACEMENT_X86_LEVEL 4
#elif defined(__AVX2__) && defined(__FMA__)
#  define PLACEMENT_X86_LEVEL 3
#else
#  define PLACEMENT_X86_LEVEL 1
#endif
#if defined(__x86_64__)
#  define PLACEMENT_FOR_AVX2 [[gnu::target("avx2,fma,bmi,bmi2")]]
#  define PLACEMENT_FOR_AVX512 \
    [[gnu::target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]]
#  define PLACEMENT_PROCESSOR_HAS(feature) (__builtin_cpu_supports(feature) != 0)
#else
#  define PLACEMENT_FOR_AVX2
#  define PLACEMENT_FOR_AVX512
#  define PLACEMENT_PROCESSOR_HAS(feature) false
#endif

/// PLACEMENT_ALWAYS_INLINE: a function of registers, which is part of the loop that calls it. At
/// -O0 it is an ordinary function, as inlining it would take up to two thirds of the compile time.
/// PLACEMENT_HAS_LEVELS: this file calls loops of higher levels. Not at -O0, as wide vectors cannot
/// be passed between levels.
#if defined(__OPTIMIZE__) || PLACEMENT_CUDA_TU
#  define PLACEMENT_ALWAYS_INLINE __attribute__((always_inline))
#else
#  define PLACEMENT_ALWAYS_INLINE
#endif
#if defined(__OPTIMIZE__)
#  define PLACEMENT_HAS_LEVELS (PLACEMENT_X86_LEVEL == 1 || PLACEMENT_X86_LEVEL == 3)
#else
#  define PLACEMENT_HAS_LEVELS false
#endif

/// Around functions of wide vectors that are always inlined. Compilers warn that the ABI of a call
/// would depend on the processor; there is no call.
#define PLACEMENT_INLINED_VECTORS_BEGIN \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpsabi\"")
#define PLACEMENT_INLINED_VECTORS_END _Pragma("GCC diagnostic pop")

/// Begins the definition of a function in src/. The source files of the CMake target emit them all;
/// other files the ones that they call. Not for constructors and destructors: clang emits one
/// of their two symbols.
#if defined(PLACEMENT_EMIT_DEFINITIONS)
#  define PLACEMENT_INLINE [[gnu::used]] inline
#else
#  define PLACEMENT_INLINE inline
#endif

/// PLACEMENT_ON_CALL begins the declaration of a function of src/ that is costly to compile;
/// PLACEMENT_INLINE_ON_CALL begins its definition. Files that include definitions see a template,
/// which the compiler instantiates only for a call.
#if defined(PLACEMENT_COMPILED) || defined(PLACEMENT_EMIT_DEFINITIONS)
#  define PLACEMENT_ON_CALL
#  define PLACEMENT_INLINE_ON_CALL PLACEMENT_INLINE
#else
#  define PLACEMENT_ON_CALL template <int = 0>
#  define PLACEMENT_INLINE_ON_CALL template <int> inline
#endif

/// Whether the processor has a fused multiply-add, which compilers may use for a product and a sum.
#if defined(__x86_64__) && !defined(__FMA__) && !defined(__FMA4__) && !defined(__AVX512F__)
#  define PLACEMENT_FUSES_MULTIPLY_ADD false
#else
#  define PLACEMENT_FUSES_MULTIPLY_ADD true
#endif

/// Whether math::fused() is one instruction in this file.
#if defined(__CUDA_ARCH__) || defined(__aarch64__) || defined(__FMA__)
#  define PLACEMENT_HAS_FUSED true
#else
#  define PLACEMENT_HAS_FUSED false
#endif

/// Makes a product in a variable, a number or a vector register, one that compilers do not fuse
/// with a later sum. Device code names the instruction instead.
#if defined(__CUDA_ARCH__) || !(defined(__SSE2__) || defined(__aarch64__))
#  define PLACEMENT_ROUNDED(x) static_cast<void>(0)
#elif defined(__aarch64__)
#  define PLACEMENT_ROUNDED(x) asm("" : "+w"(x))
#else
#  define PLACEMENT_ROUNDED(x) asm("" : "+v"(x))
#endif

/// The same of a register of any level, in a function that is inlined. clang fuses within one
/// expression alone, and has no registers of higher levels in such a function. What nvcc writes for
/// its host compiler has such functions that are not inlined.
#if defined(__clang__)
#  define PLACEMENT_ROUNDED_WIDE(x) static_cast<void>(0)
#elif defined(__CUDACC__)
#  define PLACEMENT_ROUNDED_WIDE(x) asm("" : "+m"(x))
#else
#  define PLACEMENT_ROUNDED_WIDE(x) PLACEMENT_ROUNDED(x)
#endif

/// Keeps a vector, which was loaded, in its register. g++ else loads it once more for each use.
#if defined(__clang__) || defined(__CUDACC__)
#  define PLACEMENT_IN_REGISTER(x) static_cast<void>(0)
#else
#  define PLACEMENT_IN_REGISTER(x) PLACEMENT_ROUNDED(x)
#endif

/// y = a op b of vector registers, by the instruction that has this name with a v before it if
/// has_three: registers of 32 bytes or more. Of two NaN processors give the first operand. g++ may
/// exchange the operands of a sum or a product, but not those of an instruction that is named.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__CUDA_ARCH__)
#  define PLACEMENT_IN_ORDER(name, has_three, y, a, op, b)                                        \
    if constexpr (has_three) asm("v" name " {%2, %1, %0|%0, %1, %2}" : "=v"(y) : "v"(a), "v"(b)); \
    else asm(name " {%2, %0|%0, %2}" : "=x"(y) : "0"(a), "x"(b))
#else
#  define PLACEMENT_IN_ORDER(name, has_three, y, a, op, b) (y) = (a)op(b)
#endif

/// Whether ops are given packs. Not where nvcc reads them: a function for both sides may not call
/// one for the host alone, and vectors are for the host. Nor with clang before 19, which crashes on
/// them: clang 16 does, and 17 and 18 were not tried.
#if defined(__clang__) && __clang_major__ < 19
#  define PLACEMENT_HAS_PACKS false
#else
#  define PLACEMENT_HAS_PACKS (PLACEMENT_CUDA_TU == 0)
#endif

/// The lanes of a, then b, with the numbers that follow. nvcc expands no parameter pack in it.
#if defined(__CUDACC__)
#  define PLACEMENT_SHUFFLE(a, b, ...) shuffle_lanes(a, b, {__VA_ARGS__})
#else
#  define PLACEMENT_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif

/// Which functions of whole vectors the compiler has, for kernels/simd_register.hpp alone.
/// ELEMENTWISE: clang's, for each machine. X86: those of SSE2 and above, by their names in g++.
/// ROUNDS: one instruction rounds each lane. COMPARES_LONG: one compares lanes of 64 bits.
/// CONVERTS_LONG: one makes integers of 64 bits of doubles.
#if defined(__has_builtin)
#  if __has_builtin(__builtin_elementwise_sqrt)
#    define PLACEMENT_VECTOR_ELEMENTWISE true
#  endif
#endif
#if !defined(PLACEMENT_VECTOR_ELEMENTWISE)
#  define PLACEMENT_VECTOR_ELEMENTWISE false
#endif
#if defined(__SSE2__)
#  define PLACEMENT_VECTOR_X86 true
#else
#  define PLACEMENT_VECTOR_X86 false
#endif
#if defined(__SSE4_1__) || defined(__aarch64__)
#  define PLACEMENT_VECTOR_ROUNDS true
#else
#  define PLACEMENT_VECTOR_ROUNDS false
#endif
#if defined(__SSE4_2__) || !defined(__SSE2__)
#  define PLACEMENT_VECTOR_COMPARES_LONG true
#else
#  define PLACEMENT_VECTOR_COMPARES_LONG false
#endif
#if defined(__AVX512DQ__) || !defined(__SSE2__)
#  define PLACEMENT_VECTOR_CONVERTS_LONG true
#else
#  define PLACEMENT_VECTOR_CONVERTS_LONG false
#endif
