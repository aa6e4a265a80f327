/// Derivatives of views, joins and products, against central differences.

#include <placement/gradient.hpp>

#include <placement/ops/diag.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/dot.hpp>
#include <placement/ops/einsum.hpp>
#include <placement/ops/flip.hpp>
#include <placement/ops/inner.hpp>
#include <placement/ops/logsumexp.hpp>
#include <placement/ops/moveaxis.hpp>
#include <placement/ops/norm.hpp>
#include <placement/ops/outer.hpp>
#include <placement/ops/pad.hpp>
#include <placement/ops/roll.hpp>
#include <placement/ops/take.hpp>
#include <placement/ops/tensordot.hpp>
#include <placement/ops/tril.hpp>
#include <support/finite_differences.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>

namespace pl = placement;
using pl::axis;
using pl::range;
using test::require_derivatives;

namespace {

constexpr bool only_tape = true;

/// f on matrices (m, n) of at least 2 columns, by a tape.
template <bool OnlyTape = only_tape, class F> void require_on_matrices(F const& f) {
  test::with_random_operands([&](auto& r) {
    auto const shape = pl::dextents<2>{{r.extent(), 1 + r.extent()}};
    require_derivatives<OnlyTape>(f, r.elements(shape, 0.5, 2));
  });
}

TEST_CASE("Derivatives of slices", "[gradient]") {
  require_on_matrices<false>(
      [](auto const& x) { return pl::slice(x, range{}, range{.first = 1, .step = 2}); });
  require_on_matrices([](auto const& x) {
    return pl::slice(x, 0, range{.step = -1}) * pl::slice(x, pl::newaxis, range{}, range{});
  });
}
TEST_CASE("Derivatives of views that move elements", "[gradient]") {
  require_on_matrices([](auto const& x) {
    return pl::diagonal(x * x) + pl::flip(pl::diagonal(pl::permute<1, 0>(x)));
  });
  require_on_matrices([](auto const& x) {
    return pl::matmul(pl::moveaxis(x, 0, 1), pl::transpose(pl::swapaxes(x, 0, 1)));
  });
}
TEST_CASE("Derivatives of views with an inverse", "[gradient]") {
  require_on_matrices([](auto const& x) {
    auto const columns = pl::expand_dims(pl::transpose(x), axis<1>);
    return pl::squeeze(columns, axis<1>) * pl::transpose(pl::reverse(x, axis<1>));
  });
  require_on_matrices([](auto const& x) {
    return pl::broadcast_to(pl::reshape(x, pl::shape(1, x.shape().count())),
                            pl::shape(2, x.shape().count()));
  });
}
TEST_CASE("Derivatives of split", "[gradient]") {
  test::with_random_operands([](auto& r) {
    auto const f = [](auto const& x) {
      auto const [a, b] = pl::split<2>(x, axis<0>);
      return a * a * b;
    };
    require_derivatives<only_tape>(f, r.elements(pl::dextents<2>{{2 * r.extent(), 3}}));
  });
}
TEST_CASE("Derivatives of joins", "[gradient]") {
  test::with_random_operands([](auto& r) {
    pl::index_t const m = r.extent(), n = r.extent();
    auto const a = r.elements(pl::dextents<2>{{m, n}}), b = r.elements(pl::dextents<2>{{m, n}});
    require_derivatives<only_tape>(
        [](auto const& x, auto const& y) { return pl::concat(axis<1>, x * y, y, x); }, a, b);
    require_derivatives<only_tape>(
        [](auto const& x, auto const& y) { return pl::stack(1, x * y, y); }, a, b);
  });
}
TEST_CASE("Derivatives of pad, roll and gather", "[gradient]") {
  require_on_matrices([](auto const& x) { return pl::pad(pl::roll(x, 1, axis<1>), 1, 3.0); });
  pl::tensor<std::int64_t, pl::dextents<1>> const columns{1, 0, 1, 1};
  require_on_matrices<false>([&](auto const& x) { return pl::gather(x, columns, axis<1>); });
}
TEST_CASE("Derivatives of norm, logsumexp and tril", "[gradient]") {
  require_on_matrices([](auto const& x) { return pl::norm(x, axis<1>); });
  require_on_matrices([](auto const& x) { return pl::logsumexp(x, axis<0>); });
  require_on_matrices([](auto const& x) { return pl::tril(x) * x; });
}
TEST_CASE("Derivatives of products of matrices and vectors", "[gradient]") {
  test::with_random_operands([](auto& r) {
    pl::index_t const m = r.extent(), k = r.extent(), n = r.extent();
    auto const a = r.elements(pl::dextents<2>{{m, k}}), b = r.elements(pl::dextents<2>{{k, n}});
    auto const v = r.elements(pl::dextents<1>{{k}});
    auto const f = [](auto const& x, auto const& y) { return pl::matmul(x, y); };
    require_derivatives(f, a, b);
    require_derivatives<only_tape>(f, a, v);
    require_derivatives<only_tape>(f, v, b);
    require_derivatives<only_tape>(f, v, r.elements(pl::dextents<1>{{k}}));
  });
}
TEST_CASE("Derivatives of products of batches", "[gradient]") {
  test::with_random_operands([](auto& r) {
    pl::index_t const l = r.extent(3), m = r.extent(3), k = r.extent(3), n = r.extent(3);
    auto const a = r.elements(pl::dextents<3>{{r.extent(2) == 1 ? 1 : l, m, k}});
    auto const f = [](auto const& x, auto const& y) { return pl::matmul(x, y); };
    require_derivatives<only_tape>(f, a, r.elements(pl::dextents<3>{{l, k, n}}));
    require_derivatives<only_tape>(f, a, r.elements(pl::dextents<1>{{k}}));
  });
}
TEST_CASE("Derivatives of einsum and tensordot", "[gradient]") {
  test::with_random_operands([](auto& r) {
    pl::index_t const m = r.extent(), k = r.extent();
    auto const a = r.elements(pl::dextents<2>{{m, k}}), b = r.elements(pl::dextents<2>{{m, k}});
    require_derivatives<only_tape>(
        [](auto const& x, auto const& y) { return pl::einsum<"ij,kj->ki">(x, y); }, a, b);
    require_derivatives<only_tape>([](auto const& x, auto const& y) { return pl::tensordot(x, y); },
                                   a, b);
  });
}
TEST_CASE("Derivatives of dot, inner and outer", "[gradient]") {
  test::with_random_operands([](auto& r) {
    auto const u = r.elements(pl::dextents<1>{{r.extent()}});
    auto const v = r.elements(u.shape());
    require_derivatives<only_tape>(
        [](auto const& x, auto const& y) {
          return pl::outer(x, pl::inner(x, y) * y) * pl::dot(x, y);
        },
        u, v);
  });
}
TEST_CASE("Derivatives of diagonals, differences and indices", "[gradient]") {
  pl::tensor<std::int64_t, pl::dextents<1>> const indices{1, 0, -1, 1};
  test::with_random_operands([&](auto& r) {
    auto const x = r.elements(pl::dextents<2>{{4, 1 + r.extent()}});
    require_derivatives<only_tape>(
        [](auto const& a) { return pl::diag(pl::diag(pl::diff(a * a, pl::axis<0>), -1) * 2.0, 1); },
        x);
    require_derivatives<only_tape>(
        [&](auto const& a) { return pl::take(a, indices, pl::axis<1>) * pl::take(a, indices); }, x);
  });
}

}  // namespace
