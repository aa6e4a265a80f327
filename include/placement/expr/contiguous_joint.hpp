#pragma once
/// Several element-wise expressions in one pass where all tensors are contiguous and on CPU:0, with
/// nothing to log: the block kernel is called where the expressions are written, without an operand
/// table. evaluate_joint() gives the same results for any operands.

#include <placement/expr/contiguous.hpp>
#include <placement/expr/joint_kernel.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The result of one of several expressions: the elements of its tensor, and bytes of an element.
struct contiguous_result {
  buffer const* elements;
  unsigned bytes;
};
/// Whether all results may be written where they are. in: the operands of all expressions, whose
/// handles end with the evaluation.
bool are_free_to_write(contiguous_result const* results, unsigned n, block_input const* in,
                       unsigned inputs, std::size_t count);
/// Sets operands of these kinds to the addresses of their inputs.
void set_operands(block_operand* to, block_operand const* kinds, block_input const* in, unsigned n);

/// One pass for expressions of `count` elements.
template <class... E> class contiguous_pass {
  static constexpr unsigned operands = (facts_of_kernel<E, false>.size.operands + ...);
  using results_type = contiguous_result const (&)[sizeof...(E)];

 public:
  static constexpr bool is_possible = (may_be_contiguous<E>() && ...);

  explicit contiguous_pass(std::size_t count) {
    inputs_.count = count;
    inputs_.out = nullptr;
  }
  /// Adds the operands of the next expression. False if it is not computed quietly on CPU:0 from
  /// contiguous operands.
  template <class X> bool add(X const& e, requested_device const& requested) {
    return lists_contiguous(e, requested, no_pin{}, inputs_);
  }
  /// Computes all by the kernel of E. False, and no effect, if a result may not be written where it
  /// is.
  bool run(joint_kernel const& k, results_type results, E const&... e) const {
    if (inputs_.are_external ||
        !are_free_to_write(results, sizeof...(E), inputs_.in, inputs_.inputs, inputs_.count))
      return false;
    pack<slot_expr<E, false>...> const all{{slot_expr_of<fused_nodes::all>(e)}...};
    auto const n = static_cast<index_t>(inputs_.count);
    if (k.are_shared == nullptr && n <= block_length) {
      run_block(k.run, &all, results, n);
    } else {
      block_operand operand[operands + 1];
      unsigned at = 0;
      (set_next<E>(operand, at), ...);
      bool const shared = k.are_shared != nullptr && k.are_shared(&all, operand);
      block_function const write = shared ? k.run_shared : k.run;
      if (n <= block_length) run_block(write, &all, results, n);
      else run_blocks(write, &all, operand, results, n);
    }
    return true;
  }

 private:
  template <class X> void set_next(block_operand* to, unsigned& at) const {
    constexpr unsigned n = facts_of_kernel<X, false>.size.operands;
    set_operands(to + at, kinds_of_operands<X>.all, inputs_.in + at, n);
    at += n;
  }
  void run_block(block_function write, void const* all, results_type results, index_t n) const {
    void* to[sizeof...(E)];
    for (std::size_t i = 0; i != sizeof...(E); ++i) to[i] = results[i].elements->data();
    write(all, static_cast<void*>(to), inputs_.in, n);
  }
  void run_blocks(block_function write, void const* all, block_operand const* operand,
                  results_type results, index_t n) const {
    block_result more[sizeof...(E)];
    for (std::size_t i = 1; i != sizeof...(E); ++i)
      more[i - 1] = {results[i].elements->data(), results[i].bytes};
    constexpr std::size_t cost = (facts_of_kernel<E, false>.cost + ...);
    run_long_contiguous(
        {write, all, operand, operands, results[0].bytes, cost, results[0].elements->data(),
         block_form::any, nullptr, more, sizeof...(E) - 1},
        inputs_.in, n);
  }

  contiguous_inputs<operands> inputs_;
};

}}}  // namespace placement::v0_1::detail
