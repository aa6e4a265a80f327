#pragma once
/// Softmax of rows of 1024 columns.

#include <row.hpp>

#include <vector>

namespace bench {

inline constexpr std::int64_t columns = 1024;

/// A side at several numbers of rows.
inline row softmax_row(char const* side, void (*run)(benchmark::State&)) {
  return {std::string("softmax_1024_f32/") + side, run, 4, 1 << 14, 8};
}
inline void note_softmax(benchmark::State& state) {
  note_bytes(state, size_of(state) * columns, 2 * sizeof(float), 2 * sizeof(float));
}
/// Numbers from -8 to 8, row by row.
inline std::vector<float> logits(benchmark::State const& state) {
  std::vector<float> all(count_of(state) * columns);
  for (std::size_t i = 0; i != all.size(); ++i)
    all[i] = static_cast<float>(i * 37 % 257) * 0.0625f - 8;
  return all;
}

}  // namespace bench
