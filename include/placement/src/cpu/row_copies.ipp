#pragma once
/// Definitions of row_copies.hpp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/row_copies.hpp>
#include <placement/cpu/strided_copy.hpp>

#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Copies n bytes by registers. The last register ends with the last byte, so it may overlap the
/// one before. Fewer bytes than a register are copied by shorter ones.
template <int Bytes>
PLACEMENT_ALWAYS_INLINE inline void copy_row(unsigned char* to, unsigned char const* from,
                                             index_t n) {
  lanes<unsigned char, Bytes> x;
  if (n >= Bytes) {
    std::memcpy(&x, from + (n - Bytes), sizeof x);
    std::memcpy(to + (n - Bytes), &x, sizeof x);
    for (index_t i = 0; i + Bytes < n; i += Bytes) {
      std::memcpy(&x, from + i, sizeof x);
      std::memcpy(to + i, &x, sizeof x);
    }
  } else if constexpr (Bytes > 2) {
    copy_row<Bytes / 2>(to, from, n);
  } else if (n == 1) {
    *to = *from;
  }
}
struct copying_rows {
  row_copies const& all;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    for (index_t m = 0; m != all.matrices; ++m)
      for (index_t r = 0; r != all.rows; ++r)
        copy_row<Bytes>(all.to + m * all.to_next + r * all.to_pitch,
                        all.from + m * all.from_next + r * all.from_pitch, all.row_bytes);
  }
};

/// Fills n bytes with a register of copies of an element, as copy_row() copies them.
template <int Bytes>
PLACEMENT_ALWAYS_INLINE inline void fill_row(unsigned char* to,
                                             lanes<unsigned char, Bytes> const& x, index_t n) {
  if (n >= Bytes) {
    std::memcpy(to + (n - Bytes), &x, sizeof x);
    for (index_t i = 0; i + Bytes < n; i += Bytes) std::memcpy(to + i, &x, sizeof x);
  } else if constexpr (Bytes > 2) {
    lanes<unsigned char, Bytes / 2> half;
    std::memcpy(&half, &x, sizeof half);
    fill_row<Bytes / 2>(to, half, n);
  } else if (n == 1) {
    std::memcpy(to, &x, 1);
  }
}
template <class W> struct repeating_rows {
  row_copies const& all;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int words = Bytes / int{sizeof(W)};
    for (index_t r = 0; r != all.rows; ++r) {
      W const element = load_word<W>(all.from + r * all.from_pitch);
      lanes<unsigned char, Bytes> x;
      if constexpr (std::is_integral_v<W> && words > 1) {
        lanes<W, words> const repeated = lanes<W, words>{} + element;
        std::memcpy(&x, &repeated, sizeof x);
      } else {
        W repeated[static_cast<std::size_t>(words)];
        for (W& w : repeated) w = element;
        std::memcpy(&x, repeated, sizeof x);
      }
      fill_row<Bytes>(all.to + r * all.to_pitch, x, all.row_bytes);
    }
  }
};

PLACEMENT_INLINE void copy_rows(row_copies const& all) { run_by_width(copying_rows{all}); }
PLACEMENT_INLINE void repeat_rows(row_copies const& all, unsigned bytes) {
  with_word(bytes, [&]<class W>(W) { run_by_width(repeating_rows<W>{all}); });
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
