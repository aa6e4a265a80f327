#include <ours.hpp>

#include "rows.hpp"

namespace pl = placement;

template <class T> struct ours {
  static constexpr char const* name = "placement";
  using array = pl::tensor<T, pl::dextents<1>>;

  static void log_sqrt(benchmark::State& state) {
    pl::with_device const scope(pl::cpu<0>);
    array const t = pl::from(bench::times<T>(state));
    array out = t + T(0);
    bench::measure<T>(state, 2, out, [&] { out = pl::log(t) * pl::sqrt(t); });
    bench::note_log_sqrt<T>(state, out);
  }
  static void black_scholes(benchmark::State& state) {
    pl::with_device const scope(pl::cpu<0>);
    array const spot = pl::from(bench::spots<T>(state)),
                strike = pl::from(bench::strikes<T>(state)), t = pl::from(bench::years<T>(state));
    array out = t + T(0);
    bench::measure<T>(state, 4, out, [&] {
      bench::call_price<T>(spot, strike, t, [&](auto const& price) { out = price; });
    });
  }
  static void exp_fmod(benchmark::State& state) {
    pl::with_device const scope(pl::cpu<0>);
    array const x = pl::from(bench::exponents<T>(state)), y = pl::from(bench::dividends<T>(state)),
                z = pl::from(bench::divisors<T>(state));
    array out = x + T(0);
    bench::measure<T>(state, 4, out, [&] { out = pl::exp(x) * pl::modulo(y, z); });
    bench::note_exp_fmod<T>(state, out);
  }
};
static bench::formula_rows<ours> const rows;
