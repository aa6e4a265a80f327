// Convolutions, pools, batch normalisation and losses.
#include "op_table.hpp"

#include <placement/nets.hpp>

#include <type_traits>

namespace peers { namespace {

using c_t = op_case const&;
using one = ranks<4>;
using two = ranks<4, 4>;

/// Arguments: strides, dilations, 1 for same_padding or else 4 paddings after the groups.
conv2d_options convolution_of(c_t c) {
  conv2d_options o{.strides = {c.integer(0), c.integer(1)},
                   .dilations = {c.integer(2), c.integer(3)},
                   .groups = c.integer(4)};
  if (c[5] != 0) o.padding = same_padding;
  else o.padding = {c.integer(6), c.integer(7), c.integer(8), c.integer(9)};
  return o;
}
/// Arguments: window, strides, 1 for same_padding.
pool2d_options pool_of(c_t c) {
  pool2d_options o{.window = {c.integer(0), c.integer(1)}, .strides = {c.integer(2), c.integer(3)}};
  if (c[4] != 0) o.padding = same_padding;
  return o;
}

op const table[]{
    {"conv2d", two{},
     [](c_t c, auto const& x, auto const& w) { return conv2d(x, w, convolution_of(c)); }},
    {"conv2d_fused", ranks<4, 4, 1>{},
     [](c_t c, auto const& x, auto const& w, auto const& b) {
       return relu(conv2d(x, w, convolution_of(c)) + b);
     }},
    {"conv2d_relu_max_pool2d", ranks<4, 4, 1>{},
     [](c_t, auto const& x, auto const& w, auto const& b) {
       if constexpr (std::is_same_v<number, float>) return conv2d_relu_max_pool2d(x, w, b);
       else return max_pool2d(relu(conv2d(x, w) + b));  // the op takes floats
     }},
    {"conv2d_transpose", two{},
     [](c_t c, auto const& x, auto const& w) { return conv2d_transpose(x, w, convolution_of(c)); }},
    {"max_pool2d", one{}, [](c_t c, auto const& x) { return max_pool2d(x, pool_of(c)); }},
    {"avg_pool2d", one{}, [](c_t c, auto const& x) { return avg_pool2d(x, pool_of(c)); }},
    {"global_max_pool2d", one{}, [](c_t, auto const& x) { return global_max_pool2d(x); }},
    {"global_avg_pool2d", one{}, [](c_t, auto const& x) { return global_avg_pool2d(x); }},
    {"batch_norm", ranks<4, 1, 1>{},
     [](c_t c, auto const& x, auto const& scale, auto const& offset) {
       return batch_norm(x, batch_moments(x), scale, offset, c[0]);
     }},
    {"batch_norm_of_rows", ranks<2, 1, 1>{},
     [](c_t c, auto const& x, auto const& scale, auto const& offset) {
       return batch_norm(x, batch_moments(x), scale, offset, c[0]);
     }},
    {"batch_norm_inference", ranks<4, 1, 1>{},
     [](c_t c, auto const& x, auto const& scale, auto const& offset) {
       channel_moments<number> const m{c.load<number, 1>("mean"), c.load<number, 1>("variance"), 9};
       return batch_norm(x, m, scale, offset, c[0]);
     }},
    {"batch_norm_training", ranks<4, 1, 1>{},
     [](c_t c, auto const& x, auto const& scale, auto const& offset) {
       return batch_norm_training(x, batch_moments(x), scale, offset, c[0]);
     }},
    {"batch_norm_training_pooled", ranks<4, 1>{},
     [](c_t c, auto const& x, auto const& offset) {
       auto const m = batch_moments(x);
       return max_pool2d(relu(batch_norm_training(x, m, without_scale_t{}, offset, c[0])));
     }},
    {"layer_norm", ranks<3, 1, 1>{},
     [](c_t c, auto const& x, auto const& scale, auto const& offset) {
       return layer_norm(x, scale, offset, c[0]);
     }},
    {"mse", ranks<2, 2>{}, [](c_t, auto const& a, auto const& b) { return mse(a, b); }},
    {"huber", ranks<2, 2>{}, [](c_t c, auto const& a, auto const& b) { return huber(a, b, c[0]); }},
    {"l2_loss", ranks<2>{}, [](c_t, auto const& a) { return l2_loss(a); }},
    {"softmax_cross_entropy", ranks<2>{},
     [](c_t c, auto const& x) {
       return softmax_cross_entropy(x, c.load<number, 2>("probabilities"));
     }},
    {"softmax_cross_entropy_of_classes", ranks<2>{},
     [](c_t c, auto const& x) { return softmax_cross_entropy(x, c.integers<1>("classes")); }},
};

}}  // namespace peers
