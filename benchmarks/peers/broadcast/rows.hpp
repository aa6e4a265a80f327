#pragma once
/// A matrix of 256 columns and a row of as many: relu(x + bias).

#include <row.hpp>

namespace bench {

inline constexpr std::int64_t columns = 256;

/// A side at some numbers of rows.
inline row bias_relu_row(char const* side, void (*run)(benchmark::State&)) {
  return {std::string("bias_relu_f32/") + side, run, 4, 1 << 17, 8};
}
inline void note_bias_relu(benchmark::State& state) {
  note_bytes(state, size_of(state) * columns, 2 * sizeof(float), 2 * sizeof(float));
}

}  // namespace bench
