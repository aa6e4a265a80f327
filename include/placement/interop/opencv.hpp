#pragma once
/// Tensors and OpenCV's cv::Mat on the same memory, without a copy. Needs OpenCV's core: link
/// opencv_core. placement.hpp does not include this header.
///
///     cv::Mat image = cv::imread("cat.png");                       // rows, columns, channels
///     pl::tensor x = pl::from_opencv<unsigned char>(image) / 2;    // reads the memory of image
///     cv::Mat const view = pl::to_opencv(x);                       // reads the memory of x

#include <placement/expr/memory.hpp>

#include <opencv2/core/mat.hpp>

#include <limits>
#include <string>
#include <type_traits>

namespace placement { inline namespace v0_1 {

namespace detail {

/// OpenCV's name of an element type.
template <class T> constexpr int opencv_depth() {
  if constexpr (std::is_same_v<T, unsigned char>) return CV_8U;
  else if constexpr (std::is_same_v<T, signed char>) return CV_8S;
  else if constexpr (std::is_same_v<T, unsigned short>) return CV_16U;
  else if constexpr (std::is_same_v<T, short>) return CV_16S;
  else if constexpr (std::is_same_v<T, int>) return CV_32S;
  else if constexpr (std::is_same_v<T, float>) return CV_32F;
  else if constexpr (std::is_same_v<T, double>) return CV_64F;
  else return -1;
}
template <class T> constexpr bool check_opencv_element() {
  static_assert(opencv_depth<T>() != -1,
                "placement: OpenCV has no matrices of these elements. Use unsigned char, signed "
                "char, unsigned short, short, int, float or double.");
  return true;
}
/// Throws: invalid_argument unless the matrix has elements of T in contiguous rows.
template <class T> void check_opencv(cv::Mat const& m, site at) {
  static_assert(check_opencv_element<T>());
  if (m.depth() != opencv_depth<T>())
    throw invalid_argument(
        "placement: from_opencv of a matrix of depth " + std::to_string(m.depth()) +
        " as elements of depth " + std::to_string(opencv_depth<T>()) +
        ". Name its own element type, or convert it by convertTo." + location_text({}, at));
  if (m.dims > 2)
    throw invalid_argument("placement: from_opencv of a matrix with " + std::to_string(m.dims) +
                           " dimensions: it takes rows and columns. Use borrow." +
                           location_text({}, at));
  if (!m.isContinuous())
    throw invalid_argument(
        "placement: from_opencv of a matrix with gaps between its rows, as a part of another. "
        "Write m.clone()." +
        location_text({}, at));
}
/// Throws: placement_error for a tensor on a GPU, shape_error for an extent beyond int.
template <class X> void check_for_opencv(device where, X const& x, site at) {
  static_assert(X::rank == 2 || X::rank == 3,
                "placement: to_opencv takes a tensor of rows and columns, or of rows, columns and "
                "channels. Write reshape(x).");
  if (where.is_gpu())
    throw placement_error("placement: to_opencv of a tensor on " + to_string(where) +
                          ": OpenCV reads host memory. Write copy_to(cpu0, x)." +
                          location_text({}, at));
  bool fits = X::rank == 2 || x.at(X::rank - 1) <= CV_CN_MAX;
  for (std::size_t d = 0; d != 2; ++d) fits &= x.at(d) <= std::numeric_limits<int>::max();
  if (!fits)
    throw shape_error("placement: to_opencv of shape " + to_string(x) +
                      ": OpenCV counts in int, and has at most 512 channels. Use a part." +
                      location_text({}, at));
}
template <class T, class X> cv::Mat opencv_header(T* data, X const& x) {
  int const channels = X::rank == 3 ? static_cast<int>(x.at(X::rank - 1)) : 1;
  return {static_cast<int>(x.at(0)), static_cast<int>(x.at(1)),
          CV_MAKETYPE(opencv_depth<T>(), channels), data};
}

}  // namespace detail

/// A matrix of OpenCV as a tensor on its own memory, without a copy. Assignments to the tensor
/// write to the matrix. The matrix must live as long as the tensor, and keep its memory.
/// Shape: (rows, columns, channels).
/// Throws: invalid_argument for other elements than T, for gaps between rows, more dimensions.
template <element T> tensor<T, dextents<3>> from_opencv(cv::Mat& m, site at = site::here()) {
  detail::check_opencv<T>(m, at);
  return borrow(m.ptr<T>(), shape(m.rows, m.cols, m.channels()), cpu0, at);
}

/// A tensor as a matrix of OpenCV on its memory, without a copy: rows and columns, and channels of
/// a tensor of rank 3. It is valid until the tensor ends or is assigned to.
/// Throws: placement_error for a tensor on a GPU; shape_error for more than OpenCV can count.
template <class T, class X> cv::Mat to_opencv(tensor<T, X>& x, site at = site::here()) {
  static_assert(detail::check_opencv_element<T>());
  detail::check_for_opencv(x.where(), x.shape(), at);
  return detail::opencv_header(x.data(), x.shape());
}
/// A matrix of a tensor that ends with the expression would refer to freed memory.
template <class T, class X> void to_opencv(tensor<T, X>&&) = delete;

}}  // namespace placement::v0_1
