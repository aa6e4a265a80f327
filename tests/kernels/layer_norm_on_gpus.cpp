// The GPU kernels of layer normalisation, run by loops on the host, against the CPU loops.
#include <placement/gpu/lower_custom.hpp>
#include <placement/ops/layer_norm.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// n numbers in [-4, 12), so that rows have means that are not zero.
template <class T> std::vector<T> numbers(index_t n, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<T> v(at(n));
  for (T& x : v) x = static_cast<T>(static_cast<float>(random() % 4096) / 256.f - 4.f);
  return v;
}
template <class T> double number(T x) { return static_cast<double>(widened(x)); }

/// What a rounding of T leaves, relative to 1.
template <class T>
constexpr double precision = std::is_same_v<T, double>     ? 1e-13
                             : std::is_same_v<T, float>    ? 1e-5
                             : std::is_same_v<T, bfloat16> ? 1.6e-2
                                                           : 2e-3;

template <class T, class Op, class X, class... In>
void check(Op const& op, X const& shape, index_t shift, In const&... in) {
  auto const n = static_cast<index_t>(shape.count());
  T const untouched = static_cast<T>(-7.f);
  std::vector<T> expected(at(n)), out(at(n + 8), untouched);
  op(dense_view<T, X>{expected.data(), shape}, in...);
  int launches = 0;
  detail::lowering<Op>::run(host_grid{&launches}, op, dense_view<T, X>{out.data() + shift, shape},
                            in...);
  CHECK(launches == (n == 0 ? 0 : 1));
  for (index_t i = 0; i != n; ++i) {
    double const e = number(expected[at(i)]), got = number(out[at(i + shift)]);
    if (!(std::abs(got - e) <= precision<T> * (1 + std::abs(e))))
      FAIL("element " << i << ": " << got << " is not " << e);
  }
  for (index_t i = 0; i != shift; ++i) CHECK(number(out[at(i)]) == -7);
  for (index_t i = n + shift; i != n + 8; ++i) CHECK(number(out[at(i)]) == -7);
}

/// Results and gradients of m rows of n elements. shift: of the result and x, so that they are not
/// aligned to vectors.
template <class T> void check_rows(index_t m, index_t n, index_t shift = 0) {
  INFO(m << " rows of " << n << ", shifted by " << shift);
  using wide = computed_in<T>;
  auto const x = numbers<T>(m * n + shift, 1), g = numbers<T>(m * n, 2);
  auto const scale = numbers<wide>(n, 3), offset = numbers<wide>(n, 4);
  auto const all = shape(m, n);
  auto const row = shape(n);
  dense_view<T const, dextents<2>> const of_x{x.data() + shift, all}, of_g{g.data(), all};
  dense_view<wide const, dextents<1>> const of_scale{scale.data(), row},
      of_offset{offset.data(), row};
  check<T>(layer_norm_op{1e-5}, all, shift, of_x);
  check<T>(layer_norm_op{1e-5}, all, shift, of_x, of_scale, of_offset);
  check<T>(layer_norm_gradient_op{1e-5}, all, shift, of_g, of_x);
  check<T>(layer_norm_gradient_op{1e-5}, all, shift, of_g, of_x, of_scale);
}

}  // namespace

TEST_CASE("layer normalisation and its gradient on a GPU match the CPU at every row length") {
  for (index_t n : {1,   2,   3,   4,   5,    16,   31,   32,   33,   64,   100,  127,  128,
                    129, 255, 256, 512, 1000, 1024, 1025, 4095, 4096, 4097, 5000, 8192, 10001})
    for (index_t m : {1, 3, 9}) {
      check_rows<float>(m, n);
      check_rows<double>(m, n);
      check_rows<float>(m, n, 1);
    }
  for (index_t n : {1, 8, 12, 100, 768, 4096, 4104, 9000}) {
    check_rows<float16>(5, n);
    check_rows<bfloat16>(5, n);
    check_rows<float16>(5, n, 3);
  }
}

TEST_CASE("layer normalisation of no rows on a GPU launches nothing") {
  check_rows<float>(0, 5);
  check_rows<float>(5, 0);
}

TEST_CASE("layer normalisation on a GPU sums squares of the differences to the mean") {
  // squares of the elements themselves would have no digit of the variance
  for (index_t n : {64, 6000}) {
    std::vector<float> x(at(n)), out(at(n));
    for (index_t i = 0; i != n; ++i) x[at(i)] = i % 2 == 0 ? 16'000'000.f : 16'000'002.f;
    detail::lowering<layer_norm_op>::run(host_grid{}, layer_norm_op{0},
                                         dense_view<float, dextents<1>>{out.data(), shape(n)},
                                         dense_view<float const, dextents<1>>{x.data(), shape(n)});
    for (index_t i = 0; i != n; ++i) REQUIRE(out[at(i)] == (i % 2 == 0 ? -1.f : 1.f));
  }
}

TEST_CASE("layer normalisation on a GPU gives NaN in the rows that have NaN or infinity") {
  float const infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  for (index_t n : {7, 64, 6000})
    for (float const value : {nan, infinity, -infinity}) {
      std::vector<float> x(at(3 * n)), out(at(3 * n));
      for (index_t i = 0; i != 3 * n; ++i) x[at(i)] = static_cast<float>(i % 5);
      x[at(2 * n - 1)] = value;
      auto const s = shape(3, n);
      detail::lowering<layer_norm_op>::run(host_grid{}, layer_norm_op{1e-5},
                                           dense_view<float, dextents<2>>{out.data(), s},
                                           dense_view<float const, dextents<2>>{x.data(), s});
      for (index_t i = 0; i != 3 * n; ++i) REQUIRE(std::isnan(out[at(i)]) == (i / n == 1));
    }
}

TEST_CASE("a row of layer normalisation on a GPU does not depend on the rows beside it") {
  for (index_t n : {5, 64, 300, 5000}) {
    auto const x = numbers<float>(20 * n, 5);
    std::vector<float> together(at(20 * n)), alone(at(n));
    layer_norm_op const op{1e-5};
    detail::lowering<layer_norm_op>::run(
        host_grid{}, op, dense_view<float, dextents<2>>{together.data(), shape(20, n)},
        dense_view<float const, dextents<2>>{x.data(), shape(20, n)});
    std::vector<float> const row(x.begin() + 13 * n, x.begin() + 14 * n);
    // the last row of a tensor whose rows have this alignment
    detail::lowering<layer_norm_op>::run(
        host_grid{}, op, dense_view<float, dextents<2>>{alone.data(), shape(1, n)},
        dense_view<float const, dextents<2>>{row.data(), shape(1, n)});
    for (index_t i = 0; i != n; ++i) REQUIRE(together[at(13 * n + i)] == alone[at(i)]);
  }
}
