#pragma once
/// Patterns of ops, declared kernels (equal in every compiler), and the kernels that this file can
/// launch.

#include <placement/config.hpp>
#include <placement/math/float16.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 {

// ---- patterns: how an op computes. Each op names one of them.

struct map {};        ///< one result per index of the operands' common shape; fuses.
struct view_op {};    ///< the operand's elements at other positions; fuses.
struct fill {};       ///< values that depend on the element's index; fuses.
struct reduce {};     ///< reduces many elements to one, over all or along one axis.
struct gemm {};       ///< a (batched) matrix product.
struct immediate {};  ///< values written in the program.
struct custom {};     ///< the op has its own loop over dense views.

// ---- the kernels that this file can launch. The set is part of the type of every expression, so
// that no function has two definitions.

/// The CPU's kernels in files for registers of this many bytes, with or without fused multiply-add.
template <int VectorBytes, bool FusesMultiplyAdd> struct cpu_kernels_for {};
/// Those of this file. Files of one program may be compiled for different processors.
using cpu_kernels = cpu_kernels_for<PLACEMENT_VECTOR_BYTES, PLACEMENT_FUSES_MULTIPLY_ADD>;
template <int... Archs> struct gpu_kernels {};
template <class... Sets> struct kernel_set {};
/// Replaces C as the first type of a set. Expressions of such files record no events and no log
/// lines of their ops.
template <class C> struct without_op_log {};
/// Replaces the CPU's kernels of a set. An expression with a product, a reduction or a custom op
/// may be used once in such files: its second use does not compile.
template <class C> struct used_once {};
/// Replaces C as the first type of a set, too. A gradient tape records evaluations of such files.
template <class C> struct recorded {};

#if defined(PLACEMENT_KERNELS_HERE)  // tests only: same file and compiler, another set
using kernels_here = PLACEMENT_KERNELS_HERE;
#else
#  if defined(PLACEMENT_EXPRESSIONS_USED_ONCE)
using checked_kernels_here = used_once<cpu_kernels>;
#  else
using checked_kernels_here = cpu_kernels;
#  endif
#  if defined(PLACEMENT_WITHOUT_OP_LOG)
using logged_kernels_here = without_op_log<checked_kernels_here>;
#  else
using logged_kernels_here = checked_kernels_here;
#  endif
#  if defined(PLACEMENT_GRADIENTS)
using host_kernels_here = recorded<logged_kernels_here>;
#  else
#    define PLACEMENT_WITHOUT_GRADIENTS  // gradient.hpp would come too late
using host_kernels_here = logged_kernels_here;
#  endif
#  if PLACEMENT_CUDA_TU
using kernels_here = kernel_set<host_kernels_here, gpu_kernels<__CUDA_ARCH_LIST__>>;
#  else
using kernels_here = kernel_set<host_kernels_here>;
#  endif
#endif

template <class Set> inline constexpr bool launches_gpu = false;
template <class C, class G> inline constexpr bool launches_gpu<kernel_set<C, G>> = true;

/// Whether ops of files with this set record events and log lines.
template <class Set> inline constexpr bool logs_ops = true;
template <class C, class... G>
inline constexpr bool logs_ops<kernel_set<without_op_log<C>, G...>> = false;
template <class C, class... G>
inline constexpr bool logs_ops<kernel_set<recorded<without_op_log<C>>, G...>> = false;

/// Whether expressions of files with this set may be used once.
template <class Set> inline constexpr bool allows_one_use = false;
template <class C> inline constexpr bool allows_one_use<used_once<C>> = true;
template <class C> inline constexpr bool allows_one_use<without_op_log<C>> = allows_one_use<C>;
template <class C> inline constexpr bool allows_one_use<recorded<C>> = allows_one_use<C>;
template <class C, class... G>
inline constexpr bool allows_one_use<kernel_set<C, G...>> = allows_one_use<C>;

/// Whether a gradient tape records evaluations of files with this set.
template <class Set> inline constexpr bool is_recorded_set = false;
template <class C, class... G>
inline constexpr bool is_recorded_set<kernel_set<recorded<C>, G...>> = true;

namespace detail {
namespace no_adl {
/// The same kernels for expressions that no tape records.
template <class Set> struct without_recording {
  using type = Set;
};
template <class C, class... G> struct without_recording<kernel_set<recorded<C>, G...>> {
  using type = kernel_set<C, G...>;
};
}  // namespace no_adl
using no_adl::without_recording;
}  // namespace detail

/// The kernel of an op for an element type. Kernels are specializations; the primary template
/// declares that there is none.
template <class Set, class Pattern, class Op, class T> struct kernel {
  static constexpr bool exists = false;
};

/// The kernel of a file that cannot launch one.
struct no_kernel {
  static constexpr bool exists = false;
};

// ---- declared kernels: used by plans and simulated GPUs, equal in every compiler

/// Whether a pattern has a GPU kernel for element type T.
template <class Pattern, class T> inline constexpr bool pattern_has_gpu = true;
/// GPUs multiply matrices of floating-point elements only.
template <class T> inline constexpr bool pattern_has_gpu<gemm, T> = real_number<T>;

/// A custom op brings its own GPU kernel, or has none.
template <class T> inline constexpr bool pattern_has_gpu<custom, T> = false;

/// `using kernels = cpu_only;` in an op: the op has no GPU kernel for any type.
struct cpu_only {};

template <class Op> concept declares_cpu_only = std::is_same_v<typename Op::kernels, cpu_only>;

/// Whether this op has a GPU kernel for elements of type T. The op's own `has_gpu_kernel<T>`
/// overrides its pattern. A custom op has no GPU kernel unless it declares one.
template <class Op, class T>
inline constexpr bool gpu_declared =
    pattern_has_gpu<typename Op::pattern, T> && !declares_cpu_only<Op>;
template <class Op, class T> requires requires { Op::template has_gpu_kernel<T>; }
inline constexpr bool gpu_declared<Op, T> = Op::template has_gpu_kernel<T>;

// ---- kernels of libraries, which exist on hardware GPUs if a file of the program registers one

/// `using gpu_library = ...;` in a custom op without a declared GPU kernel: its
/// `static bool is_registered()` states at run time whether the op has one. The op's
/// `run_by_library(on, out, in...)` launches it.
template <class Op> concept has_gpu_library = requires { typename Op::gpu_library; };

/// The GPU kernel of such an op.
struct library_kernel {
  static constexpr bool exists = true;

  template <class On, class Op, class Out, class... In>
  static void run(On const& on, Op const& op, Out const& out, In const&... in) {
    op.run_by_library(on, out, in...);
  }
};

}}  // namespace placement::v0_1
