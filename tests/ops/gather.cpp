// gather and one_hot.
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace placement;

TEST_CASE("gather takes slices along one axis, in any order and with repetition") {
  on_each_device([](device d) {
    tensor const x{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
    tensor const rows = gather(x, tensor{1, 0, 1});
    CHECK(to_string(rows) == "[[4 5 6]\n [1 2 3]\n [4 5 6]]");
    CHECK(rows.where() == d);
    CHECK(to_string(tensor(gather(x, tensor{2, 2}, 1))) == "[[3 3]\n [6 6]]");
    CHECK(to_string(tensor(gather(x, tensor{2, 0}, axis<-1>))) == "[[3 1]\n [6 4]]");
    CHECK(to_string(tensor(gather(tensor{10, 20, 30}, tensor{{2, 1}, {0, 2}}))) ==
          "[[30 20]\n [10 30]]");
    CHECK(to_string(tensor(gather(x, tensor<int, extents<>>(1)))) == "[4 5 6]");
    CHECK(to_string(tensor(gather(x * 2.f, tensor{0, 1} * -1 + 1))) == "[[8 10 12]\n [2 4 6]]");
  });
}

namespace {
using index_types = types_of_run<integers, types<std::int8_t, unsigned>>;
}
TEST_CASE("gather matches a plain loop for every element and index type") {
  each<moved_elements>([]<class T>() {
    INFO("element type " << element_name<T>());
    std::vector<T> const v = [] {
      auto e = edge_values<T>();
      while (e.size() < 24) e.push_back(e[e.size() - 2]);
      e.resize(24);
      return e;
    }();
    auto const x = tensor_of(v, shape(2, 3, 4));
    std::vector<T> expected;
    for (std::size_t i = 0; i != 2; ++i)
      for (std::size_t j : {2u, 0u, 1u, 2u, 2u, 0u})
        for (std::size_t k = 0; k != 4; ++k) expected.push_back(v[(i * 3 + j) * 4 + k]);
    tensor<T, dextents<4>> const y = gather(x, tensor{{2, 0, 1}, {2, 2, 0}}, 1);
    CHECK(y.shape() == shape(2, 2, 3, 4));
    CHECK(differences(y, expected) == "");
  });
  each<index_types>([]<class I>() {
    tensor const x{1, 2, 3};  // clang parses braces as parentheses in a CHECK of a template
    CHECK(to_string(tensor(gather(x, tensor{I{2}, I{0}}))) == "[3 1]");
  });
}

TEST_CASE("gather keeps static extents if the axis is a type") {
  tensor<float, extents<2, 3, 4>> const x = zeros<float>(extents<2, 3, 4>{});
  tensor<int, extents<5, 6>> const i = zeros<int>(extents<5, 6>{});
  STATIC_CHECK(std::is_same_v<decltype(gather(x, i, axis<1>))::extents_type, extents<2, 5, 6, 4>>);
  STATIC_CHECK(std::is_same_v<decltype(gather(x, i))::extents_type, extents<5, 6, 3, 4>>);
  STATIC_CHECK(std::is_same_v<decltype(gather(x, i, 1))::extents_type, dextents<4>>);
  CHECK(tensor(gather(x, i, -1)).shape() == shape(2, 3, 5, 6));
}

TEST_CASE(
    "an index out of range is an error with the index and extent, and the target is unchanged") {
  auto message = [](std::string const& index) {
    return "placement: gather of index " + index +
           " in a dimension of extent 2. Each index is at least 0 and below the extent.";
  };
  on_each_device([&](device) {
    tensor const x{{1.f, 2.f}, {3.f, 4.f}};
    for (auto const& [bad, name] : {std::pair{2, "2"}, std::pair{-1, "-1"}}) {
      tensor target{{7.f, 8.f}, {9.f, 10.f}};
      float const* const before = std::as_const(target).data();
      CHECK(error_of("GatherV2", [&] { target = gather(x, tensor{0, bad}); }) == message(name));
      CHECK(to_string(target) == "[[7 8]\n [9 10]]");
      CHECK(std::as_const(target).data() == before);
      CHECK(error_of("GatherV2", [&] { target = gather(target, tensor{0, bad}) * 2.f; }) ==
            message(name));
      CHECK(to_string(target) == "[[7 8]\n [9 10]]");
      CHECK(error_of("GatherV2", [&] {
              slice(view(target), range{0, 2}) = gather(x, tensor{1, bad}, 1);
            }) == message(name));
      CHECK(to_string(target) == "[[7 8]\n [9 10]]");
    }
  });
  float memory[] = {7, 8, 9, 10};
  tensor borrowed = borrow(memory, shape(2, 2));
  CHECK_THROWS_AS(borrowed = gather(tensor{{1.f, 2.f}, {3.f, 4.f}}, tensor{0, 5}), shape_error);
  CHECK(memory[0] == 7);
  tensor const wide{std::numeric_limits<std::int64_t>::min(),
                    std::numeric_limits<std::int64_t>::max()};
  CHECK_THROWS_AS(tensor(gather(tensor{1, 2}, wide)), shape_error);
  CHECK_THROWS_AS(tensor(gather(tensor{1, 2}, tensor{4'000'000'000u})), shape_error);
}

TEST_CASE(
    "gather of no slices or of empty slices is empty; of an empty axis any index is out of range") {
  auto const none = tensor_of(std::vector<int>{}, shape(0));
  CHECK(tensor(gather(tensor{{1, 2}, {3, 4}}, none)).shape() == shape(0, 2));
  CHECK(tensor(gather(tensor_of(std::vector<int>{}, shape(3, 0)), tensor{2, 0})).shape() ==
        shape(2, 0));
  CHECK(tensor(gather(none, none)).shape() == shape(0));
  CHECK_THROWS_AS(tensor(gather(none, tensor{0})), shape_error);
  CHECK_THROWS_AS(gather(none, none, 1), shape_error);
}

TEST_CASE("one_hot of many labels has one element of each row set, for any depth") {
  for (index_t depth : {0, 1, 2, 3, 63, 64, 65, 100, 5000})
    for (index_t rows : {0, 1, 7, 64, 129}) {
      INFO(rows << " rows of " << depth);
      tensor<int, dextents<1>> const labels = iota(rows, 0) * 7 - 3;
      std::vector<int> const label = to_vector(labels);
      std::vector<float> const y = to_vector(one_hot<float>(labels, depth, 2.f, -1.f));
      index_t wrong = 0;
      for (std::size_t i = 0; i != y.size(); ++i) {
        auto const row = i / static_cast<std::size_t>(depth);
        auto const column = static_cast<index_t>(i) % depth;
        wrong += y[i] != (column == label[row] ? 2.f : -1.f);
      }
      CHECK(wrong == 0);
    }
}
TEST_CASE(
    "one_hot is `on` at the index and `off` elsewhere; an index out of range gives only `off`") {
  on_each_device([](device d) {
    tensor const y = one_hot<float>(tensor{1, 0, 3, -1, 2}, 3);
    CHECK(to_string(y) == "[[0 1 0]\n [1 0 0]\n [0 0 0]\n [0 0 0]\n [0 0 1]]");
    CHECK(y.where() == d);
    CHECK(to_string(tensor(one_hot<int>(tensor{1, 0}, 2, 5, -1))) == "[[-1 5]\n [5 -1]]");
    CHECK(to_string(tensor(one_hot<bool>(tensor{1, 0}, 2))) == "[[False True]\n [True False]]");
    CHECK(to_string(tensor(one_hot<float>(tensor<int, extents<>>(1), 3))) == "[0 1 0]");
    CHECK(to_string(tensor(one_hot<float>(tensor{0, 1} + 1, 3) * 2.f)) == "[[0 2 0]\n [0 0 2]]");
  });
  each<index_types>([]<class I>() {
    CHECK(to_string(tensor(one_hot<double>(tensor{I{1}, std::numeric_limits<I>::max()}, 2))) ==
          "[[0 1]\n [0 0]]");
  });
}

TEST_CASE("one_hot appends its depth as the last extent, which may be static, zero, or an error") {
  tensor<int, extents<2, 3>> const labels = zeros<int>(extents<2, 3>{});
  STATIC_CHECK(std::is_same_v<decltype(one_hot<float>(labels, extents<10>{}))::extents_type,
                              extents<2, 3, 10>>);
  tensor<float, extents<2, 3, 2>> const y = one_hot<float>(labels, extents<2>{});
  CHECK(to_string(tensor(sum(y, axis<2>))) == "[[1 1 1]\n [1 1 1]]");
  CHECK(tensor(one_hot<float>(labels, 0)).shape() == shape(2, 3, 0));
  CHECK(tensor(one_hot<float>(tensor_of(std::vector<int>{}, shape(0)), 4)).shape() == shape(0, 4));
  CHECK(error_of("OneHot", [&] { (void)one_hot<float>(labels, -1); }) ==
        "placement: one_hot with a depth of -1. A depth is zero or more.");
}
