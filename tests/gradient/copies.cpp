/// Derivatives of ops that copy elements several times, and of transposed convolutions.

#include <placement/gradient.hpp>
#include <placement/nets.hpp>
#include <placement/ops/repeat.hpp>
#include <placement/ops/tile.hpp>

#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;
using test::random_operands;
using test::require_derivatives;

TEST_CASE("Derivatives of tile, repeat and embedding_lookup", "[gradient]") {
  random_operands r(1);
  auto const x = r.elements(shape(2, 3));
  require_derivatives<true>([](auto const& a) { return tile(a, shape(2, 2)); }, x);
  require_derivatives<true>([](auto const& a) { return repeat(a, 3, axis<1>); }, x);
  tensor<int, dextents<1>> const ids{1, 0, 1, 1};
  require_derivatives<true>([&](auto const& a) { return embedding_lookup(a, ids); }, x);
}

TEST_CASE("Derivatives of transposed convolutions", "[gradient]") {
  random_operands r(2);
  require_derivatives<true>(
      [](auto const& a, auto const& w) { return conv2d_transpose(a, w, {.strides = {2, 1}}); },
      r.elements(shape(1, 2, 3, 2)), r.elements(shape(2, 2, 1, 2)));
}
