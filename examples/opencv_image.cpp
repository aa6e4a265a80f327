/// An image of OpenCV as a tensor, and a tensor as a matrix of OpenCV, both without a copy.

#include <placement/interop/opencv.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::with_device cpu("/cpu:0");  // OpenCV reads host memory
  cv::Mat image(2, 3, CV_8UC3, cv::Scalar(10, 20, 60));

  auto const pixels = pl::from_opencv<unsigned char>(image);  // rows, columns, channels
  pl::tensor grey = pl::mean(pl::cast<float>(pixels), -1);
  std::cout << grey << std::endl;

  cv::Mat const view = pl::to_opencv(grey);
  std::cout << view.rows << " x " << view.cols << ", first " << view.at<float>(0, 0) << std::endl;
}
