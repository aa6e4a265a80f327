// flip, moveaxis, swapaxes, hstack, vstack, split into n parts, reshape with an inferred extent.
#include <placement/expr/print.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/hstack.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/permute.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/reverse.hpp>
#include <placement/ops/split.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <type_traits>

using namespace placement;

namespace {

template <class X> tensor<int, X> counting(X x) { return iota(x, 0); }
using cube = tensor<int, extents<2, 3, 4>>;

/// Whether two expressions have the same shape and elements.
template <class A, class B> std::string difference(A const& a, B const& b) {
  tensor<int, dextents<A::rank>> const x = a, y = b;
  return x.shape() == y.shape() ? to_string(x) == to_string(y) ? "" : to_string(x)
                                : to_string(x.shape());
}

}  // namespace

TEST_CASE("flip reverses the axes that it names, or all") {
  on_each_device([](device) {
    tensor const x = counting(shape(2, 3, 4));
    CHECK(difference(flip(x), reverse(reverse(reverse(x, 0), 1), 2)) == "");
    CHECK(difference(flip(x, 1), reverse(x, 1)) == "");
    CHECK(difference(flip(x, axis<-1>, 0), reverse(reverse(x, 2), 0)) == "");
    tensor y = counting(shape(3));
    flip(view(y)) = tensor{7, 8, 9};
    CHECK(differences(y, {9, 8, 7}) == no_differences);
    CHECK(tensor(flip(counting(shape(0, 2)))).shape() == shape(0, 2));
  });
  CHECK(error_message<shape_error>([] { (void)flip(counting(shape(2, 3)), 1, -1); }) ==
        "placement: flip of a tensor of rank 2 names axis -1 twice. Name each axis once. In "
        "ReverseV2.");
  CHECK(error_message<shape_error>([] { (void)flip(counting(shape(2, 3)), 2); }) ==
        "placement: there is no axis 2 in a tensor of rank 2. Axes are 0 to rank - 1, or -1 for "
        "the last. In ReverseV2.");
}

TEST_CASE("moveaxis moves one axis, and the others keep their order") {
  on_each_device([](device) {
    tensor const x = counting(shape(2, 3, 4));
    CHECK(difference(moveaxis(x, 0, -1), permute(x, 1, 2, 0)) == "");
    CHECK(difference(moveaxis(x, -1, 0), permute(x, 2, 0, 1)) == "");
    CHECK(difference(moveaxis(x, 0, 1), permute(x, 1, 0, 2)) == "");
    CHECK(difference(moveaxis(x, 1, 1), x) == "");
    CHECK(difference(moveaxis(x, axis<2>, 1), permute(x, 0, 2, 1)) == "");
  });
  STATIC_CHECK(
      std::is_same_v<decltype(moveaxis(std::declval<cube>(), axis<0>, axis<-1>))::extents_type,
                     extents<3, 4, 2>>);
  CHECK(error_message<shape_error>([] { (void)moveaxis(counting(shape(2, 3)), 0, 2); })
            .starts_with("placement: there is no axis 2 in a tensor of rank 2. Axes are 0 to rank "
                         "- 1, or -1 for the last. In Transpose at "));
}

TEST_CASE("swapaxes exchanges two axes") {
  on_each_device([](device) {
    tensor x = counting(shape(2, 3, 4));
    CHECK(difference(swapaxes(x, 0, 2), permute(x, 2, 1, 0)) == "");
    CHECK(difference(swapaxes(x, -1, 1), permute(x, 0, 2, 1)) == "");
    swapaxes(view(x), 0, 2) = 7;
    CHECK(difference(x, tensor<int, dextents<3>>(iota(shape(2, 3, 4), 7, 0))) == "");
  });
  STATIC_CHECK(
      std::is_same_v<decltype(swapaxes(std::declval<cube>(), axis<0>, axis<2>))::extents_type,
                     extents<4, 3, 2>>);
}

TEST_CASE("hstack puts columns beside each other, and vstack rows below each other") {
  on_each_device([](device d) {
    tensor const a = counting(shape(2, 2));
    tensor const v{7, 8};
    CHECK(differences(tensor(hstack(a, a)), {0, 1, 0, 1, 2, 3, 2, 3}) == no_differences);
    CHECK(differences(tensor(hstack(v, tensor{9})), {7, 8, 9}) == no_differences);
    tensor const rows = vstack(a, v);
    CHECK(rows.where() == d);
    CHECK(rows.shape() == shape(3, 2));
    CHECK(differences(rows, {0, 1, 2, 3, 7, 8}) == no_differences);
    CHECK(differences(tensor(vstack(v, v)), {7, 8, 7, 8}) == no_differences);
    std::vector<tensor<int, dextents<2>>> const matrices{a, a};
    std::vector<tensor<int, dextents<1>>> const vectors{v, v};
    CHECK(difference(hstack(matrices), hstack(a, a)) == "");
    CHECK(difference(vstack(matrices), vstack(a, a)) == "");
    CHECK(difference(hstack(vectors), hstack(v, v)) == "");
    CHECK(difference(vstack(vectors), vstack(v, v)) == "");
  });
  using two = tensor<int, extents<2>>;
  STATIC_CHECK(
      std::is_same_v<decltype(vstack(std::declval<two>(), std::declval<two>()))::extents_type,
                     extents<2, 2>>);
  CHECK(error_message<shape_error>([] {
          (void)vstack(counting(shape(2, 2)), counting(shape(2, 3)));
        }).starts_with("placement: concat of shapes [2, 2] and [2, 3]."));
}

TEST_CASE("split into a number of parts gives views") {
  on_each_device([](device) {
    tensor x = counting(shape(2, 6));
    auto const parts = split(x, 3, 1);
    CHECK(parts.size() == 3);
    CHECK(differences(tensor(parts[1]), {2, 3, 8, 9}) == no_differences);
    split(view(x), 2, axis<-1>)[1] = 0;
    CHECK(differences(x, {0, 1, 2, 0, 0, 0, 6, 7, 8, 0, 0, 0}) == no_differences);
    CHECK(split(x, 2).size() == 2);
  });
  for (index_t const n : {0, -1, 4})
    CHECK(error_message<shape_error>([&] { (void)split(counting(shape(2, 6)), n, 1); })
              .starts_with("placement: split of axis 1 of a tensor of shape [2, 6] into " +
                           std::to_string(n) +
                           " equal parts. Give a number that divides the extent, or use slice. In "
                           "Split at "));
}

TEST_CASE("reshape infers one extent") {
  on_each_device([](device) {
    tensor x = counting(shape(2, 3, 4));
    CHECK(reshape(x, shape(-1)).shape() == shape(24));
    CHECK(reshape(x, shape(-1, 6)).shape() == shape(4, 6));
    CHECK(reshape(x, shape(2, 3, 4, -1)).shape() == shape(2, 3, 4, 1));
    CHECK(reshape<3, -1>(x).shape() == shape(3, 8));
    CHECK(difference(reshape(x, shape(4, -1)), reshape(x, shape(4, 6))) == "");
    CHECK(reshape(counting(shape(0, 3)), shape(-1, 3)).shape() == shape(0, 3));
    reshape(view(x), shape(-1, 12)) = 0;
    CHECK(difference(x, tensor<int, dextents<3>>(iota(shape(2, 3, 4), 0, 0))) == "");
  });
  STATIC_CHECK(
      std::is_same_v<decltype(reshape<3, -1>(std::declval<cube>()))::extents_type, extents<3, 8>>);
  auto const message = [](auto to) {
    return error_message<shape_error>([&] { (void)reshape(counting(shape(2, 3)), to); });
  };
  CHECK(
      message(shape(4, -1))
          .starts_with(
              "placement: a tensor of shape [2, 3] cannot be reshaped to [4, -1]: one extent may be -1, "
              "which is inferred if the others divide the number of elements. In Reshape at "));
  for (auto const to :
       {shape(-1, -1), shape(-1, 0), shape(-1, -2), shape(-1, std::numeric_limits<index_t>::max())})
    CHECK(message(to).find("which is inferred") != std::string::npos);
  CHECK(message(shape(-2, -3)).starts_with("placement: extent 0 is -2."));
}
