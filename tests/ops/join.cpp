// concat, stack, split and add_n.
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace placement;

namespace {

tensor<float, dextents<2>> const a{{1.f, 2.f}, {3.f, 4.f}}, b{{5.f, 6.f}};

template <class T> std::vector<T> count_up(std::size_t n, int first) {
  std::vector<T> v;
  for (std::size_t i = 0; i != n; ++i) v.push_back(static_cast<T>(first + static_cast<int>(i)));
  return v;
}

}  // namespace

TEST_CASE("concat joins tensors along an axis") {
  on_each_device([](device d) {
    tensor const y = concat(0, a, b, a);
    CHECK(to_string(y) == "[[1 2]\n [3 4]\n [5 6]\n [1 2]\n [3 4]]");
    CHECK(y.where() == d);
    CHECK(to_string(tensor(concat(axis<1>, a, a * 10.f))) == "[[1 2 10 20]\n [3 4 30 40]]");
    CHECK(to_string(tensor(concat(-1, a, transpose(b)))) == "[[1 2 5]\n [3 4 6]]");
    CHECK(to_string(tensor(concat(0, std::vector{a, b, a}))) ==
          "[[1 2]\n [3 4]\n [5 6]\n [1 2]\n [3 4]]");
    CHECK(to_string(tensor(concat(axis<1>, std::vector{a, a}))) == "[[1 2 1 2]\n [3 4 3 4]]");
    CHECK(to_string(tensor(concat(0, a))) == "[[1 2]\n [3 4]]");
    CHECK(to_string(tensor(concat(0, a, b) * 2.f)) == "[[2 4]\n [6 8]\n [10 12]]");
  });
}

TEST_CASE("concat matches a plain loop for every element type, along the middle of three axes") {
  each<moved_elements>([]<class T>() {
    auto const v = count_up<T>(2 * 3 * 4, 0), w = count_up<T>(2 * 1 * 4, 50);
    std::vector<T> expected;
    for (std::size_t i = 0; i != 2; ++i) {
      for (std::size_t j = 0; j != 12; ++j) expected.push_back(v[i * 12 + j]);
      for (std::size_t j = 0; j != 4; ++j) expected.push_back(w[i * 4 + j]);
    }
    tensor<T, dextents<3>> const y =
        concat(1, tensor_of(v, shape(2, 3, 4)), tensor_of(w, shape(2, 1, 4)));
    CHECK(y.shape() == shape(2, 4, 4));
    CHECK(differences(y, expected) == "");
  });
}

TEST_CASE("concat skips operands without elements") {
  auto const none = tensor_of(std::vector<float>{}, shape(0, 2));
  CHECK(to_string(tensor(concat(0, none, a, none, b))) == "[[1 2]\n [3 4]\n [5 6]]");
  CHECK(tensor(concat(0, none, none)).shape() == shape(0, 2));
  CHECK(tensor(concat(1, none, none)).shape() == shape(0, 4));
}

TEST_CASE("concat adds static extents if the axis is a type") {
  tensor<int, extents<2, 3>> const x = zeros<int>(extents<2, 3>{});
  tensor<int, extents<4, 3>> const y = ones<int>(extents<4, 3>{});
  tensor<int, dextents<2>> const z = x;
  STATIC_CHECK(std::is_same_v<decltype(concat(axis<0>, x, y))::extents_type, extents<6, 3>>);
  STATIC_CHECK(std::is_same_v<decltype(concat(axis<-2>, z, y))::extents_type, extents<dyn, 3>>);
  STATIC_CHECK(std::is_same_v<decltype(concat(axis<1>, x, z))::extents_type, extents<2, dyn>>);
  STATIC_CHECK(std::is_same_v<decltype(concat(0, x, y))::extents_type, dextents<2>>);
  tensor<int, extents<6, 3>> const joined = concat(axis<0>, x, y);
  CHECK(to_string(tensor(sum(joined, 1))) == "[0 0 3 3 3 3]");
}

TEST_CASE("shapes that cannot be joined are an error that names both") {
  CHECK(error_message<shape_error>([] { (void)concat(1, a, b); }) ==
        "placement: concat of shapes [2, 2] and [1, 2]. Their extents must be equal but along the "
        "axis: slice or reshape one. In ConcatV2.");
  CHECK(error_of("ConcatV2", [] { (void)concat(1, std::vector{a, b}); }) ==
        "placement: concat of shapes [2, 2] and [1, 2]. Their extents must be equal but along the "
        "axis: slice or reshape one.");
  CHECK(error_message<shape_error>([] { (void)stack(0, a, b); }) ==
        "placement: stack of shapes [2, 2] and [1, 2]. Their extents must be equal: slice or "
        "reshape one. In Pack.");
  CHECK(error_message<invalid_argument>([] {
          (void)concat(0, std::vector<tensor<float, dextents<1>>>{});
        }) == "placement: concat of no tensors. Give at least one.");
  CHECK(error_message<invalid_argument>([] {
          (void)stack(0, std::vector<tensor<float, dextents<1>>>{});
        }) == "placement: stack of no tensors. Give at least one.");
  CHECK_THROWS_AS(concat(2, a, a), shape_error);
  CHECK_THROWS_AS(stack(3, a, a), shape_error);
  CHECK_THROWS_AS(stack(-4, a, a), shape_error);
}

TEST_CASE("stack joins tensors along a new axis") {
  on_each_device([](device d) {
    tensor const u{1, 2, 3}, v{4, 5, 6};
    tensor const y = stack(0, u, v);
    CHECK(to_string(y) == "[[1 2 3]\n [4 5 6]]");
    CHECK(y.where() == d);
    CHECK(to_string(tensor(stack(1, u, v))) == "[[1 4]\n [2 5]\n [3 6]]");
    CHECK(to_string(tensor(stack(axis<-1>, u, v * 2))) == "[[1 8]\n [2 10]\n [3 12]]");
    CHECK(to_string(tensor(stack(-2, std::vector{u, v, u}))) == "[[1 2 3]\n [4 5 6]\n [1 2 3]]");
    CHECK(to_string(tensor(stack(1, a, a))) == "[[[1 2]\n  [1 2]]\n\n [[3 4]\n  [3 4]]]");
    CHECK(to_string(tensor(stack(0, sum(u), sum(v)))) == "[6 15]");
  });
}

TEST_CASE("stack inserts the number of its operands into static extents") {
  tensor<int, extents<2, 3>> const x = zeros<int>(extents<2, 3>{});
  STATIC_CHECK(std::is_same_v<decltype(stack(axis<0>, x, x, x))::extents_type, extents<3, 2, 3>>);
  STATIC_CHECK(std::is_same_v<decltype(stack(axis<-1>, x, x))::extents_type, extents<2, 3, 2>>);
  STATIC_CHECK(
      std::is_same_v<decltype(stack(axis<1>, std::vector{x}))::extents_type, extents<2, dyn, 3>>);
  CHECK(tensor(stack(0, tensor_of(std::vector<int>{}, shape(0)),
                     tensor_of(std::vector<int>{}, shape(0))))
            .shape() == shape(2, 0));
}

TEST_CASE("split gives views of equal parts, which can be assigned to") {
  tensor x{{1, 2, 3, 4}, {5, 6, 7, 8}};
  auto const [left, right] = split<2>(x, 1);
  CHECK(to_string(tensor(left)) == "[[1 2]\n [5 6]]");
  CHECK(to_string(tensor(right * 10)) == "[[30 40]\n [70 80]]");
  auto const rows = split<2>(x);
  CHECK(to_string(tensor(rows[1])) == "[[5 6 7 8]]");
  CHECK(to_string(tensor(concat(1, split<4>(x, axis<1>)[3], left))) == "[[4 1 2]\n [8 5 6]]");
  split<2>(view(x), -1)[1] = 0;
  CHECK(to_string(x) == "[[1 2 0 0]\n [5 6 0 0]]");
  STATIC_CHECK(std::is_same_v<decltype(split<3>(zeros<int>(extents<2, 6>{}),
                                                axis<1>))::value_type::extents_type,
                              extents<2, 2>>);
  CHECK(error_of("Split", [&] { (void)split<3>(x, 1); }) ==
        "placement: split of axis 1 of a tensor of shape [2, 4] into 3 equal parts. Give a number "
        "that divides the extent, or use slice.");
  CHECK(tensor(split<3>(tensor_of(std::vector<int>{}, shape(0, 2)))[2]).shape() == shape(0, 2));
}

TEST_CASE("add_n is the sum of its operands in order") {
  each<numbers>([]<class T>() {
    std::vector<T> const v = edge_values<T>();
    std::vector<T> expected;
    for (T x : v) {
      if constexpr (std::is_integral_v<T>)
        expected.push_back(wrapped(wrapped(x, x, std::plus{}), T(3), std::plus{}));
      else expected.push_back(x + x + T(3));
    }
    on_each_device([&](device d) {
      auto const x = tensor_of(v, shape(static_cast<index_t>(v.size())));
      tensor const three = constant(T{3}, shape(static_cast<index_t>(v.size())));
      tensor const fused = add_n(x, x, three), listed = add_n(std::vector{x, x, three});
      CHECK(differences(fused, expected) == "");
      CHECK(differences(listed, expected) == "");
      CHECK(fused.where() == d);
      CHECK(listed.where() == d);
    });
  });
}

TEST_CASE("add_n takes expressions, two or more operands, and empty tensors") {
  CHECK(to_string(tensor(add_n(a * 2.f, transpose(a)))) == "[[3 7]\n [8 12]]");
  CHECK(to_string(tensor(add_n(a, a, a, a, a, a, a, a) / 8.f)) == "[[1 2]\n [3 4]]");
  auto const none = tensor_of(std::vector<float>{}, shape(0, 2));
  CHECK(tensor(add_n(none, none)).shape() == shape(0, 2));
  CHECK(add_n(std::vector{none, none}).shape() == shape(0, 2));
  CHECK(to_string(add_n(std::vector(20, a))) == "[[20 40]\n [60 80]]");
}

TEST_CASE(
    "add_n of one operand is that operand, and without operands or of different shapes an error") {
  tensor const same_a = add_n(a), same_b = add_n(std::vector{b});
  CHECK(same_a.data() == a.data());
  CHECK(same_b.data() == b.data());
  STATIC_CHECK(std::is_same_v<decltype(add_n(a * 2.f)), decltype(a * 2.f)>);
  CHECK(error_message<invalid_argument>([] {
          (void)add_n(std::vector<tensor<float, dextents<1>>>{});
        }) == "placement: add_n of no tensors. Give at least one, or use zeros.");
  std::string const message =
      "placement: add_n of shapes [2, 2] and [1, 2]. Give operands of one shape, or use "
      "operator+, which broadcasts.";
  CHECK(error_message<shape_error>([] { (void)add_n(a, a, b); }) == message + " In AddN.");
  CHECK(error_of("AddN", [] { (void)add_n(std::vector{a, a, b}); }) == message);
}

TEST_CASE(
    "the plan of a list op shows its run: each operand on another device is copied, each once") {
  tensor<float, dextents<2>> const near = copy_to("/gpu:1", a), far = copy_to("/cpu:0", a);
  with_device const scope("/gpu:1");
  auto const listed = concat(0, std::vector{near, far, far});
  auto const plan = plan_of(listed);
  CHECK(plan.copies() == 1);
  CHECK(plan.bytes_moved() == 16);
  copy_count const before = all_copies();
  tensor const y = listed;
  CHECK(all_copies().copies == before.copies + 1);
  CHECK(to_string(y) == "[[1 2]\n [3 4]\n [1 2]\n [3 4]\n [1 2]\n [3 4]]");
}

TEST_CASE("a tensor can be assigned the result of a list op that reads it") {
  on_each_device([](device) {
    tensor<float, dextents<2>> x = a;
    x = add_n(std::vector{x, x, x});
    CHECK(to_string(x) == "[[3 6]\n [9 12]]");
    x = concat(0, std::vector{x, b}) * 2.f;
    CHECK(to_string(x) == "[[6 12]\n [18 24]\n [10 12]]");
    tensor<float, dextents<2>> y = a;
    y = y + add_n(std::vector{y, y});
    CHECK(to_string(y) == "[[3 6]\n [9 12]]");
  });
}
