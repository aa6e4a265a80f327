#pragma once
/// Copies of elements whose size is known at run time: how operands of block kernels come to lie
/// side by side.

#include <placement/cpu/lanes.hpp>
#include <placement/cpu/reverse_elements.hpp>
#include <placement/cpu/row_copies.hpp>
#include <placement/kernels/simd_register.hpp>
#include <placement/shape/extents.hpp>

#include <cstdint>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// The memory of an element of 16 bytes.
struct two_words {
  std::uint64_t low, high;
};
/// Calls f(word{}) with the unsigned integer of so many bytes: 1, 2, 4 or 8, or with two for 16.
/// Elements of any type are copied as such words, by memcpy.
template <class F> PLACEMENT_ALWAYS_INLINE inline void with_word(unsigned bytes, F const& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 16: return f(two_words{});
    default: return f(std::uint64_t{});
  }
}
template <class W> PLACEMENT_ALWAYS_INLINE inline W load_word(unsigned char const* p) {
  W x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
template <class W> PLACEMENT_ALWAYS_INLINE inline void store_word(unsigned char* p, W x) {
  std::memcpy(p, &x, sizeof x);
}

/// Every second or third of some words of 32 bits, by shuffles of two registers. Nothing after the
/// last one is read. Returns how many words are copied.
template <index_t Step>
PLACEMENT_ALWAYS_INLINE inline index_t shuffle_row(unsigned char* to, unsigned char const* from,
                                                   index_t n) {
  static_assert(Step == 2 || Step == 3);
  using simd::detail::shuffle_lanes;
  using four = lanes<std::uint32_t, 4>;
  constexpr index_t word = sizeof(std::uint32_t), second = (2 * Step - (Step == 2 ? 1 : 0)) * word;
  index_t j = 0;
  if constexpr (Step == 2 && PLACEMENT_VECTOR_BYTES >= 32) {
    for (; n - j >= 8; j += 8, from += 16 * word) {  // pairs of each half, then in their order
      lanes<float, 8> a, b, x;
      lanes<double, 4> pairs;
      std::memcpy(&a, from, sizeof a);
      std::memcpy(&b, from + 7 * word, sizeof b);
      x = PLACEMENT_SHUFFLE(a, b, 0, 2, 9, 11, 4, 6, 13, 15);
      std::memcpy(&pairs, &x, sizeof x);
      pairs = PLACEMENT_SHUFFLE(pairs, pairs, 0, 2, 1, 3);
      std::memcpy(to + j * word, &pairs, sizeof pairs);
    }
  }
  for (; n - j >= 4; j += 4, from += 4 * Step * word) {
    four a, b, x;
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, from + second, sizeof b);
    if constexpr (Step == 2) x = PLACEMENT_SHUFFLE(a, b, 0, 2, 5, 7);
    else x = PLACEMENT_SHUFFLE(a, b, 0, 3, 4, 7);
    std::memcpy(to + j * word, &x, sizeof x);
  }
  return j;
}

/// Element j of `to` = element j * step of `from`, for j below n. Step: a compile-time constant, or
/// 0 for `step`.
template <index_t Step, class W>
PLACEMENT_ALWAYS_INLINE inline void gather_row(unsigned char* to, unsigned char const* from,
                                               index_t step, index_t n) {
  constexpr index_t unrolled = 16, word = sizeof(W);
  if constexpr (Step != 0) step = Step;
  index_t j = 0;
  if constexpr ((Step == 2 || Step == 3) && word == 4) j = shuffle_row<Step>(to, from, n);
  else if constexpr (Step == 0)
    for (unsigned char const* s = from; n - j >= 4; j += 4, s += 4 * step * word) {
      store_word(to + j * word, load_word<W>(s));
      store_word(to + (j + 1) * word, load_word<W>(s + step * word));
      store_word(to + (j + 2) * word, load_word<W>(s + 2 * step * word));
      store_word(to + (j + 3) * word, load_word<W>(s + 3 * step * word));
    }
  else
    for (; n - j >= unrolled; j += unrolled) {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t k = 0; k != unrolled; ++k)
        store_word(to + (j + k) * word, load_word<W>(from + (j + k) * step * word));
    }
  for (; j < n; ++j) store_word(to + j * word, load_word<W>(from + j * step * word));
}

/// The same for any step, with loops of their own for the most frequent ones.
template <class W>
PLACEMENT_ALWAYS_INLINE inline void gather_words(unsigned char* to, unsigned char const* from,
                                                 index_t step, index_t n) {
  if (step == 2) gather_row<2, W>(to, from, step, n);
  else if (step == 3) gather_row<3, W>(to, from, step, n);
  else gather_row<0, W>(to, from, step, n);
}
/// The same for rows of any length: short ones are copied without a call.
template <class W>
PLACEMENT_ALWAYS_INLINE inline void copy_run(unsigned char* to, unsigned char const* from,
                                             index_t step, index_t n) {
  constexpr index_t word = sizeof(W), is_short = 16;
  if (n < is_short) {
    for (index_t j = 0; j != n; ++j)
      store_word(to + j * word, load_word<W>(from + j * step * word));
  } else if (step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(n * word));
  } else {
    gather_row<0, W>(to, from, step, n);
  }
}

/// Copies n words at constant steps. Units of steps: bytes.
template <class W>
PLACEMENT_ALWAYS_INLINE inline void copy_fiber(unsigned char* to, index_t to_step,
                                               unsigned char const* from, index_t from_step,
                                               index_t n) {
  for (; n >= 4; n -= 4, to += 4 * to_step, from += 4 * from_step) {
    W const a = load_word<W>(from), b = load_word<W>(from + from_step);
    W const c = load_word<W>(from + 2 * from_step), d = load_word<W>(from + 3 * from_step);
    store_word(to, a);
    store_word(to + to_step, b);
    store_word(to + 2 * to_step, c);
    store_word(to + 3 * to_step, d);
  }
  for (; n > 0; --n, to += to_step, from += from_step) store_word(to, load_word<W>(from));
}

/// Elements of a matrix: element (r, j) is at data + r * pitch + j * step. Units: bytes; multiples
/// of an element.
template <class Byte> struct element_matrix {
  Byte* data;
  index_t pitch, step;
};

/// Copies rows of one word, which lie `pitch` bytes apart, side by side. False, and no effect, for
/// rows that are no word.
inline bool copy_rows_of_words(unsigned char* to, unsigned char const* from, index_t pitch,
                               index_t rows, index_t row_bytes) {
  auto const words = [&]<class W>(W) {
    constexpr index_t word = sizeof(W);
    if (pitch % word != 0) return false;
    gather_words<W>(to, from, pitch / word, rows);
    return true;
  };
  switch (row_bytes) {
    case 2: return words(std::uint16_t{});
    case 4: return words(std::uint32_t{});
    case 8: return words(std::uint64_t{});
    default: return false;
  }
}

/// Copies rows x columns elements. They do not overlap.
inline void copy_elements(element_matrix<unsigned char> const& to,
                          element_matrix<unsigned char const> const& from, index_t rows,
                          index_t columns, unsigned bytes) {
  index_t const row_bytes = columns * static_cast<index_t>(bytes);
  constexpr index_t long_row = 4096;  // of which a call of memcpy is a small part
  bool const has_rows = from.step == static_cast<index_t>(bytes) && to.step == from.step;
  if (rows > 1 && has_rows && row_bytes < long_row) {
    if (to.pitch != row_bytes ||
        !copy_rows_of_words(to.data, from.data, from.pitch, rows, row_bytes))
      copy_rows({to.data, to.pitch, from.data, from.pitch, rows, row_bytes});
    return;
  }
  with_word(bytes, [&]<class W>(W) {
    constexpr index_t word = sizeof(W);
    for (index_t r = 0; r != rows; ++r) {
      unsigned char* const t = to.data + r * to.pitch;
      unsigned char const* const s = from.data + r * from.pitch;
      index_t const step = from.step / word;
      if (to.step != word) copy_fiber<W>(t, to.step, s, from.step, columns);
      else if (step == 1) std::memcpy(t, s, static_cast<std::size_t>(columns * word));
      else if (step == -1) reverse_elements(t, s, columns, bytes);
      else gather_words<W>(t, s, step, columns);
    }
  });
}

}}}  // namespace placement::v0_1::detail
