#pragma once
/// Compares gradients with central differences, in double. Needs gradient.hpp, included first.

#include <support/call_of.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

namespace pl = placement;
template <std::size_t R> using reals = pl::tensor<double, pl::dextents<R>>;

/// In nightly runs, each op is compiled for more ranks, and in the static form for all types.
#ifdef PLACEMENT_EVERY_COMBINATION
inline constexpr bool every_combination = true;
#else
inline constexpr bool every_combination = false;
#endif

/// Random extents and elements, the same for each seed.
struct random_operands {
  std::mt19937 bits;

  explicit random_operands(unsigned seed) : bits(seed) {}
  /// Of 1 to `largest`.
  pl::index_t extent(int largest = 5) { return 1 + static_cast<int>(bits() >> 8) % largest; }
  /// Elements of a normal tensor: low to high.
  template <class X> auto elements(X shape, double low = -2, double high = 2) {
    std::uniform_real_distribution<double> between(low, high);
    std::vector<double> values(static_cast<std::size_t>(shape.count()));
    for (double& v : values) v = between(bits);
    return pl::from(values, shape);
  }
};
/// Calls f(r) for the random operands of 20 seeds.
template <class F> void with_random_operands(F const& f) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    random_operands r(seed);
    f(r);
  }
}

/// The gradient of l() by an element of a tensor, which l reads.
template <class P> double central_difference(P& p, std::size_t i, call_of<double()> l) {
  double const x = p.read()[i], h = 1e-5;
  auto const at = [&](double v) {
    p.data()[i] = v;
    return l();
  };
  double const above = at(x + h), below = at(x - h);
  p.data()[i] = x;
  return (above - below) / (2 * h);
}

/// Requires that the gradients are those of l() by each tensor.
template <class... P, class... G>
void require_gradients(call_of<double()> l, std::tuple<P&...> p,
                       std::tuple<G...> const& gradients) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const one = [&](std::size_t number, auto& x, auto const& g) {
      INFO("operand " << number << ", gradient " << pl::to_string(g));
      REQUIRE(g.shape() == x.shape());
      for (std::size_t i = 0; i != static_cast<std::size_t>(x.size()); ++i) {
        double const expected = central_difference(x, i, l), got = g.read()[i];
        bool const is_close = std::abs(got - expected) <= 1e-6 * std::max(1.0, std::abs(expected));
        if (is_close) continue;
        INFO("element " << i << ": central difference " << expected << ", gradient " << got);
        FAIL("wrong gradient");
      }
    };
    (one(I, std::get<I>(p), std::get<I>(gradients)), ...);
  }(std::index_sequence_for<P...>{});
}

/// Requires that a tape's gradients of value() by each p are right.
template <class... P>
void require_taped(call_of<pl::tensor<double, pl::extents<>>()> value, call_of<double()> element,
                   P&... p) {
  INFO("by a tape");
  pl::gradient_tape tape(p...);
  auto const l = value();
  if constexpr (sizeof...(P) == 1)
    require_gradients(element, std::tie(p...), std::tuple{tape.gradient(l, p...)});
  else require_gradients(element, std::tie(p...), tape.gradient(l, p...));
}

/// Compares both forms of gradients of sum(f(p...) * w) by each p, where w are random weights.
/// f gives an expression of any operands. OnlyTape: by a tape alone, which compiles faster.
template <bool OnlyTape = false, class F, class... P> void require_derivatives(F const& f, P... p) {
  random_operands r(1);
  auto const shape = f(p...).shape();
  pl::dextents<decltype(shape)::rank> any_shape{};
  if constexpr (shape.rank != 0)
    for (std::size_t d = 0; d != shape.rank; ++d) any_shape.n[d] = shape.at(d);
  auto const w = r.elements(any_shape, 0.5, 1.5);
  auto const loss = [&](auto const&... x) { return pl::sum(f(x...) * w); };
  auto const value = [&]() -> pl::tensor<double, pl::extents<>> { return loss(p...); };
  auto const element = [&] { return value().read()[0]; };
  require_taped(value, element, p...);
  if constexpr (!OnlyTape) {
    INFO("by gradient_of");
    // value_now: an assignment would compile the derivatives of the gradients, too
    auto const gradients =
        std::apply([](auto const&... g) { return std::tuple{pl::detail::value_now(g)...}; },
                   pl::gradient_of(loss, p...));
    require_gradients(element, std::tie(p...), gradients);
  }
}

}  // namespace test
