#pragma once
/// Matrices whose operands have another layout than the result: relu(x + bias) with a row of 256
/// columns; x.transpose() and x + x.transpose() of square matrices.

#include <row.hpp>

namespace bench {

inline constexpr std::int64_t columns = 256;

/// A side at several numbers of rows.
inline row bias_relu_row(char const* side, void (*run)(benchmark::State&)) {
  return {std::string("bias_relu_f32/") + side, run, 4, 1 << 17, 8};
}
inline void note_bias_relu(benchmark::State& state) {
  note_bytes(state, size_of(state) * columns, 2 * sizeof(float), 2 * sizeof(float));
}
/// The same for square matrices, by their extent.
inline row square_row(char const* work, char const* side, void (*run)(benchmark::State&)) {
  return {std::string(work) + "_f32/" + side, run, 1 << 6, 1 << 12, 4};
}
inline void note_square(benchmark::State& state) {
  note_bytes(state, size_of(state) * size_of(state), 2 * sizeof(float), 2 * sizeof(float));
}

}  // namespace bench
