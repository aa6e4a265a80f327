// Derivatives of products, over random shapes and types.
#include <placement/gradient.hpp>

#include <placement/ops/dot.hpp>
#include <placement/ops/einsum.hpp>
#include <placement/ops/inner.hpp>
#include <placement/ops/outer.hpp>
#include <placement/ops/tensordot.hpp>
#include <support/random_derivatives.hpp>

namespace pl = placement;
using pl::bfloat16, pl::float16;
using test::forms, test::random_draws, test::with_static;

namespace {

constexpr forms only_tape{false, test::every_combination, true};
constexpr forms only_double{test::every_combination, false, false};

/// The 5 seeds with r and extents m, k, n.
template <class F> void with_extents(F const& f) {
  test::for_seeds(1, [&](random_draws& r) {
    f(r, pl::index_t{r.number(1, 4)}, pl::index_t{r.number(1, 4)}, pl::index_t{r.number(1, 4)});
  });
}
constexpr auto product = [](auto const& a, auto const& b) { return pl::matmul(a, b); };

TEST_CASE("Random derivatives of products of matrices and vectors", "[random]") {
  with_extents([](random_draws& r, auto m, auto k, auto n) {
    auto const a = r.elements(pl::dextents<2>{{m, k}}), b = r.elements(pl::dextents<2>{{k, n}});
    auto const v = r.elements(pl::dextents<1>{{k}});
    test::require_random<float16, with_static>(product, {}, r, a, b);
    test::require_random<bfloat16, only_tape>(product, {}, r, a, v);
    test::require_random<float16, only_double>(product, {}, r, v, b);
    auto const turned = [](auto const& x, auto const& y) {
      return pl::matmul(pl::transpose(y), pl::transpose(x));
    };
    test::require_random<bfloat16, only_double>(turned, {}, r, a, b);
  });
}
TEST_CASE("Random derivatives of products of batches that broadcast", "[random]") {
  with_extents([](random_draws& r, auto m, auto k, auto n) {
    pl::index_t const batch = r.number(1, 3), first = r.number(0, 1) == 0 ? 1 : batch;
    auto const a = r.elements(pl::dextents<3>{{first, m, k}});
    test::require_random<float16, only_tape>(product, {}, r, a,
                                             r.elements(pl::dextents<3>{{batch, k, n}}));
    test::require_random<bfloat16, only_double>(product, {}, r, a,
                                                r.elements(pl::dextents<4>{{2, batch, k, n}}));
  });
}
TEST_CASE("Random derivatives of a layer in one statement", "[random]") {
  with_extents([](random_draws& r, auto m, auto k, auto n) {
    auto const layer = [](auto const& x, auto const& w, auto const& b) {
      return pl::tanh(pl::matmul(x, w) + b);
    };
    test::require_random<bfloat16, only_tape>(layer, {8, 8}, r, r.elements(pl::dextents<2>{{m, k}}),
                                              r.elements(pl::dextents<2>{{k, n}}),
                                              r.elements(pl::dextents<1>{{n}}));
  });
}
TEST_CASE("Random derivatives of dot, inner and outer", "[random]") {
  with_extents([](random_draws& r, auto m, auto k, auto) {
    auto const u = r.elements(pl::dextents<1>{{k}}), v = r.elements(pl::dextents<1>{{k}});
    auto const dotted = [](auto const& a, auto const& b) { return pl::dot(a, b); };
    test::require_random<float16, only_tape>(dotted, {}, r, u, v);
    auto const inside = [](auto const& a, auto const& b) { return pl::inner(a, b); };
    test::require_random<bfloat16, only_tape>(inside, {}, r, r.elements(pl::dextents<2>{{m, k}}),
                                              r.elements(pl::dextents<2>{{2, k}}));
    auto const outside = [](auto const& a, auto const& b) { return pl::outer(a, b); };
    test::require_random<float16, only_tape>(outside, {}, r, u, r.elements(pl::dextents<1>{{m}}));
  });
}
TEST_CASE("Random derivatives of tensordot and einsum", "[random]") {
  with_extents([](random_draws& r, auto m, auto k, auto n) {
    auto const a = r.elements(pl::dextents<2>{{m, k}});
    auto const dotted = [](auto const& x, auto const& y) { return pl::tensordot(x, y); };
    test::require_random<float16, only_tape>(dotted, {}, r, a, r.elements(pl::dextents<2>{{m, k}}));
    // Two dimensions of each operand become one of a product.
    auto const merged = [](auto const& x, auto const& y) {
      return pl::einsum<"ijk,jkl->il">(x, y);
    };
    test::require_random<float16, only_tape>(merged, {}, r, r.elements(pl::dextents<3>{{m, 2, k}}),
                                             r.elements(pl::dextents<3>{{2, k, n}}));
    auto const named = [](auto const& x, auto const& y) { return pl::einsum<"ij,kj->ki">(x, y); };
    test::require_random<bfloat16, only_tape>(named, {}, r, a, r.elements(pl::dextents<2>{{n, k}}));
  });
}

}  // namespace
