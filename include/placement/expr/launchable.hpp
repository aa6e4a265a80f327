#pragma once
/// Finds out whether another file of the program can launch a kernel. Queried if this file cannot,
/// and the machine has hardware GPUs. A CUDA file with the same kernel of the same types registers
/// it during static initialisation.

#include <placement/expr/fusion.hpp>
#include <placement/runtime/shared_word.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- kernel signatures, which do not depend on the kernel set: one type in all files

/// A memory operand with this element type and shape, of any origin.
template <class T, class X> struct operand_signature {};
/// An op of the kernel, and its operands.
template <class Op, class X, class... A> struct op_signature {};

template <class X> struct read_signature {
  using type = operand_signature<typename X::value_type, typename X::extents_type>;
};
template <class X> requires is_list<X>
struct read_signature<X> {
  using type = X;
};
template <class X, class R, bool Split> struct signature : read_signature<X> {};
template <class X, class R, bool Split> requires is_scalar<X>
struct signature<X, R, Split> {
  using type = X;
};

/// An op with its operands. For element-wise ops and reductions, operands of the fusion group are
/// ops as well.
template <class E, bool Split> struct kernel_signature;
template <class Op, class K, class... A, bool Split>
struct kernel_signature<expr<Op, K, A...>, Split> {
  using self = expr<Op, K, A...>;
  using type =
      op_signature<Op, typename self::extents_type, typename signature<A, self, Split>::type...>;
};
template <class Op, class K, class... A, bool Split>
requires matmul_node<expr<Op, K, A...>> || custom_node<expr<Op, K, A...>>
struct kernel_signature<expr<Op, K, A...>, Split> {
  using type = op_signature<Op, typename expr<Op, K, A...>::extents_type,
                            typename read_signature<A>::type...>;
};

template <class Op, class K, class... A, class R, bool Split>
requires joins<expr<Op, K, A...>, R, Split>
struct signature<expr<Op, K, A...>, R, Split> {
  using type = op_signature<Op, typename expr<Op, K, A...>::extents_type,
                            typename signature<A, R, Split>::type...>;
};
template <class Op, class K, class... A, class R, bool Split>
requires takes_epilogue<expr<Op, K, A...>, R, Split>
struct signature<expr<Op, K, A...>, R, Split> : kernel_signature<expr<Op, K, A...>, Split> {};

// ---- registration

/// Whether a file of this program was compiled with the kernel.
template <class Signature>
PLACEMENT_PROCESS_STATE inline constinit shared_word<bool> in_program{false};

/// Registers the kernel during static initialisation.
template <class E, bool Split> struct has_kernels {
  static inline bool const registered =
      (in_program<typename kernel_signature<E, Split>::type>.set(true), true);
};

/// Values written in the program stay on the host; any file may have the other kernels.
template <class E, bool Split> bool launched_elsewhere() {
  if constexpr (literal_node<E>) return false;
  else return in_program<typename kernel_signature<E, Split>::type>.peek();
}

}}}  // namespace placement::v0_1::detail
