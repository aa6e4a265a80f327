// Sorting and cumulative sums on GPUs, run by loops on the host, against the ops' own loops.
#include <placement/gpu/lower_custom.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// A small number of distinct values, and where T has them NaNs of two kinds, infinities and both
/// zeros.
template <class T> std::vector<T> numbers(index_t n) {
  std::minstd_rand random(static_cast<unsigned>(n + 1));
  std::vector<T> v(at(n) + 8);
  for (T& x : v) {
    auto const r = static_cast<unsigned>(random() % 1000);
    x = static_cast<T>(r % 400);
    if constexpr (std::is_floating_point_v<T>) {
      using limits = std::numeric_limits<T>;
      T const rare[] = {limits::quiet_NaN(),
                        -limits::quiet_NaN(),
                        limits::infinity(),
                        -limits::infinity(),
                        T(0),
                        -T(0),
                        -x};
      if (r < 30) x = rare[r % 7];
    } else {
      if (r < 10) x = std::numeric_limits<T>::min();
      if (r > 990) x = std::numeric_limits<T>::max();
    }
  }
  return v;
}

template <class Op, class T> struct result_of : std::type_identity<T> {};
template <class Op, class T> requires requires { typename Op::value_type; }
struct result_of<Op, T> : std::type_identity<typename Op::value_type> {};

/// Checks that the op's result on a GPU has the bits of the CPU's, and that nothing behind it is
/// written. Returns the number of launches.
template <class Op, class T, class X>
int check(Op const& op, std::vector<T> const& v, X const& x, index_t shift = 0) {
  using result = typename result_of<Op, T>::type;
  index_t const n = static_cast<index_t>(x.count());
  std::vector<result> expected(at(n) + 9, result(77)), out = expected;
  dense_view<T const, X> const in{v.data() + shift, x};
  op(dense_view<result, X>{expected.data() + shift, x}, in);
  int launches = 0;
  detail::lowering<Op>::run(host_grid{&launches}, op, dense_view<result, X>{out.data() + shift, x},
                            in);
  INFO("a tensor of shape " << to_string(x) << ", " << shift << " elements on");
  CHECK(std::memcmp(out.data(), expected.data(), out.size() * sizeof(result)) == 0);
  return launches;
}
template <class T, class X> void check_orders(X const& x, int axis) {
  auto const v = numbers<T>(static_cast<index_t>(x.count()));
  check(sort_op<run_time_axis, ascending_t>{{axis}}, v, x);
  check(sort_op<run_time_axis, descending_t>{{axis}}, v, x);
  check(argsort_op<run_time_axis, ascending_t>{{axis}}, v, x);
  check(argsort_op<run_time_axis, descending_t>{{axis}}, v, x);
}

}  // namespace

TEST_CASE("sort and argsort on a GPU match the CPU to the bit, at every fiber length") {
  for (index_t n :
       {1,   2,    7,    8,    9,    16,   17,   31,   63,   64,   65,   100,  255,  256,
        257, 1000, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 6144, 6145, 8193, 20000})
    for (index_t m : {1, 3}) {
      check_orders<float>(shape(m, n), 1);
      check_orders<float>(shape(n, m), 0);
    }
  check_orders<float>(shape(300, 5), 1);
  check_orders<float>(shape(5, 300), 0);
  check_orders<float>(shape(2, 40, 33), 1);
  check_orders<float>(shape(3, 4097, 2), 1);
  check_orders<float>(shape(0, 3), 1);
  check_orders<float>(shape(3, 0), 1);
}

TEST_CASE("every element type is sorted on a GPU as on the CPU") {
  auto const each = []<class... T>(std::type_identity<T>...) {
    (check_orders<T>(shape(9000), 0), ...);
    (check_orders<T>(shape(3, 70, 2), 1), ...);
  };
  each(std::type_identity<std::int8_t>{}, std::type_identity<std::uint8_t>{},
       std::type_identity<int>{}, std::type_identity<unsigned>{},
       std::type_identity<std::int64_t>{}, std::type_identity<double>{});
}

TEST_CASE("a fiber that one block can sort is one launch, and each doubling is one more") {
  using op = sort_op<run_time_axis, ascending_t>;
  auto const v = numbers<float>(20000);
  CHECK(check(op{{0}}, v, shape(2048)) == 1);
  CHECK(check(op{{0}}, v, shape(2049)) == 2);
  CHECK(check(op{{0}}, v, shape(4096)) == 2);
  CHECK(check(op{{0}}, v, shape(4097)) == 3);
  CHECK(check(op{{0}}, v, shape(20000)) == 5);
  CHECK(check(op{{1}}, v, shape(200, 100)) == 1);
}

TEST_CASE("a sorted tensor can be unaligned, and its fibers can be strided") {
  auto const v = numbers<double>(30000);
  check(sort_op<run_time_axis, ascending_t>{{0}}, v, shape(5000), 3);
  check(sort_op<run_time_axis, descending_t>{{0}}, v, shape(5000, 3), 1);
  check(argsort_op<run_time_axis, descending_t>{{1}}, v, shape(2, 5000, 2), 5);
}

TEST_CASE("cumulative sums of integers on a GPU match the CPU, wherever fibers are split") {
  auto const v = numbers<std::int8_t>(300'000);
  using op = cumsum_op<std::int64_t, run_time_axis>;
  for (index_t n :
       {1, 2, 31, 32, 33, 63, 64, 65, 100, 1000, 4095, 4096, 4097, 8192, 8200, 50'000, 100'000})
    for (index_t m : {1, 3}) {
      check(op{{1}}, v, shape(m, n));
      check(op{{0}}, v, shape(n, m));
      check(op{{1}}, v, shape(m, n), 1);
    }
  check(op{{1}}, v, shape(3, 1000, 5));
  check(op{{1}}, v, shape(2000, 100));
  check(op{{1}}, v, shape(0, 5));
  check(op{{1}}, v, shape(5, 0));
  check(cumsum_op<std::int64_t, axis_t<0>>{}, numbers<std::uint8_t>(5000), shape(5000));
  check(cumsum_op<std::int64_t, axis_t<0>>{}, numbers<std::int64_t>(5000), shape(5000));
  auto const groups = numbers<std::int8_t>(2'500'003);  // several groups of 256 tiles
  check(op{{0}}, groups, shape(2'500'003));
  check(op{{0}}, groups, shape(2'500'000));
  check(op{{1}}, groups, shape(2, 1'200'000), 1);
  auto const wide = numbers<std::int64_t>(5000);  // extreme values: the sum wraps
  check(cumsum_op<std::int64_t, axis_t<0>>{}, wide, shape(5000));
}

TEST_CASE("cumulative sums of floats on a GPU are exact where those of doubles are") {
  std::vector<float> v(at(200'008));
  for (std::size_t i = 0; i != v.size(); ++i) v[i] = static_cast<float>(i % 1013) / 8;
  using op = cumsum_op<float, run_time_axis>;
  for (index_t n : {5, 64, 66, 4096, 4100, 40'000, 200'000}) {
    check(op{{0}}, v, shape(n));
    check(op{{0}}, v, shape(n), 3);
    check(op{{0}}, v, shape(n / 5, 5));
  }
  std::vector<double> const d(v.begin(), v.end());
  check(cumsum_op<double, run_time_axis>{{0}}, d, shape(100'001), 1);
}

TEST_CASE("cumulative sums on a GPU propagate NaN and infinity to later elements only") {
  float const infinity = std::numeric_limits<float>::infinity();
  for (index_t n : {40, 400, 40'000})
    for (index_t where : {index_t{0}, n / 3, n - 1}) {
      std::vector<float> v(at(n), 1), out(at(n));
      auto const run = [&] {
        detail::scan_along(host_grid{}, dense_view<float, dextents<1>>{out.data(), shape(n)},
                           dense_view<float const, dextents<1>>{v.data(), shape(n)}, 0);
      };
      v[at(where)] = infinity;
      run();
      for (index_t i = 0; i != n; ++i) REQUIRE(std::isinf(out[at(i)]) == (i >= where));
      v[at(n - 1)] -= infinity;
      run();
      for (index_t i = 0; i != n; ++i) REQUIRE(std::isnan(out[at(i)]) == (i == n - 1));
    }
}

TEST_CASE(
    "cumulative sums take one launch, two for long fibers and three for a small number of strided "
    "ones") {
  auto const v = numbers<int>(300'000);
  using op = cumsum_op<std::int64_t, run_time_axis>;
  CHECK(check(op{{0}}, v, shape(4096)) == 1);
  CHECK(check(op{{0}}, v, shape(4097)) == 2);
  CHECK(check(op{{0}}, v, shape(300'000)) == 2);
  CHECK(check(op{{1}}, v, shape(3000, 100)) == 3);
  CHECK(check(op{{0}}, v, shape(30, 10'000)) == 1);
}
