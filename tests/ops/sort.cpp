// sort and argsort, against std::sort of element indices.
#include <placement/placement.hpp>

#include <support/log_lines.hpp>
#include <support/reductions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

using namespace placement;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A fiber in sorted order, and the original index of each element. `wanted(x, y)`: whether x
/// precedes y, if neither is NaN.
template <class T, class Wanted>
std::pair<std::vector<T>, std::vector<std::int64_t>> sorted(std::vector<T> const& v,
                                                            Wanted wanted) {
  std::vector<std::int64_t> from(v.size());
  std::iota(from.begin(), from.end(), 0);
  auto at = [&](std::int64_t i) { return T(v[static_cast<std::size_t>(i)]); };
  std::sort(from.begin(), from.end(), [&](std::int64_t i, std::int64_t j) {
    bool const i_is_nan = at(i) != at(i), j_is_nan = at(j) != at(j);
    if (i_is_nan != j_is_nan) return j_is_nan;
    if (wanted(at(i), at(j)) || wanted(at(j), at(i))) return wanted(at(i), at(j));
    return i < j;
  });
  std::vector<T> values;
  for (std::int64_t i : from) values.push_back(at(i));
  return {values, from};
}

constexpr auto below = [](auto x, auto y) { return x < y; };
constexpr auto above = [](auto x, auto y) { return x > y; };

}  // namespace

TEST_CASE("sort and argsort put edge values in order, ascending and descending") {
  log_lines const fallbacks_of_bool;
  each<ordered_elements>([]<class T>() {
    INFO("element type " << element_name<T>());
    std::vector<T> v = edge_values<T>();
    for (int times = 0; times != 4; ++times) {  // more than one run of the merge sort
      auto const more_values = v;
      for (std::size_t i = more_values.size(); i-- > 0 && v.size() < 300;)
        v.push_back(more_values[i * 7 % more_values.size()]);
    }
    bool const is_bool = std::is_same_v<T, bool>;
    on_each_device([&](device d) {
      tensor const x = tensor_of(v, shape(static_cast<index_t>(v.size())));
      tensor const up = sort(x), down = sort(x, descending);
      tensor const from_up = argsort(x), from_down = argsort(x, descending);
      CHECK(differences(up, sorted(v, below).first) == "");
      CHECK(differences(down, sorted(v, above).first) == "");
      CHECK(differences(from_up, sorted(v, below).second) == "");
      CHECK(differences(from_down, sorted(v, above).second) == "");
      CHECK(up.where() == (is_bool ? cpu0 : d));
      CHECK(from_down.where() == (is_bool ? cpu0 : d));
    });
  });
}

TEST_CASE("sort takes any length") {
  for (index_t n : {0, 1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 100, 1000, 4097}) {
    INFO(n << " elements");
    std::vector<int> v;
    for (index_t i = 0; i != n; ++i) v.push_back(static_cast<int>(i * 7919 % 1009));
    CHECK(differences(tensor(sort(from(v))), sorted(v, below).first) == "");
    CHECK(differences(tensor(argsort(from(v))), sorted(v, below).second) == "");
    CHECK(differences(tensor(argsort(from(v), descending)), sorted(v, above).second) == "");
  }
}

TEST_CASE("NaN comes last in both orders") {
  tensor const x{not_a_number, 2., infinity, -infinity, not_a_number, -1.};
  CHECK(to_string(tensor(sort(x))) == "[-inf -1 2 inf nan nan]");
  CHECK(to_string(tensor(sort(x, descending))) == "[inf 2 -1 -inf nan nan]");
  CHECK(to_string(tensor(argsort(x))) == "[3 5 1 2 0 4]");
}

TEST_CASE("sort is along the last axis by default") {
  tensor const x{{3, 1, 2}, {0, 5, 4}};
  CHECK(to_string(tensor(sort(x))) == "[[1 2 3]\n [0 4 5]]");
  CHECK(to_string(tensor(sort(x, 0))) == "[[0 1 2]\n [3 5 4]]");
  CHECK(to_string(tensor(sort(x, axis<0>, descending))) == "[[3 5 4]\n [0 1 2]]");
  CHECK(to_string(tensor(sort(x, -1, descending))) == "[[3 2 1]\n [5 4 0]]");
  CHECK(to_string(tensor(argsort(x, 0, descending))) == "[[0 1 1]\n [1 0 0]]");
  shape3 const n{3, 4, 5};
  auto const v = small_values<int>(count_of(n));
  tensor const y = sort(from(v, shape(3, 4, 5)), 1);
  std::vector<std::vector<int>> const lines = reduced_fibers(v, n, 1);
  for (std::size_t i = 0; i != lines.size(); ++i)
    for (std::size_t j = 0; j != 4; ++j)
      CHECK(y.read()(static_cast<index_t>(i / 5), static_cast<index_t>(j),
                     static_cast<index_t>(i % 5)) == sorted(lines[i], below).first[j]);
}

TEST_CASE("sort along each axis of a matrix has the values of a sort of each fiber") {
  for (auto const& [rows, columns] : {std::pair{3, 37}, {100, 21}, {37, 1}, {1, 9}, {65, 130}}) {
    INFO(rows << " x " << columns);
    std::vector<double> v;
    for (int i = 0; i != rows * columns; ++i)
      v.push_back(i % 11 == 3  ? not_a_number
                  : i % 7 == 2 ? (i % 2 == 0 ? 0. : -0.)
                               : i * 7919 % 1009 - 500);
    tensor const x = tensor_of(v, shape(rows, columns));
    tensor const across = sort(x, 0, descending), along = sort(x, 1);
    for (int j = 0; j != columns; ++j) {
      std::vector<double> fiber;
      for (int i = 0; i != rows; ++i) fiber.push_back(v[std::size_t(i * columns + j)]);
      CHECK(differences(tensor(squeeze(slice(across, range{}, range{j, j + 1}), 1)),
                        sorted(fiber, above).first) == "");
    }
    for (int i = 0; i != rows; ++i) {
      std::vector<double> const fiber(v.begin() + i * columns, v.begin() + (i + 1) * columns);
      CHECK(differences(tensor(squeeze(slice(along, range{i, i + 1}), 0)),
                        sorted(fiber, below).first) == "");
    }
  }
}

TEST_CASE(
    "sort keeps static extents and extents of zero, and an axis that does not exist is an error") {
  tensor<float, extents<2, 2>> const x{{2, 1}, {4, 3}};
  tensor<float, extents<2, 2>> const y = sort(x);
  CHECK(to_string(y) == "[[1 2]\n [3 4]]");
  auto const none = tensor_of(std::vector<int>{}, shape(0, 3));
  CHECK(tensor(sort(none)).shape() == shape(0, 3));
  CHECK(tensor(sort(none, 0)).shape() == shape(0, 3));
  CHECK_THROWS_AS(sort(x, 2), shape_error);
  CHECK_THROWS_AS(argsort(x, -3), shape_error);
}

TEST_CASE("a tensor can be assigned its own sorted elements, and sort takes expressions") {
  tensor x{3.f, 1.f, 2.f};
  x = sort(x * -1.f);
  CHECK(to_string(x) == "[-3 -2 -1]");
  x = sort(x, descending) + 1.f;
  CHECK(to_string(x) == "[0 -1 -2]");
}
