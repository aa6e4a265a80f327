// Arrays from numbers: arange, linspace, eye, diag, tril, triu, full, meshgrid.
#include <placement/expr/print.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/arange.hpp>
#include <placement/ops/diag.hpp>
#include <placement/ops/eye.hpp>
#include <placement/ops/full.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/ops/meshgrid.hpp>
#include <placement/ops/tril.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

using namespace placement;

namespace {

constexpr index_t most = std::numeric_limits<index_t>::max();

/// Elements f(i, j) of an m x n matrix.
template <class T, class F> std::vector<T> matrix_of(index_t m, index_t n, F f) {
  std::vector<T> all;
  for (index_t i = 0; i != m; ++i)
    for (index_t j = 0; j != n; ++j) all.push_back(static_cast<T>(f(i, j)));
  return all;
}

}  // namespace

TEST_CASE("arange counts from start to below stop") {
  on_each_device([](device d) {
    tensor const x = arange(2, 10, 3);
    CHECK(x.where() == d);
    CHECK(differences(x, {2, 5, 8}) == no_differences);
    CHECK(differences(tensor(arange(4)), {0, 1, 2, 3}) == no_differences);
    CHECK(differences(tensor(arange(7, 0, -3)), {7, 4, 1}) == no_differences);
    CHECK(differences(tensor(arange(1.f, 2.f, 0.375f)), {1.f, 1.375f, 1.75f}) == no_differences);
    CHECK(differences(tensor(arange(1., 0., -0.5)), {1., 0.5}) == no_differences);
    CHECK(tensor(arange(5, 5)).size() == 0);
    CHECK(tensor(arange(5, 1)).size() == 0);
    CHECK(tensor(arange(0.f)).size() == 0);
  });
}

TEST_CASE("the length of arange is right at both ends of the integers") {
  CHECK(arange(-most - 1, -most + 2, most).shape() == shape(1));
  CHECK(differences(tensor(arange(-most - 1, most, most)), {-most - 1, index_t{-1}, most - 1}) ==
        no_differences);
  CHECK(differences(tensor(arange(most, -most - 1, -most)), {most, index_t{0}, -most}) ==
        no_differences);
  CHECK(differences(tensor(arange(most, most - 2, -most - 1)), {most}) == no_differences);
  CHECK(arange(std::int8_t{-128}, std::int8_t{127}).shape() == shape(255));
  CHECK(arange(std::uint8_t{0}, std::uint8_t{255}, std::uint8_t{254}).shape() == shape(2));
  CHECK(arange(std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 63)
            .shape() == shape(2));
  CHECK(error_message<shape_error>([] { (void)arange(-most, most); })
            .starts_with("placement: a tensor of shape [9223372036854775807] has more bytes than "
                         "can be addressed. Split it. In Range at "));
  CHECK(error_message<shape_error>([] { (void)arange(0., 1e300); }).find("In Range at ") !=
        std::string::npos);
}

TEST_CASE("arange without a number of elements is an error") {
  std::string const sentence =
      "placement: arange from 1 to 2 in steps of 0 has no number of elements. Use finite numbers, "
      "and a step other than 0. In Range at ";
  CHECK(error_message<invalid_argument>([] { (void)arange(1, 2, 0); }).starts_with(sentence));
  float const infinite = std::numeric_limits<float>::infinity();
  for (float const x : {infinite, -infinite, std::numeric_limits<float>::quiet_NaN()})
    CHECK(error_message<invalid_argument>([&] { (void)arange(x); }).find("no number of elements") !=
          std::string::npos);
}

TEST_CASE("linspace divides an interval, which ends with stop or before it") {
  on_each_device([](device) {
    CHECK(differences(tensor(linspace(1.f, 3.f, 5)), {1.f, 1.5f, 2.f, 2.5f, 3.f}) ==
          no_differences);
    CHECK(differences(tensor(linspace(1.f, 3.f, 4, interval::half_open)), {1.f, 1.5f, 2.f, 2.5f}) ==
          no_differences);
    CHECK(differences(tensor(linspace(3., -3., 3)), {3., 0., -3.}) == no_differences);
    CHECK(differences(tensor(linspace(2.f, 5.f, 1)), {2.f}) == no_differences);
    CHECK(tensor(linspace(2.f, 5.f, 0)).size() == 0);
    tensor const x = linspace(0., 0.7, 1001);
    CHECK(x.read()[1000] == 0.7);
    for (std::size_t i = 0; i != 1000; ++i)
      CHECK(x.read()[i] == 0. + static_cast<double>(i) * (0.7 / 1000));
  });
  STATIC_CHECK(
      std::is_same_v<decltype(linspace(0.f, 1.f, extents<5>{}))::extents_type, extents<5>>);
  CHECK(linspace(0.f, 1.f).shape() == shape(50));
  CHECK(error_message<shape_error>([] {
          (void)linspace(0.f, 1.f, -1);
        }).starts_with("placement: extent 0 is -1. Extents are zero or more. In LinSpace at "));
}

TEST_CASE("eye has ones on one diagonal") {
  on_each_device([](device) {
    for (index_t const k :
         {index_t{-most - 1}, index_t{-3}, index_t{-1}, index_t{0}, index_t{2}, index_t{4}, most}) {
      INFO("k " << k);
      auto const expected =
          matrix_of<float>(3, 4, [&](index_t i, index_t j) { return j - i == k ? 1 : 0; });
      CHECK(differences(tensor(eye<float>(3, 4, k)), expected) == no_differences);
      tensor const same = eye<float>(extents<3, 4>{}, k);
      STATIC_CHECK(std::is_same_v<decltype(same)::extents_type, extents<3, 4>>);
      CHECK(differences(tensor<float, dextents<2>>(same), expected) == no_differences);
    }
    CHECK(differences(tensor(eye<bool>(2)), {true, false, false, true}) == no_differences);
    CHECK(tensor(eye<int>(0)).shape() == shape(0, 0));
  });
  CHECK(error_message<shape_error>([] { (void)eye<float>(-2); }).find("In Eye at ") !=
        std::string::npos);
}

TEST_CASE("diag of a vector is a matrix, and of a matrix a view of its diagonal") {
  on_each_device([](device) {
    tensor const v{1, 2, 3};
    for (index_t const k : {-2, -1, 0, 1, 3}) {
      INFO("k " << k);
      index_t const n = 3 + (k < 0 ? -k : k);
      auto const expected = matrix_of<int>(
          n, n, [&](index_t i, index_t j) { return j - i == k ? (k < 0 ? j : i) + 1 : 0; });
      tensor const m = diag(v, k);
      CHECK(m.shape() == shape(n, n));
      CHECK(differences(m, expected) == no_differences);
      CHECK(differences(tensor(diag(m, k)), {1, 2, 3}) == no_differences);
    }
    CHECK(differences(tensor(diag(v)), {1, 0, 0, 0, 2, 0, 0, 0, 3}) == no_differences);
    tensor x = full(shape(2, 3), 5);
    diag(view(x), 1) = tensor{7, 8};
    CHECK(differences(x, {5, 7, 5, 5, 5, 8}) == no_differences);
    CHECK(tensor(diag(x, 3)).size() == 0);
    CHECK(tensor(diag(x, -2)).size() == 0);
  });
  STATIC_CHECK(std::is_same_v<decltype(diag(tensor<float, extents<3>>{
                                  std::declval<tensor<float, extents<3>>>()}))::extents_type,
                              extents<3, 3>>);
  CHECK(error_message<shape_error>([] {
          (void)diag(tensor{1, 2}, most);
        }).find("In MatrixDiagV2 at ") != std::string::npos);
}

TEST_CASE("tril and triu keep the elements on one side of a diagonal") {
  on_each_device([](device) {
    tensor const x = iota(shape(2, 3, 4), 1);
    for (index_t const k :
         {index_t{-most - 1}, index_t{-3}, index_t{-1}, index_t{0}, index_t{1}, index_t{4}, most}) {
      INFO("k " << k);
      std::vector<int> lower, upper;
      for (int i = 0; i != 24; ++i) {
        index_t const row = i / 4 % 3, column = i % 4;
        lower.push_back(column - row <= k ? i + 1 : 0);
        upper.push_back(column - row >= k ? i + 1 : 0);
      }
      CHECK(differences(tensor(tril(x, k)), lower) == no_differences);
      CHECK(differences(tensor(triu(x, k)), upper) == no_differences);
    }
    CHECK(differences(tensor(tril(full(shape(2, 2), true))), {true, false, true, true}) ==
          no_differences);
  });
  using square = tensor<float, extents<3, 3>>;
  STATIC_CHECK(std::is_same_v<decltype(tril(std::declval<square>()))::extents_type, extents<3, 3>>);
}

TEST_CASE("full and full_like fill a shape") {
  on_each_device([](device) {
    tensor const x = full(shape(2, 2), 2.5f);
    CHECK(differences(x, {2.5f, 2.5f, 2.5f, 2.5f}) == no_differences);
    CHECK(differences(tensor(full_like(x, 3)), {3.f, 3.f, 3.f, 3.f}) == no_differences);
  });
  STATIC_CHECK(std::is_same_v<decltype(full(extents<2>{}, 1))::extents_type, extents<2>>);
  CHECK(error_message<shape_error>([] {
          (void)full(shape(2, -1), 1);
        }).starts_with("placement: extent 1 is -1. Extents are zero or more. In Fill at "));
}

TEST_CASE("meshgrid repeats each vector along the other dimensions, without a copy") {
  on_each_device([](device) {
    tensor const a{1, 2, 3}, b{10, 20};
    auto const [x, y] = meshgrid(a, b);
    CHECK(x.shape() == shape(2, 3));
    CHECK(differences(tensor(x), {1, 2, 3, 1, 2, 3}) == no_differences);
    CHECK(differences(tensor(y), {10, 10, 10, 20, 20, 20}) == no_differences);
    CHECK(differences(tensor(x + y), {11, 12, 13, 21, 22, 23}) == no_differences);
    auto const [i, j] = meshgrid<indexing::ij>(a, b);
    CHECK(differences(tensor(i), {1, 1, 2, 2, 3, 3}) == no_differences);
    CHECK(differences(tensor(j), {10, 20, 10, 20, 10, 20}) == no_differences);
    auto const [p, q, r] = meshgrid(a, b, tensor{5});
    CHECK(p.shape() == shape(2, 3, 1));
    CHECK(differences(tensor(r), {5, 5, 5, 5, 5, 5}) == no_differences);
  });
  using four = tensor<int, extents<4>>;
  using two = tensor<int, extents<2>>;
  using grid = decltype(meshgrid(std::declval<four>(), std::declval<two>()));
  STATIC_CHECK(std::is_same_v<std::tuple_element_t<0, grid>::extents_type, extents<2, 4>>);
}

namespace {

/// Whether packs of consecutive elements from `first` on are the op's elements. Compilers may fuse
/// the product and the sum of one of both.
template <int N, class Op> bool packs_are_elements(Op const& op, index_t first) {
  using T = decltype(op(first));
  T some[static_cast<std::size_t>(N)];
  simd::store(some, op.template consecutive<N>(first));
  for (int j = 0; j != N; ++j) {
    T const one = op(first + j);
    if constexpr (std::is_floating_point_v<T>) {
      T const epsilon = std::numeric_limits<T>::epsilon();
      if (!(std::abs(some[j] - one) <= epsilon * std::abs(one))) return false;
    } else if (!(some[j] == one)) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("packs of iota and linspace are single elements, also beyond 2^31") {
  using shape_1 = dextents<1>;
  iota_op<float, shape_1> const singles{dextents<1>{{1}}, 0.25f, 3.f};
  iota_op<double, shape_1> const doubles{dextents<1>{{1}}, -7., 0.1};
  iota_op<std::int32_t, shape_1> const ints{dextents<1>{{1}}, 5, -3};
  iota_op<std::int64_t, shape_1> const longs{dextents<1>{{1}}, std::int64_t{1} << 62,
                                             1'000'000'007};
  iota_op<std::uint8_t, shape_1> const bytes{dextents<1>{{1}}, 250, 7};
  iota_op<float16, shape_1> const halves{dextents<1>{{1}}, float16(1.f), float16(0.5f)};
  index_t const last = (index_t{1} << 31) + 5;
  linspace_op<float, shape_1> const line{dextents<1>{{1}}, 1., 1e-7, 17., last};
  linspace_op<double, shape_1> const wide{dextents<1>{{1}}, 1., 1e-7, 17., last};
  for (index_t base :
       {index_t{0}, index_t{1} << 24, index_t{1} << 31, index_t{1} << 32, index_t{1} << 53})
    for (index_t first = base < 20 ? 0 : base - 20; first != base + 20; ++first) {
      INFO("from " << first);
      CHECK(packs_are_elements<8>(singles, first));
      CHECK(packs_are_elements<4>(doubles, first));
      CHECK(packs_are_elements<8>(ints, first));
      CHECK(packs_are_elements<4>(longs, first));
      CHECK(packs_are_elements<16>(bytes, first));
      CHECK(packs_are_elements<8>(halves, first));
      CHECK(packs_are_elements<8>(line, first));
      CHECK(packs_are_elements<4>(wide, first));
    }
}
