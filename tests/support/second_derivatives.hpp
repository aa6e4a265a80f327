#pragma once
/// Derivatives of gradients in the static form, beside central differences.

#include <support/finite_differences.hpp>

#include <placement/gradient.hpp>

#include <tuple>

namespace test {

/// Compares the gradient of sum(gradient<7>(loss(x, leaf<7>...)) * w), for weights w, by x with
/// central differences. loss(x, e): reads the elements of the tensor x as the expression e.
template <class L, class X> void require_second_derivative(L const& loss, X x) {
  random_operands r(9);
  X const w = r.elements(x.shape(), 0.5, 1.5);
  auto const weighted = [&](auto const& e) {
    return sum(pl::gradient<7>(loss(x, pl::leaf<7>(e))) * w);
  };
  auto const value = [&] { return item(weighted(x)); };
  X const second = pl::gradient<8>(weighted(pl::leaf<8>(x)));
  require_gradients(value, std::tie(x), std::tuple{second});
}

}  // namespace test
