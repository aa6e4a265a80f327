#pragma once
/// Random numbers into an existing array: uniform in [0, 1), from the standard normal distribution,
/// and from it without those further than two standard deviations from 0.

#include <row.hpp>

#include <cmath>

namespace bench {

template <class T> inline constexpr char const* type_name = sizeof(T) == 4 ? "_f32" : "_f64";

/// Runs `fill` repeatedly. The counters `mean` and `deviation` show that sides have the same
/// distribution.
template <class T, class Out, class F>
void measure(benchmark::State& state, Out const& out, F const& fill) {
  for (auto _ : state) {
    fill();
    benchmark::ClobberMemory();
  }
  note_bytes(state, size_of(state), sizeof(T), sizeof(T));
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i != count_of(state); ++i) {
    double const x = static_cast<double>(out.data()[i]);
    sum += x;
    squares += x * x;
  }
  double const n = static_cast<double>(size_of(state)), mean = sum / n;
  state.counters["mean"] = mean;
  state.counters["deviation"] = std::sqrt(squares / n - mean * mean);
}

/// The rows of a side for one type. Side: a template with `name`, `uniform`, `normal` and
/// `truncated_normal`.
template <class Side, class T> void register_random() {
  auto const add = [](char const* work, void (*run)(benchmark::State&)) {
    row(std::string(work) + type_name<T> + "/" + Side::name, run, 1 << 10, 1 << 22, 8);
  };
  add("uniform", Side::uniform);
  add("normal", Side::normal);
  add("truncated_normal", Side::truncated_normal);
}
template <template <class> class Side> struct random_rows {
  random_rows() {
    register_random<Side<float>, float>();
    register_random<Side<double>, double>();
  }
};

}  // namespace bench
