// GPU kernels of ops with indices, of scans and of quantiles, run by loops on the host, against the
// CPU's loops: they have the same bits.
#include <placement/gpu/lower_custom.hpp>
#include <placement/ops/cumulative.hpp>
#include <placement/ops/embedding.hpp>
#include <placement/ops/quantile.hpp>
#include <placement/ops/scatter.hpp>
#include <placement/ops/searchsorted.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/topk.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// Numbers with many ties, and NaN where there is `nan`.
template <class T> std::vector<T> numbers(std::size_t n, bool nan = false) {
  std::minstd_rand random(static_cast<unsigned>(n + 1));
  std::vector<T> v(n);
  for (T& x : v) {
    auto const r = static_cast<int>(random() % 400);
    x = static_cast<T>(r % 100 - 50);
    if constexpr (std::is_floating_point_v<T>)
      if (nan && r < 4) x = std::numeric_limits<T>::quiet_NaN();
  }
  return v;
}
/// Indices of n positions, with some that count from the end where T is signed.
template <class T> std::vector<T> indices(std::size_t count, index_t n) {
  std::minstd_rand random(static_cast<unsigned>(count + 7));
  std::vector<T> v(count);
  for (T& x : v) {
    auto const i = static_cast<index_t>(random() % static_cast<unsigned>(n));
    x = static_cast<T>(std::is_signed_v<T> && random() % 3 == 0 ? i - n : i);
  }
  return v;
}
template <class T, class X> dense_view<T const, X> view_of(std::vector<T> const& v, X const& x) {
  return {v.data(), x};
}

/// Whether an op gives the same bits on both sides, and nothing is written behind them.
template <class Result, class Op, class Y, class... In>
void check(Op const& op, Y const& to, In const&... in) {
  std::vector<Result> expected(to.count() + 1, Result(7)), out = expected;
  op(dense_view<Result, Y>{expected.data(), to}, in...);
  kernel_report report;
  detail::lowering<Op>::run(host_grid{nullptr, &report}, op, dense_view<Result, Y>{out.data(), to},
                            in...);
  CHECK(std::memcmp(out.data(), expected.data(), out.size() * sizeof(Result)) == 0);
  CHECK(report.reported == 0);
}

template <class T, class Index> void check_indices(dextents<3> const& x, int axis, index_t count) {
  INFO("axis " << axis << " of " << to_string(x) << ", " << count << " indices");
  run_time_axis const along{axis};
  auto const d = static_cast<std::size_t>(axis);
  dextents<3> some = x;
  some.n[d] = count;
  auto const a = numbers<T>(x.count()), b = numbers<T>(some.count());
  auto const each = indices<Index>(some.count(), x.n[d]);
  auto const list = indices<Index>(at(count), x.n[d]);
  auto const all = view_of(a, x), values = view_of(b, some);
  auto const i = view_of(list, dextents<1>{{count}});
  auto const in_place = view_of(each, some);
  check<T>(take_along_axis_op<run_time_axis>{along}, some, all, in_place);
  check<T>(take_along_axis_grad_op<run_time_axis, dextents<3>>{along, x}, x, values, in_place);
  check<T>(scatter_op<detail::scatter_write, run_time_axis>{along}, x, all, i, values);
  check<T>(scatter_op<detail::scatter_add, run_time_axis>{along}, x, all, i, values);
}

template <class T> void check_scans(dextents<2> const& x, bool nan) {
  INFO(to_string(x));
  auto const v = numbers<T>(x.count(), nan);
  for (int const axis : {0, 1}) {
    run_time_axis const along{axis};
    check<T>(cumulative_op<detail::cumulative_maximum, T, run_time_axis>{along}, x, view_of(v, x));
    check<T>(cumulative_op<detail::cumulative_minimum, T, run_time_axis>{along}, x, view_of(v, x));
    if constexpr (std::is_integral_v<T>)
      check<std::int64_t>(
          cumulative_op<detail::cumulative_product, std::int64_t, run_time_axis>{along}, x,
          view_of(v, x));
  }
}

}  // namespace

TEST_CASE("reads, writes and sums at indices on a GPU have the bits of the CPU's") {
  check_indices<float, int>(shape(3, 5, 4), 1, 9);
  check_indices<float, std::int64_t>(shape(3, 700, 2), 1, 5000);
  check_indices<std::int8_t, std::uint8_t>(shape(40, 1, 3), 0, 300);
  check_indices<float, int>(shape(2, 3, 7), 2, 0);
}

TEST_CASE("gradients of gather and of an embedding on a GPU add slices in their order") {
  auto const g = numbers<float>(50 * 6);
  std::vector<int> rows = indices<int>(50, 7);
  for (int& r : rows) r = (r + 7) % 7;
  auto const ids = view_of(rows, dextents<1>{{50}});
  check<float>(gather_grad_op<run_time_axis, dextents<2>>{{0}, shape(7, 6)}, shape(7, 6),
               view_of(g, shape(50, 6)), ids);
  check<float>(embedding_gradient_op{7}, shape(7, 6), view_of(g, shape(50, 6)), ids);
}

TEST_CASE("an index outside on a GPU is reported with the op and the rule") {
  std::vector<float> const x{1, 2, 3};
  std::vector<int> const wrong{1, -4};
  float out[2]{};
  kernel_report report;
  using op = take_along_axis_op<run_time_axis>;
  detail::lowering<op>::run(host_grid{nullptr, &report}, op{{0}},
                            dense_view<float, dextents<1>>{out, shape(2)}, view_of(x, shape(3)),
                            view_of(wrong, shape(2)));
  CHECK(report.reported == 1);
  CHECK(report.index == -4);
  CHECK(report.extent == 3);
  CHECK(report.from_end);
  CHECK(std::string(report.op) == "TakeAlongAxis");
  CHECK((out[0] == 2 && out[1] == 0));
}

TEST_CASE("cumulative products, maxima and minima on a GPU have the bits of the CPU's") {
  for (auto const& x : {shape(1, 1), shape(3, 40), shape(2, 9001), shape(70'001, 1), shape(0, 3)}) {
    check_scans<float>(x, x.n[0] == 3);
    check_scans<int>(x, false);
  }
  std::vector<float> v(5000);
  std::minstd_rand random(3);
  for (float& x : v) x = 0.99f + static_cast<float>(random() % 1000) * 2e-5f;
  std::vector<float> expected(v.size()), out(v.size());
  cumulative_op<detail::cumulative_product, float, run_time_axis> const op{{0}};
  dextents<1> const shape{{5000}};
  op(dense_view<float, dextents<1>>{expected.data(), shape}, view_of(v, shape));
  detail::lowering<decltype(op)>::run(
      host_grid{}, op, dense_view<float, dextents<1>>{out.data(), shape}, view_of(v, shape));
  for (std::size_t i = 0; i != v.size(); ++i)
    if (!(std::abs(out[i] - expected[i]) <= 1.2e-7f * expected[i])) FAIL(i << ": " << out[i]);
}

TEST_CASE("quantiles, searchsorted and topk on a GPU have the bits of the CPU's") {
  for (bool const nan : {false, true})
    for (auto const& x : {shape(4, 33), shape(3, 1), shape(2, 5001)}) {
      INFO(to_string(x));
      auto const v = numbers<float>(x.count(), nan);
      auto const in = view_of(v, x);
      check<float>(quantile_op<detail::over_all, float>{{}, 0.37}, dextents<0>{}, in);
      check<float>(quantile_op<detail::along_t<axis_t<1>>, float>{{}, 0.5}, shape(x.n[0]), in);
      check<float>(quantile_op<detail::along_t<axis_t<0>>, float>{{}, 0.81}, shape(x.n[1]), in);
      index_t const k = std::min<index_t>(x.n[1], 7);
      check<float>(topk_op<float, false, axis_t<1>>{{}, k}, shape(x.n[0], k), in);
      check<std::int64_t>(topk_op<std::int64_t, true, axis_t<1>>{{}, k}, shape(x.n[0], k), in);
      std::vector<float> sorted(v);
      std::sort(sorted.begin(), sorted.end(), ascending_t::before<float>);
      auto const keys = view_of(sorted, dextents<1>{{static_cast<index_t>(sorted.size())}});
      check<std::int64_t>(searchsorted_op{side::left}, x, keys, in);
      check<std::int64_t>(searchsorted_op{side::right}, x, keys, in);
    }
}
