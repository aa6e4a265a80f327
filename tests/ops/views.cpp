// Views: their elements, that they copy nothing, and assignment to them.
#include <placement/expr/evaluate.hpp>
#include <placement/expr/print.hpp>
#include <placement/expr/typed_tensor.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/broadcast_to.hpp>
#include <placement/ops/diagonal.hpp>
#include <placement/ops/expand_dims.hpp>
#include <placement/ops/flatten.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/matmul.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/permute.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/reverse.hpp>
#include <placement/ops/slice.hpp>
#include <placement/ops/squeeze.hpp>
#include <placement/ops/sum.hpp>
#include <placement/ops/transpose.hpp>
#include <placement/ops/zeros.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <type_traits>

using namespace placement;

namespace {

/// The elements 0, 1, 2, ... in a shape.
template <class T = int, class X> tensor<T, X> counting(X x) { return iota(x, T(0)); }

/// Element (i, j, k) of counting(shape(2, 3, 4)).
int at(int i, int j, int k) { return (i * 3 + j) * 4 + k; }

/// The results of f for each (i, j, k) below (l, m, n), in row-major order.
template <class F> std::vector<int> cube(int l, int m, int n, F f) {
  std::vector<int> all;
  for (int i = 0; i != l; ++i)
    for (int j = 0; j != m; ++j)
      for (int k = 0; k != n; ++k) all.push_back(f(i, j, k));
  return all;
}

}  // namespace

TEST_CASE("permute reorders dimensions, by a type or by a value") {
  auto const expected = cube(4, 2, 3, [](int i, int j, int k) { return at(j, k, i); });
  on_each_device([&](device d) {
    tensor const x = counting(shape(2, 3, 4));
    tensor const y = permute<2, 0, 1>(x);
    CHECK(y.shape() == shape(4, 2, 3));
    CHECK(y.where() == d);
    CHECK(differences(y, expected) == no_differences);
    CHECK(differences(tensor(permute(x, 2, 0, 1)), expected) == no_differences);
    CHECK(differences(tensor(permute(x, -1, 0, -2)), expected) == no_differences);
  });
  tensor<int, extents<2, 3, 4>> const s = iota(extents<2, 3, 4>{}, 0);
  STATIC_CHECK(std::is_same_v<decltype(permute<2, 0, 1>(s))::extents_type, extents<4, 2, 3>>);
  CHECK(differences(tensor(permute<-1, 0, 1>(s)), expected) == no_differences);
}

TEST_CASE("permute twice by the inverse order is the identity") {
  tensor const x = counting(shape(2, 3, 4));
  CHECK(differences(tensor(permute<1, 2, 0>(permute<2, 0, 1>(x))), cube(2, 3, 4, at)) ==
        no_differences);
}

TEST_CASE(
    "permute of a run-time order that repeats an axis, or names one out of range, is an error") {
  tensor const x = counting(shape(2, 3, 4));
  auto const sentence = [](std::string const& axes) {
    return "placement: permute by " + axes +
           " of a tensor of rank 3, which takes each of its axes once. Axes are 0 to rank - 1, or "
           "-1 for the last. In Transpose.";
  };
  CHECK(error_message<shape_error>([&] { (void)permute(x, 0, 1, 1); }) == sentence("0, 1, 1"));
  CHECK(error_message<shape_error>([&] { (void)permute(x, 0, 1, 3); }) == sentence("0, 1, 3"));
  CHECK(error_message<shape_error>([&] { (void)permute(x, 0, 2, -1); }) == sentence("0, 2, -1"));
  CHECK(error_message<shape_error>([&] { (void)permute(x, 0, 1, -4); }) == sentence("0, 1, -4"));
}

TEST_CASE("reverse reverses the elements along one axis") {
  on_each_device([](device) {
    tensor const x = counting(shape(2, 3, 4));
    CHECK(differences(tensor(reverse(x, 0)), cube(2, 3, 4, [](int i, int j, int k) {
                        return at(1 - i, j, k);
                      })) == no_differences);
    CHECK(differences(tensor(reverse(x, axis<1>)), cube(2, 3, 4, [](int i, int j, int k) {
                        return at(i, 2 - j, k);
                      })) == no_differences);
    CHECK(differences(tensor(reverse(x, -1)), cube(2, 3, 4, [](int i, int j, int k) {
                        return at(i, j, 3 - k);
                      })) == no_differences);
  });
}

TEST_CASE("diagonal takes elements (i, i) of the last two dimensions") {
  on_each_device([](device) {
    CHECK(differences(tensor(diagonal(counting(shape(3, 4)))), {0, 5, 10}) == no_differences);
    CHECK(differences(tensor(diagonal(counting(shape(4, 2)))), {0, 3}) == no_differences);
    tensor const batch = diagonal(counting(shape(2, 3, 4)));
    CHECK(batch.shape() == shape(2, 3));
    CHECK(differences(batch, {at(0, 0, 0), at(0, 1, 1), at(0, 2, 2), at(1, 0, 0), at(1, 1, 1),
                              at(1, 2, 2)}) == no_differences);
  });
  using static_diagonal = decltype(diagonal(std::declval<tensor<int, extents<2, 5, 3>>>()));
  STATIC_CHECK(std::is_same_v<static_diagonal::extents_type, extents<2, 3>>);
}

TEST_CASE("expand_dims inserts an extent of 1 at each position, and squeeze removes it") {
  on_each_device([](device) {
    tensor const x = counting(shape(2, 3));
    std::vector<int> const same_elements{0, 1, 2, 3, 4, 5};
    dextents<3> const expected[] = {shape(1, 2, 3), shape(2, 1, 3), shape(2, 3, 1)};
    for (int d = 0; d != 3; ++d)
      for (int named : {d, d - 3}) {
        INFO("axis " << named);
        tensor const y = expand_dims(x, named);
        CHECK(y.shape() == expected[d]);
        CHECK(differences(y, same_elements) == no_differences);
        tensor const z = squeeze(y, named);
        CHECK(z.shape() == shape(2, 3));
        CHECK(differences(z, same_elements) == no_differences);
      }
  });
}

TEST_CASE("expand_dims and squeeze keep static extents if the axis is a type") {
  tensor<int, extents<2, 3>> const x = iota(extents<2, 3>{}, 0);
  STATIC_CHECK(std::is_same_v<decltype(expand_dims(x, axis<0>))::extents_type, extents<1, 2, 3>>);
  STATIC_CHECK(std::is_same_v<decltype(expand_dims(x, axis<1>))::extents_type, extents<2, 1, 3>>);
  STATIC_CHECK(std::is_same_v<decltype(expand_dims(x, axis<-1>))::extents_type, extents<2, 3, 1>>);
  STATIC_CHECK(std::is_same_v<decltype(squeeze(expand_dims(x, axis<1>), axis<1>))::extents_type,
                              extents<2, 3>>);
  CHECK(differences(tensor(squeeze(expand_dims(x, axis<1>), axis<1>)), {0, 1, 2, 3, 4, 5}) ==
        no_differences);
}

TEST_CASE("expand_dims of a scalar is a vector, and squeeze of that vector the scalar") {
  on_each_device([](device) {
    tensor<int, extents<>> const s(7);
    tensor const v = expand_dims(s, 0);
    CHECK(v.shape() == shape(1));
    CHECK(differences(tensor(squeeze(v, 0)), {7}) == no_differences);
  });
}

TEST_CASE("an outer product is expand_dims and a broadcast") {
  on_each_device([](device) {
    tensor const x{1, 2, 3}, y{10, 20};
    CHECK(differences(tensor(expand_dims(x, -1) * y), {10, 20, 20, 40, 30, 60}) == no_differences);
  });
}

TEST_CASE("an axis that does not exist is an error") {
  tensor const x = counting(shape(2, 3));
  std::string const of_rank_2 =
      "placement: there is no axis 2 in a tensor of rank 2. Axes are 0 to rank - 1, or -1 for the last.";
  CHECK(error_of("ReverseV2", [&] { (void)reverse(x, 2); }) == of_rank_2);
  CHECK(error_of("Squeeze", [&] { (void)squeeze(x, 2); }) == of_rank_2);
  CHECK(
      error_of("ExpandDims", [&] { (void)expand_dims(x, -4); }) ==
      "placement: there is no axis -4 in a tensor of rank 3. Axes are 0 to rank - 1, or -1 for the last.");
}

TEST_CASE("squeeze of an axis whose extent is not 1 is an error") {
  tensor const x = counting(shape(2, 3));
  CHECK(
      error_of("Squeeze", [&] { (void)squeeze(x, -1); }) ==
      "placement: squeeze of axis 1 of a tensor of shape [2, 3]: its extent is not 1. Slice or reduce it instead.");
}

TEST_CASE("broadcast_to repeats extents of 1 and adds dimensions in front") {
  on_each_device([](device) {
    tensor const x{{1}, {2}};
    CHECK(differences(tensor(broadcast_to(x, shape(2, 3))), {1, 1, 1, 2, 2, 2}) == no_differences);
    CHECK(differences(tensor(broadcast_to<2, 2, 2>(x)), {1, 1, 2, 2, 1, 1, 2, 2}) ==
          no_differences);
    tensor<int, extents<>> const s(4);
    CHECK(differences(tensor(broadcast_to(s, shape(2))), {4, 4}) == no_differences);
    CHECK(tensor(broadcast_to(x, shape(2, 0))).size() == 0);
  });
}

TEST_CASE("broadcast_to an incompatible shape is an error") {
  tensor const x{{1, 2}};
  CHECK(
      error_of("BroadcastTo", [&] { (void)broadcast_to(x, shape(3, 1)); }) ==
      "placement: a tensor of shape [1, 2] cannot be broadcast to [3, 1]. Aligned at the right, its extents must be "
      "those of the new shape, or 1.");
  CHECK(error_of("BroadcastTo", [&] { (void)broadcast_to(x, shape(-1, 2)); }) ==
        "placement: extent 0 is -1. Extents are zero or more.");
}

TEST_CASE("a broadcast view cannot be assigned to because several of its elements share memory") {
  tensor x{1, 2};
  STATIC_CHECK(!decltype(broadcast_to(view(x), shape(2, 2)))::is_view);
  STATIC_CHECK(!decltype(transpose(broadcast_to(view(x), shape(2, 2))))::is_view);
}

TEST_CASE("flatten gives all elements in row-major order as a vector, of a view too") {
  on_each_device([](device) {
    tensor const x = counting(shape(2, 3));
    tensor const y = flatten(x);
    CHECK(y.shape() == shape(6));
    CHECK(differences(y, {0, 1, 2, 3, 4, 5}) == no_differences);
    CHECK(differences(tensor(flatten(transpose(x))), {0, 3, 1, 4, 2, 5}) == no_differences);
    CHECK(differences(tensor(flatten(tensor<int, extents<>>(3))), {3}) == no_differences);
  });
  using static_contiguous = decltype(flatten(std::declval<tensor<int, extents<2, 3>>>()));
  STATIC_CHECK(std::is_same_v<static_contiguous::extents_type, extents<6>>);
}

TEST_CASE("a view of a view refers to the memory of the tensor") {
  on_each_device([](device) {
    tensor const x = counting(shape(3, 4));
    CHECK(differences(tensor(reverse(transpose(slice(x, range{1, 3})), 0)),
                      {7, 11, 6, 10, 5, 9, 4, 8}) == no_differences);
    CHECK(differences(tensor(diagonal(reverse(x, 1))), {3, 6, 9}) == no_differences);
    CHECK(differences(tensor(squeeze(slice(x, range{1, 2}), 0)), {4, 5, 6, 7}) == no_differences);
  });
}

TEST_CASE("views of expressions show the expression's elements") {
  on_each_device([](device) {
    tensor const x = counting(shape(2, 3));
    tensor const y{10, 20, 30};
    CHECK(differences(tensor(permute<1, 0>(x + y)), {10, 13, 21, 24, 32, 35}) == no_differences);
    CHECK(differences(tensor(reverse(x + y, 1) + x), {32, 22, 12, 38, 28, 18}) == no_differences);
    CHECK(differences(tensor(diagonal(x * x)), {0, 16}) == no_differences);
    CHECK(differences(tensor(squeeze(expand_dims(x + y, 0) + 1, 0)), {11, 22, 33, 14, 25, 36}) ==
          "");
  });
}

TEST_CASE("a reshape to a scalar broadcasts to the tensor it is added to") {
  on_each_device([](device) {
    tensor const one{5}, x{1, 2, 3};
    CHECK(differences(tensor(reshape(one, shape()) + x), {6, 7, 8}) == no_differences);
    CHECK(differences(tensor(x * (reshape(one + 1, shape()) + 1)), {7, 14, 21}) == no_differences);
  });
}

TEST_CASE("a reshaped tensor of rank 0 broadcasts to the tensor it is added to") {
  on_each_device([](device) {
    tensor<int, extents<>> const s(10);
    for (index_t const n : {5, 2000}) {
      std::vector<int> expected(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i != expected.size(); ++i) expected[i] = 10 + static_cast<int>(i);
      CHECK(differences(tensor(reshape(s, shape(1)) + counting(shape(n))), expected) ==
            no_differences);
    }
  });
}

TEST_CASE("reshape takes extents as a type, and the result is then static") {
  on_each_device([](device) {
    tensor const x = counting(shape(6));
    tensor const y = reshape<2, 3>(x + 1);
    STATIC_CHECK(std::is_same_v<decltype(y)::extents_type, extents<2, 3>>);
    CHECK(differences(y, {1, 2, 3, 4, 5, 6}) == no_differences);
    CHECK(error_message<shape_error>([&] { (void)reshape<2, 2>(x); }) ==
          error_message<shape_error>([&] { (void)reshape(x, shape(2, 2)); }));
  });
}

TEST_CASE("assigning a view to a view of the same type copies the elements") {
  on_each_device([](device) {
    tensor<int, dextents<2>> x = counting(shape(2, 2)), y = zeros<int>(2, 2);
    view(y) = view(x);
    CHECK(differences(y, {0, 1, 2, 3}) == no_differences);
    view(x) += 10;
    CHECK(differences(y, {0, 1, 2, 3}) == no_differences);  // y is a copy
    slice(view(y), range{0, 1}) = slice(view(y), range{1, 2});
    CHECK(differences(y, {2, 3, 2, 3}) == no_differences);
    transpose(view(y)) = transpose(view(x));
    CHECK(differences(y, {10, 11, 12, 13}) == no_differences);
    transpose(view(y)) = transpose(view(y));
    CHECK(differences(y, {10, 11, 12, 13}) == no_differences);
  });
}

TEST_CASE("views of tensors without elements are empty") {
  on_each_device([](device) {
    tensor const x = counting(shape(0, 3));
    CHECK(tensor(reverse(x, 0)).shape() == shape(0, 3));
    CHECK(tensor(permute<1, 0>(x)).shape() == shape(3, 0));
    CHECK(tensor(diagonal(x)).shape() == shape(0));
    CHECK(tensor(expand_dims(x, 1)).shape() == shape(0, 1, 3));
    CHECK(tensor(flatten(x)).shape() == shape(0));
  });
}

TEST_CASE("every kind of view of a tensor can be assigned to") {
  on_each_device([](device d) {
    tensor x = counting(shape(2, 3));
    slice(view(x), range{}, range{0, 2}) = -1;
    CHECK(differences(x, {-1, -1, 2, -1, -1, 5}) == no_differences);
    permute<1, 0>(view(x)) = counting(shape(3, 2));
    CHECK(differences(x, {0, 2, 4, 1, 3, 5}) == no_differences);
    reverse(view(x), 1) = tensor{7, 8, 9};
    CHECK(differences(x, {9, 8, 7, 9, 8, 7}) == no_differences);
    diagonal(view(x)) = tensor{1, 2};
    CHECK(differences(x, {1, 8, 7, 9, 2, 7}) == no_differences);
    squeeze(slice(view(x), range{1, 2}), 0) = tensor{3, 4, 5};
    CHECK(differences(x, {1, 8, 7, 3, 4, 5}) == no_differences);
    expand_dims(view(x), 0) = tensor{{{1, 2, 3}, {4, 5, 6}}};
    CHECK(differences(x, {1, 2, 3, 4, 5, 6}) == no_differences);
    transpose(slice(view(x), range{0, 2}, range{.step = -2})) = tensor{{10, 20}, {30, 40}};
    CHECK(differences(x, {30, 2, 10, 40, 5, 20}) == no_differences);
    CHECK(x.where() == d);
  });
}

TEST_CASE("assigning a value of another shape to a view is an error") {
  tensor x = counting(shape(2, 3));
  CHECK(
      error_message<shape_error>([&] { permute<1, 0>(view(x)) = counting(shape(2, 3)); }) ==
      "placement: shapes [2, 3] and [3, 2] do not broadcast. Aligned at the right, extents must be equal or 1: "
      "reshape, slice or transpose one side. In Assign.");
  CHECK(
      error_message<shape_error>([&] { slice(view(x), range{0, 1}) = counting(shape(2, 3)); }) ==
      "placement: a value of shape [2, 3] cannot be written to a view of shape [1, 3]. Its extents must be those of "
      "the view, or 1. In Assign.");
  CHECK(differences(x, {0, 1, 2, 3, 4, 5}) == no_differences);
}

TEST_CASE("assigning a view of a tensor to the tensor reads all elements before it writes any") {
  on_each_device([](device) {
    tensor x = counting(shape(3, 3));
    x = transpose(x);
    CHECK(differences(x, {0, 3, 6, 1, 4, 7, 2, 5, 8}) == no_differences);
    x = permute<1, 0>(x);
    CHECK(differences(x, {0, 1, 2, 3, 4, 5, 6, 7, 8}) == no_differences);
    x = reverse(x, 0) + x;
    CHECK(differences(x, {6, 8, 10, 6, 8, 10, 6, 8, 10}) == no_differences);
    tensor y = counting<float>(shape(2, 2));
    y = matmul(y, transpose(y));
    CHECK(differences(y, {1.f, 3.f, 3.f, 13.f}) == no_differences);
  });
}

TEST_CASE("a view can be assigned another view of the same tensor") {
  on_each_device([](device) {
    tensor x = counting(shape(5));
    slice(view(x), range{1, 5}) = slice(x, range{0, 4});
    CHECK(differences(x, {0, 0, 1, 2, 3}) == no_differences);
    slice(view(x), range{0, 4}) = slice(view(x), range{1, 5});
    CHECK(differences(x, {0, 1, 2, 3, 3}) == no_differences);
    reverse(view(x), 0) = x;
    CHECK(differences(x, {3, 3, 2, 1, 0}) == no_differences);
    view(x) = reverse(view(x), 0) + x;
    CHECK(differences(x, {3, 4, 4, 4, 3}) == no_differences);
  });
}

TEST_CASE("a write through a view does not change tensors that shared the elements") {
  on_each_device([](device) {
    tensor x = counting(shape(3));
    tensor const copy = x;
    reverse(view(x), 0) = x;
    CHECK(differences(x, {2, 1, 0}) == no_differences);
    CHECK(differences(copy, {0, 1, 2}) == no_differences);
  });
}

TEST_CASE("a view of every element type can be read and assigned to") {
  each<moved_elements>([]<class T>() {
    INFO(element_name<T>());
    on_each_device([](device) {
      auto const v = edge_values<T>();
      auto x = tensor_of(v, shape(static_cast<index_t>(v.size())));
      std::vector<T> const backwards(v.rbegin(), v.rend());
      CHECK(differences(tensor(reverse(x, 0)), backwards) == no_differences);
      reverse(view(x), 0) = x;
      CHECK(differences(x, backwards) == no_differences);
    });
  });
}

TEST_CASE("a reshaped view of whole rows can be assigned to") {
  on_each_device([](device d) {
    tensor x = counting(shape(2, 3));
    flatten(view(x)) = iota(6, 10);
    CHECK(to_string(x) == "[[10 11 12]\n [13 14 15]]");
    reshape(view(x), shape(3, 2)) = tensor{{1, 2}, {3, 4}, {5, 6}};
    CHECK(to_string(x) == "[[1 2 3]\n [4 5 6]]");
    reshape<3, 1, 2>(view(x)) *= 2;
    CHECK(to_string(x) == "[[2 4 6]\n [8 10 12]]");
    flatten(slice(view(x), range{1, 2})) += 1;
    CHECK(to_string(x) == "[[2 4 6]\n [9 11 13]]");
    slice(flatten(view(x)), range{.first = 1, .step = 2}) = 0;
    CHECK(to_string(x) == "[[2 0 6]\n [0 11 0]]");
    transpose(reshape(view(x), shape(3, 2))) = tensor{{1, 2, 3}, {4, 5, 6}};
    CHECK(to_string(x) == "[[1 4 2]\n [5 3 6]]");
    CHECK(x.where() == d);
  });
}

TEST_CASE("a reshape of a strided view can be assigned to if its elements have a constant stride") {
  tensor x = counting(shape(4, 6));
  reshape(slice(view(x), everything, range{.step = 2}), shape(12)) = iota(12, 100);
  CHECK(to_string(x, 6) ==
        "[[100 1 101 3 102 5]\n [103 7 104 9 105 11]\n [106 13 107 15 108 17]\n [109 19 110 21 111 "
        "23]]");
  tensor y = counting(shape(2, 2, 3));
  reshape(slice(view(y), everything, everything, range{0, 2}), shape(4, 2)) = 0;
  CHECK(to_string(tensor(flatten(y)), 6) == "[0 0 2 0 0 5 0 0 8 0 0 11]");
  tensor z = counting(shape(6));
  reshape(reverse(view(z), 0), shape(2, 3)) = tensor{{0, 1, 2}, {3, 4, 5}};
  CHECK(to_string(z, 6) == "[5 4 3 2 1 0]");
  tensor w = counting(shape(2, 1, 3));
  reshape(permute<1, 0, 2>(view(w)), shape(1, 6, 1)) = 7;
  CHECK(to_string(tensor(sum(w))) == "42");
  tensor e = counting(shape(0, 3));
  flatten(view(e)) = 1;
  CHECK(e.size() == 0);
}

TEST_CASE("a reshaped view without constant strides can be read but not assigned to") {
  tensor x = counting(shape(2, 3));
  auto const turned = reshape(transpose(view(x)), shape(6), {"user.cpp", 3});
  CHECK(to_string(tensor(turned), 6) == "[0 3 1 4 2 5]");
  std::string const sentence =
      "placement: Reshape at user.cpp:3 of a view of shape [3, 2] to [6] cannot be assigned to: its "
      "elements do not lie at even steps in memory. Reshape the value instead, and assign it to the "
      "view as it is.";
  CHECK(error_message<shape_error>([&] { turned = 0; }) == sentence);
  CHECK(error_message<shape_error>([&] { turned = iota(6, 0); }) == sentence);
  CHECK(error_message<shape_error>([&] { turned += 1; }) == sentence);
  CHECK(to_string(x) == "[[0 1 2]\n [3 4 5]]");
  transpose(view(x)) = reshape(iota(6, 0), shape(3, 2));
  CHECK(to_string(x) == "[[0 2 4]\n [1 3 5]]");
}
