// Tensors and matrices of OpenCV on the same memory.
#include <placement/interop/opencv.hpp>
#include <placement/placement.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;

TEST_CASE("a matrix of OpenCV is a tensor on its memory, and both see writes") {
  cv::Mat image(2, 3, CV_8UC3, cv::Scalar(1, 2, 3));
  tensor<unsigned char, dextents<3>> x = from_opencv<unsigned char>(image);
  CHECK(x.data() == image.data);
  CHECK(x.shape() == shape(2, 3, 3));
  CHECK(x(1, 2, 2) == 3);
  with_device const scope(cpu0);
  x *= static_cast<unsigned char>(2);
  CHECK(image.at<cv::Vec3b>(1, 2) == cv::Vec3b(2, 4, 6));
}
TEST_CASE("a tensor is a matrix of OpenCV on its memory, with channels or without") {
  with_device const scope(cpu0);
  tensor<float, dextents<2>> x{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  cv::Mat const m = to_opencv(x);
  CHECK(m.type() == CV_32FC1);
  CHECK(m.ptr<float>() == x.data());
  CHECK(m.at<float>(1, 0) == 4);
  tensor<double, dextents<3>> y = zeros<double>(2, 3, 4);
  y.data()[23] = 7;
  CHECK(to_opencv(y).type() == CV_64FC(4));
  CHECK(to_opencv(y).at<cv::Vec4d>(1, 2)[3] == 7);
}
TEST_CASE("matrices of OpenCV are operands in a GPU scope") {
  cv::Mat m = (cv::Mat_<float>(1, 2) << 1.f, 2.f);
  with_device const scope(gpu0);
  tensor const y = from_opencv<float>(m) * 2.f;
  CHECK(y.where() == gpu0);
  CHECK(to_vector(y) == std::vector<float>{2, 4});
}
TEST_CASE("errors for matrices of OpenCV say what to do") {
  cv::Mat image(4, 4, CV_8UC1, cv::Scalar(1));
  auto const message_of = [](cv::Mat m) {
    return error_message<invalid_argument>([&] { from_opencv<unsigned char>(m); });
  };
  CHECK(
      message_of(cv::Mat(2, 2, CV_32FC1))
          .starts_with("placement: from_opencv of a matrix of depth 5 as elements of depth 0. Name "
                       "its own element type, or convert it by convertTo. At "));
  CHECK(message_of(image.colRange(0, 2))
            .starts_with("placement: from_opencv of a matrix with gaps between its rows, as a part "
                         "of another. Write m.clone(). At "));
  int const sizes[] = {2, 2, 2};
  CHECK(message_of(cv::Mat(3, sizes, CV_8UC1))
            .starts_with("placement: from_opencv of a matrix with 3 dimensions: it takes rows and "
                         "columns. Use borrow. At "));
  tensor<float, dextents<2>> x = copy_to(gpu0, tensor<float, dextents<2>>{{1.f}});
  CHECK(error_message<placement_error>([&] { to_opencv(x); })
            .starts_with("placement: to_opencv of a tensor on /GPU:0: OpenCV reads host memory. "
                         "Write copy_to(cpu0, x). At "));
  tensor<float, dextents<3>> wide = copy_to(cpu0, zeros<float>(1, 1, 600));
  CHECK(error_message<shape_error>([&] { to_opencv(wide); })
            .starts_with("placement: to_opencv of shape [1, 1, 600]: OpenCV counts in int, and has "
                         "at most 512 channels. Use a part. At "));
}
