#include "rows.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

template <class T> struct eigen {
  static constexpr char const* name = "eigen";
  using array = Eigen::Array<T, Eigen::Dynamic, 1>;

  static array copied(std::vector<T> const& from) {
    return Eigen::Map<array const>(from.data(), static_cast<Eigen::Index>(from.size()));
  }
  static void log_sqrt(benchmark::State& state) {
    array const t = copied(bench::times<T>(state));
    array out = t;
    bench::measure<T>(state, 2, out, [&] { out = t.log() * t.sqrt(); });
    bench::note_log_sqrt<T>(state, out);
  }
  static void black_scholes(benchmark::State& state) {
    array const spot = copied(bench::spots<T>(state)), strike = copied(bench::strikes<T>(state)),
                t = copied(bench::years<T>(state));
    array out = t;
    bench::measure<T>(state, 4, out, [&] {
      bench::call_price<T>(spot, strike, t, [&](auto const& price) { out = price; });
    });
  }
  static void exp_fmod(benchmark::State& state) {
    array const x = copied(bench::exponents<T>(state)), y = copied(bench::dividends<T>(state)),
                z = copied(bench::divisors<T>(state));
    array out = x;
    auto const remainder = [](T a, T b) { return std::fmod(a, b); };
    bench::measure<T>(state, 4, out, [&] { out = x.exp() * y.binaryExpr(z, remainder); });
    bench::note_exp_fmod<T>(state, out);
  }
};
static bench::formula_rows<eigen> const rows;
