#pragma once
/// What an all-reduce computes, and how: the reduction, the algorithm, the order of additions.

namespace placement { inline namespace v0_1 { namespace parallel {

/// What becomes of the operands of an all-reduce.
enum class reduction : unsigned char {
  sum,   ///< The sum, as by add_n.
  mean,  ///< The sum divided by the number of operands: floating point only.
};

/// How the bytes of an all-reduce travel. K: the number of devices. Bytes sent by all devices
/// together are 2 (K - 1) times the size of one operand, for each of them.
enum class all_reduce_algorithm : unsigned char {
  by_size,     ///< one_device or scatter, by the size of an operand.
  one_device,  ///< The first device adds all operands and sends the result: 2 (K - 1) copies.
  scatter,     ///< Each device adds 1/K of the elements and sends its part: 2 K (K - 1) copies.
  ring,        ///< The same by copies from neighbour to neighbour. Needs `fast`.
};

/// The ops of reduce_to.
enum class reduce_form : unsigned char {
  fused,   ///< AddN and Div in one kernel, with the bits of all_reduce.
  concat,  ///< ExpandDims for each tensor, ConcatV2, Mean or Sum: TensorFlow's towers.
};

/// Lets an all-reduce add the operands in any order. The result has the same bits on every device,
/// but may differ from add_n in the last bits.
struct fast_t {};
inline constexpr fast_t fast{};

/// `all_reduce(x, reduction::mean, all_reduce_algorithm::scatter)`, `all_reduce(x, {}, fast)`,
/// `all_reduce(x, {}, {fast, all_reduce_algorithm::ring})`.
class all_reduce_options {
 public:
  constexpr all_reduce_options() = default;
  constexpr all_reduce_options(all_reduce_algorithm a) : algorithm_(a) {}
  constexpr all_reduce_options(fast_t, all_reduce_algorithm a = all_reduce_algorithm::by_size)
      : algorithm_(a), is_fast_(true) {}

  constexpr all_reduce_algorithm algorithm() const { return algorithm_; }
  /// Whether the order of additions is free.
  constexpr bool is_fast() const { return is_fast_; }

 private:
  all_reduce_algorithm algorithm_ = all_reduce_algorithm::by_size;
  bool is_fast_ = false;
};

/// From this size of an operand on, by_size chooses scatter: measured on simulated GPUs.
inline constexpr unsigned long scatter_bytes = 16UL << 10;

}}}  // namespace placement::v0_1::parallel
