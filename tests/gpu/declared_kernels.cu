// Every op of the library that declares a GPU kernel has one for each element type. For some types
// the kernel is instantiated, so that nvcc rejects calls of host-only functions.
#include <placement/nets.hpp>
#include <placement/ops/cumulative.hpp>
#include <placement/ops/diag.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/heaviside.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/nan_to_num.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/quantile.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/scatter.hpp>
#include <placement/ops/searchsorted.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/topk.hpp>
#include <placement/placement.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

using namespace placement;

namespace {

using gpu = gpu_kernels<__CUDA_ARCH_LIST__>;
using shape_type = dextents<2>;
template <class... T> struct types {};
using elements = types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned,
                       std::int64_t, std::uint64_t, float, double, float16, bfloat16>;

template <class Op>
using pattern_of_kernel = std::conditional_t<std::is_same_v<typename Op::pattern, view_op> ||
                                                 std::is_same_v<typename Op::pattern, fill>,
                                             map, typename Op::pattern>;
template <class Op, class T> using kernel_of = kernel<gpu, pattern_of_kernel<Op>, Op, T>;
template <class Op, class T>
inline constexpr bool declared_and_there = kernel_of<Op, T>::exists == gpu_declared<Op, T>;

template <class... Op, class... T> constexpr bool all_there(types<Op...>, types<T...>) {
  return ([]<class One>(types<One>) { return (declared_and_there<One, T> && ...); }(types<Op>{}) &&
          ...);
}
template <class... Op, class... T> constexpr bool none_there(types<Op...>, types<T...>) {
  return ([]<class One>(types<One>) { return !(kernel_of<One, T>::exists || ...); }(types<Op>{}) &&
          ...);
}

using axis_0 = axis_t<0>;
using unary_maps =
    types<abs_op, asinh_op, acosh_op, atanh_op, exp2_op, log2_op, log10_op, cbrt_op, erfc_op,
          tan_op, asin_op, acos_op, atan_op, sinh_op, cosh_op, add_n_op, cast_op<float>,
          cast_op<bool>, cast_op<std::int8_t>, ceil_op, trunc_op, cos_op, erf_op, exp_op, expm1_op,
          floor_op, is_finite_op, is_nan_op, is_inf_op, signbit_op, nan_to_num_op, log_op, log1p_op,
          logical_not_op, negative_op, reciprocal_op, relu_op, round_op, rsqrt_op, sigmoid_op,
          sign_op, sin_op, sqrt_op, square_op, tanh_op, elu_op, gelu_op<gelu_form::erf>,
          gelu_op<gelu_form::tanh>, huber_op, leaky_relu_op, silu_op, softplus_op>;
using binary_maps =
    types<add_op, atan2_op, hypot_op, logaddexp_op, add_n_op, divide_op, equal_op, not_equal_op,
          less_op, less_equal_op, greater_op, greater_equal_op, logical_and_op, logical_or_op,
          logical_xor_op, maximum_op, minimum_op, modulo_op, floor_divide_op, floor_modulo_op,
          copysign_op, heaviside_op, multiply_op, pow_op, subtract_op, relu_grad_op, tanh_grad_op,
          sigmoid_grad_op, sqrt_grad_op, rsqrt_grad_op, reciprocal_grad_op>;
using other_maps = types<clamp_op, where_op, batch_norm_op, batch_norm_gradient_op>;
using reindexes =
    types<transpose_op, reshape_op<shape_type>, broadcast_to_op<shape_type>, diagonal_op,
          expand_dims_op<axis_0>, reverse_op<axis_0>, squeeze_op<axis_0>, diag_op, flip_op<0>,
          moveaxis_op<axis_0, axis_0>, swapaxes_op<axis_0, axis_0>>;
using fills = types<linspace_op<float, dextents<1>>, constant_op<float, shape_type>,
                    iota_op<float, shape_type>, uniform_op<float, shape_type>,
                    uniform_int_op<int, shape_type>, normal_op<float, shape_type>,
                    truncated_normal_op<float, shape_type>>;
using sum_in_double = sum_op<detail::over_all, double>;
using mean_in_double = mean_op<detail::over_all, double>;
using folds = types<sum_op<>, prod_op<>, max_op<>, min_op<>, argmax_op<>, argmin_op<>, mean_op<>,
                    variance_op<>, std_dev_op<>, l2_loss_op, all_op<>, any_op<>, count_nonzero_op<>,
                    sum_in_double, mean_in_double>;
using customs = types<
    softmax_op, log_softmax_op, softmax_cross_entropy_op<probabilities_t>,
    softmax_cross_entropy_op<class_numbers_t>, softmax_cross_entropy_gradient_op<probabilities_t>,
    softmax_cross_entropy_gradient_op<class_numbers_t>, layer_norm_op, layer_norm_gradient_op,
    concat_op<axis_0>, stack_op<axis_0>, gather_op<axis_0>, one_hot_op<float, dextents<1>>,
    add_n_list_op, sort_op<axis_0, ascending_t>, argsort_op<axis_0, ascending_t>,
    cumsum_op<float, axis_0>, matrix_diag_op<dextents<2>>, pad_op<float, 2>, tile_op<dextents<2>>,
    repeat_op<dextents<1>, axis_0>, roll_op<axis_0>, gather_grad_op<axis_0, shape_type>,
    embedding_gradient_op, take_along_axis_op<axis_0>, take_along_axis_grad_op<axis_0, shape_type>,
    scatter_op<detail::scatter_write, axis_0>, scatter_op<detail::scatter_add, axis_0>,
    searchsorted_op, quantile_op<detail::over_all, double>, topk_op<float, false, axis_0>,
    topk_op<std::int64_t, true, axis_0>, cumulative_op<detail::cumulative_product, float, axis_0>,
    cumulative_op<detail::cumulative_maximum, float, axis_0>>;
using windows = detail::options_in_type<conv2d_options{}>;
using pools = detail::options_in_type<pool2d_options{}>;
using image_ops = types<conv2d_op<windows>, conv2d_input_gradient_op<windows, dextents<4>>,
                        conv2d_filter_gradient_op<windows, dextents<4>>, max_pool2d_op<pools>,
                        avg_pool2d_op<pools>, max_pool2d_gradient_op<pools>,
                        avg_pool2d_gradient_op<pools, dextents<4>>>;

static_assert(all_there(unary_maps{}, elements{}));
static_assert(all_there(binary_maps{}, elements{}));
static_assert(all_there(other_maps{}, elements{}));
static_assert(all_there(reindexes{}, elements{}));
static_assert(all_there(fills{}, elements{}));
static_assert(all_there(folds{}, elements{}));
static_assert(all_there(customs{}, elements{}));
static_assert(all_there(image_ops{}, elements{}));
static_assert(all_there(types<matmul_op>{}, elements{}));
static_assert(none_there(types<next_after_op>{}, elements{}));
using sum_over_axes = sum_op<detail::over_axes<dextents<1>>>;
static_assert(all_there(types<sum_over_axes, nanmean_op<>, nanmax_op<>, nanmin_op<>>{},
                        elements{}));
static_assert(all_there(types<wrap_index_op, replace_nan_op<0>>{}, elements{}));
static_assert(kernel_of<matmul_op, float16>::exists && kernel_of<softmax_op, bfloat16>::exists);
static_assert(kernel_of<matmul_op, float>::exists && !kernel_of<matmul_op, int>::exists);
static_assert(kernel_of<softmax_op, double>::exists && !kernel_of<softmax_op, int>::exists);

// ---- the kernels: compiled, and called without elements, so that nothing is launched

struct nothing {
  PLACEMENT_HD void operator()(index_t, index_t) const {}
};
template <class Op, class T, class... Leaf> void make_map(logical_device const& on, Leaf... leaf) {
  if constexpr (gpu_declared<Op, T> && requires(Op op) { op(leaf(0)...); }) {
    using result = decltype(Op{}(leaf(0)...));
    kernel_of<Op, T>::contiguous(on, static_cast<result*>(nullptr), 0,
                                 bound_expr<true, Op, Leaf...>{Op{}, {{leaf}...}});
  }
}
template <class T, class... Op> void make_unary(logical_device const& on, types<Op...>) {
  (make_map<Op, T>(on, dense_leaf<T>{}), ...);
}
template <class T, class... Op> void make_binary_maps(logical_device const& on, types<Op...>) {
  (make_map<Op, T>(on, dense_leaf<T>{}, dense_leaf<T>{}), ...);
}
template <class T, class... Op> void make_fills(logical_device const& on, types<Op...>) {
  (kernel_of<Op, T>::contiguous(on, static_cast<decltype(std::declval<Op const&>()(0))*>(nullptr),
                                0, index_generator<Op>{Op{}}),
   ...);
}
template <class T, class... Op> void make_reductions(types<Op...>) {
  // a reduction of no elements is a kernel launch: the kernel is only instantiated
  [[maybe_unused]] auto const use = []<class One>(types<One>) {
    using result = decltype(One::finalize(typename One::template state<T>{}, index_t{}));
    return &kernel_of<One, T>::template contiguous<result, dense_leaf<T>, nothing>;
  };
  ((static_cast<void>(use(types<Op>{}))), ...);
}
template <class T, class R, class Op> void make_custom(logical_device const& on, Op const& op) {
  kernel_of<Op, T>::run(on, op, dense_view<R, shape_type>{}, dense_view<T const, shape_type>{});
}
template <class T> void make_image_ops(logical_device const& on) {
  using view = dense_view<T const, dextents<4>>;
  auto const make = [&]<class Op>(Op const& op, auto... operand) {
    kernel_of<Op, T>::run(on, op, dense_view<T, dextents<4>>{}, operand...);
  };
  make(conv2d_op<windows>{}, view{}, view{});
  make(conv2d_input_gradient_op<windows, dextents<4>>{}, view{}, view{});
  make(conv2d_filter_gradient_op<windows, dextents<4>>{}, view{}, view{});
  make(max_pool2d_op<pools>{}, view{});
  make(avg_pool2d_op<pools>{}, view{});
  make(max_pool2d_gradient_op<pools>{}, view{}, view{}, view{});
  make(avg_pool2d_gradient_op<pools, dextents<4>>({}, {}), view{});
}

}  // namespace

/// Never called: the test is that all these kernels compile.
void compile_declared_kernels();
void compile_declared_kernels() {
  logical_device const nowhere;
  make_unary<float>(nowhere, unary_maps{});
  make_unary<int>(nowhere, unary_maps{});
  make_unary<float16>(nowhere, unary_maps{});
  make_unary<bfloat16>(nowhere, unary_maps{});
  make_map<cast_op<float16>, double>(nowhere, dense_leaf<double>{});
  make_map<cast_op<bfloat16>, std::int64_t>(nowhere, dense_leaf<std::int64_t>{});
  make_binary_maps<float>(nowhere, binary_maps{});
  make_binary_maps<std::int8_t>(nowhere, binary_maps{});
  make_binary_maps<float16>(nowhere, binary_maps{});
  make_map<clamp_op, float>(nowhere, dense_leaf<float>{}, scalar<float>{}, scalar<float>{});
  make_map<where_op, float>(nowhere, dense_leaf<bool>{}, dense_leaf<float>{}, dense_leaf<float>{});
  make_fills<float>(nowhere, fills{});
  make_reductions<float>(
      types<sum_op<>, prod_op<>, max_op<>, min_op<>, argmax_op<>, argmin_op<>, mean_op<>,
            variance_op<>, std_dev_op<>, count_nonzero_op<>, sum_in_double, mean_in_double>{});
  make_reductions<bfloat16>(
      types<sum_op<>, max_op<>, min_op<>, argmax_op<>, mean_op<>, std_dev_op<>>{});
  make_reductions<bool>(types<all_op<>, any_op<>>{});
  make_custom<float, float>(nowhere, sort_op<axis_0, ascending_t>{});
  make_custom<float16, float16>(nowhere, sort_op<axis_0, descending_t>{});
  make_custom<bfloat16, bfloat16>(nowhere, cumsum_op<bfloat16, axis_0>{});
  make_custom<float16, float16>(nowhere, softmax_op{});
  make_custom<bfloat16, bfloat16>(nowhere, log_softmax_op{});
  kernel_of<matmul_op, float16>::run(nowhere, static_cast<float16*>(nullptr), shape_type{}, 0,
                                     strided_view<float16 const, 2>{},
                                     strided_view<float16 const, 2>{}, no_epilogue{});
  make_custom<std::int8_t, std::int64_t>(nowhere, argsort_op<axis_0, descending_t>{});
  make_custom<float, float>(nowhere, cumsum_op<float, axis_0>{});
  make_custom<float, float>(nowhere, pad_op<float, 2>{0.f, pad_mode::edge});
  make_custom<bool, bool>(nowhere, tile_op<dextents<2>>{shape(1, 1)});
  make_custom<bool, bool>(nowhere, matrix_diag_op<dextents<2>>{shape(1, 1), 0});
  make_custom<bool, std::int64_t>(nowhere, cumsum_op<std::int64_t, axis_0>{});
  make_image_ops<float16>(nowhere);
  make_image_ops<double>(nowhere);
  make_custom<float16, float16>(nowhere,
                                cumulative_op<detail::cumulative_maximum, float16, axis_0>{});
  make_custom<bool, bool>(nowhere, cumulative_op<detail::cumulative_minimum, bool, axis_0>{});
  kernel_of<scatter_op<detail::scatter_add, axis_0>, bfloat16>::run(
      nowhere, scatter_op<detail::scatter_add, axis_0>{}, dense_view<bfloat16, shape_type>{},
      dense_view<bfloat16 const, shape_type>{}, dense_view<std::uint64_t const, dextents<1>>{},
      dense_view<bfloat16 const, shape_type>{});
}
