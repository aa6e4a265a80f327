// The block kernels of every element-wise op, in one expression with exp. read_loops.py reads their
// machine code. Of float, int and bool; with PLACEMENT_ALL_KERNELS of all element types, more ops
// on bits, and each op alone, too.
#include <placement/nets.hpp>
#include <placement/ops/bitwise.hpp>
#include <placement/ops/diagonal_mask.hpp>
#include <placement/ops/heaviside.hpp>
#include <placement/ops/isclose.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/nan_to_num.hpp>
#include <placement/ops/shift.hpp>
#include <placement/placement.hpp>

using namespace placement;
using detail::block_function, detail::memory_slot;

namespace vector_loops {

template <class Op, class... A> using call = bound_expr<false, Op, A...>;
template <class T> using exp_of = call<exp_op, memory_slot<T>>;

/// The kernels of op S with results of type R: alone, and in one expression with exp. Numbers that
/// are no floating point are made floats first; a bool chooses.
template <class R, class S> constexpr auto beside_exp() {
  if constexpr (std::is_same_v<R, bool>)
    return &detail::run_block<float, call<where_op, S, exp_of<float>, memory_slot<float>>>;
  else if constexpr (real_number<R>) return &detail::run_block<R, call<multiply_op, S, exp_of<R>>>;
  else return &detail::run_block<float, call<multiply_op, call<cast_op<float>, S>, exp_of<float>>>;
}
template <class R, class S> struct kernels_of {
  static constexpr block_function alone = &detail::run_block<R, S>;
  static constexpr block_function with_exp = beside_exp<R, S>();
};
template <class Op, class... T>
using kernels = kernels_of<decltype(Op{}(T{}...)), call<Op, memory_slot<T>...>>;
template <class T, template <class, class> class Op>
using fill_kernels = kernels_of<T, detail::generator_slot<Op<T, dextents<1>>>>;

template <class... K> struct list {
#if defined(PLACEMENT_ALL_KERNELS)
  block_function alone[sizeof...(K)] = {K::alone...};
#endif
  block_function with_exp[sizeof...(K)] = {K::with_exp...};
};

// ---- ops by the types of their operands

template <class T, class... Op> using unary_ops = list<kernels<Op, T>...>;
template <class T, class... Op> using binary_ops = list<kernels<Op, T, T>...>;

template <class T> struct any_element {
  binary_ops<T, equal_op, not_equal_op, less_op, less_equal_op, greater_op, greater_equal_op>
      compared;
  unary_ops<T, identity_op> same;
  list<kernels<where_op, bool, T, T>> chosen;
};
template <class T> struct number : any_element<T> {
  unary_ops<T, abs_op, negative_op, square_op, sign_op, relu_op> one;
  binary_ops<T, add_op, subtract_op, multiply_op, divide_op, modulo_op, floor_divide_op,
             floor_modulo_op, pow_op, maximum_op, minimum_op>
      two;
  list<kernels<clamp_op, T, T, T>, kernels<add_n_op, T, T, T>> three;
  list<fill_kernels<T, iota_op>, fill_kernels<T, constant_op>> filled;
};
template <class T> struct integer : number<T> {
  binary_ops<T, bitwise_and_op> bits;
  list<fill_kernels<T, uniform_int_op>> random;
#if defined(PLACEMENT_ALL_KERNELS)
  binary_ops<T, bitwise_or_op, bitwise_xor_op, left_shift_op, right_shift_op, isclose_op> more_bits;
  unary_ops<T, bitwise_not_op> inverted;
#endif
};
template <class T> struct real : number<T> {
  unary_ops<T, floor_op, ceil_op, round_op, trunc_op, sqrt_op, rsqrt_op, reciprocal_op, is_nan_op,
            is_finite_op, is_inf_op, signbit_op, nan_to_num_op>
      one_real;
  unary_ops<T, exp_op, expm1_op, log_op, log1p_op, tanh_op, sigmoid_op, erf_op, sin_op, cos_op>
      function;
  unary_ops<T, exp2_op, log2_op, log10_op, cbrt_op, erfc_op, tan_op, asin_op, acos_op, atan_op,
            sinh_op, cosh_op, asinh_op, acosh_op, atanh_op>
      other_function;
  binary_ops<T, atan2_op, hypot_op, logaddexp_op> function_of_two;
  unary_ops<T, leaky_relu_op, elu_op, silu_op, softplus_op, gelu_op<gelu_form::erf>,
            gelu_op<gelu_form::tanh>, huber_op>
      activation;
  binary_ops<T, next_after_op, isclose_op, copysign_op, heaviside_op> two_real;
  unary_ops<T, replace_nan_op<0>> without_nan;
  list<fill_kernels<T, uniform_op>, fill_kernels<T, normal_op>,
       fill_kernels<T, truncated_normal_op>>
      random;
};
struct bools : any_element<bool> {
  binary_ops<bool, logical_and_op, logical_or_op, logical_xor_op> two;
  unary_ops<bool, logical_not_op> one;
#if defined(PLACEMENT_ALL_KERNELS)
  binary_ops<bool, bitwise_and_op, bitwise_or_op, bitwise_xor_op> bits;
  unary_ops<bool, bitwise_not_op> inverted;
#endif
};
/// What tril and triu select by.
struct masks {
  list<kernels<detail::not_less_op, index_t, index_t>> of_diagonals;
};

template <class... T> struct types {
  struct reals : real<T>... {};
  struct integers : integer<T>... {};
  template <class From> using casts_from = list<kernels<cast_op<T>, From>...>;
  struct casts : casts_from<T>... {};
};

}  // namespace vector_loops

using namespace vector_loops;
#if defined(PLACEMENT_ALL_KERNELS)
using all_reals = types<float, double, float16, bfloat16>;
using all_integers = types<signed char, unsigned char, short, unsigned short, int, unsigned, long>;
using all = types<bool, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                  float, double, float16, bfloat16>;
#else
using all_reals = types<float>;
using all_integers = types<int>;
using all = types<bool, int, float>;
#endif
// Of external linkage, so that compilers emit the functions.
extern all_reals::reals const real_kernels{};
extern all_integers::integers const integer_kernels{};
extern bools const bool_kernels{};
extern masks const mask_kernels{};
extern all::casts const cast_kernels{};

// These are the kernels of expressions that users write.
static_assert(std::is_same_v<detail::block_expr<bound_expr<true, sqrt_op, dense_leaf<float>>>,
                             call<sqrt_op, memory_slot<float>>>);
