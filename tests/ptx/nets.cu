// Kernels of nets, and of ops that move elements, for the lines of expected.py.

#include <placement/math/float16.hpp>
#include <placement/nets.hpp>
#include <placement/ops/pad.hpp>
#include <placement/placement.hpp>

#include <cstdint>

namespace ptx {

using namespace placement;
using gpu = gpu_kernels<__CUDA_ARCH_LIST__>;

template <class T> using rows_of = dense_view<T, dextents<2>>;
template <class T> using vector_of = dense_view<T, dextents<1>>;
template <class T> using images_of = dense_view<T, dextents<4>>;

template <class T>
void normalise(logical_device const& on, rows_of<T> out, rows_of<T const> x, rows_of<T const> g,
               vector_of<computed_in<T> const> p) {
  kernel<gpu, custom, layer_norm_op, T>::run(on, {1e-5}, out, x, p, p);
  kernel<gpu, custom, layer_norm_gradient_op, T>::run(on, {1e-5}, out, g, x, p);
}
template void normalise(logical_device const&, rows_of<float>, rows_of<float const>,
                        rows_of<float const>, vector_of<float const>);
template void normalise(logical_device const&, rows_of<double>, rows_of<double const>,
                        rows_of<double const>, vector_of<double const>);
template void normalise(logical_device const&, rows_of<float16>, rows_of<float16 const>,
                        rows_of<float16 const>, vector_of<float const>);

void losses(logical_device const& on, vector_of<float> out, rows_of<float const> x,
            vector_of<int const> labels) {
  using of_classes = softmax_cross_entropy_op<class_numbers_t>;
  using of_probabilities = softmax_cross_entropy_op<probabilities_t>;
  kernel<gpu, custom, of_classes, float>::run(on, {}, out, x, labels);
  kernel<gpu, custom, of_probabilities, float>::run(on, {}, out, x, x);
}
void gradients_of_losses(logical_device const& on, rows_of<float> out, rows_of<float const> x,
                         vector_of<int const> labels, vector_of<float const> g) {
  using of_classes = softmax_cross_entropy_gradient_op<class_numbers_t>;
  using of_probabilities = softmax_cross_entropy_gradient_op<probabilities_t>;
  kernel<gpu, custom, of_classes, float>::run(on, {}, out, x, labels, g);
  kernel<gpu, custom, of_probabilities, float>::run(on, {}, out, x, x, g);
}

using windows = detail::options_in_type<conv2d_options{}>;
using pools = detail::options_in_type<pool2d_options{}>;
/// A convolution, the gradient of its images, and that of its filter.
template <class T>
void convolutions(logical_device const& on, images_of<T> out, images_of<T const> x,
                  images_of<T const> w) {
  using of_images = conv2d_input_gradient_op<windows, dextents<4>>;
  using of_filter = conv2d_filter_gradient_op<windows, dextents<4>>;
  kernel<gpu, custom, conv2d_op<windows>, T>::run(on, {}, out, x, w);
  kernel<gpu, custom, of_images, T>::run(on, {}, out, w, x);
  kernel<gpu, custom, of_filter, T>::run(on, {}, out, x, w);
}
template void convolutions(logical_device const&, images_of<float>, images_of<float const>,
                           images_of<float const>);
template void convolutions(logical_device const&, images_of<double>, images_of<double const>,
                           images_of<double const>);
template void convolutions(logical_device const&, images_of<float16>, images_of<float16 const>,
                           images_of<float16 const>);

template <class T>
void pooled_images(logical_device const& on, images_of<T> out, images_of<T const> x) {
  kernel<gpu, custom, max_pool2d_op<pools>, T>::run(on, {}, out, x);
  kernel<gpu, custom, avg_pool2d_op<pools>, T>::run(on, {}, out, x);
  kernel<gpu, custom, max_pool2d_gradient_op<pools>, T>::run(on, {}, out, x, x, x);
  using of_mean = avg_pool2d_gradient_op<pools, dextents<4>>;
  kernel<gpu, custom, of_mean, T>::run(on, of_mean({}, {}), out, x);
}
template void pooled_images(logical_device const&, images_of<float>, images_of<float const>);
template void pooled_images(logical_device const&, images_of<float16>, images_of<float16 const>);

void moved(logical_device const& on, rows_of<float> out, dense_view<float, dextents<3>> deeper,
           rows_of<float const> x, vector_of<int const> labels) {
  kernel<gpu, custom, one_hot_op<float, dextents<1>>, float>::run(on, {{{10}}, 1.f, 0.f}, out,
                                                                  labels);
  kernel<gpu, custom, pad_op<float, 2>, float>::run(on, {0.f, pad_mode::constant}, out, x);
  kernel<gpu, custom, stack_op<axis_t<1>>, float>::run(on, {}, deeper, x, x);
}

}  // namespace ptx
