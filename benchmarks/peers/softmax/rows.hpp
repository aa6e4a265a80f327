#pragma once
/// Rows of matrices, each normalised: softmax of 16 to 32768 columns, log_softmax and layer_norm of
/// 64 and 1024.

#include <row.hpp>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace bench {

/// A matrix of the benchmark's number of rows.
struct matrix_shape {
  std::int64_t rows, columns;
  std::size_t size() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
};

/// A side of a function at several numbers of rows, for each of these numbers of columns.
template <class F>
void normalised_rows(std::string const& work, char const* side, F run,
                     std::initializer_list<std::int64_t> all_columns) {
  constexpr std::int64_t least = 1 << 12, most = 1 << 24;  // elements
  for (std::int64_t const columns : all_columns) {
    auto const of_columns = [run, columns](benchmark::State& state) {
      matrix_shape const shape{size_of(state), columns};
      run(state, shape);
      note_bytes(state, shape.rows * columns, 2 * sizeof(float), 2 * sizeof(float));
    };
    row(work + '_' + std::to_string(columns) + "_f32/" + side, of_columns,
        std::max<std::int64_t>(1, least / columns), most / columns, 8);
  }
}
struct softmax_rows {
  template <class F> softmax_rows(char const* side, F run) {
    normalised_rows("softmax", side, run, {16, 64, 1024, 4096, 32768});
  }
};
struct log_softmax_rows {
  template <class F> log_softmax_rows(char const* side, F run) {
    normalised_rows("log_softmax", side, run, {64, 1024});
  }
};
struct layer_norm_rows {
  template <class F> layer_norm_rows(char const* side, F run) {
    normalised_rows("layer_norm", side, run, {64, 1024});
  }
};
/// As `epsilon` of layer_norm.
inline constexpr float epsilon = 1e-5f;

/// Numbers from -8 to 8, row by row.
inline std::vector<float> logits(matrix_shape const& shape) {
  std::vector<float> all(shape.size());
  for (std::size_t i = 0; i != all.size(); ++i)
    all[i] = static_cast<float>(i * 37 % 257) * 0.0625f - 8;
  return all;
}
/// The counter `third` is an element of the result, which shows whether sides agree.
inline void note_third(benchmark::State& state, float const* result) {
  state.counters["third"] = static_cast<double>(result[2]);
}

}  // namespace bench
