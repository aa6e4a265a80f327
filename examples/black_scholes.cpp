/// Prices of European options by the formula of Black and Scholes.

#include <placement/expr/array2string.hpp>
#include <placement/ops/arange.hpp>
#include <placement/placement.hpp>

#include <cmath>
#include <iostream>

namespace pl = placement;

/// The distribution function of the standard normal distribution.
auto normal_cdf(pl::operand auto const& x) { return (1 + pl::erf(x / std::sqrt(2))) / 2; }

int main() {
  double const strike = 100, rate = 0.02, volatility = 0.3, years = 2;
  pl::vector<double> const price = pl::arange(80., 130., 10.);

  double const deviation = volatility * std::sqrt(years), discount = std::exp(-rate * years);
  pl::tensor const d1 =
      (pl::log(price / strike) + (rate + volatility * volatility / 2) * years) / deviation;
  pl::tensor const call = price * normal_cdf(d1) - strike * discount * normal_cdf(d1 - deviation);
  pl::tensor const put = call - price + strike * discount;  // put-call parity

  std::cout << "price " << pl::array2string(price) << "\ncall  "
            << pl::array2string(call, {.precision = 2}) << "\nput   "
            << pl::array2string(put, {.precision = 2}) << std::endl;
}
