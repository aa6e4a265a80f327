// Ops that move, repeat or leave out elements, of odd shapes and of types of 1 to 8 bytes.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <placement/ops/diag.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/ops/outer.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/tile.hpp>
#include <placement/ops/tril.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>

using namespace placement;

namespace {
template <class T> tensor<T, dextents<2>> plane(index_t m, index_t n) {
  return some_tensor<T>(shape(m, n));
}
template <class T> void check_moves(index_t m, index_t n) {
  INFO("element type " << element_name<T>() << ", " << m << " x " << n);
  auto const x = plane<T>(m, n);
  check_expression(0, [&] { return roll(x, 3, 1); });
  check_expression(0, [&] { return roll(x, -2, axis<0>); });
  check_expression(0, [&] { return tile(x, shape(2, 3)); });
  check_expression(0, [&] { return repeat(x, 3, 1); });
  check_expression(0, [&] { return flip(x); });
  check_expression(0, [&] { return pad(x, {{1, 2}, {3, 0}}, T(7)); });
  check_expression(0, [&] { return pad(x, 2, pad_mode::edge); });
  check_expression(0, [&] { return concat(axis<1>, transpose(x), flip(transpose(x))); });
}
}  // namespace

TEST_CASE("rolls, tiles, repeats, flips and pads on a GPU move the elements as on the CPU",
          "[small]") {
  need_gpu();
  check_moves<float>(3, 5);
  check_moves<float>(33, 64);
  check_moves<double>(17, 31);
  check_moves<std::int8_t>(5, 33);
}
TEST_CASE("moved elements are computed with, and are operands of reductions") {
  need_gpu();
  auto const x = plane<float>(33, 47);
  check_expression(0, [&] { return roll(x * 2.f, 1, 0) + flip(x, 1); });
  check_expression(0, [&] { return max(pad(abs(x), 3, pad_mode::reflect), axis<0>); });
  check_expression(0, [&] { return tile(max(x, axis<1>), 3) * 2.f; });
  check_expression(0, [&] { return diff(x, axis<0>) + 1.f; });
  check_expression(0, [&] { return diff<2>(transpose(x)); });
}
TEST_CASE("triangles, diagonals and grids on a GPU have the elements of the CPU's", "[small]") {
  need_gpu();
  auto const x = plane<float>(33, 47);
  auto const row = some_tensor<float>(shape(13));
  check_expression(0, [&] { return tril(x, -3); });
  check_expression(0, [&] { return triu(x, 2) - x; });
  check_expression(0, [&] { return diag(x, 5) * 2.f; });
  check_expression(0, [&] { return diag(row, -2); });
  check_expression(1, [&] { return linspace(1.f, 3.f, 1001); });
  check_expression(0, [&] { return max(outer(row, row), axis<0>); });
}
