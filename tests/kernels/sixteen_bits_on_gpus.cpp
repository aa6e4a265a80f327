// The GPU kernels on float16 and bfloat16, run by loops on the host, against the CPU's.
#include <placement/gpu/gemm.hpp>
#include <placement/gpu/lower_custom.hpp>
#include <placement/gpu/lower_reduce.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

template <class F> void for_both(F f) {
  f.template operator()<float16>();
  f.template operator()<bfloat16>();
}
/// Whole numbers that both types represent, so that sums in float are exact in any order.
template <class T> std::vector<T> whole_numbers(index_t n) {
  std::vector<T> v;
  for (index_t i = 0; i != n; ++i) v.push_back(T(static_cast<int>(i * 7919 % 17) - 8));
  return v;
}
struct nothing {
  void operator()(index_t, index_t) const {}
};
template <class T> dense_view<T, dextents<2>> view_of(std::vector<T>& v, dextents<2> const& x) {
  return {v.data(), x};
}
template <class T>
dense_view<T const, dextents<2>> view_of(std::vector<T> const& v, dextents<2> const& x) {
  return {v.data(), x};
}
template <class Op, class T> void check_custom(Op const& op, dextents<2> const& x, double units) {
  INFO(to_string(x));
  auto const v = whole_numbers<T>(static_cast<index_t>(x.count()));
  std::vector<T> expected(x.count()), out(x.count());
  op(view_of(expected, x), view_of(v, x));
  detail::lowering<Op>::run(host_grid{}, op, view_of(out, x), view_of(v, x));
  double const unit = units * static_cast<double>(std::numeric_limits<T>::epsilon());
  double const least = static_cast<double>(std::numeric_limits<T>::denorm_min());
  for (std::size_t i = 0; i != x.count(); ++i) {
    double const got = static_cast<double>(out[i]), e = static_cast<double>(expected[i]);
    if (std::abs(got - e) > unit * std::abs(e) + units * least) FAIL(got << " is not " << e);
  }
}

}  // namespace

TEST_CASE("products of 16-bit floats on a GPU match the CPU, summed in float") {
  for_both([]<class T>() {
    for (index_t n : {1, 5, 127, 130})
      for (index_t k : {0, 1, 9, 300}) {
        auto const x = shape(n, n + 2);
        auto const v = whole_numbers<T>((n + 2) * (k + 1));
        std::vector<T> expected(x.count()), out(x.count() + 1);
        strided_view<T const, 2> const a{v.data(), {0, {k, 1}}}, b{v.data(), {0, {n + 2, 1}}};
        kernel<cpu_kernels, gemm, matmul_op, T>::run(seq{}, expected.data(), x, k, a, b, nothing{});
        detail::multiply(host_grid{}, out.data(), x, k, a, b, nothing{});
        out.pop_back();
        CHECK(std::equal(out.begin(), out.end(), expected.begin(), expected.end()));
      }
  });
}

TEST_CASE("reductions of 16-bit floats on a GPU are exact and rounded once") {
  for_both([]<class T>() {
    for (index_t n : {1, 8, 9, 1000, 70'000}) {
      auto const v = whole_numbers<T>(n);
      dense_leaf<T> const f{v.data()};
      double total = 0;
      for (T const x : v) total += static_cast<double>(x);
      T out{};
      detail::reduce_contiguous<sum_op<>, T>(host_grid{}, sum_op<>{}, &out, n, f, nothing{});
      CHECK(out == T(total));
      detail::reduce_contiguous<max_op<>, T>(host_grid{}, max_op<>{}, &out, n, f, nothing{});
      CHECK(out == *std::max_element(v.begin(), v.end()));
      detail::reduce_contiguous<min_op<>, T>(host_grid{}, min_op<>{}, &out, n, f, nothing{});
      CHECK(out == *std::min_element(v.begin(), v.end()));
      std::int64_t where = -1;
      detail::reduce_contiguous<argmin_op<>, T>(host_grid{}, argmin_op<>{}, &where, n, f,
                                                nothing{});
      CHECK(where == std::min_element(v.begin(), v.end()) - v.begin());
    }
  });
}

TEST_CASE(
    "softmax of 16-bit floats on a GPU matches the CPU within its last digit, at every row length") {
  for_both([]<class T>() {
    for (index_t n : {1, 7, 8, 100, 256, 4096, 4097, 9000}) {
      check_custom<softmax_op, T>({}, shape(3, n), 1);
      check_custom<log_softmax_op, T>({}, shape(3, n), 1);
    }
  });
}

TEST_CASE("16-bit floats are sorted and summed cumulatively on a GPU as on the CPU") {
  for_both([]<class T>() {
    for (index_t n : {9, 300, 5000}) {
      check_custom<sort_op<axis_t<1>, descending_t>, T>({}, shape(2, n), 0);
      check_custom<sort_op<axis_t<0>, ascending_t>, T>({}, shape(n, 2), 0);
      check_custom<cumsum_op<T, axis_t<1>>, T>({}, shape(2, n), 0);
      check_custom<cumsum_op<T, axis_t<0>>, T>({}, shape(n, 2), 0);
    }
  });
}
