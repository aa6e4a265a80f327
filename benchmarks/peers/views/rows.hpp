#pragma once
/// Elements that are not adjacent:
///   im2col: the patches of 4 x 4 of images with 4 channels, as rows of a matrix
///   strided_add: every second element of x += y      gather_rows: rows of 64 elements by index

#include <row.hpp>

#include <vector>

namespace bench {

inline constexpr std::int64_t channels = 4, patches = 16, window = 4, side = patches * window;
inline constexpr std::int64_t table_rows = 1 << 12, table_columns = 64;

/// Small numbers that differ.
inline std::vector<float> numbers(std::int64_t n) {
  std::vector<float> all(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i != all.size(); ++i) all[i] = static_cast<float>(i * 37 % 1021);
  return all;
}
/// Unordered rows of the table.
inline std::vector<std::int64_t> indices(benchmark::State const& state) {
  std::vector<std::int64_t> all(count_of(state));
  for (std::size_t i = 0; i != all.size(); ++i)
    all[i] = static_cast<std::int64_t>(i) * 2897 % table_rows;
  return all;
}

/// Runs `pass` repeatedly, which writes `out`. The counter `check` shows whether sides agree.
template <class Out, class F>
void measure(benchmark::State& state, Out const& out, std::int64_t elements, F const& pass) {
  pass();
  auto const* const written = [&] {  // it may have moved
    if constexpr (requires { out.template data_ptr<float>(); })
      return out.template data_ptr<float>();
    else return out.data();
  }();
  double check = 0;
  for (std::int64_t i = 0; i != elements; ++i) check += written[i] * static_cast<float>(i % 13);
  state.counters["check"] = check;
  for (auto _ : state) {
    pass();
    benchmark::ClobberMemory();
  }
}

/// A side at several numbers of images.
inline row im2col_row(char const* name, void (*run)(benchmark::State&)) {
  return {std::string("im2col_f32/") + name, run, 1, 1 << 8, 4};
}
inline std::int64_t pixels(benchmark::State const& state) {
  return size_of(state) * channels * side * side;
}
inline void note_im2col(benchmark::State& state) {
  note_bytes(state, pixels(state), 2 * sizeof(float), 2 * sizeof(float));
}
/// A side at several lengths of y.
inline row strided_add_row(char const* name, void (*run)(benchmark::State&)) {
  return {std::string("strided_add_f32/") + name, run, 1 << 10, 1 << 22, 8};
}
inline void note_strided_add(benchmark::State& state) {
  note_bytes(state, size_of(state), 3 * sizeof(float), 3 * sizeof(float));
}
/// A side at several numbers of indices.
inline row gather_rows_row(char const* name, void (*run)(benchmark::State&)) {
  return {std::string("gather_rows_f32/") + name, run, 1 << 5, 1 << 17, 8};
}
inline void note_gather_rows(benchmark::State& state) {
  note_bytes(state, size_of(state) * table_columns, 2 * sizeof(float), 2 * sizeof(float));
}

}  // namespace bench
