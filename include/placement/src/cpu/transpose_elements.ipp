#pragma once
/// Definitions of transpose_elements.hpp.

#include <placement/config.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/cpu/strided_copy.hpp>
#include <placement/cpu/transpose_elements.hpp>
#include <placement/cpu/transpose_lanes.hpp>

#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// The arguments of transpose_elements().
struct transposition {
  unsigned char* to;
  index_t pitch;
  unsigned char const* from;
  index_t step, rows, columns;

  /// The part from (row, column) on.
  PLACEMENT_ALWAYS_INLINE transposition part(index_t row, index_t column, index_t word) const {
    return {to + row * pitch + column * word,
            pitch,
            from + column * step + row * word,
            step,
            rows - row,
            columns - column};
  }
};

/// Tiles of N x N elements, then smaller ones along the ends.
template <class W, int N> PLACEMENT_ALWAYS_INLINE inline void transpose_words(transposition t) {
  constexpr index_t word = sizeof(W);
  if constexpr (N > 1) {
    index_t const rows = t.rows / N * N, columns = t.columns / N * N;
    for (index_t j = 0; j < columns; j += N)
      for (index_t r = 0; r < rows; r += N) {
        lane_array<W, N, N> x;
        each<N>([&](auto k) PLACEMENT_ALWAYS_INLINE {
          std::memcpy(&x[k], t.from + (j + k) * t.step + r * word, sizeof x[k]);
        });
        transpose_lanes<N, 1, W>(x);
        each<N>([&](auto k) PLACEMENT_ALWAYS_INLINE {
          std::memcpy(t.to + (r + k) * t.pitch + j * word, &x[k], sizeof x[k]);
        });
      }
    if (columns != t.columns) transpose_words<W, N / 2>(t.part(0, columns, word));
    t.columns = columns;
    if (rows != t.rows) transpose_words<W, N / 2>(t.part(rows, 0, word));
  } else {
    for (index_t j = 0; j < t.columns; ++j)
      for (index_t r = 0; r < t.rows; ++r)
        store_word(t.to + r * t.pitch + j * word, load_word<W>(t.from + j * t.step + r * word));
  }
}

template <class W> PLACEMENT_FOR_AVX2 inline void transpose_for_avx2(transposition const& t) {
  transpose_words<W, 32 / static_cast<int>(sizeof(W))>(t);
}
template <class W> inline void transpose_of(transposition const& t) {
  if constexpr (sizeof(W) == 4 || sizeof(W) == 8) {
    if constexpr (PLACEMENT_HAS_LEVELS || PLACEMENT_X86_LEVEL >= 3)
      if (cpu_level_in_use() != cpu_level::baseline) return transpose_for_avx2<W>(t);
    transpose_words<W, 16 / static_cast<int>(sizeof(W))>(t);
  } else {
    transpose_words<W, 1>(t);
  }
}

PLACEMENT_INLINE void transpose_elements(unsigned char* to, index_t pitch,
                                         unsigned char const* from, index_t step, index_t rows,
                                         index_t columns, unsigned bytes) {
  with_word(bytes, [&]<class W>(W) { transpose_of<W>({to, pitch, from, step, rows, columns}); });
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
