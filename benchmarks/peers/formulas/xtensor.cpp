#include "rows.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

template <class T> struct xtensor {
  static constexpr char const* name = "xtensor";
  using array = xt::xtensor<T, 1>;

  static array copied(std::vector<T> const& from) {
    return xt::adapt(from, std::array<std::size_t, 1>{from.size()});
  }
  static void log_sqrt(benchmark::State& state) {
    array const t = copied(bench::times<T>(state));
    array out = t;
    bench::measure<T>(state, 2, out, [&] { xt::noalias(out) = xt::log(t) * xt::sqrt(t); });
    bench::note_log_sqrt<T>(state, out);
  }
  static void black_scholes(benchmark::State& state) {
    array const spot = copied(bench::spots<T>(state)), strike = copied(bench::strikes<T>(state)),
                t = copied(bench::years<T>(state));
    array out = t;
    bench::measure<T>(state, 4, out, [&] {
      bench::call_price<T>(spot, strike, t, [&](auto const& price) { xt::noalias(out) = price; });
    });
  }
  static void exp_fmod(benchmark::State& state) {
    array const x = copied(bench::exponents<T>(state)), y = copied(bench::dividends<T>(state)),
                z = copied(bench::divisors<T>(state));
    array out = x;
    bench::measure<T>(state, 4, out, [&] { xt::noalias(out) = xt::exp(x) * xt::fmod(y, z); });
    bench::note_exp_fmod<T>(state, out);
  }
};
static bench::formula_rows<xtensor> const rows;
