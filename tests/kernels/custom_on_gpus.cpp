// The GPU kernels of ops with a loop of their own, run by loops on the host, against the CPU loops.
#include <placement/gpu/lower_custom.hpp>
#include <placement/ops/softmax_cross_entropy.hpp>
#include <placement/placement.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T> std::vector<T> numbers(index_t n, T scale = 1) {
  std::minstd_rand random(static_cast<unsigned>(n + 1));
  std::vector<T> v(at(n) + 4);
  for (T& x : v) x = static_cast<T>(static_cast<T>(random() % 1000) * scale / 100);
  return v;
}

template <class T, class Op> void check_softmax(Op const& op, index_t m, index_t n, index_t shift) {
  INFO(m << " rows of " << n);
  auto const v = numbers<T>(m * n + shift);
  std::vector<T> expected(at(m * n) + 8), out(at(m * n) + 8, T(-7));
  auto const x = shape(m, n);
  dense_view<T const, dextents<2>> const in{v.data() + shift, x};
  op(dense_view<T, dextents<2>>{expected.data(), x}, in);
  detail::lowering<Op>::run(host_grid{}, op, dense_view<T, dextents<2>>{out.data(), x}, in);
  // sums are accumulated in double, in another order
  T const few = (sizeof(T) == 8 ? 256 : 2) * std::numeric_limits<T>::epsilon();
  for (index_t i = 0; i != m * n; ++i) {
    T const e = expected[at(i)];
    if (std::abs(out[at(i)] - e) > few * std::abs(e)) FAIL(out[at(i)] << " is not " << e);
  }
  CHECK(out[at(m * n)] == T(-7));
}

template <class Op, class Y, class... In>
auto joined(Op const& op, Y const& shape, In const&... in) {
  std::vector<float> expected(shape.count()), out(shape.count(), -1.f);
  op(dense_view<float, Y>{expected.data(), shape}, in...);
  detail::lowering<Op>::run(host_grid{}, op, dense_view<float, Y>{out.data(), shape}, in...);
  CHECK(out == expected);
}

}  // namespace

TEST_CASE("softmax and log_softmax on a GPU match the CPU at every row length") {
  for (index_t n :
       {1,   2,   3,   4,    5,    10,   16,   31,   32,   33,   64,   100,  128,   255,
        256, 257, 512, 1000, 1024, 1025, 2048, 4095, 4096, 4097, 5000, 8192, 10001, 32768})
    for (index_t m : {1, 3, 9}) {
      check_softmax<float>(softmax_op{}, m, n, 0);
      check_softmax<float>(log_softmax_op{}, m, n, 0);
      check_softmax<double>(softmax_op{}, m, n, 0);
      check_softmax<float>(softmax_op{}, m, n, 1);  // unaligned
    }
  check_softmax<double>(log_softmax_op{}, 2, 6000, 0);
  check_softmax<float>(softmax_op{}, 0, 5, 0);
}

TEST_CASE("softmax on a GPU gives NaN where the CPU does, with any other elements in the row") {
  for (index_t n : {7, 64, 2000, 6000}) {
    struct {
      double first, other;
      bool nan;
    } const rows[] = {
        {-infinity, 1, false}, {-infinity, -infinity, true},   {infinity, 1, true},
        {1, infinity, true},   {std::nan(""), 1, true},        {1, std::nan(""), true},
        {1e30, -1e30, false},  {std::nan(""), infinity, true}, {-infinity, infinity, true}};
    for (auto const& r : rows)
      for (index_t where : {index_t{0}, n / 2, n - 1}) {
        std::vector<float> v(at(n), static_cast<float>(r.other)), out(at(n)), expected(at(n));
        v[at(where)] = static_cast<float>(r.first);
        dense_view<float const, dextents<1>> const in{v.data(), shape(n)};
        dense_view<float, dextents<1>> const to{out.data(), shape(n)};
        detail::lowering<softmax_op>::run(host_grid{}, softmax_op{}, to, in);
        softmax_op{}(dense_view<float, dextents<1>>{expected.data(), shape(n)}, in);
        for (index_t i = 0; i != n; ++i) {
          REQUIRE(std::isnan(out[at(i)]) == r.nan);
          REQUIRE(std::isnan(expected[at(i)]) == r.nan);
        }
      }
  }
}

TEST_CASE("concat and stack on a GPU place operands as on the CPU") {
  auto const v = numbers<float>(4000);
  auto const part = [&]<class X>(X const& x, index_t from) {
    return dense_view<float const, X>{v.data() + from, x};
  };
  for (index_t k : {1, 4, 16, 33}) {
    using rows = concat_op<axis_t<0>>;
    using columns = concat_op<run_time_axis>;
    joined(rows{}, shape(7, k), part(shape(3, k), 0), part(shape(4, k), 500));
    joined(columns{{1}}, shape(5, k + 9), part(shape(5, k), 0), part(shape(5, 8), 300),
           part(shape(5, 1), 900));
    joined(columns{{1}}, shape(2, 4 + k, 3), part(shape(2, 4, 3), 1), part(shape(2, k, 3), 64));
    joined(columns{{-1}}, shape(4, k), part(shape(4, 0), 0), part(shape(4, k), 16));
    std::vector<dense_view<float const, dextents<2>>> const list{
        part(shape(3, k), 0), part(shape(2, k), 700), part(shape(9, k), 40)};
    joined(rows{}, shape(14, k), list);
    using stacked = stack_op<run_time_axis>;
    joined(stacked{{0}}, shape(2, 3, k), part(shape(3, k), 0), part(shape(3, k), 500));
    joined(stacked{{1}}, shape(3, 2, k), part(shape(3, k), 0), part(shape(3, k), 500));
    joined(stacked{{2}}, shape(3, k, 2), part(shape(3, k), 0), part(shape(3, k), 500));
  }
}

TEST_CASE("a sum of many tensors on a GPU adds them in operand order") {
  for (std::size_t const count : {2u, 3u, 7u, 8u, 9u, 15u, 16u, 40u}) {
    index_t const n = 5003;
    auto const v = numbers<float>(n + static_cast<index_t>(count), .37f);
    std::vector<dense_view<float const, dextents<1>>> in;
    for (std::size_t k = 0; k != count; ++k) in.push_back({v.data() + k, shape(n)});
    joined(add_n_list_op{}, shape(n), in);
  }
  std::vector<std::int8_t> const v(100, 100);
  std::vector<dense_view<std::int8_t const, dextents<1>>> const in(3, {v.data(), shape(100)});
  std::vector<std::int8_t> out(100);
  detail::add_views(host_grid{}, dense_view<std::int8_t, dextents<1>>{out.data(), shape(100)}, in);
  CHECK(out[99] == 44);  // 300 wraps
}

TEST_CASE(
    "gather on a GPU takes the slices that the CPU takes, and reports an index out of range") {
  auto const v = numbers<float>(4000);
  for (index_t k : {1, 4, 10, 32})
    for (int axis : {0, 1, 2}) {
      auto const x = shape(5, 6, k);
      std::vector<int> const chosen{4, 0, 0, 3, 2};
      if (x.at(static_cast<std::size_t>(axis)) < 5) continue;
      gather_op<run_time_axis> const op{{axis}};
      auto const y = op.result(x, shape(5));
      std::vector<float> expected(y.count()), out(y.count());
      dense_view<float const, dextents<3>> const in{v.data(), x};
      dense_view<int const, dextents<1>> const indices{chosen.data(), shape(5)};
      op(dense_view<float, dextents<3>>{expected.data(), y}, in, indices);
      kernel_report report;
      detail::lowering<gather_op<run_time_axis>>::run(host_grid{nullptr, &report}, op,
                                                      dense_view<float, dextents<3>>{out.data(), y},
                                                      in, indices);
      CHECK(out == expected);
      CHECK(report.reported == 0);
      std::vector<float> in_pieces(y.count());
      detail::lowering<gather_op<run_time_axis>>::run(
          host_grid{nullptr, &report, 16}, op, dense_view<float, dextents<3>>{in_pieces.data(), y},
          in, indices);
      CHECK(in_pieces == expected);
    }
  auto const check = [&]<class Index>(Index wrong, index_t reported_index) {
    std::vector<Index> const chosen{1, wrong, 0};
    std::vector<float> out(12, -1.f);
    kernel_report report;
    detail::gather_slices(host_grid{nullptr, &report},
                          dense_view<float, dextents<2>>{out.data(), shape(3, 4)},
                          dense_view<float const, dextents<2>>{v.data(), shape(2, 4)},
                          dense_view<Index const, dextents<1>>{chosen.data(), shape(3)}, 0);
    CHECK((report.reported == 1 && report.index == reported_index && report.extent == 2));
    for (std::size_t j = 0; j != 4; ++j) {
      CHECK(out[j] == v[4 + j]);
      CHECK(out[4 + j] == 0);
      CHECK(out[8 + j] == v[j]);
    }
  };
  check(2, 2);
  check(-1, -1);
  check(std::uint8_t{200}, 200);
  check(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min());
  check(std::numeric_limits<std::uint64_t>::max(), -1);
}

TEST_CASE("one_hot on a GPU is off everywhere for an index out of range") {
  std::vector<int> const labels{3, 0, -1, 7, 8, 2, 100};
  for (index_t depth : {0, 1, 3, 4, 8, 33}) {
    one_hot_op<float, dextents<1>> const op{{{depth}}, 5.f, -2.f};
    auto const y = shape(7, depth);
    dense_view<int const, dextents<1>> const in{labels.data(), shape(7)};
    joined(op, y, in);
  }
}

namespace {
/// Losses and gradients of m rows of n logits on the host's grid, against the CPU loops.
template <class T, class Kind, class Label>
void check_cross_entropy(index_t m, index_t n, std::vector<Label> const& labels,
                         std::vector<T> const& x) {
  INFO(m << " rows of " << n);
  auto const rows = shape(m);
  auto const all = shape(m, n);
  dense_view<T const, dextents<2>> const logits{x.data(), all};
  auto const given = [&] {
    if constexpr (Kind::sparse) return dense_view<Label const, dextents<1>>{labels.data(), rows};
    else return dense_view<Label const, dextents<2>>{labels.data(), all};
  }();
  std::vector<T> const g = numbers<T>(m);
  dense_view<T const, dextents<1>> const of_loss{g.data(), rows};
  std::vector<T> expected(at(m * n + m)), out(at(m * n + m), T(-7));
  auto const run = [&](auto const& op, auto const& shape, auto const&... more) {
    using op_type = std::remove_cvref_t<decltype(op)>;
    using view = dense_view<T, std::remove_cvref_t<decltype(shape)>>;
    kernel_report report;
    op(view{expected.data(), shape}, logits, given, more...);
    detail::lowering<op_type>::run(host_grid{nullptr, &report}, op, view{out.data(), shape}, logits,
                                   given, more...);
    CHECK(report.reported == 0);
    T const few = (sizeof(T) == 8 ? 4096 : 16) * std::numeric_limits<T>::epsilon();
    for (index_t i = 0; i != static_cast<index_t>(shape.count()); ++i)
      CHECK(std::fabs(out[at(i)] - expected[at(i)]) <= few * (1 + std::fabs(expected[at(i)])));
  };
  run(softmax_cross_entropy_op<Kind>{}, rows);
  run(softmax_cross_entropy_gradient_op<Kind>{}, all, of_loss);
}
}  // namespace

TEST_CASE("cross entropy and its gradient on a GPU match the CPU") {
  for (index_t n : {1, 2, 10, 31, 32, 33, 100, 1000, 4099})
    for (index_t m : {0, 1, 5, 17}) {
      std::vector<int> classes;
      std::vector<float> one(at(m * n)), weights(at(m * n));
      for (index_t r = 0; r != m; ++r) {
        classes.push_back(static_cast<int>(r * 7 % n));
        one[at(r * n + r * 7 % n)] = 1;
        for (index_t j = 0; j != n; ++j)
          weights[at(r * n + j)] = (j + r) % 3 == 0 ? 2.f / static_cast<float>(n) : 0.f;
      }
      check_cross_entropy<float, class_numbers_t>(m, n, classes, numbers<float>(m * n));
      check_cross_entropy<double, class_numbers_t>(m, n, classes, numbers<double>(m * n));
      check_cross_entropy<float, probabilities_t>(m, n, one, numbers<float>(m * n, -3.f));
      check_cross_entropy<float, probabilities_t>(m, n, weights, numbers<float>(m * n));
    }
}

TEST_CASE("a label out of range is reported by the GPU with its row, which gets zeros") {
  std::vector<float> const x = numbers<float>(12);
  std::vector<int> const labels{1, 4, 0};
  std::vector<float> out(12, -7.f);
  kernel_report report;
  using op = softmax_cross_entropy_op<class_numbers_t>;
  dense_view<float const, dextents<2>> const logits{x.data(), shape(3, 4)};
  dense_view<int const, dextents<1>> const given{labels.data(), shape(3)};
  detail::lowering<op>::run(host_grid{nullptr, &report}, op{},
                            dense_view<float, dextents<1>>{out.data(), shape(3)}, logits, given);
  CHECK((report.reported == 1 && report.index == 4 && report.extent == 4 && report.row == 1));
  CHECK((out[0] > 0 && out[1] == 0 && out[2] > 0 && out[3] == -7));
}
