#include "rows.hpp"

template <class T> struct loop {
  static constexpr char const* name = "loop";

  static void log_sqrt(benchmark::State& state) {
    std::vector<T> const t = bench::times<T>(state);
    std::vector<T> out(t.size());
    bench::measure<T>(state, 2, out, [&] {
      for (std::size_t i = 0; i != out.size(); ++i) out[i] = std::log(t[i]) * std::sqrt(t[i]);
    });
    bench::note_log_sqrt<T>(state, out);
  }
  static void black_scholes(benchmark::State& state) {
    std::vector<T> const spot = bench::spots<T>(state), strike = bench::strikes<T>(state),
                         t = bench::years<T>(state);
    std::vector<T> out(t.size());
    bench::measure<T>(state, 4, out, [&] {
      for (std::size_t i = 0; i != out.size(); ++i)
        bench::call_price<T>(spot[i], strike[i], t[i], [&](T price) { out[i] = price; });
    });
  }
  static void exp_fmod(benchmark::State& state) {
    std::vector<T> const x = bench::exponents<T>(state), y = bench::dividends<T>(state),
                         z = bench::divisors<T>(state);
    std::vector<T> out(x.size());
    bench::measure<T>(state, 4, out, [&] {
      for (std::size_t i = 0; i != out.size(); ++i) out[i] = std::exp(x[i]) * std::fmod(y[i], z[i]);
    });
    bench::note_exp_fmod<T>(state, out);
  }
};
static bench::formula_rows<loop> const rows;
