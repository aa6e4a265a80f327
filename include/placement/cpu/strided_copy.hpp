#pragma once
/// Copies of elements whose size is known at run time: how operands of block kernels come to lie
/// side by side.

#include <placement/shape/extents.hpp>

#include <cstdint>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// Integers of the sizes of elements, which may name elements of any type.
using word8 [[gnu::may_alias]] = std::uint8_t;
using word16 [[gnu::may_alias]] = std::uint16_t;
using word32 [[gnu::may_alias]] = std::uint32_t;
using word64 [[gnu::may_alias]] = std::uint64_t;

/// Calls f(word{}) with the word of so many bytes: 1, 2, 4 or 8.
template <class F> [[gnu::always_inline]] inline void with_word(unsigned bytes, F const& f) {
  switch (bytes) {
    case 1: return f(word8{});
    case 2: return f(word16{});
    case 4: return f(word32{});
    default: return f(word64{});
  }
}

/// to[j] = from[j * step] for j below n. Step: a compile-time constant, or 0 for `step`.
template <index_t Step, class W>
[[gnu::always_inline]] inline void gather_row(W* to, W const* from, index_t step, index_t n) {
  constexpr index_t unrolled = 16;
  if constexpr (Step != 0) step = Step;
  index_t const whole = n / unrolled * unrolled;
  for (index_t j = 0; j != whole; j += unrolled) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = 0; k != unrolled; ++k) to[j + k] = from[(j + k) * step];
  }
  for (index_t j = whole; j < n; ++j) to[j] = from[j * step];
}

/// Elements of a matrix: element (r, j) is at data + r * pitch + j * step. Units: bytes; multiples
/// of an element.
template <class Byte> struct element_matrix {
  Byte* data;
  index_t pitch, step;
};

/// Copies rows x columns elements. They do not overlap.
inline void copy_elements(element_matrix<unsigned char> const& to,
                          element_matrix<unsigned char const> const& from, index_t rows,
                          index_t columns, unsigned bytes) {
  with_word(bytes, [&]<class W>(W) {
    constexpr index_t word = sizeof(W);
    for (index_t r = 0; r != rows; ++r) {
      auto* const t = reinterpret_cast<W*>(to.data + r * to.pitch);
      auto const* const s = reinterpret_cast<W const*>(from.data + r * from.pitch);
      index_t const step = from.step / word;
      if (to.step != word)
        for (index_t j = 0; j != columns; ++j) t[j * (to.step / word)] = s[j * step];
      else if (step == 1) std::memcpy(t, s, static_cast<std::size_t>(columns * word));
      else if (step == -1) gather_row<-1>(t, s, step, columns);
      else if (step == 2) gather_row<2>(t, s, step, columns);
      else gather_row<0>(t, s, step, columns);
    }
  });
}

/// Writes n copies of one element.
inline void repeat_element(void* to, void const* element, index_t n, unsigned bytes) {
  with_word(bytes, [&]<class W>(W) {
    W const value = *static_cast<W const*>(element);
    W* const all = static_cast<W*>(to);
    constexpr index_t unrolled = 16;
    index_t const whole = n / unrolled * unrolled;
    for (index_t j = 0; j != whole; j += unrolled)
      for (index_t k = 0; k != unrolled; ++k) all[j + k] = value;
    for (index_t j = whole; j < n; ++j) all[j] = value;
  });
}

/// Copies columns that lie side by side in memory to rows: element (r, j) from `from` + r elements
/// + j * step to `to` + r * pitch + j elements. Each cache line of the source is read once. Units
/// of step and pitch: bytes.
inline void transpose_elements(unsigned char* to, index_t pitch, unsigned char const* from,
                               index_t step, index_t rows, index_t columns, unsigned bytes) {
  with_word(bytes, [&]<class W>(W) {
    index_t j = 0;
    if constexpr (sizeof(W) >= 4) {
      using four [[gnu::vector_size(4 * sizeof(W))]] = W;
      constexpr index_t word = sizeof(W);
      for (; columns - j >= 4; j += 4)
        for (index_t r = 0; r + 4 <= rows; r += 4) {
          four x[4];
          for (index_t k = 0; k != 4; ++k)
            std::memcpy(&x[k], from + (j + k) * step + r * word, sizeof(four));
          for (index_t k = 0; k != 4; ++k) {
            four const row{x[0][k], x[1][k], x[2][k], x[3][k]};
            std::memcpy(to + (r + k) * pitch + j * word, &row, sizeof(four));
          }
        }
    }
    // What is left: the last columns, and the last rows of the others.
    index_t const done = rows / 4 * 4;
    for (index_t c = 0; c != columns; ++c)
      for (index_t r = c < j ? done : 0; r < rows; ++r)
        *reinterpret_cast<W*>(to + r * pitch + c * static_cast<index_t>(sizeof(W))) =
            *reinterpret_cast<W const*>(from + c * step + r * static_cast<index_t>(sizeof(W)));
  });
}

}}}  // namespace placement::v0_1::detail
