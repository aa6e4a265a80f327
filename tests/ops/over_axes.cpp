// Reductions over several axes, against loops over the elements of each result.
#include <placement/placement.hpp>

#include <support/log_lines.hpp>
#include <support/reductions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace placement;

namespace {

using shape4 = std::array<index_t, 4>;

/// The elements that a reduction over two axes combines, in row-major order, one list per result.
template <class T>
std::vector<std::vector<T>> reduced_planes(std::vector<T> const& v, shape4 const& n, int a, int b) {
  auto const p = static_cast<std::size_t>(a), q = static_cast<std::size_t>(b);
  std::vector<std::vector<T>> all;
  std::size_t const kept_count = v.size() / static_cast<std::size_t>(n[p] * n[q]);
  all.resize(kept_count);
  for (std::size_t i = 0; i != v.size(); ++i) {
    auto left = static_cast<index_t>(i);
    shape4 at{};
    for (std::size_t d = 4; d-- > 0; left /= n[d]) at[d] = left % n[d];
    index_t result = 0;
    for (std::size_t d = 0; d != 4; ++d)
      if (d != p && d != q) result = result * n[d] + at[d];
    all[static_cast<std::size_t>(result)].push_back(v[i]);
  }
  return all;
}

constexpr auto op_sum = [](auto const&... a) { return sum(a...); };
constexpr auto op_max = [](auto const&... a) { return max(a...); };
constexpr auto op_std = [](auto const&... a) { return std_dev(a...); };

/// Checks op(x, a, b) for all pairs of axes of shapes for which the CPU has different loops: joined
/// axes, tiles of several matrices, rows of several dimensions, short ones. The operand is a
/// tensor, a product, a view with other strides, and broadcast.
template <class T, class Op, class Expected> void check_pairs(Op op, Expected expected) {
  using R = decltype(expected(std::vector<T>{}));
  INFO("element type " << element_name<T>());
  on_each_device([&](device d) {
    for (shape4 const& n : {shape4{2, 3, 4, 5}, shape4{3, 2, 7, 40}, shape4{9, 5, 17, 3},
                            shape4{4, 1, 33, 6}, shape4{1, 2, 1, 300}, shape4{2, 2, 2, 1}}) {
      auto const v = small_values<T>(static_cast<std::size_t>(n[0] * n[1] * n[2] * n[3]));
      auto const x = tensor_of(v, shape(n[0], n[1], n[2], n[3]));
      tensor const swapped = permute(x, 2, 1, 3, 0);
      for (int a = 0; a != 4; ++a)
        for (int b = 0; b != 4; ++b) {
          if (a == b) continue;
          INFO("axes " << a << ", " << b << " of " << to_string(x.shape()));
          std::vector<R> results;
          for (auto const& plane : reduced_planes(v, n, a, b)) results.push_back(expected(plane));
          tensor<R, dextents<2>> const y = op(x, a, b);
          CHECK(far_from(y, results, 1e-6) == "");
          CHECK(y.where() == d);
          tensor<R, dextents<2>> const of_view = op(permute(swapped, 3, 1, 0, 2), a - 4, b);
          CHECK(far_from(of_view, results, 1e-6) == "");
          tensor<R, dextents<4>> const kept = op(x, keep_dim(a, b));
          CHECK(far_from(kept, results, 1e-6) == "");
          for (int i = 0; i != 4; ++i)
            CHECK(kept.shape().at(static_cast<std::size_t>(i)) ==
                  (i == a || i == b ? 1 : n[static_cast<std::size_t>(i)]));
        }
    }
  });
}

}  // namespace

TEST_CASE("a reduction over two axes combines the elements of each plane") {
  check_pairs<float>(op_sum, [](std::vector<float> const& v) {
    double sum = 0;
    for (float x : v) sum += static_cast<double>(x);
    return static_cast<float>(sum);
  });
  check_pairs<int>(op_max,
                   [](std::vector<int> const& v) { return *std::max_element(v.begin(), v.end()); });
}

TEST_CASE("std_dev over two axes is that of all elements of each plane") {
  check_pairs<double>(op_std, [](std::vector<double> const& v) {
    double mean = 0, squares = 0;
    for (double x : v) mean += x / static_cast<double>(v.size());
    for (double x : v) squares += (x - mean) * (x - mean);
    return std::sqrt(squares / static_cast<double>(v.size()));
  });
}

TEST_CASE("producers with broadcast operands are fused into a reduction over several axes") {
  on_each_device([](device) {
    tensor const x = iota(shape(6, 5, 70), 0);
    tensor const row = iota(70, 1);
    tensor const column = iota(shape(5, 1), 2);
    tensor const product = x * row + column;
    for (auto const& [a, b] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      INFO("axes " << a << ", " << b);
      tensor const expected = sum(product, a, b);
      tensor const fused = sum(x * row + column, a, b) + 1;
      CHECK(to_string(tensor(fused - 1)) == to_string(expected));
      tensor const in_two = sum(sum(product, b), a);
      CHECK(to_string(expected) == to_string(in_two));
    }
  });
}

TEST_CASE("long joined rows and many tiles give what one axis after another gives") {
  on_each_device([](device) {
    tensor const x = iota(shape(3, 50, 4, 700), 0) % 1000;
    CHECK(to_string(tensor(sum(x, 0, 2))) == to_string(tensor(sum(sum(x, 2), 0))));
    CHECK(to_string(tensor(sum(x, 1, 3))) == to_string(tensor(sum(sum(x, 3), 1))));
    CHECK(to_string(tensor(max(x, 0, 1, 3))) == to_string(tensor(max(max(max(x, 3), 1), 0))));
    CHECK(to_string(tensor(sum(x, 3, 0, 2, 1))) == to_string(tensor(sum(x))));
    CHECK(to_string(tensor(min(slice(x, everything, range{.step = -7}), 0, 1))) ==
          to_string(tensor(min(min(slice(x, everything, range{.step = -7}), 1), 0))));
  });
}

TEST_CASE("all reductions but argmax and argmin take several axes") {
  tensor const x{{{1., 2.}, {3., 4.}}, {{5., 6.}, {7., 8.}}};
  CHECK(to_string(tensor(sum(x, 0, 2))) == "[14 22]");
  CHECK(to_string(tensor(mean(x, 0, 2))) == "[3.5 5.5]");
  CHECK(to_string(tensor(prod(x, 0, 2))) == "[60 672]");
  CHECK(to_string(tensor(max(x, 0, 2))) == "[6 8]");
  CHECK(to_string(tensor(min(x, 0, 2))) == "[1 3]");
  CHECK(to_string(tensor(variance(x, 0, 2))) == "[4.25 4.25]");
  CHECK(to_string(tensor(std_dev(x, 0, 1))) == "[2.23606797749979 2.23606797749979]");
  CHECK(to_string(tensor(all(x < 8., 0, 2))) == "[True False]");
  CHECK(to_string(tensor(any(x > 6., 0, 2))) == "[False True]");
  CHECK(to_string(tensor(count_nonzero(x > 3., 0, 2))) == "[2 3]");
  tensor const y = cast<float>(x);
  CHECK(to_string(tensor(sum<double>(y, 0, 2))) == "[14 22]");
  CHECK(to_string(tensor(mean<double>(y, axis<1, 2>))) == "[2.5 6.5]");
}

TEST_CASE("axes in the type keep static extents") {
  tensor<float, extents<2, 3, 4>> const x = cast<float>(reshape(iota(24, 0), extents<2, 3, 4>{}));
  tensor const planes = sum(x, axis<0, -1>);
  STATIC_CHECK(std::is_same_v<decltype(planes)::extents_type, extents<3>>);
  CHECK(to_string(planes) == "[60 92 124]");
  tensor const kept = max(x, keep_dim(axis<1, 2>));
  STATIC_CHECK(std::is_same_v<decltype(kept)::extents_type, extents<2, 1, 1>>);
  CHECK(to_string(tensor(x - kept)).substr(0, 14) == "[[[-11 -10 -9 ");
  STATIC_CHECK(std::is_same_v<decltype(mean(x, axis<2, 0, 1>))::extents_type, extents<>>);
  auto const& mixed = constant(1.f, extents<2, dyn, 4>{{2, 3, 4}});
  STATIC_CHECK(std::is_same_v<decltype(sum(mixed, axis<0, 1>))::extents_type, extents<4>>);
  STATIC_CHECK(std::is_same_v<decltype(sum(mixed, axis<0, 2>))::extents_type, extents<dyn>>);
}

TEST_CASE("an axis that does not exist or is named twice is an error with the op") {
  tensor const x = zeros<float>(shape(2, 3, 4));
  CHECK(error_of("Sum", [&] { (void)sum(x, 0, 3); }) ==
        "placement: there is no axis 3 in a tensor of rank 3. Axes are 0 to rank - 1, or -1 for "
        "the last.");
  CHECK(error_of("Max", [&] { (void)max(x, 0, -3); }) ==
        "placement: axis -3 is named twice for a tensor of rank 3. Name each axis once; -1 is the "
        "last.");
  CHECK_THROWS_AS(sum(x, std::int64_t{1} << 32, 1), shape_error);  // 2^32 is 0 in 32 bits
  CHECK_THROWS_AS(sum(x, keep_dim(0, 4)), shape_error);
}

TEST_CASE("reductions of no elements over several axes give the identity, or are an error") {
  tensor const x = zeros<float>(shape(2, 0, 4));
  CHECK(to_string(tensor(sum(x, 0, 1))) == "[0 0 0 0]");
  CHECK(to_string(tensor(prod(x, 1, 2))) == "[1 1]");
  CHECK(tensor(sum(x, 0, 2)).shape() == shape(0));
  CHECK(tensor(max(x, 0, 2)).shape() == shape(0));
  CHECK(error_of("Min", [&] { (void)min(x, 0, 1); }) ==
        "placement: Min over no elements of a tensor of shape [2, 0, 4] has no result. Check that "
        "what is reduced is not empty.");
  tensor const wide = zeros<float>(shape(0, index_t{1} << 40, index_t{1} << 40));
  CHECK_THROWS_AS(sum(wide, 1, 2), shape_error);  // 2^80 elements a plane
}
