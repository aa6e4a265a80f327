// The matrix product of GPUs, run by loops on the host, against the CPU's.
#include <placement/exec/kernels.hpp>
#include <placement/gpu/gemm.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <random>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

struct product_op {
  using pattern = gemm;
};
struct nothing {
  void operator()(index_t, index_t) const {}
};
/// Adds one to each finished element, which shows elements that are stored twice or never.
template <class T> struct one_more {
  T* out;
  index_t columns;
  void operator()(index_t first, index_t n) const {
    if (first % columns + n > columns) FAIL("more than one row at once");
    for (index_t i = first; i != first + n; ++i) out[i] += 1;
  }
};

/// Whole numbers, so that sums are exact in any order.
template <class T> std::vector<T> numbers(index_t n) {
  std::minstd_rand random(static_cast<unsigned>(n + 1));
  std::vector<T> v(at(n) + 4);
  for (T& x : v) x = static_cast<T>(random() % 9) - 4;
  return v;
}

template <class T, class X>
void check(X const& x, index_t depth, layout<X::rank> const& a, layout<X::rank> const& b,
           std::vector<T> const& v) {
  INFO(to_string(x) << " of depth " << depth);
  std::vector<T> expected(x.count()), out(x.count() + 1);
  index_t const from = depth % 2 == 0 ? 4 : 2;  // aligned to 16 bytes, or not
  strided_view<T const, X::rank> const left{v.data(), a}, right{v.data() + from, b};
  kernel<cpu_kernels, gemm, product_op, T>::run(seq{}, expected.data(), x, depth, left, right,
                                                nothing{});
  detail::multiply(host_grid{}, out.data(), x, depth, left, right,
                   one_more<T>{out.data(), x.at(X::rank - 1)});
  for (std::size_t i = 0; i != x.count(); ++i) REQUIRE(out[i] == expected[i] + 1);
  REQUIRE(out[x.count()] == 0);
}

}  // namespace

TEST_CASE("products on a GPU match the CPU, around the edges of tiles, in every layout") {
  auto const single = numbers<float>(300 * 300);
  auto const twice = numbers<double>(300 * 300);
  for (index_t m : {1, 3, 64, 127, 128, 130})
    for (index_t n : {1, 5, 63, 65, 129, 200})
      for (index_t k : {0, 1, 7, 8, 9, 33}) {
        if (m * n > 128 * 128 && k > 9) continue;
        auto const x = shape(m, n);
        layout<2> const a{0, {k, 1}}, b{0, {n, 1}}, a_transposed{0, {1, m}},
            b_transposed{0, {1, k}};
        check<float>(x, k, a, b, single);
        check<float>(x, k, a_transposed, b_transposed, single);
        check<double>(x, k, a_transposed, b, twice);
        check<double>(x, k, a, b_transposed, twice);
      }
  check<float>(shape(70, 40), 20, {5, {60, 2}}, {40, {-1, 30}}, single);
}

TEST_CASE("batches of products on a GPU broadcast operands") {
  auto const v = numbers<float>(40000);
  auto const x = shape(3, 2, 10, 20);
  check<float>(x, 7, {0, {140, 70, 7, 1}}, {0, {280, 140, 20, 1}}, v);
  check<float>(x, 7, {0, {0, 70, 7, 1}}, {0, {140, 0, 20, 1}}, v);
  auto const aligned = shape(3, 2, 10, 20);
  check<float>(aligned, 8, {0, {160, 80, 8, 1}}, {0, {320, 160, 20, 1}}, v);
  check<float>(aligned, 8, {4, {160, 80, 1, 12}}, {4, {320, 160, 1, 8}}, v);
  check<float>(aligned, 8, {0, {160, 82, 8, 1}}, {0, {322, 160, 20, 1}},
               v);  // some matrices are not
  check<float>(aligned, 8, {1, {160, 80, 8, 1}}, {2, {320, 160, 20, 1}}, v);
  check<float>(shape(50, 3, 3), 3, {0, {9, 3, 1}}, {0, {0, 3, 1}}, v);
  check<float>(shape(0, 3, 3), 3, {0, {9, 3, 1}}, {0, {0, 3, 1}}, v);
}
