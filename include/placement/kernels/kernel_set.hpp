#pragma once
/// Patterns, which kernels an op declares (the same in every compiler), and which this file can
/// launch.

#include <placement/config.hpp>
#include <placement/math/float16.hpp>

#include <type_traits>

namespace placement::inline v0_1 {

// ---- patterns: how an op computes. An op names one of them.

struct map {};        ///< one result per index of the operands' common shape; fuses
struct view_op {};    ///< the operand's elements at other positions; fuses
struct fill {};       ///< values that follow from the element's number; fuses
struct reduce {};     ///< many to one, over all elements or along one axis
struct gemm {};       ///< a (batched) matrix product
struct immediate {};  ///< values written in the program
struct custom {};     ///< the op brings its own loop over dense views

// ---- what this file can launch: part of the type of every expression, so that no body has two
// meanings

struct cpu_kernels {};
template <int... Archs> struct gpu_kernels {};
template <class... Sets> struct kernel_set {};
/// In place of C as the first of a set: expressions of these files make no events and no log lines
/// of their ops.
template <class C> struct without_op_log {};

#if defined(PLACEMENT_KERNELS_HERE)  // tests only: the same file, the same compiler, another set
using kernels_here = PLACEMENT_KERNELS_HERE;
#else
#  if defined(PLACEMENT_WITHOUT_OP_LOG)
using host_kernels_here = without_op_log<cpu_kernels>;
#  else
using host_kernels_here = cpu_kernels;
#  endif
#  if PLACEMENT_CUDA_TU
using kernels_here = kernel_set<host_kernels_here, gpu_kernels<__CUDA_ARCH_LIST__>>;
#  else
using kernels_here = kernel_set<host_kernels_here>;
#  endif
#endif

template <class Set> inline constexpr bool launches_gpu = false;
template <class C, class G> inline constexpr bool launches_gpu<kernel_set<C, G>> = true;

/// Do ops of files with this set make events and log lines?
template <class Set> inline constexpr bool logs_ops = true;
template <class C, class... G>
inline constexpr bool logs_ops<kernel_set<without_op_log<C>, G...>> = false;

/// The kernel of an op for an element type. A kernel is a specialisation; this primary says that
/// there is none.
template <class Set, class Pattern, class Op, class T> struct kernel {
  static constexpr bool exists = false;
};

/// Stands for the kernel where a file has none to launch.
struct no_kernel {
  static constexpr bool exists = false;
};

// ---- what is declared: asked by plans and by simulated GPUs, identical in every compiler

/// Does a pattern have a GPU kernel for element type T?
template <class Pattern, class T> inline constexpr bool pattern_has_gpu = true;
/// Matrix products run on GPUs in floating point only.
template <class T> inline constexpr bool pattern_has_gpu<gemm, T> = real_number<T>;

/// A custom op brings its GPU kernel itself, or has none.
template <class T> inline constexpr bool pattern_has_gpu<custom, T> = false;

/// `using kernels = cpu_only;` in an op: it has no GPU kernel for any type.
struct cpu_only {};

template <class Op> concept declares_cpu_only = std::is_same_v<typename Op::kernels, cpu_only>;

/// Does this op have a GPU kernel for elements of type T? The op's own word, `has_gpu_kernel<T>`,
/// goes before its pattern's; a custom op has none unless it says so.
template <class Op, class T>
inline constexpr bool gpu_declared =
    pattern_has_gpu<typename Op::pattern, T> && !declares_cpu_only<Op>;
template <class Op, class T> requires requires { Op::template has_gpu_kernel<T>; }
inline constexpr bool gpu_declared<Op, T> = Op::template has_gpu_kernel<T>;

}  // namespace placement::inline v0_1
