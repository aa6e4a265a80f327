// Reductions, by block and element by element.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace placement;

namespace {

/// The state after combining one element after the other.
template <class Op, class T> auto one_by_one(std::vector<T> const& v) {
  auto s = Op::template init<T>();
  index_t i = 0;
  for (T x : v) s = Op{}.step(s, x, i++);
  return Op{}.finalize(s, i);
}
template <class Op, class T> auto by_kernel(std::vector<T> const& v) {
  dense_leaf<T> const f{v.data()};
  auto const nothing = [](index_t, index_t) {};
  auto result = Op{}.finalize(Op::template init<T>(), 1);
  kernel<cpu_kernels, reduce, Op, T>::contiguous(seq{}, Op{}, &result,
                                                 static_cast<index_t>(v.size()), f, nothing);
  return result;
}
/// A small number of distinct values, so that many are equal, at lengths around those of blocks.
template <class T> std::vector<std::vector<T>> mixed() {
  std::minstd_rand random;
  std::vector<std::vector<T>> all;
  for (std::size_t n : std::initializer_list<std::size_t>{
           1,   15,  16,  17,   31,   33,   64,    79,    127,   128,  129,
           255, 257, 640, 2047, 2049, 2064, 16383, 16384, 16401, 40000}) {
    std::vector<T> v(n);
    for (T& x : v) x = static_cast<T>(static_cast<int>(random() % 101) - 50);
    all.push_back(v);
  }
  return all;
}
template <class T> index_t wrongly_kept(std::vector<T> const& v) {
  auto const same = [](T a, T b) { return a == b || (a != a && b != b); };
  return !same(by_kernel<max_op<>>(v), one_by_one<max_op<>>(v)) +
         !same(by_kernel<min_op<>>(v), one_by_one<min_op<>>(v)) +
         (by_kernel<argmax_op<>>(v) != one_by_one<argmax_op<>>(v)) +
         (by_kernel<argmin_op<>>(v) != one_by_one<argmin_op<>>(v));
}

}  // namespace

TEST_CASE("max, min, argmax and argmin select the same element in blocks as one by one") {
  for (auto const& v : mixed<float>()) CHECK(wrongly_kept(v) == 0);
  for (auto const& v : mixed<double>()) CHECK(wrongly_kept(v) == 0);
  for (auto const& v : mixed<signed char>()) CHECK(wrongly_kept(v) == 0);
  for (auto const& v : mixed<std::int64_t>()) CHECK(wrongly_kept(v) == 0);
}
TEST_CASE("a NaN, two infinities or a single largest element are found at any place of a block") {
  float const inf = std::numeric_limits<float>::infinity();
  for (auto const& whole : mixed<float>())
    for (float odd : {std::numeric_limits<float>::quiet_NaN(), inf, -inf, 100.f, -100.f})
      for (std::size_t i = 0; i < whole.size(); i += 1 + whole.size() / 37) {
        std::vector<float> v = whole;
        v[i] = odd;
        REQUIRE(wrongly_kept(v) == 0);
        v.back() = -inf;
        v[i / 2] = odd;
        REQUIRE(wrongly_kept(v) == 0);
      }
}
TEST_CASE("the error of a float sum is at most 5e-7 of the sum of the absolute values") {
  std::minstd_rand random;
  for (std::size_t n :
       std::initializer_list<std::size_t>{1, 15, 16, 17, 31, 33, 127, 128, 129, 255, 256, 257, 511,
                                          512, 513, 1000, 32767, 100001}) {
    std::vector<float> v(n);
    for (float& x : v)
      x = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 20));
    double exact = 0;
    for (float x : v) exact += static_cast<double>(x);
    CHECK(std::abs(static_cast<double>(by_kernel<sum_op<>>(v)) - exact) <= 5e-7 * exact);
    std::vector<double> const wide(v.begin(), v.end());
    CHECK(std::abs(by_kernel<sum_op<>>(wide) - exact) <= 1e-15 * exact * 20);
  }
}

TEST_CASE("the sum of rows without elements is 0") {
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
  tensor const empty = slice(x, range{}, range{0, 0});
  CHECK(to_string(tensor(sum(empty, axis<1>))) == "[0 0]");
  CHECK(to_string(tensor(sum(empty, -1))) == "[0 0]");
  CHECK(to_string(tensor(sum(transpose(empty), axis<0>))) == "[0 0]");
  CHECK(to_string(tensor(sum(empty, axis<1>) + 1.f)) == "[1 1]");
}
