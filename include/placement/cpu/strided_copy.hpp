#pragma once
/// Copies of elements whose size is known at run time: how operands of block kernels come to lie
/// side by side.

#include <placement/cpu/lanes.hpp>
#include <placement/shape/extents.hpp>

#include <cstdint>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// Calls f(word{}) with the unsigned integer of so many bytes: 1, 2, 4 or 8. Elements of any type
/// are copied as such words, by memcpy.
template <class F> [[gnu::always_inline]] inline void with_word(unsigned bytes, F const& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}
template <class W> [[gnu::always_inline]] inline W load_word(unsigned char const* p) {
  W x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
template <class W> [[gnu::always_inline]] inline void store_word(unsigned char* p, W x) {
  std::memcpy(p, &x, sizeof x);
}

/// Element j of `to` = element j * step of `from`, for j below n. Step: a compile-time constant, or
/// 0 for `step`.
template <index_t Step, class W>
[[gnu::always_inline]] inline void gather_row(unsigned char* to, unsigned char const* from,
                                              index_t step, index_t n) {
  constexpr index_t unrolled = 16, word = sizeof(W);
  if constexpr (Step != 0) step = Step;
  index_t const whole = n / unrolled * unrolled;
  for (index_t j = 0; j != whole; j += unrolled) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t k = 0; k != unrolled; ++k)
      store_word(to + (j + k) * word, load_word<W>(from + (j + k) * step * word));
  }
  for (index_t j = whole; j < n; ++j)
    store_word(to + j * word, load_word<W>(from + j * step * word));
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
      unsigned char* const t = to.data + r * to.pitch;
      unsigned char const* const s = from.data + r * from.pitch;
      index_t const step = from.step / word;
      if (to.step != word)
        for (index_t j = 0; j != columns; ++j)
          store_word(t + j * to.step, load_word<W>(s + j * from.step));
      else if (step == 1) std::memcpy(t, s, static_cast<std::size_t>(columns * word));
      else if (step == -1) gather_row<-1, W>(t, s, step, columns);
      else if (step == 2) gather_row<2, W>(t, s, step, columns);
      else gather_row<0, W>(t, s, step, columns);
    }
  });
}

/// Writes n copies of one element.
inline void repeat_element(unsigned char* to, unsigned char const* element, index_t n,
                           unsigned bytes) {
  with_word(bytes, [&]<class W>(W) {
    constexpr index_t unrolled = 16, word = sizeof(W);
    W const value = load_word<W>(element);
    index_t const whole = n / unrolled * unrolled;
    for (index_t j = 0; j != whole; j += unrolled)
      for (index_t k = 0; k != unrolled; ++k) store_word(to + (j + k) * word, value);
    for (index_t j = whole; j < n; ++j) store_word(to + j * word, value);
  });
}

/// Copies columns that are contiguous in memory to rows: element (r, j) from `from` + r elements
/// + j * step to `to` + r * pitch + j elements. Each cache line of the source is read once. Units
/// of step and pitch: bytes.
inline void transpose_elements(unsigned char* to, index_t pitch, unsigned char const* from,
                               index_t step, index_t rows, index_t columns, unsigned bytes) {
  with_word(bytes, [&]<class W>(W) {
    constexpr index_t word = sizeof(W);
    index_t j = 0;
    if constexpr (sizeof(W) >= 4) {
      using four = lanes<W, 4>;
      for (; columns - j >= 4; j += 4)
        for (index_t r = 0; r + 4 <= rows; r += 4) {
          four x[4];
          for (index_t k = 0; k != 4; ++k)
            std::memcpy(&x[k], from + (j + k) * step + r * word, sizeof(four));
          transpose_four(x);
          for (index_t k = 0; k != 4; ++k)
            std::memcpy(to + (r + k) * pitch + j * word, &x[k], sizeof(four));
        }
    }
    // What is left: the last columns, and the last rows of the others.
    index_t const done = rows / 4 * 4;
    for (index_t c = 0; c != columns; ++c)
      for (index_t r = c < j ? done : 0; r < rows; ++r)
        store_word(to + r * pitch + c * word, load_word<W>(from + c * step + r * word));
  });
}

}}}  // namespace placement::v0_1::detail
