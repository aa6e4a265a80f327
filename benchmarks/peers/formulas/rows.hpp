#pragma once
/// Formulas of several functions in one pass:
///   log_sqrt: out = log(t) * sqrt(t)      exp_fmod: out = exp(x) * fmod(y, z)
///   black_scholes: the price of a call option by its spot, strike and years

#include <row.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bench {

template <class T> inline constexpr char const* type_name = sizeof(T) == 4 ? "_f32" : "_f64";

/// Unordered numbers in [low, high), the same after each period.
inline constexpr std::size_t period = 1021;
template <class T> std::vector<T> numbers(benchmark::State const& state, double low, double high) {
  std::vector<T> all(count_of(state));
  for (std::size_t i = 0; i != all.size(); ++i)
    all[i] = static_cast<T>(low + (high - low) * static_cast<double>(i * 37 % period) / period);
  return all;
}

/// The operands of each formula.
template <class T> std::vector<T> times(benchmark::State const& s) {
  return numbers<T>(s, 0.1, 10);
}
template <class T> std::vector<T> exponents(benchmark::State const& s) {
  return numbers<T>(s, -4, 4);
}
template <class T> std::vector<T> dividends(benchmark::State const& s) {
  return numbers<T>(s, -50, 50);
}
template <class T> std::vector<T> divisors(benchmark::State const& s) {
  return numbers<T>(s, 0.5, 7);
}
template <class T> std::vector<T> spots(benchmark::State const& s) {
  return numbers<T>(s, 60, 140);
}
template <class T> std::vector<T> strikes(benchmark::State const& s) {
  return numbers<T>(s, 90, 110);
}
template <class T> std::vector<T> years(benchmark::State const& s) {
  return numbers<T>(s, 0.25, 2);
}

/// Calls store(price). Name lookup finds each side's functions. The expressions of a side may
/// refer to their operands, which live until `store` returns.
template <class T, class Spot, class Strike, class Years, class Store>
void call_price(Spot const& spot, Strike const& strike, Years const& t, Store const& store) {
  using std::erf, std::exp, std::log, std::sqrt;
  T const rate = T(0.02), volatility = T(0.3), half = T(0.5), root_of_half = T(0.70710678118654752);
  auto const deviation = volatility * sqrt(t);
  auto const upper = (log(spot / strike) + (rate + half * volatility * volatility) * t) / deviation;
  auto const lower = upper - deviation;
  store(spot * (half + half * erf(upper * root_of_half)) -
        strike * exp(-rate * t) * (half + half * erf(lower * root_of_half)));
}

/// Runs `pass` repeatedly. arrays: the number of arrays that it reads and writes. The counter
/// `mean` is that of the result, which shows whether sides agree.
template <class T, class Out, class F>
void measure(benchmark::State& state, std::size_t arrays, Out const& out, F const& pass) {
  for (auto _ : state) {
    pass();
    benchmark::ClobberMemory();
  }
  note_bytes(state, size_of(state), arrays * sizeof(T), arrays * sizeof(T));
  double sum = 0;
  for (std::size_t i = 0; i != count_of(state); ++i) sum += static_cast<double>(out.data()[i]);
  state.counters["mean"] = sum / static_cast<double>(size_of(state));
}

/// Sets the counter `ulps`: the largest error of the result beside exact(i).
template <class T, class Out, class F>
void note_ulps(benchmark::State& state, Out const& out, F const& exact) {
  long double most = 0;
  for (std::size_t i = 0; i != std::min(count_of(state), period); ++i) {
    long double const value = exact(i);
    int const exponent = std::max(std::ilogb(value), std::numeric_limits<T>::min_exponent - 1);
    most = std::max(most, std::fabs(static_cast<long double>(out.data()[i]) - value) /
                              std::ldexp(1.0L, exponent + 1 - std::numeric_limits<T>::digits));
  }
  state.counters["ulps"] = static_cast<double>(most);
}
template <class T> void note_log_sqrt(benchmark::State& state, auto const& out) {
  auto const t = times<T>(state);
  note_ulps<T>(state, out, [&](std::size_t i) {
    return std::log(static_cast<long double>(t[i])) * std::sqrt(static_cast<long double>(t[i]));
  });
}
template <class T> void note_exp_fmod(benchmark::State& state, auto const& out) {
  auto const x = exponents<T>(state), y = dividends<T>(state), z = divisors<T>(state);
  note_ulps<T>(state, out, [&](std::size_t i) {
    return std::exp(static_cast<long double>(x[i])) * std::fmod(y[i], z[i]);
  });
}

/// The rows of a side for one type. Side: a template with `name`, `log_sqrt`, `black_scholes` and
/// `exp_fmod`.
template <class Side, class T> void register_formulas() {
  auto const add = [](char const* work, void (*run)(benchmark::State&)) {
    row(std::string(work) + type_name<T> + "/" + Side::name, run, 1 << 10, 1 << 22, 8);
  };
  add("log_sqrt", Side::log_sqrt);
  add("black_scholes", Side::black_scholes);
  add("exp_fmod", Side::exp_fmod);
}
template <template <class> class Side> struct formula_rows {
  formula_rows() {
    register_formulas<Side<float>, float>();
    register_formulas<Side<double>, double>();
  }
};

}  // namespace bench
