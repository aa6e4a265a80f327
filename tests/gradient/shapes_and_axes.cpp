/// Derivatives for operands of different ranks, of static extents and of no elements, along axes of
/// run time, and of layers that are one statement.

#include <placement/gradient.hpp>

#include <placement/ops/pad.hpp>
#include <placement/ops/roll.hpp>
#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace pl = placement;
using test::require_derivatives;

namespace {

TEST_CASE("Derivatives of operands of different ranks", "[gradient]") {
  test::with_random_operands([](auto& r) {
    pl::index_t const l = r.extent(), m = r.extent(), n = r.extent();
    auto const cube = r.elements(pl::dextents<3>{{l, m, n}});
    auto const f = [](auto const& a, auto const& b, auto const& c) { return a * b * c; };
    require_derivatives(f, cube, r.elements(pl::dextents<1>{{n}}), r.elements(pl::dextents<0>{}));
  });
}
TEST_CASE("Derivatives of static extents", "[gradient]") {
  test::random_operands r(1);
  auto const f = [](auto const& a, auto const& b) { return a * b; };
  require_derivatives(f, r.elements(pl::extents<2, 3>{}), r.elements(pl::extents<3>{}));
  require_derivatives(f, r.elements(pl::extents<>{}), r.elements(pl::extents<>{}));
}
TEST_CASE("Derivatives of no elements are no elements", "[gradient]") {
  using matrix = test::reals<2>;
  matrix const none = pl::zeros<double>(0, 3), row = pl::ones<double>(1, 3);
  pl::gradient_tape tape(none, row);
  pl::tensor<double, pl::extents<>> const loss = pl::sum(none * row);
  auto const [of_none, of_row] = tape.gradient(loss, none, row);
  CHECK(of_none.shape() == none.shape());
  CHECK(pl::to_vector(of_row) == std::vector<double>(3, 0.0));
}
TEST_CASE("Derivatives of layers that are one statement", "[gradient]") {
  test::with_random_operands([](auto& r) {
    pl::index_t const m = r.extent(), k = r.extent(), n = r.extent();
    auto const f = [](auto const& x, auto const& w, auto const& b) {
      return pl::tanh(pl::matmul(pl::relu(pl::matmul(x, w) + b), pl::transpose(w)));
    };
    require_derivatives<true>(f, r.elements(pl::dextents<2>{{m, k}}),
                              r.elements(pl::dextents<2>{{k, n}}),
                              r.elements(pl::dextents<1>{{n}}));
  });
}
TEST_CASE("Derivatives along an axis of run time", "[gradient]") {
  test::with_random_operands([](auto& r) {
    int const axis = static_cast<int>(r.extent(4)) - 3;
    require_derivatives<true>(
        [&](auto const& a) {
          return pl::cumsum(a * a, axis) + pl::roll(pl::reverse(a, axis), 1, axis);
        },
        r.elements(pl::dextents<2>{{r.extent(), r.extent()}}));
  });
}
TEST_CASE("The derivative of pad by edge is an error that names the remedy", "[gradient]") {
  test::reals<1> const x{1.0, 2.0};
  pl::gradient_tape tape(x);
  pl::tensor<double, pl::extents<>> const loss = pl::sum(pl::pad(x, 1, pl::pad_mode::edge));
  std::string message;
  try {
    auto const g = tape.gradient(loss, x);
    FAIL("a gradient: " << pl::to_string(g));
  } catch (pl::invalid_argument const& e) { message = e.what(); }
  CHECK(
      message.starts_with("placement: pad by edge or reflect has no derivative. Pad with a "
                          "constant, or write stop_gradient(x) around its operand."));
}

}  // namespace
