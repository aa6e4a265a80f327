// zeros, ones, constant, iota: ops that fill a shape without operands.
#include <placement/expr/evaluate.hpp>
#include <placement/expr/typed_tensor.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/constant.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/ones.hpp>
#include <placement/ops/zeros.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

using namespace placement;

TEST_CASE("zeros, ones and constant fill a shape of every element type on the scope's device") {
  each<moved_elements>([]<class T>() {
    INFO(element_name<T>());
    on_each_device([](device d) {
      tensor const z = zeros<T>(2, 3);
      CHECK(z.shape() == shape(2, 3));
      CHECK(z.where() == d);
      CHECK(differences(z, std::vector<T>(6, T(0))) == no_differences);
      CHECK(differences(tensor(ones<T>(4)), std::vector<T>(4, T(1))) == no_differences);
      T const last = edge_values<T>().back();
      CHECK(differences(tensor(constant(last, shape(5))), std::vector<T>(5, last)) ==
            no_differences);
    });
  });
}

TEST_CASE("a fill of a static shape has a static shape") {
  tensor const z = zeros<float>(extents<2, 3>{});
  STATIC_CHECK(std::is_same_v<decltype(z)::extents_type, extents<2, 3>>);
  STATIC_CHECK(std::is_same_v<decltype(ones<int>(extents<4>{}))::extents_type, extents<4>>);
  CHECK(differences(z, std::vector<float>(6, 0.f)) == no_differences);
  CHECK(differences(tensor(constant<double>(2, extents<2>{})), {2., 2.}) == no_differences);
}

TEST_CASE("values written in the program are a constant node of rank 1 to 3") {
  on_each_device([](device d) {
    tensor const v = constant({1, 2, 3});
    tensor const m = constant({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}) + 1.f;
    tensor const c = constant({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
    CHECK(v.shape() == shape(3));
    CHECK(m.shape() == shape(3, 2));
    CHECK(c.shape() == shape(2, 2, 2));
    CHECK(differences(v, {1, 2, 3}) == no_differences);
    CHECK(differences(m, {2.f, 3.f, 4.f, 5.f, 6.f, 7.f}) == no_differences);
    CHECK(differences(c, {1, 2, 3, 4, 5, 6, 7, 8}) == no_differences);
    CHECK(c.where() == d);
  });
}

TEST_CASE("a fill without extents is a scalar, and one with an extent of 0 has no elements") {
  CHECK(differences(tensor(ones<int>()), {1}) == no_differences);
  CHECK(tensor(zeros<float>(3, 0)).shape() == shape(3, 0));
  CHECK(tensor(iota(shape(0), 1)).size() == 0);
}

TEST_CASE("zeros_like and ones_like take shape and element type from an operand") {
  on_each_device([](device) {
    tensor const x{{1, 2}, {3, 4}};
    CHECK(differences(tensor(zeros_like(x)), {0, 0, 0, 0}) == no_differences);
    CHECK(differences(tensor(ones_like(x + 1)), {1, 1, 1, 1}) == no_differences);
    STATIC_CHECK(decltype(zeros_like(x))::op_type::name == "ZerosLike");
  });
}

TEST_CASE("iota counts in row-major order with any step") {
  on_each_device([](device) {
    CHECK(differences(tensor(iota(shape(2, 3), 0)), {0, 1, 2, 3, 4, 5}) == no_differences);
    CHECK(differences(tensor(iota(extents<2, 2>{}, 1.f, .5f)), {1.f, 1.5f, 2.f, 2.5f}) ==
          no_differences);
    CHECK(differences(tensor(iota(4, 10, -3)), {10, 7, 4, 1}) == no_differences);
  });
}

TEST_CASE("iota of integers wraps") {
  using std::int8_t;
  CHECK(differences(tensor(iota(3, int8_t(126), int8_t(1))),
                    {int8_t(126), int8_t(127), int8_t(-128)}) == no_differences);
  CHECK(differences(tensor(iota(3, 250u, 4294967295u)), {250u, 249u, 248u}) == no_differences);
}

TEST_CASE("fills are fused into the expression that uses them, and broadcast") {
  on_each_device([](device) {
    tensor const x{1, 2, 3};
    CHECK(differences(tensor(x * iota(3, 10) + ones<int>(3)), {11, 23, 37}) == no_differences);
    CHECK(differences(tensor(iota(shape(2, 1), 0) + x), {1, 2, 3, 2, 3, 4}) == no_differences);
  });
}

TEST_CASE("a scalar fill broadcasts to the tensor it is added to") {
  on_each_device([](device) {
    tensor const x{1, 2, 3};
    CHECK(differences(tensor(iota(shape(), 5) + x), {6, 7, 8}) == no_differences);
    CHECK(differences(tensor(x * (iota(extents<>{}, 5) + 1)), {6, 12, 18}) == no_differences);
  });
}

TEST_CASE(
    "a shape with a negative extent, or with more bytes than the address space, is an error") {
  CHECK(error_message<shape_error>([] { (void)zeros<float>(2, -1); }) ==
        "placement: extent 1 is -1. Extents are zero or more. In Fill.");
  index_t const huge = index_t{1} << 40;
  std::string const sentence =
      "placement: a tensor of shape [1099511627776, 1099511627776] has more bytes than can be addressed. Split it.";
  CHECK(error_message<shape_error>([&] { (void)ones<float>(huge, huge); }) ==
        sentence + " In Fill.");
  CHECK(error_of("Fill", [&] { (void)constant(1, shape(huge, huge)); }) == sentence);
  CHECK(error_of("Range", [&] { (void)iota(shape(huge, huge), 1); }) == sentence);
}
