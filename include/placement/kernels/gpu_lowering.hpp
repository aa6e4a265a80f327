#pragma once
/// Names of the GPU kernels of custom ops. `using gpu_lowering = lowered::sort;` in an op selects
/// one. gpu/lower_custom.hpp implements them, which the ops do not include.

namespace placement { inline namespace v0_1 { namespace lowered {

struct add_n {};
struct argsort {};
struct avg_pool2d {};
struct avg_pool2d_gradient {};
struct batch_norm_pool {};
struct batch_norm_pool_gradient {};
struct boxes {};
struct concat {};
struct conv2d {};
struct conv2d_filter_gradient {};
struct conv2d_input_gradient {};
struct conv2d_pool {};
struct conv2d_pool_filter_gradient {};
struct conv2d_pool_input_gradient {};
struct cross_entropy {};
struct cross_entropy_gradient {};
struct cumsum {};
struct cumulative {};
struct gather {};
struct gather_gradient {};
struct layer_norm {};
struct layer_norm_gradient {};
struct log_softmax {};
struct max_pool2d {};
struct max_pool2d_gradient {};
struct one_hot {};
struct quantile {};
struct scatter {};
struct searchsorted {};
struct softmax {};
struct sort {};
struct stack {};
struct take_along_axis {};
struct take_along_axis_gradient {};
struct topk {};

}}}  // namespace placement::v0_1::lowered
