#pragma once
/// The largest of each 2 x 2 elements of 8 images, with one to many channels as the last dimension.

#include <row.hpp>

#include <vector>

namespace bench {

inline constexpr std::int64_t images = 8, side = 128, window = 2;

/// A side of the row, by channels.
inline row pooling_row(char const* name, void (*run)(benchmark::State&)) {
  return {std::string("max_pooling_f32/") + name, run, 1, 64, 2};
}
inline std::int64_t elements(benchmark::State const& state) {
  return images * side * side * size_of(state);
}
inline void note_pooling(benchmark::State& state) {
  note_bytes(state, elements(state), sizeof(float) * 5 / 4, sizeof(float) * 5 / 4);
}
inline std::vector<float> image_elements(benchmark::State const& state) {
  std::vector<float> all(static_cast<std::size_t>(elements(state)));
  for (std::size_t i = 0; i != all.size(); ++i) all[i] = static_cast<float>(i * 37 % 257);
  return all;
}

}  // namespace bench
