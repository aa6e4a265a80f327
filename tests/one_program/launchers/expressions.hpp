#pragma once
/// The expressions of both files of the program. K: the kernel set of the file.

#include <placement/placement.hpp>

namespace shared {

using placement::dextents;

template <class K = placement::kernels_here>
placement::matrix<float> scaled(placement::matrix<float> const& x) {
  return placement::relu(x * 2.f + 1.f);
}
template <class K = placement::kernels_here>
placement::matrix<float> layer(placement::matrix<float> const& x,
                               placement::vector<float> const& b) {
  return placement::relu(placement::matmul(x, x) + b);
}
template <class K = placement::kernels_here> float total(placement::matrix<float> const& x) {
  return placement::evaluate(placement::sum(x * x)).read()();
}
template <class K = placement::kernels_here>
placement::vector<float> row_means(placement::matrix<float> const& x) {
  return placement::mean(x + 1.f, placement::axis<1>);
}
template <class K = placement::kernels_here>
placement::matrix<float> probabilities(placement::matrix<float> const& x) {
  return placement::softmax(x);
}
template <class K = placement::kernels_here> void clear_row(placement::matrix<float>& x) {
  placement::slice(placement::view(x), placement::range(0, 1)) = -1.f;
}

/// scaled(x) by the file with GPU kernels.
placement::matrix<float> scaled_there(placement::matrix<float> const& x);

}  // namespace shared
