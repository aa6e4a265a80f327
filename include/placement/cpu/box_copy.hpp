#pragma once
/// Copies of boxes: elements of one shape between two layouts, at the speed of memcpy where rows
/// are contiguous.

#include <placement/cpu/strided_copy.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// A box of elements without its types. Units: elements, and bytes of an element.
struct element_box {
  std::size_t rank = 0;
  index_t extent[max_rank]{}, to[max_rank]{}, from[max_rank]{};
  unsigned bytes = 0;

  /// Adds an inner dimension. Dimensions that lie alike in both layouts become one.
  constexpr void add(index_t n, index_t to_stride, index_t from_stride) {
    if (n == 1) return;
    if (rank != 0 && to[rank - 1] == n * to_stride && from[rank - 1] == n * from_stride) {
      extent[rank - 1] *= n;
      to[rank - 1] = to_stride;
      from[rank - 1] = from_stride;
    } else {
      extent[rank] = n;
      to[rank] = to_stride;
      from[rank++] = from_stride;
    }
  }
  /// Whether dimensions d and d + 1 are rows, contiguous in both layouts, for which a call of
  /// memcpy costs too much. Those of a long column of short rows are copied along the column.
  constexpr bool has_short_rows(std::size_t d) const {
    constexpr index_t long_row = 4096, short_row = 8;
    index_t const columns = extent[d + 1];
    return to[d + 1] == 1 && from[d + 1] == 1 && columns * static_cast<index_t>(bytes) < long_row &&
           (columns >= short_row || extent[d] <= columns);
  }
  /// Whether the last two dimensions are smaller than a block of their own.
  constexpr bool has_small_matrices() const {
    return rank > 2 && extent[rank - 1] * extent[rank - 2] < 128;
  }
  /// Whether they are short, and the last has no rows to copy.
  constexpr bool has_tiny_matrices() const {
    constexpr index_t is_short = 8;
    return rank > 2 && extent[rank - 1] < is_short && extent[rank - 2] < is_short &&
           (to[rank - 1] != 1 || from[rank - 1] != 1);
  }
  /// Joins rows of 2 to 16 bytes, which are contiguous in both layouts, to larger elements.
  constexpr void widen() {
    if (rank == 0 || to[rank - 1] != 1 || from[rank - 1] != 1) return;
    index_t const n = extent[rank - 1];
    if (n != 2 && n != 4 && n != 8 && n != 16) return;
    bool fits = n * static_cast<index_t>(bytes) <= 16;
    for (std::size_t d = 0; d + 1 != rank; ++d) fits = fits && to[d] % n == 0 && from[d] % n == 0;
    if (!fits) return;
    bytes *= static_cast<unsigned>(n);
    --rank;
    for (std::size_t d = 0; d != rank; ++d) {
      to[d] /= n;
      from[d] /= n;
    }
  }
};

/// Copies the matrix of dimensions d and d + 1, with the longer rows of the two.
inline void copy_box_matrix(unsigned char* to, unsigned char const* from, element_box const& b,
                            std::size_t d) {
  auto const bytes = static_cast<index_t>(b.bytes);
  index_t rows = b.extent[d], columns = b.extent[d + 1];
  element_matrix<unsigned char> t{to, b.to[d] * bytes, b.to[d + 1] * bytes};
  element_matrix<unsigned char const> f{from, b.from[d] * bytes, b.from[d + 1] * bytes};
  constexpr index_t short_row = 8, block = 1024;
  bool const turns = columns < short_row && rows > columns;
  if (turns) {
    std::swap(rows, columns);
    std::swap(t.pitch, t.step);
    std::swap(f.pitch, f.step);
  }
  if (f.step == 0 && t.step == bytes) {
    return repeat_rows({t.data, t.pitch, f.data, f.pitch, rows, columns * bytes}, b.bytes);
  }
  if (t.step == bytes) return copy_elements(t, f, rows, columns, b.bytes);
  for (index_t j = 0; j < columns; j += block) {  // of all rows, so that lines stay in the cache
    index_t const n = columns - j < block ? columns - j : block;
    for (index_t r = 0; r != rows; ++r)
      with_word(b.bytes, [&]<class W>(W) {
        copy_fiber<W>(t.data + r * t.pitch + j * t.step, t.step, f.data + r * f.pitch + j * f.step,
                      f.step, n);
      });
  }
}

/// Copies dimensions d to d + 2, the last two of which are short, element by element.
inline void copy_tiny_matrices(unsigned char* to, unsigned char const* from, element_box const& b,
                               std::size_t d) {
  with_word(b.bytes, [&]<class W>(W) {
    constexpr index_t word = sizeof(W), four = 4;
    index_t const rows = b.extent[d + 1], columns = b.extent[d + 2];
    index_t const to_step = b.to[d + 2] * word, from_step = b.from[d + 2] * word;
    for (index_t m = 0; m != b.extent[d]; ++m) {
      unsigned char* t = to + m * b.to[d] * word;
      unsigned char const* f = from + m * b.from[d] * word;
      for (index_t r = 0; r != rows; ++r, t += b.to[d + 1] * word, f += b.from[d + 1] * word) {
        if (columns == four) {  // without a loop
          W const w = load_word<W>(f), x = load_word<W>(f + from_step);
          W const y = load_word<W>(f + 2 * from_step), z = load_word<W>(f + 3 * from_step);
          store_word(t, w);
          store_word(t + to_step, x);
          store_word(t + 2 * to_step, y);
          store_word(t + 3 * to_step, z);
        } else {
          for (index_t j = 0; j != columns; ++j)
            store_word(t + j * to_step, load_word<W>(f + j * from_step));
        }
      }
    }
  });
}

inline void copy_box(unsigned char* to, unsigned char const* from, element_box const& b,
                     std::size_t d = 0) {
  auto const bytes = static_cast<index_t>(b.bytes);
  if (b.rank - d <= 2) return copy_box_matrix(to, from, b, d);
  if (b.rank - d == 3 && b.has_tiny_matrices()) return copy_tiny_matrices(to, from, b, d);
  if (b.rank - d == 3 && b.has_short_rows(d + 1))
    return copy_rows({to, b.to[d + 1] * bytes, from, b.from[d + 1] * bytes, b.extent[d + 1],
                      b.extent[d + 2] * bytes, b.extent[d], b.to[d] * bytes, b.from[d] * bytes});
  for (index_t i = 0; i != b.extent[d]; ++i)
    copy_box(to + i * b.to[d] * bytes, from + i * b.from[d] * bytes, b, d + 1);
}

/// Copies a box of any rank.
inline void copy_whole_box(unsigned char* to, unsigned char const* from, element_box& b) {
  b.widen();
  while (b.rank < 2) {  // a matrix of one row
    for (std::size_t d = b.rank++; d != 0; --d) {
      b.extent[d] = b.extent[d - 1];
      b.to[d] = b.to[d - 1];
      b.from[d] = b.from[d - 1];
    }
    b.extent[0] = 1;
    b.to[0] = b.from[0] = 0;
  }
  copy_box(to, from, b);
}

/// Copies matrices `first` to `last` - 1 of a box of rank 3 or more, in row-major order: those of
/// the last three dimensions together.
inline void copy_matrices(unsigned char* to, unsigned char const* from, element_box const& all,
                          index_t first, index_t last) {
  element_box b = all;
  auto const bytes = static_cast<index_t>(b.bytes);
  std::size_t const inner = b.rank - 3;
  for (index_t number = first; number != last; number += b.extent[inner]) {
    index_t left = number, t = 0, f = 0;
    for (std::size_t d = inner + 1; d-- > 0; left /= all.extent[d]) {
      t += left % all.extent[d] * b.to[d];
      f += left % all.extent[d] * b.from[d];
    }
    index_t const in_box = all.extent[inner] - number % all.extent[inner];
    b.extent[inner] = in_box < last - number ? in_box : last - number;
    copy_box(to + t * bytes, from + f * bytes, b, inner);
  }
}

/// Copies and fills of boxes on the CPU.
struct cpu_boxes {
  /// `to` at each position of one layout = `from` at that of the other. They do not overlap.
  template <class T, std::size_t R>
  void copy(T* to, layout<R> const& where, T const* from, layout<R> const& source,
            dextents<R> const& x) const noexcept {
    if (x.count() == 0) return;
    element_box b;
    b.bytes = sizeof(T);
    for (std::size_t d = 0; d != R; ++d) b.add(x.n[d], where.stride[d], source.stride[d]);
    copy_whole_box(reinterpret_cast<unsigned char*>(to + where.base),
                   reinterpret_cast<unsigned char const*>(from + source.base), b);
  }
  template <class T, std::size_t R>
  void fill(T* to, layout<R> const& where, T value, dextents<R> const& x) const noexcept {
    copy(to, where, &value, layout<R>{}, x);
  }
};

}}}  // namespace placement::v0_1::detail
