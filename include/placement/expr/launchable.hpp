#pragma once
/// Finds out whether another file of the program can launch a kernel. Queried if this file cannot,
/// and the machine has hardware GPUs. A CUDA file with the same kernel of the same types registers
/// it during static initialisation.

#include <placement/expr/fusion.hpp>
#include <placement/place/placer.hpp>
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
requires joins<expr<Op, K, A...>, nodes_of<R, Split>>
struct signature<expr<Op, K, A...>, R, Split> {
  using type = op_signature<Op, typename expr<Op, K, A...>::extents_type,
                            typename signature<A, R, Split>::type...>;
};
template <class Op, class K, class... A, class R, bool Split>
requires takes_epilogue<expr<Op, K, A...>, R, Split>
struct signature<expr<Op, K, A...>, R, Split> : kernel_signature<expr<Op, K, A...>, Split> {};

// ---- registration

/// The source of the kernel for files that do not have it; a file of the program goes before
/// placement::kernels.
template <class Signature>
PLACEMENT_PROCESS_STATE inline constinit shared_word<int> source_in_program{0};

/// Raises a source to `source`. Returns true.
inline bool register_source(shared_word<int>& word, kernel_source source) noexcept {
  int const own = static_cast<int>(source);
  for (int seen = word.peek(); seen < own && !word.replace(seen, own);) {}
  return true;
}
/// Registers the kernel during static initialisation.
template <class E, bool Split, kernel_source Source = kernel_source::another_file>
struct has_kernels {
  static inline bool const registered =
      register_source(source_in_program<typename kernel_signature<E, Split>::type>, Source);
};

/// The other file with the kernel. Values written in the program stay on the host; any file may
/// have the other kernels.
template <class E, bool Split> kernel_source launched_elsewhere() {
  if constexpr (literal_node<E>) return kernel_source::none;
  else
    return static_cast<kernel_source>(
        source_in_program<typename kernel_signature<E, Split>::type>.peek());
}

}}}  // namespace placement::v0_1::detail
