// Arrays as NumPy prints them. Random arrays are compared with NumPy in
// tests/numpy/arrays_printing.cpp.
#include <placement/expr/array2string.hpp>
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <string>

using namespace placement;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <class T> std::string scalar_text(T v) { return array2string(tensor<T, extents<>>(v)); }

}  // namespace

TEST_CASE("columns are aligned") {
  CHECK(array2string(tensor{{1.f, 2.5f}, {-3.f, 40.f}}) == "[[ 1.   2.5]\n [-3.  40. ]]");
  CHECK(array2string(tensor{1, -20, 300}) == "[  1 -20 300]");
  CHECK(array2string(tensor{true, false}) == "[ True False]");
  CHECK(array2string(tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}) ==
        "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]");
}

TEST_CASE("numbers of a large range have exponents, unless suppressed") {
  CHECK(array2string(tensor{1.0, 12345.5}) == "[1.00000e+00 1.23455e+04]");
  CHECK(array2string(tensor{1e8, 1e8}) == "[1.e+08 1.e+08]");
  CHECK(array2string(tensor{1e-5, 1.0}) == "[1.e-05 1.e+00]");
  CHECK(array2string(tensor{1e-5, 1.0}, {.suppress_small = true}) == "[0.00001 1.     ]");
  CHECK(array2string(tensor{1e-100, 1.0}) == "[1.e-100 1.e+000]");
}

TEST_CASE("infinities and NaN are aligned with numbers") {
  CHECK(array2string(tensor{1.f, -infinite, not_a_number}) == "[  1. -inf  nan]");
  CHECK(array2string(tensor{infinite, not_a_number}) == "[inf nan]");
  CHECK(array2string(tensor{0.25f, infinite}) == "[0.25  inf]");
}

TEST_CASE("the precision limits digits after the point") {
  CHECK(array2string(tensor{1.0 / 3, 2.0}, {.precision = 3}) == "[0.333 2.   ]");
  CHECK(array2string(tensor{2.5, 3.5}, {.precision = 0}) == "[2. 4.]");
  CHECK(array2string(tensor{1.f / 3}) == "[0.33333334]");
}

TEST_CASE("an array of rank 0 prints as a scalar") {
  CHECK(scalar_text(2.5f) == "2.5");
  CHECK(scalar_text(10.f) == "10.0");
  CHECK(scalar_text(1.0 / 3) == "0.3333333333333333");
  CHECK(scalar_text(1e15) == "1000000000000000.0");
  CHECK(scalar_text(1e16) == "1e+16");
  CHECK(scalar_text(1e6f) == "1e+06");
  CHECK(scalar_text(-0.0) == "-0.0");
  CHECK(scalar_text(true) == "True");
  CHECK(scalar_text(-7) == "-7");
  CHECK(scalar_text(bfloat16(1.5f)) == "1.5");
  CHECK(array2string(sum(tensor{1.f, 2.f})) == "3.0");
}

TEST_CASE("large arrays are summarised, and long rows wrapped") {
  CHECK(array2string(iota(1001, 0)) == "[   0    1    2 ...  998  999 1000]");
  CHECK(array2string(iota(5, 0), {.threshold = 4, .edgeitems = 1}) == "[0 ... 4]");
  CHECK(array2string(iota(5, 0), {.threshold = 4, .edgeitems = 0}) == "[0 ... 4]");
  CHECK(array2string(reshape(iota(2000, 0), shape(1000, 2)), {.edgeitems = 1}) ==
        "[[   0    1]\n ...\n [1998 1999]]");
  CHECK(array2string(iota(6, 0), {.linewidth = 8}) == "[0 1 2\n 3 4 5]");
}

TEST_CASE("arrays without elements are empty brackets") {
  CHECK(array2string(zeros<float>(0)) == "[]");
  CHECK(array2string(zeros<float>(2, 0)) == "[]");
}

TEST_CASE("array2string takes tensors of a GPU, views, expressions and inline tensors") {
  tensor x = copy_to("/gpu:1", tensor{{1.f, 2.f}, {3.f, 4.f}});
  REQUIRE(x.where() == device{kind::gpu, 1});
  CHECK(array2string(x) == "[[1. 2.]\n [3. 4.]]");
  CHECK(array2string(x * 2.f) == "[[2. 4.]\n [6. 8.]]");
  CHECK(array2string(transpose(view(x))) == "[[1. 3.]\n [2. 4.]]");
  CHECK(array2string(view(x)) == "[[1. 2.]\n [3. 4.]]");
  CHECK(array2string(on("/cpu:0", x + 1.f)) == "[[2. 3.]\n [4. 5.]]");
  tensor<float, extents<2>, dev<kind::cpu, 0>> const small{1.f, 2.f};
  CHECK(array2string(small) == "[1. 2.]");
}
