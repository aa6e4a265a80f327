// Tensors and matrices of Eigen on the same memory.
#include <placement/interop/eigen.hpp>
#include <placement/ops/array_equal.hpp>
#include <placement/placement.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;

namespace {

using rows_first = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

TEST_CASE("a row-major matrix is a tensor on its memory, and both see writes") {
  rows_first m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  tensor x = from_eigen(m);
  CHECK(x.data() == m.data());
  CHECK(to_string(x) == "[[1 2 3]\n [4 5 6]]");
  x *= 2.f;
  CHECK(m(1, 2) == 12);
  m(0, 0) = 9;
  CHECK(x(0, 0) == 9);
}
TEST_CASE("a column-major matrix is read in place, in its own shape") {
  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  tensor const x = from_eigen(m);
  CHECK(to_string(x) == "[[1 2 3]\n [4 5 6]]");
  tensor const product = matmul(from_eigen(m), transpose(from_eigen(m)));
  CHECK(to_string(product) == "[[14 32]\n [32 77]]");
  m(0, 0) = 0;
  CHECK(tensor(from_eigen(m))(0, 0) == 0);
}
TEST_CASE("extents in Eigen's types are extents in ours") {
  Eigen::Matrix<float, 2, 3> m;
  m << 1, 2, 3, 4, 5, 6;
  static_assert(std::is_same_v<decltype(from_eigen(m))::extents_type, extents<2, 3>>);
  Eigen::Vector4f v{1, 2, 3, 4};
  tensor x = from_eigen(v);
  static_assert(std::is_same_v<decltype(x)::extents_type, extents<4, 1>>);
  x += 1.f;
  CHECK(v[3] == 5);
  CHECK(array_equal(tensor(from_eigen(m)), tensor{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
}
TEST_CASE("a tensor is a map of Eigen on its memory") {
  tensor<float, dextents<2>> x = copy_to(cpu0, tensor{{3.f, 0.f}, {0.f, 4.f}});
  CHECK(eigen_map(x).norm() == 5);
  eigen_map(x)(0, 1) = 7;
  CHECK(x(0, 1) == 7);
  tensor<float, dextents<2>> const& same = x;
  CHECK(eigen_map(same).data() == x.data());
  tensor<float, dextents<1>> const v = copy_to(cpu0, tensor{1.f, 2.f});
  CHECK(eigen_map(v).rows() == 2);
  CHECK((eigen_map(same) * eigen_map(v))(1) == 8);
}
TEST_CASE("writing through a map leaves other owners as they were") {
  tensor<float, dextents<1>> x = copy_to(cpu0, tensor{1.f, 2.f});
  tensor<float, dextents<1>> const y = x;
  eigen_map(x)(0) = 5;
  CHECK(x(0) == 5);
  CHECK(y(0) == 1);
}
TEST_CASE("a map of a tensor on a GPU is an error that says what to do") {
  tensor<float, dextents<1>> const x = copy_to(gpu<0>, tensor{1.f, 2.f});
  std::string const message = error_message<placement_error>([&] { eigen_map(x); });
  CHECK(message.starts_with(
      "placement: eigen_map of a tensor on /GPU:0: Eigen reads host memory. Write copy_to(cpu0, x). At "));
}
TEST_CASE("matrices of Eigen are operands in a GPU scope") {
  Eigen::MatrixXf m(2, 2);
  m << 1, 2, 3, 4;
  with_device scope("/gpu:0");
  tensor const y = from_eigen(m) * 2.f;
  CHECK(y.where() == device{kind::gpu, 0});
  CHECK(to_string(y) == "[[2 4]\n [6 8]]");
}
